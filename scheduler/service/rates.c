/* rates.c - see rates.h. */
#include "scheduler/service/rates.h"

#include "common/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define RATE_MIN 1e-6
#define RATE_MAX 1e9

bool rates_may_have(int gpus, double rate, int batch_size)
{
    return gpus >= 1 && gpus <= THROUGHPUT_GPUS_MAX && (gpus & (gpus - 1)) == 0 &&
           batch_size % gpus == 0 && rate >= RATE_MIN && rate <= RATE_MAX;
}

static int read_rate(const char *text, int batch_size, int *gpus, double *rate)
{
    const char *colon = strchr(text, ':');
    int64_t count;

    if (!colon || number_parse_whole(text, (size_t)(colon - text), 1, THROUGHPUT_GPUS_MAX,
                                     &count) != NUMBER_OK)
        return -1;
    *gpus = (int)count;
    if (number_parse_real(colon + 1, strlen(colon + 1), RATE_MIN, RATE_MAX, rate) != NUMBER_OK)
        return -1;
    return rates_may_have(*gpus, *rate, batch_size) ? 0 : -1;
}

int rates_read(const struct words *rates, const char *model, int batch_size,
               struct throughput_row *row, struct error *error)
{
    *row = (struct throughput_row){.model = model, .batch_size = batch_size};
    if (rates->count == 0 || rates->count > THROUGHPUT_LEVELS_MAX)
        return error_set(error, "field \"rates\": expected 1 to %d of GPUS:RATE",
                         THROUGHPUT_LEVELS_MAX);
    for (size_t i = 0; i < rates->count; i++) {
        const int level = row->level_count;

        if (read_rate(rates->items[i], batch_size, &row->gpus[level], &row->iters_per_s[level]) <
                0 ||
            (level > 0 && row->gpus[level] <= row->gpus[level - 1]))
            return error_set(error,
                             "field \"rates\": expected GPUS:RATE, with rising powers of two that "
                             "divide the batch size, found \"%.40s\"",
                             rates->items[i]);
        row->level_count++;
    }
    return 0;
}

json_t *rates_json(const struct throughput_row *row)
{
    json_t *rates = json_array();

    for (int i = 0; i < row->level_count; i++) {
        char rate[64];

        (void)snprintf(rate, sizeof(rate), "%d:%.17g", row->gpus[i], row->iters_per_s[i]);
        json_array_append_new(rates, json_string(rate));
    }
    return rates;
}

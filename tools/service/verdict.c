/* verdict.c - see verdict.h. */
#include "tools/service/verdict.h"

#include "common/input.h"
#include "tools/service/answer.h"
#include "tools/service/moment.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#define SENTENCE_BYTES 512

struct verdict {
    int64_t job; /* 0 if the job was not accepted */
    bool is_promised;
    char sentence[SENTENCE_BYTES];
    int64_t promised_until;
    int64_t earliest; /* TIME_NONE if the earliest deadline is unknown or does not exist */
    int64_t retry_s;  /* if the service was too busy to look for the earliest deadline, the time
                         until a quote can find it; else 0 */
};

static struct verdict read_verdict(struct fields *fields)
{
    const char *word = fields_text_or_null(fields, "verdict");
    const char *sentence = fields_text(fields, "sentence");
    struct verdict verdict = {.promised_until = fields_time(fields, "promised_until")};

    verdict.is_promised = word && !strcmp(word, "promised") && verdict.promised_until != TIME_NONE;
    (void)input_printable(verdict.sentence, sizeof(verdict.sentence), sentence, strlen(sentence));
    if (fields_has(fields, "job"))
        verdict.job = fields_whole(fields, "job");
    verdict.earliest = fields_has(fields, "earliest") ? fields_time(fields, "earliest") : TIME_NONE;
    if (fields_has(fields, "retry_after_s"))
        verdict.retry_s = fields_whole(fields, "retry_after_s");
    return verdict;
}

static void print_moment(int64_t moment_s)
{
    const int64_t left_s = moment_s - (int64_t)time(NULL);
    char moment[MOMENT_BYTES];
    char duration[DURATION_BYTES];

    printf("%s", moment_print(moment_s, moment));
    if (left_s > 0)
        printf(" (in %s)", duration_print(left_s, duration));
}

static void print_verdict(const struct verdict *verdict)
{
    if (verdict->job > 0)
        printf("job %" PRId64 ": ", verdict->job);
    if (verdict->is_promised) {
        printf("promised until ");
        print_moment(verdict->promised_until);
    } else {
        printf("%s", verdict->sentence);
        if (verdict->earliest != TIME_NONE) {
            printf("; the earliest deadline that can be promised is ");
            print_moment(verdict->earliest);
        }
        if (verdict->retry_s > 0)
            printf("; the service is busy: ask in %" PRId64
                   " s, with `rubato quote`, for the earliest deadline that can be promised",
                   verdict->retry_s);
    }
    printf("\n");
}

int verdict_show(const struct call_request *request, const struct answer *answer,
                 struct error *error)
{
    struct fields fields = fields_of(request->verb, answer->object);
    const struct verdict verdict = read_verdict(&fields);

    if (fields_close(&fields, error) < 0)
        return -1;
    print_verdict(&verdict);
    return 0;
}

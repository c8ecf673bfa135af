/* rates.h - training rates in requests and documents: a list of texts "GPUS:ITERATIONS/S". */
#ifndef SERVICE_RATES_H
#define SERVICE_RATES_H

#include "scheduler/service/form.h"
#include "scheduler/state/throughput.h"

/* Reads a list of rates by rising GPUs, which are powers of two and divide the batch. `model` is
 * lent. -1 with `error`. */
int rates_read(const struct words *rates, const char *model, int batch_size,
               struct throughput_row *row, struct error *error);

/* Whether a list may have `rate` on `gpus` GPUs. */
bool rates_may_have(int gpus, double rate, int batch_size);

/* The list of the rates of `row`, as rates_read takes it. The caller owns it. */
json_t *rates_json(const struct throughput_row *row);

#endif

/* rates.h - how fast a model trains as users and documents have it: a list of texts
 * "GPUS:ITERATIONS/S". */
#ifndef SERVICE_RATES_H
#define SERVICE_RATES_H

#include "scheduler/service/form.h"
#include "scheduler/state/throughput.h"

/* Reads rates, rising by GPUs, which are powers of two and divide the batch. `model` is lent. -1
 * with `error`. */
int rates_read(const struct words *rates, const char *model, int batch_size,
               struct throughput_row *row, struct error *error);

/* Whether such a list may have `rate` on so many GPUs. */
bool rates_may_have(int gpus, double rate, int batch_size);

/* The list that rates_read reads as `row`; the caller's. */
json_t *rates_json(const struct throughput_row *row);

#endif

/* rates.h - training rates of models on this node's type of GPU, for commands without a rate. */
#ifndef WORKER_RATES_H
#define WORKER_RATES_H

#include "common/error.h"

#include <stdint.h>

typedef struct rates rates_t;

/* Tables are looked for in `folder` (NULL: the program's own) when the first rate is needed. Both
 * texts are lent. */
rates_t *rates_new(const char *folder, const char *gpu_type);
void rates_destroy(rates_t **self);

/* -1 with `error` if the table that rates_new reads cannot be read. */
int rates_check(const char *folder, const char *gpu_type, struct error *error);

/* Iterations/s of `model` at a global `batch_size` on `world` GPUs, > 0; -1 with `error` if the
 * rate is unknown. */
double rates_find(rates_t *self, const char *model, int32_t batch_size, int32_t world,
                  struct error *error);

#endif

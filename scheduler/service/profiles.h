/* profiles.h - how fast models train that no throughput table knows: what was measured of them, by
 * model and batch size, kept in the journal. */
#ifndef SERVICE_PROFILES_H
#define SERVICE_PROFILES_H

#include "common/memory.h"
#include "scheduler/journal/journal.h"
#include "scheduler/service/form.h"
#include "scheduler/state/throughput.h"

typedef struct profiles profiles_t;

/* Those that the journal, which is lent, has. NULL with `error`. */
profiles_t *profiles_new(journal_t *journal, struct error *error);
void profiles_destroy(profiles_t **self);

/* NULL if there is none; lent as long as `self`, also when another takes its place. */
const struct throughput_row *profiles_find(const profiles_t *self, const char *model,
                                           int batch_size);

/* Reads rates, each "GPUS:ITERATIONS/S", rising by GPUs, which are powers of two and divide the
 * batch. -1 with `error`. */
int profiles_read_rates(const struct words *rates, const char *model, int batch_size,
                        struct throughput_row *row, struct error *error);

/* Puts a profile into the transaction at hand; it is found from profiles_learn on. -1 with
 * `error`. */
int profiles_put(profiles_t *self, const struct throughput_row *row, struct error *error);
int profiles_learn(profiles_t *self, const char *model, int batch_size, struct error *error);

#endif

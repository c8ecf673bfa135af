/* tables.h - the throughput tables that came with the project, as the engine and as the oracle have
 * them. */
#ifndef SUPPORT_TABLES_H
#define SUPPORT_TABLES_H

#include "scheduler/state/throughput.h"
#include "tests/oracle/oracle.h"

#include <stddef.h>

typedef struct tables tables_t;

/* The folder of the tables. */
const char *tables_folder(void);

/* The tables of `gpu_type`; the test fails if there are none. */
tables_t *tables_new(const char *gpu_type);
void tables_destroy(tables_t **self);

const char *tables_gpu_type(const tables_t *self);
const throughput_table_t *tables_for_engine(const tables_t *self);
const struct oracle_tables *tables_for_oracle(const tables_t *self);

/* Fixtures for a group of cmocka tests that share the tables of the A100, which tables_a100 lends.
 * They also turn logging off. */
int tables_set_up(void **state);
int tables_tear_down(void **state);
const tables_t *tables_a100(void);

/* The row of `model` at `batch_size`, which must exist. */
const struct throughput_row *tables_row(const tables_t *self, const char *model, int batch_size);

#endif

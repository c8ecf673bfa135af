/* menu.h - the models and batch sizes of generated jobs: all that have a rate above 0 in the
 * throughput table on the GPUs that the job asks for. */
#ifndef TRACE_TOOLS_MENU_H
#define TRACE_TOOLS_MENU_H

#include "common/error.h"
#include "scheduler/state/throughput.h"
#include "tools/trace_tools/gpu_mix.h"

#include <stddef.h>

typedef struct menu menu_t;

struct choice {
    const struct throughput_row *row;
    double rate_iters_per_s; /* the rate on the GPUs that the job asks for, > 0 */
};

/* Makes the menu for every GPU count of `mix`. `models` is a list separated by commas, or NULL for
 * every model of the table without a rate of 0. Policies that try all GPU counts cannot plan a
 * model with a rate of 0. `table` must outlive the menu. Returns NULL, with `error`, if a name is
 * unknown or a GPU count has no row. */
menu_t *menu_new(const throughput_table_t *table, const char *models, const struct gpu_mix *mix,
                 struct error *error);
void menu_destroy(menu_t **self);

/* Picks a choice for entry `entry` of the mix, by two numbers 0 <= unit < 1: first a model, each as
 * likely as the others, then a batch size of the model. */
struct choice menu_pick(const menu_t *self, size_t entry, double model_unit, double batch_unit);

#endif

/* gandiva_rounds.h - the rounds of Gandiva: jobs hold what their slice sets have for them when it
 * is their turn. */
#ifndef REFERENCE_GANDIVA_ROUNDS_H
#define REFERENCE_GANDIVA_ROUNDS_H

#include "scheduler/reference/rules.h"

/* What Gandiva remembers. */
struct gandiva_memory {
    slice_sets_t *sets;
    bool charged;              /* in this round */
    side_table_t *turned_away; /* bool: found no place in the round of its arrival */
    int64_t adjusted;          /* the round after which node sets changed last; -1 for none */
};

static inline struct gandiva_round gandiva_round_of(const struct gandiva_memory *memory,
                                                    const struct reference_rules *rules,
                                                    int gpu_count)
{
    return (struct gandiva_round){memory->sets, &rules->sharing.gandiva, gpu_count};
}

/* ---- stages ---- */

int gandiva_drop_ended(engine_t *self, struct error *error);
void gandiva_adopt(engine_t *self);
int gandiva_place(engine_t *self, struct error *error);
void gandiva_lose_node(engine_t *self, int node);
void gandiva_gain_node(engine_t *self, int node);
void gandiva_charge(engine_t *self); /* GA-Q10 */
int gandiva_advance(engine_t *self, struct error *error);

#endif

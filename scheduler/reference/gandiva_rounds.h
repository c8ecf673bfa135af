/* gandiva_rounds.h - the rounds of Gandiva: jobs hold the GPUs of their slice sets when it is their
 * turn. */
#ifndef REFERENCE_GANDIVA_ROUNDS_H
#define REFERENCE_GANDIVA_ROUNDS_H

#include "scheduler/reference/rules.h"

/* Gandiva's memory of a job. */
struct gandiva_job {
    bool turned_away; /* found no place in the round of its arrival */
    uint64_t charges; /* number of charging rounds when the job was set aside */
};

/* Gandiva's memory. */
struct gandiva_memory {
    slice_sets_t *sets;
    side_table_t *jobs; /* struct gandiva_job */
    struct gandiva_seats seats;
    const struct jobs *pending; /* jobs of the engine without a set, in the order of admission */
    bool charged;               /* this round charges jobs */
    uint64_t charges;           /* number of rounds that charged jobs */
    int charge_s[SLICE_SET_CLASSES]; /* the charge of the last such round, for a job of each class
                                      */
    int64_t adjusted;                /* the round after which node sets changed last; -1 for none */
};

static inline struct gandiva_job *gandiva_job_of(const struct gandiva_memory *memory,
                                                 const struct job *job)
{
    return side_table_at(memory->jobs, job);
}

static inline struct gandiva_round
gandiva_round_of(struct gandiva_memory *memory, const struct reference_rules *rules, int gpu_count)
{
    return (struct gandiva_round){memory->sets, &rules->sharing.gandiva, gpu_count, &memory->seats};
}

/* ---- stages ---- */

int gandiva_release(engine_t *self, struct error *error);
void gandiva_adopt(engine_t *self);
int gandiva_place(engine_t *self, struct error *error);
void gandiva_lose_node(engine_t *self, int node);
void gandiva_gain_node(engine_t *self, int node);
void gandiva_charge(engine_t *self); /* GA-Q10 */
int gandiva_advance(engine_t *self, struct error *error);

#endif

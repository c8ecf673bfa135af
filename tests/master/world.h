/* clang-format off */
/* world.h - a whole testbed in one process: the master's own state machine, model workers, a
 * network that loses, delays and repeats messages, and a scheduler that plans at random. Everything
 * is drawn from a seed.
 *
 * What workloads hold is known here for certain, whatever the master believes; after every event it
 * is checked that
 *
 *   I2  no GPU has two holders and no job two live incarnations,
 *   I3  a GPU that is held is, for the master, neither held by another part nor free,
 *   I8  a plan that comes again sends nothing to workers,
 *   I10 no incarnation begins before the last checkpoint that the master was told of. */
/* clang-format on */
#ifndef TESTS_MASTER_WORLD_H
#define TESTS_MASTER_WORLD_H

#include <stdbool.h>
#include <stdint.h>

/* The mischief of the world: each a probability, or a mean time in seconds, 0 for never. */
struct world_setting {
    uint64_t seed;
    double loss;
    double repeat;
    double delay_s;
    double crash_s;   /* time between kills of a worker */
    double freeze_s;  /* time between pauses of a worker */
    double cut_s;     /* time between cuts of a link for a while, in one or both directions */
    double failure_s; /* time between failures of a workload */
    double end_s;     /* time between jobs that are done */
    double master_s;  /* time between kills of the master */
    double mute;      /* probability that a workload which begins never says that it is stable */
    double trouble_s; /* time until all mischief ends */
};

/* Counts of what happened, so that a test knows that it tried something. */
struct world_counts {
    uint64_t events;
    uint64_t begun;
    uint64_t leases_over;
    uint64_t crashes;
    uint64_t masters;
    uint64_t adopted; /* incarnations that a later master adopts from a former one */
    uint64_t settled;
    uint64_t done;
    uint64_t held;
};

/* Runs until the mischief is over and everything that is planned runs or is explained (I11). The
 * test fails, naming seed and time, if an invariant is broken, or if the world does not settle
 * soon. */
struct world_counts world_run(const struct world_setting *setting);

#endif

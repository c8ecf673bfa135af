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

/* How bad the world is; each a probability, or a mean in seconds, 0 for never. */
struct world_setting {
    uint64_t seed;
    double loss;
    double repeat;
    double delay_s;
    double crash_s;   /* between kills of a worker */
    double freeze_s;  /* between stops of a worker for a while */
    double cut_s;     /* between cuts of a link for a while, in one or both directions */
    double failure_s; /* between failures of a workload */
    double end_s;     /* between jobs that are done */
    double master_s;  /* between kills of the master */
    double mute;      /* that a workload which begins never says that it is stable */
    double trouble_s; /* how long all this goes on */
};

/* What was seen, so that a test knows that it tried something. */
struct world_counts {
    uint64_t events;
    uint64_t begun;
    uint64_t leases_over;
    uint64_t crashes;
    uint64_t masters;
    uint64_t adopted; /* incarnations of a master before, that a later one reports */
    uint64_t settled;
    uint64_t done;
    uint64_t held;
};

/* Runs until the trouble is over and everything that is planned runs or is explained (I11). The
 * test fails, naming seed and time, if an invariant is broken, or if that does not happen soon. */
struct world_counts world_run(const struct world_setting *setting);

#endif

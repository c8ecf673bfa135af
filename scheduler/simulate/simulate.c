/* simulate.c - drives a run without a cluster: time jumps from one step to the next. Every job does
 * what is expected of it, unless the setting of the world says otherwise. */
#include "scheduler/run/run.h"
#include "scheduler/simulate/world.h"

static int drive_plainly(run_t *run, struct error *error)
{
    const struct occurrence expected = {.kind = OCCURRENCE_EXPECTED};
    struct decision decision;

    if (run_begin(run, NULL, 0, &decision, error) < 0)
        return -1;
    while (decision.next_s != NEVER_S) {
        if (run_stop_asked(run))
            return 1;
        if (run_step(run, decision.next_s, &expected, 1, &decision, error) < 0)
            return -1;
    }
    return 0;
}

/* Tells the engine what starts cost. No round is held for that. */
static int start_jobs(world_t *world, run_t *run, struct decision *decision, struct error *error)
{
    const struct happenings starts = world_start_jobs(world, decision);

    if (starts.count == 0)
        return 0;
    return run_step(run, decision->now_s, starts.items, starts.count, decision, error);
}

static int drive_in(world_t *world, run_t *run, struct error *error)
{
    struct happenings happenings = world_begin(world, run_begins_s(run));
    struct decision decision;
    int64_t now_s;
    int status;

    if (run_begin(run, happenings.items, happenings.count, &decision, error) < 0)
        return -1;
    for (;;) {
        if (run_stop_asked(run))
            return 1;
        if (start_jobs(world, run, &decision, error) < 0)
            return -1;
        now_s = world_next_s(world, run_engine(run), &decision);
        if (now_s == NEVER_S) {
            status = world_check_over(world, run_engine(run), &decision, &happenings, error);
            if (status <= 0)
                return status;
            now_s = decision.now_s;
        } else if (world_go_on(world, run_engine(run), &decision, now_s, &happenings, error) < 0) {
            return -1;
        }
        if (run_step(run, now_s, happenings.items, happenings.count, &decision, error) < 0)
            return -1;
    }
}

struct simulator {
    const struct simulation *simulation;
    world_t *world; /* NULL: all goes as the tables say */
};

static const struct world_setting plain = WORLD_DEFAULT;

static int read_world(void *owner, const struct cluster_spec *spec, struct error *error)
{
    struct simulator *self = owner;
    const struct simulation *simulation = self->simulation;

    if (world_is_plain(simulation->world) && spec->end_count == 0)
        return 0;
    self->world =
        world_new(simulation->world ? simulation->world : &plain, spec, simulation->slot_s, error);
    return self->world ? 0 : -1;
}

static int drive(void *owner, run_t *run, struct error *error)
{
    struct simulator *self = owner;

    return self->world ? drive_in(self->world, run, error) : drive_plainly(run, error);
}

int simulation_run(const struct simulation *simulation, struct simulation_result *result,
                   struct error *error)
{
    struct simulator self = {.simulation = simulation};
    const struct driver driver = {
        .self = &self, .knows_ends = true, .read = read_world, .drive = drive};
    const int status = run_execute(simulation, &driver, result, error);

    world_destroy(&self.world);
    return status;
}

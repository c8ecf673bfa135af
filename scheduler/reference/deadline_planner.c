/* deadline_planner.c - see deadline_planner.h. */
#include "scheduler/reference/deadline_planner.h"

#include "scheduler/reference/rules.h"
#include "scheduler/reference/way_out.h"

#include <assert.h>
#include <math.h>

/* More than the rounding error of a sum of some thousand products. */
#define ROUNDING 1e-9

const struct planning_rules planning_as_published = PLANNING_AS_PUBLISHED;

struct planning_grid planning_grid(int64_t now_s, int64_t slot_s, int gpu_count)
{
    assert(slot_s > 0);
    return (struct planning_grid){.now_s = (double)now_s,
                                  .slot_s = (double)slot_s,
                                  .slots_per_s = 1.0 / (double)slot_s,
                                  .gpu_count = gpu_count,
                                  .rules = &planning_as_published};
}

/* EF-Q27: every end is rounded up to slots counted from now, so each round moves the ends anew. */
int64_t planning_by_slot(const struct view *view)
{
    return view->slot_s;
}

/* EF-Q27 put right: a planned end stays at its full second, and a deadline lies in no slot that
 * ends after the deadline (so EF-Q41 is gone as well). */
int64_t planning_by_second(const struct view *view)
{
    (void)view;
    return 1;
}

double planning_end_unbound(double end_s, double limit_s)
{
    (void)limit_s;
    return end_s;
}

/* EF-Q27 put right: an end that only rounding puts after its piece is the end of the piece. */
double planning_end_bound(double end_s, double limit_s)
{
    return end_s < limit_s ? end_s : limit_s;
}

struct planning_grid planning_grid_of(const struct view *view)
{
    const struct planning_rules *rules = planning_of(view);
    struct planning_grid grid =
        planning_grid(view->now_s, rules->grid_slot_s(view), view->gpu_count);

    grid.rules = rules;
    return grid;
}

/* The fewest slots that cover `length_s`, both in whole seconds. The product is off by less than a
 * slot. Lengths beyond 2^53 s (no deadline) need no exactness. */
static double slots_covering(const struct planning_grid *grid, double length_s)
{
    double slots = ceil(length_s * grid->slots_per_s);

    if ((slots - 1) * grid->slot_s >= length_s)
        slots -= 1;
    else if (slots * grid->slot_s < length_s)
        slots += 1;
    return slots;
}

double planning_slot_end(const struct planning_grid *grid, double at_s)
{
    return grid->now_s + slots_covering(grid, at_s - grid->now_s) * grid->slot_s;
}

struct deadline_demand demand_of(const struct planning_grid *grid, const struct job *job)
{
    const double deadline_s = (double)job->submission->deadline_s;

    return (struct deadline_demand){.scaling = job->scaling,
                                    .iterations = job->iterations_left,
                                    .deadline_s = deadline_s,
                                    .deadline_slot_end_s = planning_slot_end(grid, deadline_s)};
}

/* A plan in the making. `entries` are the entries of `free`. The end of the deadline's slot counts
 * as an additional entry where it falls between two entries. */
struct attempt {
    const struct planning_grid *grid;
    const struct deadline_demand *demand;
    const struct scaling *scaling;
    const struct timeline_entry *entries;
    int count;
    int before_deadline; /* entries before the end of the deadline's slot */
    int first;           /* the first entry that is still undecided */
    double left;         /* iterations still to place */
    struct reservation *reservation;
    struct prospect *prospect;
    struct error *error;
};

/* EF-Q11: steps come in order of time, so no sort is needed. */
static void add_step(struct attempt *attempt, double at_s, int level)
{
    struct reservation *reservation = attempt->reservation;

    /* A step that changes nothing is left out, as plans are kept compressed. */
    if (reservation->count > 0 && reservation->steps[reservation->count - 1].level == level)
        return;
    reservation->steps[reservation->count++] = (struct step){at_s, level};
}

static int finish(struct attempt *attempt, double end_s, double finish_s)
{
    attempt->reservation->end_s = end_s;
    attempt->prospect->finish_s = finish_s;
    attempt->prospect->met = finish_s <= attempt->demand->deadline_s;
    return 0;
}

int planning_complain(const struct scaling *scaling, int level, struct error *error)
{
    struct error plain;

    (void)scaling_complain(scaling, level, &plain);
    return error_set(error, "%s (EF-Q48); " WAY_OUT, plain.text);
}

static int complain_rate(const struct attempt *attempt, int level)
{
    return planning_complain(attempt->scaling, level, attempt->error);
}

static int complain_broken(const struct attempt *attempt, const char *what)
{
    const struct throughput_row *row = attempt->scaling->row;

    return error_set(attempt->error,
                     "model %s, batch size %d: %s; the artifact aborts here, which happens when "
                     "more GPUs are slower; " WAY_OUT,
                     row->model, row->batch_size, what);
}

static double piece_end(const struct attempt *attempt, int i)
{
    return i + 1 < attempt->before_deadline ? attempt->entries[i + 1].at_s
                                            : attempt->demand->deadline_slot_end_s;
}

/* Seconds that the piece of entry `i` can work: up to the next entry, or in the deadline's slot up
 * to the deadline. */
static double piece_length(const struct attempt *attempt, int i)
{
    const double until_s = i + 1 < attempt->before_deadline ? attempt->entries[i + 1].at_s
                                                            : attempt->demand->deadline_s;

    return until_s - attempt->entries[i].at_s;
}

static int level_at(const struct attempt *attempt, int i, int level)
{
    const int fit = attempt->scaling->fit[attempt->entries[i].free_class];

    return fit < level ? fit : level;
}

static int count_before(const struct timeline *free, double at_s)
{
    int low = 0;
    int high = free->count;

    while (low < high) {
        const int middle = (low + high) / 2;

        if (free->entries[middle].at_s < at_s)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The error of a forced piece if the slot of the job's deadline ends before the piece does. */
static void force_past_deadline(struct attempt *attempt, int level, double change_s)
{
    const struct scaling *scaling = attempt->scaling;
    const double now_s = attempt->grid->now_s;
    const double slot_end_s = attempt->demand->deadline_slot_end_s;
    struct prospect *prospect = attempt->prospect;

    if (slot_end_s > now_s) { /* EF-Q24: from the slot's end on, the piece is not reserved */
        prospect->excess_gpus = -scaling->gpus[level];
        prospect->excess_from_s = slot_end_s;
        prospect->excess_until_s = change_s;
    } else if (slot_end_s < now_s) {
        /* EF-Q25: the piece is planned again on the GPUs that it leaves free, but stays reserved.
         * The GPUs at its end count as time that runs backwards. */
        const int backwards = scaling->fit[attempt->entries[1].free_class];

        prospect->excess_gpus = scaling->gpus[level];
        prospect->excess_from_s = now_s;
        prospect->excess_until_s = change_s;
        attempt->left -= (now_s - change_s) * scaling->rate[backwards];
        attempt->reservation->count = 0;
        attempt->first = 0;
    }
}

/* Plans the piece that starts now at `level` and lasts until the free GPUs change. Returns 1 if the
 * job is done in the piece, 0 if there is more to plan, -1 with an error. */
int planning_force_to_deadline(struct attempt *attempt, int level)
{
    const double now_s = attempt->grid->now_s;
    const double slot_end_s = attempt->demand->deadline_slot_end_s;
    const double deadline_s = attempt->demand->deadline_s;
    const double rate = attempt->scaling->rate[level];
    const double change_s = attempt->count > 1 ? attempt->entries[1].at_s : slot_end_s;
    double finish_s;
    double end_s;

    if (!(rate > 0))
        return complain_rate(attempt, level);
    finish_s = ceil(now_s + attempt->left / rate);
    end_s = planning_slot_end(attempt->grid, finish_s);
    add_step(attempt, now_s, level);
    if (change_s >= end_s && deadline_s >= finish_s) {
        finish(attempt, end_s, finish_s);
        return 1;
    }
    if (change_s < now_s)
        return complain_broken(attempt, "it is given more GPUs after its deadline (EF-Q25)");
    /* EF-Q25: with nothing else reserved and the deadline past, this length is negative. */
    attempt->left -= ((change_s == slot_end_s ? deadline_s : change_s) - now_s) * rate;
    if (slot_end_s < now_s && !(attempt->left > 0))
        return complain_broken(attempt, "it is done before its planned end (EF-Q24)");
    attempt->first = 1;
    if (slot_end_s < change_s)
        force_past_deadline(attempt, level, change_s);
    else if (slot_end_s == now_s) { /* EF-Q25: the forced step is planned once more */
        attempt->first = 0;
        attempt->reservation->count = 0;
    }
    return 0;
}

/* EF-Q41 put right: planning_force_to_deadline(), but a job that is done in the piece is done, late
 * or not. Otherwise all of the piece counts, so EF-Q24 and EF-Q25 do not arise. */
int planning_force_to_end(struct attempt *attempt, int level)
{
    const double now_s = attempt->grid->now_s;
    const double slot_end_s = attempt->demand->deadline_slot_end_s;
    const double rate = attempt->scaling->rate[level];
    double change_s = slot_end_s > now_s ? slot_end_s : HUGE_VAL;
    double finish_s;
    double end_s;

    if (!(rate > 0))
        return complain_rate(attempt, level);
    if (attempt->count > 1)
        change_s = attempt->entries[1].at_s;
    finish_s = ceil(now_s + attempt->left / rate);
    end_s = planning_slot_end(attempt->grid, finish_s);
    add_step(attempt, now_s, level);
    if (change_s >= end_s) {
        finish(attempt, end_s, finish_s);
        return 1;
    }
    attempt->left -= (change_s - now_s) * rate;
    attempt->first = 1;
    return 0;
}

/* The last entry with a free GPU, where a job without work left starts; -1 for none. */
static int last_free(const struct attempt *attempt)
{
    int i = attempt->before_deadline - 1;

    while (i >= attempt->first && level_at(attempt, i, 1) == 0)
        i--;
    return i >= attempt->first ? i : -1;
}

#define NO_START   (-1)
#define NO_NUMBERS (-2)

/* The latest entry from which `level`, or the level that fits, does the work by the deadline;
 * NO_START if there is none, NO_NUMBERS if a rate is missing. Adds from the deadline backwards: the
 * order of the sums decides ties. */
static int latest_start(const struct attempt *attempt, int level)
{
    const struct timeline_entry *entries = attempt->entries;
    const uint8_t *fit = attempt->scaling->fit;
    const double *rate = attempt->scaling->rate;
    double until_s = attempt->demand->deadline_s;
    double done = 0;

    if (!(attempt->left > 0))
        return last_free(attempt);
    for (int i = attempt->before_deadline - 1; i >= attempt->first; i--) {
        int here = fit[entries[i].free_class];

        here = here < level ? here : level;
        done += (until_s - entries[i].at_s) * rate[here];
        if (done >= attempt->left)
            return i;
        until_s = entries[i].at_s;
    }
    return isnan(done) ? NO_NUMBERS : NO_START;
}

/* Whether `level` is too low even on an empty cluster. */
static bool is_hopeless(const struct attempt *attempt, int level)
{
    const double length_s = attempt->demand->deadline_s - attempt->entries[attempt->first].at_s;

    return length_s * attempt->scaling->peak[level] * (1 + ROUNDING) < attempt->left;
}

/* Ends the job in the piece that starts at `at_s`. Seconds count from `at_s` (EF-Q1). */
static int end_in_piece(struct attempt *attempt, double at_s, int level, double limit_s)
{
    struct prospect *prospect = attempt->prospect;
    const double rate = attempt->scaling->rate[level];
    const double seconds = ceil(attempt->left / rate);
    const double slots_s = slots_covering(attempt->grid, seconds) * attempt->grid->slot_s;
    const double end_s = attempt->grid->rules->bound_end(at_s + slots_s, limit_s);

    if (!(rate > 0))
        return complain_rate(attempt, level);
    if (end_s > limit_s)
        return complain_broken(attempt, "a job ends after the piece in which it has to");
    if (end_s == at_s) {
        /* Rounding left no work after a forced piece. The artifact still takes the GPUs, and gives
         * them back only at the end of the piece. */
        prospect->excess_gpus = attempt->scaling->gpus[level];
        prospect->excess_from_s = at_s;
        prospect->excess_until_s = limit_s;
    }
    return finish(attempt, end_s, at_s + seconds < end_s ? at_s + seconds : end_s);
}

/* EF-Q26: the backward sum reached the work only by rounding, and the rest goes after the
 * deadline's slot. */
int planning_end_behind_deadline(struct attempt *attempt, int level)
{
    const int at = attempt->before_deadline;
    const double slot_end_s = attempt->demand->deadline_slot_end_s;
    const int here = level_at(
        attempt, at < attempt->count && attempt->entries[at].at_s == slot_end_s ? at : at - 1,
        level);

    if (here == 0)
        return complain_broken(attempt, "no GPU is free after the deadline (EF-Q26)");
    add_step(attempt, slot_end_s, here);
    return end_in_piece(attempt, slot_end_s, here, HUGE_VAL);
}

/* EF-Q26 put right: work left by rounding counts as done. */
int planning_end_at_deadline(struct attempt *attempt, int level)
{
    (void)level;
    return finish(attempt, attempt->demand->deadline_slot_end_s, attempt->demand->deadline_s);
}

/* EF-Q12: a zero step stays after the end. reservation_gpu_seconds() counts up to this step, and
 * the step counts as a change of the plan. */
void planning_zero_behind_end(struct attempt *attempt, double at_s)
{
    add_step(attempt, at_s, 0);
}

/* EF-Q12 put right: a plan ends with the job. */
void planning_nothing_behind_end(struct attempt *attempt, double at_s)
{
    (void)attempt;
    (void)at_s;
}

/* Plans forward: `before` up to entry `start`, `level` from there on, never more than fits. */
static int settle(struct attempt *attempt, int before, int level, int start)
{
    if (before == 0 && start > attempt->first) {
        add_step(attempt, attempt->entries[attempt->first].at_s, 0);
        attempt->first = start;
    }
    for (int i = attempt->first; i < attempt->before_deadline; i++) {
        const int here = level_at(attempt, i, i < start ? before : level);
        const double done = piece_length(attempt, i) * attempt->scaling->rate[here];

        add_step(attempt, attempt->entries[i].at_s, here);
        if (here == 0)
            continue;
        if (done < attempt->left) {
            attempt->left -= done;
            continue;
        }
        if (isnan(done))
            return complain_rate(attempt, here);
        if (i < start)
            return complain_broken(attempt, "a job is done before the piece in which it has to");
        if (end_in_piece(attempt, attempt->entries[i].at_s, here, piece_end(attempt, i)) < 0)
            return -1;
        if (i + 1 < attempt->before_deadline)
            attempt->grid->rules->step_behind_end(attempt, attempt->entries[i + 1].at_s);
        return 0;
    }
    return attempt->grid->rules->end_by_rounding(attempt, level);
}

/* Plans a late job up to the deadline, on the largest level that fits. */
static int settle_before_deadline(struct attempt *attempt)
{
    for (int i = attempt->first; i < attempt->before_deadline; i++) {
        const int here = level_at(attempt, i, attempt->scaling->reach);

        add_step(attempt, attempt->entries[i].at_s, here);
        if (here > 0)
            attempt->left -= piece_length(attempt, i) * attempt->scaling->rate[here];
        if (isnan(attempt->left))
            return complain_rate(attempt, here);
        if (!(attempt->left > 0))
            return complain_broken(attempt, "a job that is late is done in time");
    }
    if (!(attempt->left > 0))
        return complain_broken(attempt, "it is done before its planned end (EF-Q24)");
    return 0;
}

/* Plans the rest of a late job after all entries, on an empty cluster. The end has to be after
 * `later_than_s`. */
static inline int settle_behind_all(struct attempt *attempt, double at_s, int forced_level,
                                    double later_than_s)
{
    const int level = forced_level > 0 ? forced_level : attempt->scaling->whole;
    double finish_s;

    if (level < 1 || !(attempt->scaling->rate[level] > 0))
        return complain_rate(attempt, level);
    add_step(attempt, at_s, level);
    finish_s = ceil(at_s + attempt->left / attempt->scaling->rate[level]);
    if (planning_slot_end(attempt->grid, finish_s) <= later_than_s)
        return complain_broken(attempt, "a job that is late is done in time");
    return finish(attempt, planning_slot_end(attempt->grid, finish_s), finish_s);
}

/* The place where planning goes on after the deadline: a time, the class of the GPUs free from that
 * time on, and the entry after it. */
struct resumption {
    double at_s;
    int free_class;
    int next;
};

static struct resumption resume_at(const struct attempt *attempt, int i)
{
    return (struct resumption){attempt->entries[i].at_s, attempt->entries[i].free_class, i + 1};
}

static struct resumption resume(const struct attempt *attempt)
{
    const double slot_end_s = attempt->demand->deadline_slot_end_s;
    const int at = attempt->before_deadline;

    if (slot_end_s < attempt->grid->now_s) {
        struct resumption now = resume_at(attempt, 0);

        if (attempt->prospect->excess_gpus > 0) /* EF-Q25 */
            now.free_class =
                scaling_class(attempt->entries[0].free_gpus - attempt->prospect->excess_gpus);
        return now;
    }
    if (attempt->first < attempt->count && attempt->entries[attempt->first].at_s > slot_end_s)
        return resume_at(attempt, attempt->first); /* a forced piece reaches past the deadline */
    if (at < attempt->count && attempt->entries[at].at_s == slot_end_s)
        return resume_at(attempt, at);
    return (struct resumption){slot_end_s, attempt->entries[at - 1].free_class, at};
}

/* Takes the level that fits from `from` to the next entry, at `until_s`. Returns 1 if the job ends
 * in this piece. */
static inline int settle_piece(struct attempt *attempt, const struct resumption *from,
                               double until_s)
{
    const int here = attempt->scaling->fit[from->free_class];
    const double rate = attempt->scaling->rate[here];
    const double done = (until_s - from->at_s) * rate;
    double finish_s;
    double end_s;

    add_step(attempt, from->at_s, here);
    if (here == 0)
        return 0;
    if (done < attempt->left) {
        attempt->left -= done;
        return 0;
    }
    if (!(rate > 0))
        return complain_rate(attempt, here);
    finish_s = ceil(from->at_s + attempt->left / rate);
    end_s = attempt->grid->rules->bound_end(planning_slot_end(attempt->grid, finish_s), until_s);
    if (end_s > until_s)
        return complain_broken(attempt, "a job ends after the piece in which it has to");
    if (from->at_s == attempt->grid->now_s && attempt->prospect->excess_gpus > 0) {
        /* EF-Q25: the reservation of now is written anew; the step planned after it stays. */
        attempt->prospect->excess_gpus = 0;
        add_step(attempt, attempt->entries[1].at_s,
                 attempt->scaling->fit[attempt->entries[1].free_class]);
    }
    finish(attempt, end_s, finish_s < end_s ? finish_s : end_s);
    return 1;
}

/* Plans on the level that fits, from `from` to the end of the job. */
static inline int settle_from(struct attempt *attempt, struct resumption from, int forced_level,
                              double later_than_s)
{
    for (; from.next < attempt->count; from = resume_at(attempt, from.next)) {
        const int ended = settle_piece(attempt, &from, attempt->entries[from.next].at_s);

        if (ended != 0)
            return ended < 0 ? -1 : 0;
    }
    return settle_behind_all(attempt, from.at_s, forced_level, later_than_s);
}

/* Plans a late job on the level that fits, up to the deadline and then after the deadline's slot.
 * EF-Q28: these are more GPUs than jobs get that can still be in time. EF-Q41: no work counts from
 * the deadline to the end of its slot. */
int planning_late_with_dead_time(struct attempt *attempt, int forced_level)
{
    if (settle_before_deadline(attempt) < 0)
        return -1;
    return settle_from(attempt, resume(attempt), forced_level, attempt->demand->deadline_s);
}

/* EF-Q41 put right: for a late job the deadline is a time like any other. */
int planning_late_throughout(struct attempt *attempt, int forced_level)
{
    const int last = attempt->count - 1;
    struct resumption from = {attempt->demand->deadline_slot_end_s,
                              attempt->entries[last].free_class, attempt->count};

    if (attempt->first <
        attempt->count) /* otherwise a forced piece ends with the deadline's slot */
        from = resume_at(attempt, attempt->first);
    return settle_from(attempt, from, forced_level, attempt->grid->now_s);
}

/* Tries the levels from the lowest up. The job is late if no level is enough. */
static int plan_rest(struct attempt *attempt, int forced_level)
{
    const int reach = attempt->scaling->reach;

    if (attempt->first < attempt->before_deadline)
        for (int level = 1; level <= reach; level++) {
            int start;

            if (is_hopeless(attempt, level))
                continue;
            start = latest_start(attempt, level);
            if (start == NO_START)
                continue;
            if (start == NO_NUMBERS)
                return complain_rate(attempt, level);
            return settle(attempt, level - 1, level, start);
        }
    return attempt->grid->rules->settle_late(attempt, forced_level);
}

int plan_deadline(const struct planning_grid *grid, const struct deadline_demand *demand,
                  const struct timeline *free, int forced_level, struct reservation *reservation,
                  struct prospect *prospect, struct error *error)
{
    struct attempt attempt = {
        .grid = grid,
        .demand = demand,
        .scaling = demand->scaling,
        .entries = free->entries,
        .count = free->count,
        .before_deadline = count_before(free, demand->deadline_slot_end_s),
        .left = demand->iterations,
        .reservation = reservation,
        .prospect = prospect,
        .error = error,
    };

    assert(free->entries[0].at_s == grid->now_s);
    assert(demand->iterations > 0);
    reservation->count = 0;
    *prospect = (struct prospect){.excess_gpus = 0};
    if (forced_level > 0) {
        const int done = grid->rules->force(&attempt, forced_level);

        if (done != 0)
            return done < 0 ? -1 : 0;
    }
    return plan_rest(&attempt, forced_level);
}

double reservation_gpu_seconds(const struct reservation *reservation, const struct scaling *scaling)
{
    double sum = 0;

    for (int i = 0; i < reservation->count; i++) {
        const struct step *step = &reservation->steps[i];
        const double until_s = i + 1 < reservation->count ? step[1].at_s : reservation->end_s;

        sum += scaling->gpus[step->level] * (until_s - step->at_s);
    }
    return sum;
}

/* Takes the excess GPUs of `prospect` between its two times, or gives them back if negative. Both
 * times become entries. */
static void take_excess(struct timeline *timeline, const struct prospect *prospect)
{
    const double times_s[] = {prospect->excess_from_s, prospect->excess_until_s};
    int count = 0;

    for (int k = 0; k < 2; k++) {
        const int at = count_before(timeline, times_s[k]);

        if (at < timeline->count && timeline->entries[at].at_s == times_s[k])
            continue;
        for (int i = timeline->count++; i > at; i--)
            timeline->entries[i] = timeline->entries[i - 1];
        timeline->entries[at] = timeline_entry(times_s[k], timeline->entries[at - 1].free_gpus);
    }
    for (int i = 0; i < timeline->count; i++) {
        struct timeline_entry entry = timeline->entries[i];

        if (entry.at_s >= prospect->excess_from_s && entry.at_s < prospect->excess_until_s)
            entry = timeline_entry(entry.at_s, entry.free_gpus - prospect->excess_gpus);
        if (count == 0 || timeline->entries[count - 1].free_gpus != entry.free_gpus)
            timeline->entries[count++] = entry;
    }
    timeline->count = count;
}

void planning_reserve(const struct timeline *free, const struct reservation *reservation,
                      const struct prospect *prospect, const struct scaling *scaling,
                      struct timeline *to)
{
    timeline_reserve(free, reservation, scaling, to);
    if (prospect->excess_gpus != 0)
        take_excess(to, prospect);
}

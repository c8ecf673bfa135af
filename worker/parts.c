/* parts.c - see parts.h. */
#include "worker/parts.h"

#include "common/memory.h"
#include "executor/checkpoint.h"
#include "executor/kept_end.h"
#include "worker/incarnations.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct parts {
    int32_t gpu_count;
    bool *gone; /* whether each GPU is gone */
    const char *run_dir;
    const char *name;
    part_list_t *list;
    incarnations_t *named;
    trainer_orders_t *orders;
    struct reports reports;
};

const char *effect_name(enum effect effect)
{
    static const char *const names[] = {
        [EFFECT_APPLIED] = "applied",
        [EFFECT_REPEATED] = "repeated",
        [EFFECT_STALE] = "stale",
        [EFFECT_REFUSED] = "refused",
    };

    return names[effect];
}

parts_t *parts_new(const struct parts_setting *setting)
{
    parts_t *self = xcalloc(1, sizeof(*self));

    self->gpu_count = setting->orders.gpu_count;
    self->gone = xcalloc((size_t)self->gpu_count, sizeof(*self->gone));
    self->run_dir = setting->run_dir;
    self->name = setting->name;
    self->list = part_list_new();
    self->named = incarnations_new();
    self->orders = trainer_orders_new(&setting->orders, self->list);
    self->reports = (struct reports){setting->report, setting->report_owner, -1};
    return self;
}

void parts_destroy(parts_t **self)
{
    if (!*self)
        return;
    trainer_orders_destroy(&(*self)->orders);
    incarnations_destroy(&(*self)->named);
    part_list_destroy(&(*self)->list);
    free((*self)->gone);
    free(*self);
    *self = NULL;
}

void parts_set_node(parts_t *self, int32_t node)
{
    self->reports.node = node;
    trainer_orders_set_node(self->orders, node);
}

/* ---- the end of a part ---- */

static const struct msg_stop pause = {.step = -1, .why = STOP_PAUSED, .grace_ms = -1};

/* Stops all ranks of a part that are left. */
static void stop(parts_t *self, struct part *part, const struct msg_stop *how)
{
    part_want_stop(part, how);
    trainer_orders_push(self->orders, part);
    reports_news(&self->reports, part);
}

static void fail(parts_t *self, struct part *part, int32_t gpu, const char *cause)
{
    part_fail(part, gpu, true, cause);
    stop(self, part, &pause);
}

/* ---- GPUs that come and go ---- */

void parts_gpu_there(parts_t *self, int32_t gpu, int64_t memory_mib)
{
    self->gone[gpu] = false;
    trainer_orders_set_memory(self->orders, gpu, memory_mib);
}

void parts_gpu_gone(parts_t *self, int32_t gpu, const char *cause)
{
    self->gone[gpu] = true;
    for (size_t i = 0; i < part_list_count(self->list); i++) {
        struct part *part = part_list_at(self->list, i);
        const struct rank *rank = part_rank_on(part, gpu);

        if (rank && !rank_has_ended(rank))
            fail(self, part, gpu, cause);
    }
}

/* The first GPU of the RUN that is gone; -1 if all are present. */
static int32_t gone_gpu(const parts_t *self, const struct msg_run *run)
{
    for (size_t i = 0; i < run->gpu_count; i++)
        if (self->gone[run->gpus[i]])
            return run->gpus[i];
    return -1;
}

static enum effect refuse_gone(const parts_t *self, const struct msg_run *run)
{
    char cause[64];

    (void)snprintf(cause, sizeof(cause), "GPU %" PRId32 " of this node is gone",
                   gone_gpu(self, run));
    incarnations_name(self->named, run->job, run->incarnation);
    reports_absent(&self->reports, run->job, run->incarnation, PART_FAILED, true, cause);
    return EFFECT_REFUSED;
}

/* ---- the part that a command is about ---- */

/* Whether a command is about an incarnation before the latest; if so, answers the command. */
static bool answer_stale(const parts_t *self, uint64_t job, uint32_t incarnation)
{
    const uint32_t latest = incarnations_latest(self->named, job);
    const struct part *part;

    if (incarnation >= latest)
        return false;
    part = part_list_find(self->list, job, incarnation);
    if (!part)
        part = part_list_find(self->list, job, latest);
    if (part)
        reports_state(&self->reports, part);
    else
        reports_absent(&self->reports, job, latest, PART_STOPPED, true, "");
    return true;
}

/* The part that a command is about. NULL if there is none: then the command is answered, and
 * `effect` is set. */
static struct part *addressed(const parts_t *self, uint64_t job, uint32_t incarnation,
                              enum effect *effect)
{
    struct part *part = part_list_find(self->list, job, incarnation);

    if (part)
        return part;
    *effect = EFFECT_STALE;
    if (answer_stale(self, job, incarnation))
        return NULL;
    *effect = EFFECT_REFUSED;
    reports_absent(&self->reports, job, incarnation, PART_STOPPED, true, "it is not on this node");
    return NULL;
}

/* Answers a command that changes nothing with the state of the part. */
static enum effect repeated(const parts_t *self, const struct part *part)
{
    reports_state(&self->reports, part);
    return EFFECT_REPEATED;
}

/* ---- commands ---- */

enum effect parts_run(parts_t *self, const struct msg_run *run)
{
    struct part *part = part_list_find(self->list, run->job, run->incarnation);
    struct error error;

    if (part)
        return repeated(self, part);
    if (answer_stale(self, run->job, run->incarnation))
        return EFFECT_STALE;
    if (incarnations_latest(self->named, run->job) == run->incarnation) { /* the part has ended */
        reports_absent(&self->reports, run->job, run->incarnation, PART_STOPPED, true, "");
        return EFFECT_REPEATED;
    }
    if (!part_can_run(run, self->gpu_count, &error)) {
        reports_absent(&self->reports, run->job, run->incarnation, PART_FAILED, false, error.text);
        return EFFECT_REFUSED;
    }
    if (gone_gpu(self, run) >= 0)
        return refuse_gone(self, run);
    incarnations_name(self->named, run->job, run->incarnation);
    part = part_new(run);
    part_list_append(self->list, part);
    trainer_orders_push(self->orders, part);
    return EFFECT_APPLIED;
}

enum effect parts_refuse(parts_t *self, const struct msg_run *run, const char *cause)
{
    if (answer_stale(self, run->job, run->incarnation))
        return EFFECT_STALE;
    incarnations_name(self->named, run->job, run->incarnation);
    reports_absent(&self->reports, run->job, run->incarnation, PART_FAILED, false, cause);
    return EFFECT_REFUSED;
}

enum effect parts_begin(parts_t *self, const struct msg_begin *begin)
{
    enum effect effect;
    struct part *part = addressed(self, begin->job, begin->incarnation, &effect);

    if (!part)
        return effect;
    if (part_state(part) != PART_READY || part->begin_wanted)
        return repeated(self, part);
    part->begin = *begin;
    part->begin_wanted = true;
    trainer_orders_push(self->orders, part);
    return EFFECT_APPLIED;
}

enum effect parts_update(parts_t *self, const struct msg_update *update)
{
    enum effect effect;
    const struct part *part = addressed(self, update->job, update->incarnation, &effect);

    if (!part)
        return effect;
    trainer_orders_update(self->orders, part, update);
    return EFFECT_APPLIED;
}

enum effect parts_stop(parts_t *self, const struct msg_stop *how)
{
    struct part *part = part_list_find(self->list, how->job, how->incarnation);

    if (!part) {
        if (answer_stale(self, how->job, how->incarnation))
            return EFFECT_STALE;
        /* Naming the incarnation makes a RUN that comes later too late. */
        incarnations_name(self->named, how->job, how->incarnation);
        reports_absent(&self->reports, how->job, how->incarnation, PART_STOPPED, true, "");
        return EFFECT_REPEATED;
    }
    if (part->stop_wanted || part_has_ended(part))
        return repeated(self, part);
    stop(self, part, how);
    return EFFECT_APPLIED;
}

enum effect parts_group(parts_t *self, const struct msg_group *group)
{
    enum effect effect;
    const struct part *part = addressed(self, group->job, group->incarnation, &effect);

    if (!part)
        return effect;
    if (trainer_orders_group(self->orders, part, group))
        return EFFECT_APPLIED;
    reports_state(&self->reports, part);
    return EFFECT_REFUSED;
}

/* ---- reports of trainers ---- */

void parts_rank(parts_t *self, int32_t gpu, const struct msg_rank_report *report)
{
    struct part *part = part_list_find(self->list, report->part.job, report->part.incarnation);
    struct rank *rank = part ? part_rank_on(part, gpu) : NULL;

    if (!rank)
        return;
    if (report->grouped) {
        reports_grouped(&self->reports, report);
        return;
    }
    if (!part_hear(part, rank, &report->part))
        return;
    if (report->part.state == PART_FAILED)
        stop(self, part, &pause);
    else
        reports_news(&self->reports, part);
    trainer_orders_push_gpu(self->orders, gpu);
}

void parts_trainer_up(parts_t *self, int32_t gpu)
{
    trainer_orders_trainer_up(self->orders, gpu);
}

void parts_trainer_closed(parts_t *self, int32_t gpu)
{
    trainer_orders_trainer_closed(self->orders, gpu);
}

void parts_trainer_gone(parts_t *self, int32_t gpu, pid_t pid, const char *cause)
{
    trainer_orders_trainer_closed(self->orders, gpu);
    for (size_t i = 0; i < part_list_count(self->list); i++) {
        struct part *part = part_list_at(self->list, i);
        struct rank *rank = part_rank_on(part, gpu);

        if (!rank || !rank->prepare_sent)
            continue;
        if (self->run_dir)
            checkpoint_clean_after(self->run_dir, part->run.job, pid);
        rank->part.state = PART_FAILED;
        fail(self, part, gpu, cause);
    }
}

void parts_no_trainer(parts_t *self, int32_t gpu, const char *cause)
{
    for (size_t i = 0; i < part_list_count(self->list); i++) {
        struct part *part = part_list_at(self->list, i);
        const struct rank *rank = part_rank_on(part, gpu);

        if (rank && !rank->prepare_sent && !part_has_ended(part))
            fail(self, part, gpu, cause);
    }
}

/* ---- all parts at once ---- */

void parts_stop_all(parts_t *self)
{
    for (size_t i = 0; i < part_list_count(self->list); i++) {
        struct part *part = part_list_at(self->list, i);

        if (!part_has_ended(part))
            stop(self, part, &pause);
    }
}

void parts_fail_all(parts_t *self, const char *cause)
{
    for (size_t i = 0; i < part_list_count(self->list); i++) {
        struct part *part = part_list_at(self->list, i);

        if (!part_has_ended(part))
            fail(self, part, -1, cause);
    }
}

size_t parts_describe(parts_t *self, int64_t stamp_us, struct msg_part **found)
{
    return part_list_describe(self->list, stamp_us, found);
}

size_t parts_runs(const parts_t *self, struct msg_run **found)
{
    return part_list_runs(self->list, found);
}

uint32_t parts_named(const parts_t *self)
{
    return incarnations_largest(self->named);
}

static void remove_kept(const parts_t *self, const struct part *part)
{
    for (size_t i = 0; i < part->rank_count && self->run_dir; i++)
        kept_end_remove(self->run_dir, self->name, part->run.job, part->run.incarnation,
                        part->ranks[i].rank);
}

void parts_acknowledged(parts_t *self, int64_t stamp_us)
{
    for (size_t i = 0; i < part_list_count(self->list); i++) {
        const struct part *part = part_list_at(self->list, i);

        if (part->described_us != 0 && part->described_us <= stamp_us &&
            part_state(part) == PART_DONE)
            remove_kept(self, part);
    }
    part_list_acknowledged(self->list, stamp_us);
}

/* ---- ends that an earlier worker did not tell ---- */

/* Makes the one part to which the `count` kept ends belong. */
static struct part *part_of(const struct kept_end *ends, size_t count)
{
    struct msg_run run = ends[0].prepare.run;
    int32_t *gpus = xcalloc(count, sizeof(*gpus));
    int32_t *ranks = xcalloc(count, sizeof(*ranks));
    struct part *part;

    for (size_t i = 0; i < count; i++) {
        gpus[i] = ends[i].prepare.run.gpus[0];
        ranks[i] = ends[i].prepare.run.ranks[0];
    }
    run.gpus = gpus;
    run.ranks = ranks;
    run.gpu_count = count;
    part = part_new(&run);
    for (size_t i = 0; i < count; i++) {
        part->ranks[i].prepare_sent = part->ranks[i].begin_sent = true;
        part->ranks[i].part = ends[i].part;
        part->ranks[i].part.cause = "";
    }
    free(gpus);
    free(ranks);
    return part;
}

static size_t count_of_part(const struct kept_end *ends, size_t count)
{
    const struct msg_run *run = &ends[0].prepare.run;
    size_t size = 1;

    while (size < count && ends[size].prepare.run.job == run->job &&
           ends[size].prepare.run.incarnation == run->incarnation)
        size++;
    return size;
}

void parts_recall(parts_t *self)
{
    struct kept_end *ends;
    const size_t count = self->run_dir ? kept_ends_read(self->run_dir, self->name, &ends) : 0;
    size_t size;

    for (size_t i = 0; i < count; i += size) {
        struct part *part;

        size = count_of_part(&ends[i], count - i);
        part = part_of(&ends[i], size);
        if ((size_t)ends[i].prepare.local_world == size) {
            incarnations_name(self->named, part->run.job, part->run.incarnation);
            reports_recalled(&self->reports, part);
            part_list_append(self->list, part);
        } else { /* other trainers of the part kept no end */
            remove_kept(self, part);
            part_destroy(part);
        }
    }
    if (self->run_dir)
        kept_ends_free(ends, count);
}

int64_t parts_grace_ms(const parts_t *self, int32_t gpu)
{
    int64_t longest_ms = 0;

    for (size_t i = 0; i < part_list_count(self->list); i++) {
        const struct part *part = part_list_at(self->list, i);
        const struct msg_program *own = part->run.program;

        if (own && own->grace_ms > longest_ms && part_rank_on(part, gpu))
            longest_ms = own->grace_ms;
    }
    return longest_ms;
}

size_t parts_live(const parts_t *self)
{
    return part_list_live(self->list);
}

bool parts_on(const parts_t *self, int32_t gpu)
{
    return part_list_on(self->list, gpu);
}

bool parts_sent(const parts_t *self, int32_t gpu)
{
    return part_list_sent(self->list, gpu);
}

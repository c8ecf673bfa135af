/* trainer.c - see trainer.h. */
#include "executor/trainer.h"

#include "common/log.h"
#include "common/memory.h"
#include "executor/emulation_model.h"
#include "executor/gpu_lock.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A workload, and what the worker was told of the workload. */
struct seat {
    struct workload *workload; /* NULL if the seat is empty */
    bool holds;                /* the workload began, so the GPU belongs to it */
    enum part_state told;
    int64_t checkpoint_told;
    int64_t checkpoint_logged;
    struct gpu_lock lock;
    const char *why;  /* reason why the workload was told to end, NULL if not told */
    bool expired;     /* the lease of the workload is over */
    int64_t ended_us; /* when the workload was found to be gone, 0: not yet */
};

/* The last message about a workload that is gone. A worker that was stopped may have missed the
 * message. */
struct last_word {
    struct msg_part part; /* incarnation 0: no such message */
    char cause[sizeof(((struct workload_status *)NULL)->cause)];
};

struct trainer {
    struct trainer_setting setting;
    struct seat active;
    struct seat standby;
    struct last_word last; /* about the last workload that began */
    int64_t lease_until_us;
    bool closed; /* the trainer takes no more workloads */
};

static const struct seat empty_seat = {.lock = {-1, -1, false}};

trainer_t *trainer_new(const struct trainer_setting *setting)
{
    trainer_t *self = xcalloc(1, sizeof(*self));

    self->setting = *setting;
    self->active = empty_seat;
    self->standby = empty_seat;
    self->lease_until_us = INT64_MAX;
    return self;
}

static void seat_clear(struct seat *seat)
{
    workload_destroy(&seat->workload);
    gpu_lock_drop(&seat->lock);
    *seat = empty_seat;
}

void trainer_destroy(trainer_t **self)
{
    if (!*self)
        return;
    seat_clear(&(*self)->active);
    seat_clear(&(*self)->standby);
    free(*self);
    *self = NULL;
}

enum trainer_state trainer_state(const trainer_t *self)
{
    const struct seat *active = &self->active;

    if (!active->workload)
        return TRAINER_IDLE;
    if (active->why)
        return TRAINER_KILL;
    return active->holds ? TRAINER_RUNNING : TRAINER_SWITCH;
}

static void send_part(const trainer_t *self, const struct msg_part *part, int64_t grouped_ms)
{
    const struct msg_rank_report report = {
        .part = *part,
        .state = trainer_state(self),
        .grouped = grouped_ms >= 0,
        .took_ms = grouped_ms >= 0 ? grouped_ms : 0,
    };

    self->setting.report(self->setting.owner, &report);
}

/* Describes a seat for the worker: a standby workload is preparing until the GPU is free. */
static void seat_describe(const trainer_t *self, const struct seat *seat, struct msg_part *part)
{
    workload_describe(seat->workload, part);
    part->ended_us = part->state == PART_DONE ? seat->ended_us : 0;
    if (seat == &self->standby && part->state == PART_READY)
        part->state = PART_PREPARING;
}

static void say(trainer_t *self, struct seat *seat)
{
    struct msg_part part;

    seat_describe(self, seat, &part);
    seat->told = part.state;
    if (!seat->workload->status.silent)
        send_part(self, &part, -1);
}

static void log_news(struct seat *seat, enum part_state now)
{
    const struct workload_status *status = &seat->workload->status;
    const struct log_subject subject = workload_subject(seat->workload);

    if (status->checkpoint != seat->checkpoint_logged && status->checkpoint >= 0)
        log_event(&subject, "checkpoint", "step=%" PRId64, status->checkpoint);
    seat->checkpoint_logged = status->checkpoint;
    if (now == PART_STABLE && seat->told != PART_STABLE)
        log_event(&subject, "stable", "step=%" PRId64 " rate=%.17g", status->step, status->rate);
}

/* Tells the worker what changed in a seat. */
static void catch_up(trainer_t *self, struct seat *seat)
{
    const struct workload_status *status = &seat->workload->status;
    const bool saved = status->checkpoint != seat->checkpoint_told;
    struct msg_part part;

    seat_describe(self, seat, &part);
    log_news(seat, part.state);
    seat->checkpoint_told = status->checkpoint;
    if (part.state != seat->told || saved)
        say(self, seat);
}

/* Keeps the end of a workload that is done, except where time is fast-forwarded: there the
 * scheduler says when a job is done. */
static void keep_end(const trainer_t *self, const struct seat *seat)
{
    const struct msg_prepare *prepare = &seat->workload->prepare;
    struct msg_part part;

    if (!self->setting.keep_end || prepare->run.fast_forward || seat->workload->status.silent ||
        seat->workload->status.state != PART_DONE)
        return;
    seat_describe(self, seat, &part);
    self->setting.keep_end(self->setting.owner, prepare, &part);
}

/* Releases the GPU of a seat, before the worker is told that the workload is gone. */
static void release(const trainer_t *self, struct seat *seat)
{
    const struct workload_status *status = &seat->workload->status;
    const struct log_subject subject = workload_subject(seat->workload);

    if (!seat->holds)
        return;
    keep_end(self, seat);
    log_news(seat, status->state);
    gpu_lock_drop(&seat->lock);
    log_event(&subject, "release", "why=%s step=%" PRId64 " checkpoint=%" PRId64 " cause=%s",
              part_state_name(status->state), status->step, status->checkpoint,
              log_text(status->cause));
}

static void remember(trainer_t *self, const struct seat *seat)
{
    struct last_word *last = &self->last;

    if (!seat->holds || seat->workload->status.silent)
        return;
    seat_describe(self, seat, &last->part);
    (void)snprintf(last->cause, sizeof(last->cause), "%s", last->part.cause);
    last->part.cause = last->cause;
}

/* Tells the end of an incarnation again if no other ended later. False if another did. */
static bool say_end(const trainer_t *self, uint64_t job, uint32_t incarnation)
{
    const struct msg_part *part = &self->last.part;

    if (part->incarnation == 0 || part->job != job || part->incarnation != incarnation)
        return false;
    send_part(self, part, -1);
    return true;
}

/* Tells the worker what is new, clears a seat when its workload is gone, and moves the standby
 * workload up. */
static void settle(trainer_t *self, int64_t now_us)
{
    struct workload *standby = self->standby.workload;

    if (self->active.workload) {
        const bool gone = workload_is_gone(self->active.workload);

        if (gone) {
            self->active.ended_us = now_us;
            release(self, &self->active);
        }
        catch_up(self, &self->active);
        if (gone) {
            remember(self, &self->active);
            seat_clear(&self->active);
        }
    }
    if (standby && workload_is_gone(standby)) {
        catch_up(self, &self->standby);
        seat_clear(&self->standby);
    }
    if (!self->active.workload && self->standby.workload) {
        self->active = self->standby;
        self->standby = empty_seat;
        catch_up(self, &self->active);
    }
}

/* The seat of an incarnation, NULL if it has none. */
static struct seat *find(trainer_t *self, uint64_t job, uint32_t incarnation)
{
    struct seat *const seats[] = {&self->active, &self->standby};

    for (size_t i = 0; i < 2; i++) {
        const struct workload *workload = seats[i]->workload;

        if (workload && workload->prepare.run.job == job &&
            workload->prepare.run.incarnation == incarnation)
            return seats[i];
    }
    return NULL;
}

/* Answers about an incarnation without a seat: with the end if the trainer knows the end, else
 * with `state`. */
static void say_absent(const trainer_t *self, uint64_t job, uint32_t incarnation,
                       enum part_state state, const char *cause)
{
    const struct msg_part part = {
        .job = job,
        .incarnation = incarnation,
        .state = state,
        .step = -1,
        .checkpoint = -1,
        .retry = true,
        .gpu = -1,
        .cause = cause,
    };

    if (say_end(self, job, incarnation))
        return;
    send_part(self, &part, -1);
}

static const struct workload_kind *choose(const struct executor_setting *setting,
                                          const struct msg_prepare *prepare)
{
    if (!strcmp(setting->kind, "emulated"))
        return &workload_emulated;
    if (!strcmp(setting->kind, "command"))
        return &workload_command;
    return setting->program || prepare->run.program ? &workload_command : &workload_emulated;
}

void trainer_prepare(trainer_t *self, const struct msg_prepare *prepare, int64_t now_us)
{
    const struct msg_run *run = &prepare->run;
    struct seat *seat;

    trainer_lease(self, prepare->lease_until_us, now_us); /* may clear seats */
    seat = find(self, run->job, run->incarnation);
    if (seat) {
        say(self, seat);
        return;
    }
    if (say_end(self, run->job,
                run->incarnation)) /* an incarnation that ended is not trained again */
        return;
    if (self->closed || self->standby.workload) {
        say_absent(self, run->job, run->incarnation, PART_FAILED,
                   self->closed ? "the trainer ends" : "the trainer has a standby workload");
        return;
    }
    self->standby.workload =
        workload_new(choose(self->setting.executor, prepare), self->setting.executor, prepare,
                     self->setting.gpu, now_us);
    self->standby.told = PART_PREPARING;
    self->standby.checkpoint_told = -1;
    self->standby.checkpoint_logged = -1;
    settle(self, now_us);
}

/* Takes the GPU for the active workload. */
static void hold(trainer_t *self, struct seat *seat, int64_t step)
{
    struct workload *workload = seat->workload;
    const struct log_subject subject = workload_subject(workload);

    seat->lock = gpu_lock_take(self->setting.locks, workload->prepare.node, workload->gpu,
                               workload->prepare.run.job, workload->rank);
    workload->kept[0] = seat->lock.gpu_fd;
    workload->kept[1] = seat->lock.rank_fd;
    seat->holds = true;
    if (seat->lock.overlap)
        log_event(&subject, "overlap", "rank=%" PRId32, workload->rank);
    log_event(&subject, "hold", "rank=%" PRId32 " from=%" PRId64, workload->rank, step);
}

void trainer_begin(trainer_t *self, const struct msg_begin *begin, int64_t now_us)
{
    struct seat *seat = find(self, begin->job, begin->incarnation);

    if (!seat) {
        say_absent(self, begin->job, begin->incarnation, PART_FAILED, "it is not on this trainer");
        return;
    }
    if (seat != &self->active || seat->workload->status.state != PART_READY) {
        say(self, seat);
        return;
    }
    hold(self, seat, begin->step);
    seat->workload->kind->begin(seat->workload, begin->step, now_us);
    settle(self, now_us);
}

void trainer_update(trainer_t *self, const struct msg_update *update, int64_t now_us)
{
    struct seat *seat = find(self, update->job, update->incarnation);

    if (!seat)
        return;
    seat->workload->kind->update(seat->workload, update, now_us);
    settle(self, now_us);
}

static void stop_seat(struct seat *seat, const struct msg_stop *stop, int64_t now_us)
{
    struct msg_stop settled = *stop;

    if (settled.grace_ms < 0)
        settled.grace_ms = workload_grace_ms(seat->workload);
    seat->why = "stop";
    seat->workload->kind->stop(seat->workload, &settled, now_us);
}

void trainer_stop(trainer_t *self, const struct msg_stop *stop, int64_t now_us)
{
    struct seat *seat = find(self, stop->job, stop->incarnation);

    if (!seat) {
        say_absent(self, stop->job, stop->incarnation, PART_STOPPED, "");
        return;
    }
    if (seat->why) {
        say(self, seat);
        return;
    }
    stop_seat(seat, stop, now_us);
    settle(self, now_us);
}

void trainer_group(trainer_t *self, const struct msg_group *group, int64_t now_us)
{
    const struct seat *seat = find(self, group->job, group->incarnation);
    const struct emulation_model *model;
    struct msg_part part;

    (void)now_us;
    if (!seat) {
        say_absent(self, group->job, group->incarnation, PART_FAILED, "it is not on this trainer");
        return;
    }
    model = emulation_model_find(seat->workload->prepare.run.model);
    seat_describe(self, seat, &part);
    send_part(self, &part,
              group->moves_state ? model->checkpoint_ms
                                 : emulation_model_group_ms(model, (int32_t)group->rank_count));
}

void trainer_lease(trainer_t *self, int64_t until_us, int64_t now_us)
{
    self->lease_until_us = until_us;
    trainer_tick(self, now_us);
}

static void kill_seat(struct seat *seat, const char *cause, int64_t now_us)
{
    if (!seat->workload || workload_is_gone(seat->workload))
        return;
    seat->why = cause;
    seat->workload->kind->kill(seat->workload, cause, now_us);
}

void trainer_shutdown(trainer_t *self, bool at_once, int64_t now_us)
{
    struct seat *const seats[] = {&self->standby, &self->active};

    self->closed = true;
    for (size_t i = 0; i < 2; i++) {
        const struct msg_stop stop = {.step = -1, .why = STOP_PAUSED, .grace_ms = -1};

        if (at_once)
            kill_seat(seats[i], "its worker ends at once", now_us);
        else if (seats[i]->workload && !seats[i]->why)
            stop_seat(seats[i], &stop, now_us);
    }
    settle(self, now_us);
}

static void end_lease(trainer_t *self, int64_t now_us)
{
    struct seat *const seats[] = {&self->active, &self->standby};

    for (size_t i = 0; i < 2; i++) {
        struct log_subject subject;

        if (!seats[i]->workload || seats[i]->expired)
            continue;
        subject = workload_subject(seats[i]->workload);
        log_event(&subject, "lease-over", NULL);
        seats[i]->expired = true;
        kill_seat(seats[i], "lease over", now_us);
    }
    self->lease_until_us = INT64_MAX; /* the next workload brings a lease of its own */
}

void trainer_tick(trainer_t *self, int64_t now_us)
{
    if (now_us >= self->lease_until_us && !trainer_is_empty(self))
        end_lease(self, now_us);
    if (self->active.workload)
        self->active.workload->kind->tick(self->active.workload, now_us);
    if (self->standby.workload)
        self->standby.workload->kind->tick(self->standby.workload, now_us);
    settle(self, now_us);
}

int64_t trainer_due_us(const trainer_t *self)
{
    int64_t due_us = trainer_is_empty(self) ? INT64_MAX : self->lease_until_us;

    if (self->active.workload && self->active.workload->due_us < due_us)
        due_us = self->active.workload->due_us;
    if (self->standby.workload && self->standby.workload->due_us < due_us)
        due_us = self->standby.workload->due_us;
    return due_us;
}

void trainer_child_ended(trainer_t *self, pid_t pid, int status, int64_t now_us)
{
    struct workload *workload = self->active.workload;

    if (!workload || !workload->kind->child_ended)
        return;
    workload->kind->child_ended(workload, pid, status, now_us);
    settle(self, now_us);
}

int trainer_descriptor(const trainer_t *self)
{
    const struct workload *workload = self->active.workload;

    return workload && workload->kind->descriptor ? workload->kind->descriptor(workload) : -1;
}

void trainer_readable(trainer_t *self, int64_t now_us)
{
    struct workload *workload = self->active.workload;

    if (!workload || !workload->kind->readable)
        return;
    workload->kind->readable(workload, now_us);
    settle(self, now_us);
}

bool trainer_heartbeat(const trainer_t *self, struct msg_trainer_heartbeat *heartbeat)
{
    const struct seat *active = &self->active;

    *heartbeat = (struct msg_trainer_heartbeat){
        .state = trainer_state(self),
        .active = active->workload != NULL,
        .part = {.cause = ""},
    };
    if (active->workload)
        seat_describe(self, active, &heartbeat->part);
    return !active->workload || !active->workload->status.silent;
}

void trainer_report_again(trainer_t *self)
{
    if (self->active.workload)
        say(self, &self->active);
    if (self->standby.workload)
        say(self, &self->standby);
}

bool trainer_is_empty(const trainer_t *self)
{
    return !self->active.workload && !self->standby.workload;
}

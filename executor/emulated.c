/* emulated.c - a workload that only passes time: starts, groups and checkpoints take as long as
 * their models say (emulation_model.h), steps come at the profiled rate, and a checkpoint is a file
 * with a number.
 *
 * Fast-forwarded, nothing takes time: the workload is stable as soon as it begins, and every
 * step comes with a message. */
#include "common/clock.h"
#include "executor/checkpoint.h"
#include "executor/emulation_model.h"
#include "executor/faults.h"
#include "executor/keeper.h"
#include "executor/workload.h"
#include "protocol/job_number.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* However fast emulated time passes, the disk gets this long between periodic checkpoints. */
#define CHECKPOINT_US_MIN 100000

struct emulated {
    struct workload base;
    const struct emulation_model *model;
    struct faults faults;
    int64_t prepared_us;     /* when the workload was told to prepare */
    int64_t from_step;       /* step at which the workload began */
    int64_t from_us;         /* since when steps are made; valid once the workload is stable */
    int64_t checkpoint_us;   /* when the next periodic checkpoint is due */
    int64_t cost_us;         /* real time that the last checkpoint took */
    int64_t looks;           /* how often the workload's step was asked for */
    int64_t told_iterations; /* iterations in the latest UPDATE, else in the RUN */
    keeper_t *keeper;        /* keeper of a fault's processes, NULL without any */
    enum part_state end;     /* state once the keeper's processes are gone; valid if `ending` */
    bool ending;
};

static struct emulated *emulated_of(struct workload *base)
{
    return (struct emulated *)base;
}

static bool waits(const struct emulated *self)
{
    return !self->base.prepare.run.fast_forward && self->base.prepare.run.time_scale > 0;
}

/* As many microseconds as `milliseconds` of emulated time take. */
static int64_t real_us(const struct emulated *self, int64_t milliseconds)
{
    if (!waits(self))
        return 0;
    return (int64_t)((double)milliseconds * 1000.0 / self->base.prepare.run.time_scale);
}

static int64_t model_overhead_ms(const struct emulated *self)
{
    const struct msg_run *run = &self->base.prepare.run;

    if (run->overhead_ms >= 0)
        return run->overhead_ms;
    return emulation_model_prepare_ms(self->model) +
           emulation_model_begin_ms(self->model, run->world, self->from_step);
}

static double speed(const struct emulated *self)
{
    return self->base.prepare.run.rate * self->faults.slow;
}

/* When the workload comes to `step`; INT64_MAX if never. */
static int64_t step_due_us(const struct emulated *self, int64_t step)
{
    const double seconds =
        (double)(step - self->from_step) / (speed(self) * self->base.prepare.run.time_scale);

    if (!waits(self) || step <= self->from_step)
        return self->from_us;
    return seconds < 1e12 ? self->from_us + (int64_t)(seconds * 1e6) + 1 : INT64_MAX;
}

static int64_t step_at(const struct emulated *self, int64_t now_us)
{
    const double seconds = (double)(now_us - self->from_us) / 1e6;
    double step;

    if (self->base.prepare.run.fast_forward)
        return self->base.status.step;
    if (!waits(self))
        return self->told_iterations;
    step = (double)self->from_step + seconds * self->base.prepare.run.time_scale * speed(self);
    return step < (double)self->told_iterations ? (int64_t)step : self->told_iterations;
}

static bool check_memory(struct emulated *self)
{
    const struct msg_run *run = &self->base.prepare.run;
    const int64_t has = self->base.prepare.memory_mib;
    const int64_t needs = emulation_model_memory_mib(self->model, run->batch_size, run->world);

    if (has == 0 || needs <= has)
        return true;
    workload_fail(&self->base, false,
                  "%s with %" PRId32 " samples on %" PRId32 " GPUs needs %" PRId64
                  " MiB of GPU memory, GPU %" PRId32 " has %" PRId64,
                  run->model, run->batch_size, run->world, needs, self->base.gpu, has);
    return false;
}

static void emulated_prepare(struct workload *base, int64_t now_us)
{
    struct emulated *self = emulated_of(base);
    const struct msg_run *run = &base->prepare.run;
    struct error error;
    int64_t startup_ms;

    base->status.emulated = true;
    self->model = emulation_model_find(run->model);
    self->prepared_us = now_us;
    self->told_iterations = run->iterations;
    if (faults_read(base->setting->faults, job_number_row(run->job), base->gpu, &self->faults,
                    &error) < 0) {
        workload_fail(base, false, "%s", error.text);
        return;
    }
    if (!(run->rate > 0)) {
        workload_fail(base, false, "no rate is known for %s", run->model);
        return;
    }
    if (!check_memory(self))
        return;
    startup_ms = emulation_model_prepare_ms(self->model);
    if (run->overhead_ms >= 0 && run->overhead_ms < startup_ms)
        startup_ms = run->overhead_ms;
    base->due_us = now_us + real_us(self, startup_ms);
    base->kind->tick(base, now_us);
}

/* Writes a checkpoint of `step`, if this is the rank that writes checkpoints. The log tells of
 * the checkpoint first, as a kill may come between the file and a later line. A full disk is no
 * reason to stop training: the last confirmed checkpoint stays the last. False if the write
 * failed. */
static bool save(struct emulated *self, int64_t step)
{
    struct workload_status *status = &self->base.status;
    const struct msg_run *run = &self->base.prepare.run;
    const struct log_subject subject = workload_subject(&self->base);
    const int64_t from_us = clock_boot_us();
    struct error error;

    if (!workload_leads(&self->base))
        return true;
    log_event(&subject, "saves", "step=%" PRId64, step);
    if (checkpoint_write(self->base.setting->run_dir, run->job, step, !run->fast_forward, &error) <
        0) {
        log_event(&subject, "unsaved", "step=%" PRId64 " cause=%s", step, log_text(error.text));
        (void)snprintf(status->cause, sizeof(status->cause), "%s", error.text);
        return false;
    }
    self->cost_us = clock_boot_us() - from_us;
    status->checkpoint = step;
    status->cause[0] = '\0';
    return true;
}

/* Loads the step that BEGIN names, or the last saved step if BEGIN names -1. A step that is not
 * saved is a failure; fast-forwarded, credited steps count, run or not (GA-Q7), so the step is
 * saved now. */
static bool load(struct emulated *self, int64_t *begins)
{
    struct workload *base = &self->base;
    struct error error;
    int64_t saved = 0;
    int64_t step = *begins;

    if (step != 0 &&
        checkpoint_read(base->setting->run_dir, base->prepare.run.job, &saved, &error) < 0) {
        workload_fail(base, true, "%s", error.text);
        return false;
    }
    if (step < 0)
        step = *begins = saved;
    if (saved < step && !base->prepare.run.fast_forward) {
        base->status.checkpoint = saved; /* another try goes on from this step */
        workload_fail(base, true,
                      "the checkpoint of job %s is of step %" PRId64 ", not of %" PRId64,
                      job_number_name(base->prepare.run.job).text, saved, step);
        return false;
    }
    if (!workload_leads(base))
        return true;
    base->status.step = step;
    base->status.checkpoint = step;
    checkpoint_clean(base->setting->run_dir, base->prepare.run.job);
    if (saved < step)
        (void)save(self, step);
    return true;
}

/* Starts the processes of a fault: this very program, told to pretend to be a program with that
 * fault. */
static bool start_processes(struct emulated *self)
{
    char *argv[] = {"/proc/self/exe", NULL, NULL, NULL};
    const struct keeper_setting keeper = {
        .argv = argv,
        .environment = environ,
        .log = -1,
        .kept = self->base.kept,
        .kept_count = WORKLOAD_KEPT,
    };
    struct error error;
    size_t count = 1;
    bool again;

    if (!self->faults.ignore_term && !self->faults.fork_children)
        return true;
    if (self->faults.ignore_term)
        argv[count++] = "--pretend-deaf";
    if (self->faults.fork_children)
        argv[count++] = "--pretend-parent";
    self->keeper = keeper_new(&keeper, &again, &error);
    if (!self->keeper)
        workload_fail(&self->base, true, "%s", error.text);
    return self->keeper != NULL;
}

/* Holds a workload that is over at PART_STOPPING until its processes are gone. */
static void sweep(struct emulated *self, int64_t now_us)
{
    struct workload *base = &self->base;

    if (!self->keeper)
        return;
    if (!self->ending) {
        if (!workload_is_gone(base))
            return;
        self->ending = true;
        self->end = base->status.state;
        base->status.state = PART_STOPPING;
    }
    if (keeper_is_gone(self->keeper)) {
        base->status.state = self->end;
        base->due_us = INT64_MAX;
        keeper_destroy(&self->keeper);
        return;
    }
    keeper_kill(self->keeper);
    base->due_us = now_us + KEEPER_SWEEP_US;
}

static void emulated_begin(struct workload *base, int64_t step, int64_t now_us)
{
    struct emulated *self = emulated_of(base);
    int64_t due_us;

    if (!load(self, &step) || !start_processes(self))
        return;
    self->from_step = step;
    base->status.silent = self->faults.silent;
    base->status.state = PART_RUNNING;
    if (base->prepare.run.overhead_ms >= 0)
        due_us = self->prepared_us + real_us(self, base->prepare.run.overhead_ms);
    else
        due_us = now_us + real_us(self, emulation_model_begin_ms(self->model,
                                                                 base->prepare.run.world, step));
    base->due_us = due_us > now_us ? due_us : now_us;
    base->kind->tick(base, now_us);
}

static int64_t next_checkpoint_us(const struct emulated *self, int64_t now_us)
{
    const int64_t every_s = workload_checkpoint_every_s(&self->base);
    const int64_t every_us = real_us(self, every_s * 1000);
    const int64_t pause_us = checkpoint_pause_us(every_us, self->cost_us);

    if (every_s == 0)
        return INT64_MAX;
    return now_us + (pause_us > CHECKPOINT_US_MIN ? pause_us : CHECKPOINT_US_MIN);
}

static void turn_stable(struct emulated *self)
{
    struct workload *base = &self->base;

    self->from_us = base->due_us;
    self->checkpoint_us = next_checkpoint_us(self, self->from_us);
    base->status.state = PART_STABLE;
    base->status.overhead_ms = model_overhead_ms(self);
    base->status.rate = faults_rate(&self->faults, speed(self));
}

static void die(const struct workload *base)
{
    if (base->setting->die)
        base->setting->die();
    else
        (void)raise(SIGKILL);
}

/* Whether a fault ends the workload at `step`. */
static bool falls(struct emulated *self, int64_t step)
{
    if (self->faults.die_at >= 0 && step >= self->faults.die_at)
        die(&self->base);
    if (self->faults.fail_at < 0 || step < self->faults.fail_at)
        return false;
    workload_fail(&self->base, true, "failed at step %" PRId64 ", as it was told to", step);
    return true;
}

/* The step that the workload tells. With the fault LIE_BACKWARDS every second telling halves the
 * step. */
static int64_t told_step(struct emulated *self, int64_t step)
{
    if (self->faults.lie == LIE_BACKWARDS && self->looks++ % 2)
        return step / 2;
    return step;
}

static void earliest(int64_t *due_us, int64_t other_us)
{
    if (other_us < *due_us)
        *due_us = other_us;
}

/* Brings a workload that makes steps by itself up to `now_us`. */
static void walk(struct emulated *self, int64_t now_us)
{
    struct workload *base = &self->base;
    const int64_t step = step_at(self, now_us);

    if (falls(self, step))
        return;
    if (workload_leads(base))
        base->status.step = told_step(self, step);
    if (step >= self->told_iterations) {
        (void)save(self, step);
        base->status.state = PART_DONE;
        base->due_us = INT64_MAX;
        return;
    }
    if (now_us >= self->checkpoint_us) {
        (void)save(self, step);
        self->checkpoint_us = next_checkpoint_us(self, now_us);
    }
    base->due_us = step_due_us(self, self->told_iterations);
    earliest(&base->due_us, self->checkpoint_us);
    if (self->faults.die_at > step)
        earliest(&base->due_us, step_due_us(self, self->faults.die_at));
    if (self->faults.fail_at > step)
        earliest(&base->due_us, step_due_us(self, self->faults.fail_at));
}

/* Ends a workload that was told to stop. Work that was not saved is lost, which is a failure,
 * but fast-forwarded steps are credited without a checkpoint. */
static void end_stopped(struct emulated *self)
{
    self->base.status.state = PART_STOPPED;
    self->base.due_us = INT64_MAX;
    if (self->faults.ignore_term || save(self, self->base.status.step) ||
        self->base.prepare.run.fast_forward)
        return;
    self->base.status.state = PART_FAILED;
    self->base.status.retry = true;
}

static void emulated_tick(struct workload *base, int64_t now_us)
{
    struct emulated *self = emulated_of(base);
    const bool due = now_us >= base->due_us;

    if (self->ending) {
        sweep(self, now_us);
        return;
    }
    if (base->status.state == PART_PREPARING && due) {
        base->status.state = PART_READY;
        base->due_us = INT64_MAX;
    } else if (base->status.state == PART_RUNNING && due) {
        turn_stable(self);
        base->due_us = INT64_MAX;
    } else if (base->status.state == PART_STOPPING && due) {
        end_stopped(self);
    }
    if (base->status.state == PART_STABLE && !base->prepare.run.fast_forward)
        walk(self, now_us);
    sweep(self, now_us);
}

static void emulated_child_ended(struct workload *base, pid_t pid, int status, int64_t now_us)
{
    struct emulated *self = emulated_of(base);

    if (!self->keeper)
        return;
    keeper_child_ended(self->keeper, pid, status);
    sweep(self, now_us);
}

static void emulated_update(struct workload *base, const struct msg_update *update, int64_t now_us)
{
    struct emulated *self = emulated_of(base);

    if (update->iterations > 0)
        self->told_iterations = update->iterations;
    if (!base->prepare.run.fast_forward || base->status.state < PART_RUNNING)
        return;
    if (falls(self, update->step)) {
        sweep(self, now_us);
        return;
    }
    if (!workload_leads(base))
        return;
    base->status.step = update->step;
    (void)save(self, update->step);
}

static void emulated_stop(struct workload *base, const struct msg_stop *stop, int64_t now_us)
{
    struct emulated *self = emulated_of(base);
    const bool trained = base->status.state >= PART_RUNNING;

    if (!trained || stop->why == STOP_CANCELLED) {
        base->status.state = PART_STOPPED;
        base->due_us = INT64_MAX;
        return;
    }
    if (base->status.state == PART_STABLE)
        base->status.step = workload_leads(base) ? step_at(self, now_us) : -1;
    if (base->prepare.run.fast_forward && stop->step >= 0 && workload_leads(base))
        base->status.step = stop->step;
    if (base->prepare.run.fast_forward && falls(self, stop->step)) {
        sweep(self, now_us);
        return;
    }
    base->status.state = PART_STOPPING;
    base->due_us = now_us + real_us(self, self->model->checkpoint_ms);
    if (self->faults.ignore_term)
        base->due_us = now_us + stop->grace_ms * 1000;
    if (self->keeper)
        keeper_terminate(self->keeper);
    base->kind->tick(base, now_us);
}

static void emulated_kill(struct workload *base, const char *cause, int64_t now_us)
{
    struct emulated *self = emulated_of(base);

    self->ending = false; /* this failure replaces any other end */
    workload_fail(base, true, "%s", cause);
    sweep(self, now_us);
}

static void emulated_clear(struct workload *base)
{
    keeper_destroy(&emulated_of(base)->keeper);
}

const struct workload_kind workload_emulated = {
    .name = "emulated",
    .size = sizeof(struct emulated),
    .prepare = emulated_prepare,
    .begin = emulated_begin,
    .update = emulated_update,
    .stop = emulated_stop,
    .kill = emulated_kill,
    .tick = emulated_tick,
    .child_ended = emulated_child_ended,
    .clear = emulated_clear,
};

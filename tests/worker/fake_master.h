/* fake_master.h - a master under control of a test. It answers hellos and heartbeats, notes the
 * messages of one worker, and sends the messages of the test. The worker and its trainers are real
 * processes.
 *
 * Each waiting function waits for an event. The test fails if the event does not come in time. */
#ifndef TESTS_FAKE_MASTER_H
#define TESTS_FAKE_MASTER_H

#include "protocol/master_worker.h"
#include "tests/support/folder.h"

#include <stdbool.h>
#include <sys/types.h>

typedef struct fake_master fake_master_t;

/* A peer counts as silent after three intervals, which is long enough for a busy machine. */
#define FAKE_HEARTBEAT_MS 1000

/* A master on a free port of the loopback. Its leases last `lease_ms`. This process adopts the
 * processes that a worker leaves behind. */
fake_master_t *fake_master_new(int64_t lease_ms);

/* Ends the worker if there is one. The test fails if any process is left. */
void fake_master_destroy(fake_master_t **self);

/* Starts a worker and waits for its hello. `arguments` ends with NULL and follows the arguments by
 * which the worker finds this master. The worker's log is in fake_master_log. */
void fake_master_start(fake_master_t *self, const char *const arguments[]);

/* Starts a worker as fake_master_start does, but does not wait. */
void fake_master_launch(fake_master_t *self, const char *const arguments[]);

/* Waits for the end of the worker. Returns its status as in support/program.h. */
int fake_master_wait_exit(fake_master_t *self);

pid_t fake_master_worker(const fake_master_t *self);
folder_t *fake_master_folder(const fake_master_t *self); /* "run" in this folder is RUN_DIR */
const char *fake_master_log(fake_master_t *self);        /* the log, lent until the next call */

/* Facts about the worker's GPUs, from its hello and its later reports. */
int32_t fake_master_gpus(const fake_master_t *self);
const char *fake_master_kind(const fake_master_t *self);
const char *fake_master_uuid(const fake_master_t *self, int32_t gpu);
int64_t fake_master_memory(const fake_master_t *self, int32_t gpu);
bool fake_master_gone(const fake_master_t *self, int32_t gpu);

/* The worker's last report on the part, NULL if there is none. */
const struct msg_part *fake_master_part(const fake_master_t *self, uint64_t job,
                                        uint32_t incarnation);
int64_t
fake_master_grouped_ms(const fake_master_t *self); /* time of the last group, -1 if there is none */

/* Whether the master answers hellos and heartbeats. Without answers, leases run out. */
void fake_master_answer(fake_master_t *self, bool answers);

/* A RUN with defaults that suit most tests: `gpus` GPUs from `first` on, fast-forwarded, with all
 * ranks on this node. Lends an array that lasts until the next call. */
struct msg_run fake_run(uint64_t job, uint32_t incarnation, int32_t first, int32_t gpus);

void fake_master_run(fake_master_t *self, const struct msg_run *run);
void fake_master_begin(fake_master_t *self, uint64_t job, uint32_t incarnation, int64_t step);
void fake_master_update(fake_master_t *self, uint64_t job, uint32_t incarnation, int64_t step);
void fake_master_stop(fake_master_t *self, uint64_t job, uint32_t incarnation, int64_t step,
                      enum stop_why why, int64_t grace_ms);
void fake_master_group(fake_master_t *self, uint64_t job, uint32_t incarnation);
void fake_master_say(fake_master_t *self, int type); /* sends a message without fields */

/* Wait until the part is in `state`; until all trainers of `gpus` GPUs are idle; until the log has
 * `text` at least `times` times; until `condition` returns true. */
void fake_master_await_part(fake_master_t *self, uint64_t job, uint32_t incarnation,
                            enum part_state state);
void fake_master_await_idle(fake_master_t *self, int32_t gpus);
void fake_master_await_log(fake_master_t *self, const char *text, int times);
void fake_master_await(fake_master_t *self, bool (*condition)(void *context), void *context,
                       const char *what);

/* Sends RUN and brings the part up until it is stable at `step`. */
void fake_master_bring_up(fake_master_t *self, const struct msg_run *run, int64_t step);

/* The process of the last trainer of `gpu`, according to the log. */
pid_t fake_master_trainer(fake_master_t *self, int32_t gpu);

/* Waits until this process has no descendants. */
void fake_master_await_no_process(fake_master_t *self);

#endif

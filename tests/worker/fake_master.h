/* fake_master.h - a master as a test has it: it answers hellos and heartbeats, notes what one
 * worker says, and sends what the test wants. The worker is a real process, and so are its
 * trainers.
 *
 * Everything waits for something that happens; when it does not within the guard, the test
 * fails. */
#ifndef TESTS_FAKE_MASTER_H
#define TESTS_FAKE_MASTER_H

#include "protocol/master_worker.h"
#include "tests/support/folder.h"

#include <stdbool.h>
#include <sys/types.h>

typedef struct fake_master fake_master_t;

/* A peer is silent after three of them: time enough for a busy machine. */
#define FAKE_HEARTBEAT_MS 1000

/* Listens on a free port of the loopback; leases last `lease_ms`. This process adopts what workers
 * leave. */
fake_master_t *fake_master_new(int64_t lease_ms);

/* Ends the worker if there is one, and fails if any process is left. */
void fake_master_destroy(fake_master_t **self);

/* Starts a worker with `arguments` (ended with NULL) after those that let it find this master, and
 * waits for its hello. Its log is at fake_master_log. */
void fake_master_start(fake_master_t *self, const char *const arguments[]);

/* The same, but waits for nothing. */
void fake_master_launch(fake_master_t *self, const char *const arguments[]);

/* Waits for the worker's end; its status as in support/program.h. */
int fake_master_wait_exit(fake_master_t *self);

pid_t fake_master_worker(const fake_master_t *self);
folder_t *fake_master_folder(const fake_master_t *self); /* "run" in it is RUN_DIR */
const char *fake_master_log(fake_master_t *self); /* all of it so far, lent until the next call */

/* The hello of the worker, and what it said of its GPUs since, as far as tests look at them. */
int32_t fake_master_gpus(const fake_master_t *self);
const char *fake_master_kind(const fake_master_t *self);
const char *fake_master_uuid(const fake_master_t *self, int32_t gpu);
int64_t fake_master_memory(const fake_master_t *self, int32_t gpu);
bool fake_master_gone(const fake_master_t *self, int32_t gpu);

/* What the worker last said of a part; NULL if nothing. */
const struct msg_part *fake_master_part(const fake_master_t *self, uint64_t job,
                                        uint32_t incarnation);
int64_t fake_master_grouped_ms(const fake_master_t *self); /* of the last group, -1 without */

/* Whether hellos and heartbeats are answered, which is what leases live of. */
void fake_master_answer(fake_master_t *self, bool answers);

/* A run with defaults that suit most tests: `gpus` from `first` on, fast-forwarded, whole world on
 * this node. Lends an array that lasts until the next call. */
struct msg_run fake_run(uint64_t job, uint32_t incarnation, int32_t first, int32_t gpus);

void fake_master_run(fake_master_t *self, const struct msg_run *run);
void fake_master_begin(fake_master_t *self, uint64_t job, uint32_t incarnation, int64_t step);
void fake_master_update(fake_master_t *self, uint64_t job, uint32_t incarnation, int64_t step);
void fake_master_stop(fake_master_t *self, uint64_t job, uint32_t incarnation, int64_t step,
                      enum stop_why why, int64_t grace_ms);
void fake_master_group(fake_master_t *self, uint64_t job, uint32_t incarnation);
void fake_master_say(fake_master_t *self, int type); /* a message without fields */

/* Waits until the part is in `state`, until all of `gpus` trainers are idle, until the log has
 * `text` `times` times, until `condition` holds. */
void fake_master_await_part(fake_master_t *self, uint64_t job, uint32_t incarnation,
                            enum part_state state);
void fake_master_await_idle(fake_master_t *self, int32_t gpus);
void fake_master_await_log(fake_master_t *self, const char *text, int times);
void fake_master_await(fake_master_t *self, bool (*condition)(void *context), void *context,
                       const char *what);

/* Runs a part from RUN to stable. */
void fake_master_bring_up(fake_master_t *self, const struct msg_run *run, int64_t step);

/* The trainer's process of `gpu`, from the log: the one started last. */
pid_t fake_master_trainer(fake_master_t *self, int32_t gpu);

/* Waits until no process is left below this one. */
void fake_master_await_no_process(fake_master_t *self);

#endif

/* serving.h - the insides of the service, shared by its files only. The files in an order in which
 * each knows those before: form.c and request.c read requests, ledger.c and clients.c have jobs and
 * sessions, parents.c the parents of jobs, events.c events. telling.c puts the state into words,
 * noting.c makes events of steps, questions.c puts questions to copies of the process.
 * submitting.c, ordering.c, steering.c, changing.c and nodes.c take orders, steps.c feeds the
 * engine and the journal, snapshots.c writes snapshots, verbs.c checks who may do what, and
 * service.c is the loop. */
#ifndef SERVICE_SERVING_H
#define SERVICE_SERVING_H

#include "common/list.h"
#include "scheduler/capacity/capacity.h"
#include "scheduler/journal/journal.h"
#include "scheduler/run/inputs.h"
#include "scheduler/service/clients.h"
#include "scheduler/service/events.h"
#include "scheduler/service/ledger.h"
#include "scheduler/service/questions.h"
#include "scheduler/service/request.h"
#include "scheduler/service/service.h"

#define CHANGES_MAX    256               /* changes of one step */
#define CAUSE_OF_DRAIN "drained by "     /* the name of the user follows */
#define USER_MAX       CLIENT_USER_BYTES /* bytes of a user's name */
#define WHO_BYTES      (USER_MAX + 16)

struct serving;
struct change;
struct waiting;
typedef void change_answer(struct serving *self, struct change *change);

/* An order that a node is to drain. */
struct drain {
    const char *cause; /* the giver of the order, behind CAUSE_OF_DRAIN; NULL for no order */
    int64_t at_s;      /* of the engine's clock; 0 for at once */
};

/* Nodes that no job uses for a time, by the clock of the engine. */
struct node_reservation {
    uint64_t number;
    int64_t from_s; /* begin of the first time */
    int64_t to_s;
    int64_t every_s;    /* period of repetition; 0 for once */
    const char *by;     /* "operator NAME" */
    struct words nodes; /* names of the nodes */
};

/* A new deadline for a job. */
struct new_deadline {
    size_t count;                       /* number of steps; 1 for a date alone, 0 for no deadline */
    struct job_level steps[LEVELS_MAX]; /* a value of 0 keeps that of the job */
};

/* A request that the engine is to hear of. The request is answered once it is stored and
 * decided. */
struct change {
    struct request *request;
    uint32_t row;                 /* row of its job */
    bool is_new;                  /* the job came with the request */
    bool is_kept;                 /* its documents are in the journal */
    struct new_deadline deadline; /* new deadline of the job */
    bool verdict_only;            /* the earliest promised deadline is not looked for */
    change_answer *answer;        /* answers the request, and frees it and the change */
    struct change *prev;
    struct change *next;
};

/* The copy of the process that writes a snapshot. */
struct snapshot_copy {
    pid_t pid;   /* 0 for none */
    int from;    /* the reading end of its pipe */
    char *piece; /* bytes that were read and are not stored yet */
    size_t used;
    int64_t steps;
    uint32_t jobs;
    double busy_s; /* processor time that this process spent on it */
};

struct serving {
    struct service setting;
    struct inputs inputs;
    engine_t *engine;
    const char *name; /* of the scheduler; lent */
    zloop_t *loop;    /* hears the copies of the process; lent */
    capacity_t *capacity;
    struct run_clock clock;
    void (*wake)(void *owner); /* asks for a turn soon */
    void *wake_owner;
    journal_t *journal;
    ledger_t *ledger;
    events_t *events;
    profiles_t *profiles;
    rows_t *rows;
    clients_t *clients; /* lent; NULL until there are any */
    questions_t *questions;
    uint32_t run;
    int64_t epoch; /* time of the engine's second 0, since 1970 */
    int64_t started;
    struct decision decision; /* the last decision */

    /* ---- what the next step is told ---- */
    struct occurrences told;
    struct change *changes;
    size_t told_kept;    /* how many of `told` have their documents in the journal */
    bool waits_for_step; /* the next request is about a job that the next step tells of */
    uint32_t first_new;  /* row of the first job since the last commit */
    bool in_transaction;
    int64_t at_s; /* time of the present step */
    bool stuck;   /* the present step cannot be stored: the disk is full */
    char why_stuck[512];
    double retry_at_s;  /* when to store it again, by clock_s */
    bool knows_cluster; /* the master listed nodes and trainers, or had its time */
    double opened_s;    /* start of that time, by clock_s */

    /* ---- snapshots ---- */
    double decided_s;  /* time spent on decisions since the last snapshot */
    double snapshot_s; /* processor time that the last snapshot took */
    struct snapshot_copy snapshot;

    char *held;      /* the stored holdings, NULL before the first step */
    char *held_next; /* holdings in the transaction at hand, NULL for unchanged ones */
    bool adopts;     /* an earlier step was decided otherwise by another version */

    /* ---- losses, and copies of the state ---- */
    bool is_new;              /* the state had no step when it was opened */
    bool loss_is_accepted;    /* an operator accepted a loss */
    bool copy_is_due;         /* the opened state is to be copied */
    bool copies_state;        /* a copy of the state is being made */
    struct request *backs_up; /* request for that copy; NULL for none */

    /* ---- beside the engine ---- */
    struct msg_program program; /* the last program that was asked for */
    arena_t *program_texts;
    struct drain *drains; /* by position of the node */
    struct stays *again;  /* by position: what the engine is told of later times of nodes */
    LIST(struct node_reservation) reservations;
    uint64_t last_reservation; /* number of the last reservation */
    struct waiting *waits;     /* requests that wait for the end of a job */
    struct error recalled;     /* why a job of the journal cannot be read */
    bool skips_orders;         /* the present step is half of a change: no plan is made of it */
    bool notes_late;           /* holdings after the last step are not noted yet */
};

/* ---- serving.c: the life of the heart ---- */

/* A new heart. Copies of the process are heard in turns of `loop`, and `wake` asks for a turn.
 * `time_scale` is seconds of the service's clock in a second of real time. All pointers are
 * lent. */
struct serving *serving_new(const struct service *service, const char *name, double time_scale,
                            zloop_t *loop, void (*wake)(void *owner), void *wake_owner);

/* Reads all inputs and the state, and goes on from there. Jobs run on the capacity of `source`. -1
 * with `error`. */
int serving_open(struct serving *self, const struct simulation *simulation,
                 const struct capacity_source *source, struct error *error);

/* Begins to hear the capacity, once clients are connected. -1 with `error`. */
int serving_begin(struct serving *self, struct error *error);

/* Takes requests, and makes a step if one is due. -1, with `error`, if the service cannot go on. */
int serving_turn(struct serving *self, struct error *error);

/* Ends the heart. Unanswered requests get `error`. The caller destroys the clients. */
void serving_destroy(struct serving **serving, const struct error *error);

/* ---- time ---- */

int64_t serving_now_s(const struct serving *self);  /* of the engine's clock */
int64_t serving_step_s(const struct serving *self); /* time of a step that is made now */
json_t *telling_time(const struct serving *self,
                     int64_t at_s); /* seconds since 1970; null for NEVER_S */

/* ---- parents.c ---- */

/* Gives `job` the parents that `asked` names. -1, with `error`, if a job of `user` may not wait for
 * one of them. If `user` is NULL the job was taken before, and such a parent counts as lost. */
int parents_read(struct serving *self, const char *user, const struct job_request *asked,
                 struct submission *job, struct error *error);

/* Updates the ends of the parents of `job`, of which the engine is about to hear. */
void parents_renew(struct serving *self, struct submission *job);

/* parents_tell: the parents, as "7" or "7:any". parents_say: a sentence about those for which `job`
 * still waits. */
json_t *parents_tell(const struct submission *job);
void parents_say(const struct job *job, char *text, size_t size);

/* ---- telling.c ---- */

/* telling_job: the fields of a job in lists. telling_whole_job: all that `client` may see of it.
 * The caller owns the object. */
json_t *telling_job(const struct serving *self, const struct entry *entry);
json_t *telling_whole_job(struct serving *self, const struct entry *entry, const client_t *client);

/* Adds the chance that the promise of a job survives losses of nodes, and a sentence about that. */
void telling_add_survival(const struct serving *self, const struct entry *entry, json_t *told);

/* telling_reason: a word of the closed list of reasons. telling_sentence: the reason as a
 * sentence. */
const char *telling_reason(const struct serving *self, const struct entry *entry);
void telling_sentence(const struct serving *self, const struct entry *entry, char *text,
                      size_t size);

/* Writes a time of the engine as a date for people. */
void telling_date(const struct serving *self, int64_t at_s, char text[32]);

/* Bytes of a program as text, with '?' for bytes that are no UTF-8. */
json_t *telling_text(char *bytes, size_t size);

json_t *telling_nodes(const struct serving *self);

/* How many GPUs of the node jobs hold. */
int telling_used(const struct serving *self, int node);

json_t *telling_status(const struct serving *self, const client_t *client);
/* Writes the verdict on the job as a sentence. */
void telling_verdict_sentence(const struct serving *self, const struct entry *entry, char *text,
                              size_t size);

json_t *telling_verdict(const struct serving *self, const struct entry *entry);

/* Adds the expected rate of jobs to come to `told`; null if such jobs denied nothing. */
void telling_seen(json_t *told, const struct demand_seen *seen);

/* Writes why a promise is denied, in at most TELLING_DENIAL_BYTES: how far the job is beyond a
 * share, and when enough of the share comes free; which jobs to come are expected; or how long the
 * nodes are known. */
#define TELLING_DENIAL_BYTES (SHARE_BYTES + 128)
void telling_say_denial(const struct serving *self, const struct denial *denial, char *text,
                        size_t size);

/* Adds `promise_share` to `told`: the figures of the share that denied a promise, if one did. */
void telling_share(const struct serving *self, json_t *told, const struct share_seen *seen);
const char *telling_node_name(const struct serving *self, int node, char *text, size_t size);

/* The job as it stood before the present step if that step is not stored, else `entry`. The
 * functions above take such an entry, too. */
const struct entry *telling_entry(const struct serving *self, const struct entry *entry);

/* ---- telling_shares.c ---- */

/* How far `job`, which is live and has no promise, is beyond a share now, after the last step. `of`
 * is NULL if each of its shares has room. */
struct share_seen telling_share_now(const struct serving *self, const struct job *job);

/* ---- telling_losses.c ---- */

/* Adds the number of failures of nodes, the node-hours in which they were seen, and the mean
 * seconds between them, null if unknown. */
void telling_failures(const struct serving *self, json_t *told);

/* telling_survival: the chance that a job with that exposure loses no more nodes than its promise
 * survives. telling_survival_of: that of a job, NULL for none, with a standing promise. null
 * without nodes in reserve, or if nothing is known of failures. The caller owns the value. */
json_t *telling_survival(const struct serving *self, const struct exposure *exposure);
json_t *telling_survival_of(const struct serving *self, const struct job *job);

/* ---- noting.c ---- */

/* Notes that `client` ordered `event` for the job in `row`. `text` tells more. */
void noting_order(struct serving *self, const client_t *client, uint32_t row, const char *event,
                  const char *text);

/* Notes that failed trainers of a job are started again. */
void noting_lost(struct serving *self, const struct msg_job_report *report);

/* Notes the effects of the present step on jobs and nodes. Holdings are noted only if `ordered`, so
 * not in the first half of a change. */
void noting_step(struct serving *self, bool ordered);

/* ---- steps.c ---- */

/* Begins the transaction for requests, if none is open. -1 with `error`. */
int steps_open(struct serving *self, struct error *error);

/* Adds `occurrence` to those that the next step tells. */
void steps_tell(struct serving *self, const struct occurrence *occurrence);

/* Whether an unanswered request changes the job in `row`. */
bool steps_change(const struct serving *self, uint32_t row);

/* Has `answer` called for `request` once all requests of the transaction are stored and decided. */
void steps_await(struct serving *self, struct request **request, uint32_t row, bool is_new,
                 change_answer *answer);

/* Tells the engine, and brings the ledger up to date. The journal and the capacity are not told. -1
 * with `error`. */
int steps_decide(struct serving *self, int64_t now_s, const struct occurrence occurrences[],
                 size_t count, struct error *error);

/* In a copy of the process: steps_try makes the step that would come now if a client asked for
 * `occurrence`. steps_try_news makes the step that would come without a client, if there is
 * unexpected news. -1 with `error`. */
int steps_try(struct serving *self, const struct occurrence *occurrence, struct error *error);
int steps_try_news(struct serving *self, struct error *error);

/* In a copy of the process: makes a step at `at_s` of the gathered occurrences, and of orders about
 * nodes. -1 with `error`. */
int steps_try_told(struct serving *self, struct error *error);

/* Tells the engine all steps of the journal after the snapshot. -1 with `error`. */
int steps_replay(struct serving *self, struct error *error);

/* Makes the first step of a new state. Nodes may be missing from the start. -1 with `error`. */
int steps_begin(struct serving *self, struct error *error);

/* Makes a step if one is due, or there are occurrences to tell. -1, with `error`, if the service
 * cannot go on. */
int steps_make(struct serving *self, struct error *error);

/* Tells clients `error`, as the service ends before their requests are answered. */
void steps_abandon(struct serving *self, const struct error *error);

/* Milliseconds until the next turn is wanted, at most. */
size_t steps_look_ms(const struct serving *self);

/* ---- snapshots.c: a start that need not decide all steps again ---- */

/* Puts the engine, and the ledger with all jobs of the journal, into the state of the last
 * snapshot, if there is one. -1 with `error`. */
int snapshots_recall(struct serving *self, struct error *error);

/* Takes a snapshot once the steps since the last one would take a start a moment to decide. If it
 * fails the last one stays. */
void snapshots_keep_due(struct serving *self);

/* snapshots_give_up: ends the copy that writes a snapshot, and drops its pieces. snapshots_keep:
 * takes a snapshot now. */
void snapshots_give_up(struct serving *self);
void snapshots_keep(struct serving *self);

/* ---- verbs.c ---- */

/* Carries out or answers `request`, which it frees. */
void verbs_take(struct serving *self, struct request *request);

/* Answers requests that wait for the end of a job, if the job is over. */
void verbs_wake(struct serving *self);

/* Drops these requests as the service ends: their clients ask the next start. */
void verbs_abandon(struct serving *self);

/* Writes who gives an order about `entry`, NULL for none: "its user NAME" or "operator NAME". */
void verbs_say_who(const client_t *client, const struct entry *entry, char text[WHO_BYTES]);

/* The entry of the job in `row`; NULL, with the request answered, if there is none, or if it must
 * be `owned` and is another user's. */
struct entry *verbs_entry(struct serving *self, struct request **request, int64_t row, bool owned);

/* ---- submitting.c: jobs come ---- */

void submitting_submit(struct serving *self, struct request *request);

/* The submission of the present request of `user`, in the ledger's memory. NULL with `error`. */
struct submission *submitting_make(struct serving *self, const char *user,
                                   const struct job_request *asked, struct error *error);

/* Has `request` answered with the verdict on the job in `row`, once there is one. */
void submitting_await(struct serving *self, struct request **request,
                      const struct job_request *asked, uint32_t row, bool is_new);

/* Stores that the key `own` of the user, NULL for none, belongs to the job in `row`. -1 with
 * `error`. */
int submitting_keep_key(struct serving *self, const struct request *request, const char *own,
                        uint32_t row, struct error *error);

/* Notes that `request` brought `job`. */
void submitting_note(struct serving *self, const struct request *request, const char *event,
                     const struct submission *job);

/* submitting_answer_decided: answers `change` with the decision on its job. submitting_answer:
 * answers `change` with `answer`, whose reference is taken. */
void submitting_answer_decided(struct serving *self, struct change *change);
void submitting_answer(struct serving *self, struct change *change, json_t *answer);

/* The submission of a known job once more, with its work so far, without the steps of its deadline
 * before `from_s`; in the ledger's memory. */
const struct submission *ordering_submit_from(struct serving *self, const struct entry *entry,
                                              int64_t from_s);

/* ---- steering.c: jobs are cancelled, held and released ---- */

/* After a start: restores jobs that were changed or cancelled while held. -1 with `error`. */
int steering_recall(struct serving *self, struct error *error);

/* Tells the engine of jobs whose change was incomplete when the service ended. */
void steering_catch_up(struct serving *self);

void steering_cancel(struct serving *self, struct request *request);
void steering_hold(struct serving *self, struct request *request);
void steering_release(struct serving *self, struct request *request);

/* ---- changing.c: a job gets another deadline ---- */

void changing_change(struct serving *self, struct request *request);

/* In a copy of the process: gives the job another deadline. -1 with `error`. */
int changing_resubmit(struct serving *self, const struct entry *entry,
                      const struct new_deadline *deadline, struct error *error);

/* After a start: gives held jobs the deadlines that they got later. -1 with `error`. */
int changing_recall(struct serving *self, struct error *error);

/* ---- nodes.c: which nodes take jobs ---- */

void nodes_drain(struct serving *self, struct request *request);
void nodes_resume(struct serving *self, struct request *request);

/* Reads orders and reservations from the journal. -1 with `error`. */
int nodes_recall(struct serving *self, struct error *error);

/* Adds the occurrence `item` of a node, and those that orders about the node call for. */
void nodes_tell(struct serving *self, const struct occurrence *item);

/* nodes_differ: whether orders or reservations want a node otherwise at `at_s` than the engine has
 * it. nodes_settle: adds occurrences for such nodes to the present step. A node of which the step
 * tells already is left out. */
bool nodes_differ(const struct serving *self, int64_t at_s);
void nodes_settle(struct serving *self);

/* For the capacity: another node got the place at `position`, so orders about the earlier node are
 * void. */
void nodes_replaced(void *owner, int position);

/* The node called `text`. -1, with the request answered, if there is none. */
int nodes_find(struct serving *self, struct request **request, const char *text);

/* ---- reserving.c: nodes that are reserved ---- */

/* Reads the reservations from the journal. -1 with `error`. */
int reserving_recall(struct serving *self, struct error *error);

/* Leaves the times of reservations of the node out of `stays`, which begin at `at_s`. Returns the
 * reservation of these that begins first, at `*from_s`; NULL, and NEVER_S, if there is none. */
const struct node_reservation *reserving_leave(const struct serving *self, int node, int64_t at_s,
                                               int64_t *from_s, struct stays *stays);

/* The reservation that holds the node at `at_s`; NULL for none. */
const struct node_reservation *reserving_active(const struct serving *self, int node, int64_t at_s);

/* Writes "reservation 3 of operator NAME". */
void reserving_say(const struct node_reservation *reservation, char *text, size_t size);

/* When a reservation next begins or ends after `at_s`. */
int64_t reserving_change_s(const struct serving *self, int64_t at_s);

void reserving_reserve(struct serving *self, struct request *request);
void reserving_cancel(struct serving *self, struct request *request);
void reserving_list(struct serving *self, struct request *request);

/* ---- breaking.c: which promises an order would break ---- */

/* In a copy of the process, which has the order and made the step before it: the numbers of jobs
 * whose promises would break if the engine was told `told` and all else went as planned. The caller
 * owns the array. NULL with `error`. */
json_t *breaking_find(struct serving *self, const struct occurrence *told, struct error *error);

/* Writes "2 promises would be broken: of jobs 4 7". */
void breaking_say(const json_t *broken, char *text, size_t size);

/* ---- submitting.c: jobs after a start ---- */

/* submitting_recall: adds the jobs of the journal to the ledger. submitting_settle: after all steps
 * were told again, makes the submissions that neither a snapshot nor a step had, from documents. -1
 * with `error`. */
int submitting_recall(struct serving *self, struct error *error);
int submitting_settle(struct serving *self, struct error *error);

/* `submission` as of its arrival at `at_s`, with the present step; in the ledger's memory. */
const struct submission *submitting_stamp(struct serving *self, const struct submission *submission,
                                          int64_t at_s);

/* For the capacity: the program of a job, lent until the next call; NULL if the job has none of its
 * own. */
int programs_of(void *owner, uint64_t job, const struct msg_program **program, struct error *error);

/* Checks that each present node runs programs of `user`, if the request has one: the plan may use
 * any node. -1, with `error`, if a node does not. */
int programs_check(const struct serving *self, const struct job_request *asked, const char *user,
                   struct error *error);

/* As programs_check, for a job that was taken before. */
int programs_check_again(struct serving *self, const struct entry *entry, struct error *error);

/* For the capacity: whether a joining node runs the programs of all jobs with a verdict that wait
 * or run. If not, the node must not be used, and `why` names a user. */
bool programs_may_use(void *owner, const struct capacity_node *node, char *why, size_t size);

/* Tells the engine of jobs that were taken but not told before the service ended. */
void submitting_catch_up(struct serving *self);

/* ---- sharing.c: how much of the cluster may be promised to a user ---- */

/* Checks that this machine knows each group with a share. -1 with `error`. */
int sharing_open(const struct serving *self, struct error *error);

/* Changes the shares for all later submissions. -1, with `error`, and the earlier shares stay. */
int sharing_renew(struct serving *self, const struct service_limits *limits, struct error *error);

/* Gives `job`, which is new to the engine, the present shares for jobs of `user`; in the ledger's
 * memory. */
void sharing_give(const struct serving *self, const char *user, struct submission *job);

/* ---- holdings.c: which GPUs each job holds ---- */

/* holdings_put: puts the holdings of jobs into the transaction at hand, if they changed. -1 with
 * `error`. holdings_kept: that transaction was committed. */
int holdings_put(struct serving *self, struct error *error);
void holdings_kept(struct serving *self);
void holdings_close(struct serving *self);

/* Gives jobs the GPUs that the state says, and counts these jobs. A state of an earlier version
 * says nothing. -1 with `error`. */
int holdings_take_over(struct serving *self, size_t *count, struct error *error);

/* ---- adopting.c: a state of a version that decided otherwise ---- */

/* After all steps were decided again: if a step was decided otherwise than before, restores the
 * standings of jobs and the promises that were made. -1 with `error`. */
int adopting_settle(struct serving *self, struct error *error);

/* ---- missing.c: jobs that the state does not know ---- */

/* After the jobs are recalled: -1, with `error`, if the run folder has files of jobs that the state
 * does not know. If an operator accepted the loss, their numbers are left out. */
int missing_settle(struct serving *self, struct error *error);

/* For the capacity: whether the state knows a job of which the master holds parts. */
bool missing_is_known(void *owner, uint64_t job);

/* -1, with `error`, if the master holds parts of a job that the state does not know. */
int missing_check(struct serving *self, struct error *error);

/* Whether numbers may be given out. With a new state, a present master first lists its parts. */
bool missing_may_number(const struct serving *self);

/* ---- backing_up.c ---- */

/* backing_up_begin: begins the copy if one is due. backing_up_take: makes a copy for a client. */
void backing_up_begin(struct serving *self);
void backing_up_take(struct serving *self, struct request *request);

/* Copies some pages if a copy is to be made. Returns whether there are more. */
bool backing_up_goes_on(struct serving *self);

/* ---- learning.c and profiling.c: how fast models train that no table knows ---- */

void learning_learn(struct serving *self, struct request *request);

/* Stores the rate of a job's trainers if they report a measured one. */
void learning_hear(struct serving *self, const struct msg_job_report *report);

void profiling_list(struct serving *self, struct request *request);
void profiling_forget(struct serving *self, struct request *request);

/* profiling_json: a profile as `client` may see it. profiling_kind: "claimed" or "measured". */
json_t *profiling_json(const struct serving *self, const client_t *client,
                       const struct profile *profile);
const char *profiling_kind(const struct profile *profile);

/* ---- asking.c: questions to copies of the process ---- */

void asking_whatif(struct serving *self, struct request *request);

/* Whether there is room for another question. If not, `request` was answered with when to ask
 * again. */
bool asking_has_room(struct serving *self, struct request **request);

/* Puts a question about the job of `request` if there is room: the name of the user, a NUL, and the
 * document. kind->answer gets the answer and `subject`. */
void asking_put(struct serving *self, const struct question_kind *kind,
                const struct request *request, void *subject);

/* For questions whose subject is a request. asking_answer: answers the request. asking_is_wanted:
 * whether its client still waits. */
void asking_answer(void *owner, void *subject, const json_t *answer, const struct error *error);
bool asking_is_wanted(const void *subject);

/* ---- quoting.c: which deadlines would be promised ---- */

void quoting_quote(struct serving *self, struct request *request);
void quoting_dry_run(struct serving *self, struct request *request);

/* In a copy of the process: fields about the earliest deadline of `job` after `refused_s`:
 * "earliest", "earliest_until", "later". The caller owns the object. NULL, with `error`, if the
 * search fails. */
json_t *quoting_find_earliest(struct serving *self, const struct submission *job, int64_t refused_s,
                              struct error *error);

/* As quoting_find_earliest, for a job that is to have that deadline. NULL, with `error`, also if no
 * deadline is promised. */
json_t *quoting_take_earliest(struct serving *self, const struct submission *job,
                              struct error *error);

/* As quoting_find_earliest, for a live job that would be suspended and come again as `again`, with
 * a new deadline. If that deadline is promised at each moment soon, the object has only "until",
 * the last of these moments. */
json_t *quoting_find_change(struct serving *self, const struct submission *again,
                            struct error *error);

/* In a copy of the process: the submission of a question of asking_put, in the ledger's memory.
 * NULL, with the answer that tells the fault in `*bad`. */
struct submission *quoting_submission(struct serving *self, const char *question,
                                      struct job_request *asked, json_t **bad);

/* ---- holds.c: quotes that are held ---- */

/* Answers with a quote. If the quote is to be held, submits a job that holds no GPU. */
void holds_quote(struct serving *self, struct request *request);

/* Checks that the verb of `request` supports these fields. False with `error`. */
bool holds_check(const struct request *request, const struct job_request *asked,
                 struct error *error);

/* Lets the job that `asked` describes take the quote that it names. */
void holds_take(struct serving *self, struct request *request, const struct job_request *asked);

/* holds_grace_s: how long a quote is held beyond its told end, for jobs that take it at the last
 * moment. holds_until_s: its told end. */
int64_t holds_grace_s(const struct serving *self);
int64_t holds_until_s(const struct serving *self, const struct entry *entry);

/* Tells the engine of quotes that were taken but not told before the service ended. -1 with
 * `error`. */
int holds_catch_up(struct serving *self, struct error *error);

/* ---- earliest.c: jobs that are told, or take, the earliest deadline ---- */

/* Answers `change` with its verdict and the earliest deadline that would be promised. If too many
 * questions wait, the answer says when to ask for that deadline. */
void earliest_tell(struct serving *self, struct change *change);

/* Finds the earliest promised deadline for `request`, and passes both to submitting_submit. */
void earliest_submit(struct serving *self, struct request *request);

#endif

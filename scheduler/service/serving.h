/* serving.h - the insides of the service, shared by its files only, in the order in which they know
 * each other: form.c and request.c read what users ask, ledger.c and clients.c keep jobs and
 * sessions, parents.c which jobs a job waits for, events.c what
 * happened, telling.c puts into words how things stand, noting.c makes
 * events of steps, questions.c puts what-ifs to copies of the process, submitting.c,
 * ordering.c, steering.c, changing.c and nodes.c take what changes jobs and nodes, steps.c feeds
 * the engine and the journal, snapshots.c keeps where they stand, verbs.c knows who may do what,
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

#define CHANGES_MAX    256               /* of one step */
#define CAUSE_OF_DRAIN "drained by "     /* who does it follows */
#define USER_MAX       CLIENT_USER_BYTES /* bytes of a user's name */
#define WHO_BYTES      (USER_MAX + 16)

struct serving;
struct change;
struct waiting;
typedef void change_answer(struct serving *self, struct change *change);

/* An order that a node is to drain. */
struct drain {
    const char *cause; /* by whom, as CAUSE_OF_DRAIN has it; NULL for no order */
    int64_t at_s;      /* of the engine; 0 for at once */
};

/* Nodes that no job uses from one time to another, by the clock of the engine. */
struct node_reservation {
    uint64_t number;
    int64_t from_s; /* the first time; */
    int64_t to_s;
    int64_t every_s;    /* again so much later each time; 0 for once */
    const char *by;     /* "operator NAME" */
    struct words nodes; /* names */
};

/* The deadline that a job is to have in the place of another one. */
struct new_deadline {
    size_t count;                       /* of steps; 1 for a date alone, 0 for none */
    struct job_level steps[LEVELS_MAX]; /* times of the engine; a date alone has value 0, which is
                                           the value that the job has */
};

/* A client's request that the engine is to be told: answered once the request is kept and decided.
 */
struct change {
    struct request *request;
    uint32_t row;                 /* of its job */
    bool is_new;                  /* the job came with it */
    bool is_kept;                 /* its documents are in the journal */
    struct new_deadline deadline; /* that the job is to have */
    bool verdict_only;            /* no deadline is looked for that would be promised */
    change_answer *answer;        /* frees it, and its request */
    struct change *prev;
    struct change *next;
};

/* The copy of the process that writes a snapshot. */
struct snapshot_copy {
    pid_t pid;   /* 0 for none */
    int from;    /* the end of the pipe that is read */
    char *piece; /* what was read and is not kept yet */
    size_t used;
    int64_t steps;
    uint32_t jobs;
    double busy_s; /* of this process */
};

struct serving {
    struct service setting;
    struct inputs inputs;
    engine_t *engine;
    const char *name; /* of the scheduler; lent */
    zloop_t *loop;    /* in which copies of the process are heard; lent */
    capacity_t *capacity;
    struct run_clock clock;
    void (*wake)(void *owner); /* a turn is wanted soon */
    void *wake_owner;
    journal_t *journal;
    ledger_t *ledger;
    events_t *events;
    profiles_t *profiles;
    rows_t *rows;
    clients_t *clients; /* lent; NULL before they are there */
    questions_t *questions;
    uint32_t run;
    int64_t epoch; /* time of the engine's second 0, since 1970 */
    int64_t started;
    struct decision decision; /* the last */

    /* ---- what the next step is told ---- */
    struct occurrences told;
    struct change *changes;
    size_t told_kept;    /* of those that are told: their documents are in the journal */
    bool waits_for_step; /* the next request is about a job of which the engine is to be told */
    uint32_t first_new;  /* row of the first job that came since the last commit */
    bool in_transaction;
    int64_t at_s; /* of the step at hand */
    bool stuck;   /* it cannot be kept: the disk is full */
    char why_stuck[512];
    double retry_at_s;  /* by clock_s */
    bool knows_cluster; /* the master said which nodes and trainers there are, or had time to */
    double opened_s;    /* since when it is waited for */

    /* ---- snapshots ---- */
    double decided_s;  /* that deciding took since the last */
    double snapshot_s; /* of processor time that the last one took */
    struct snapshot_copy snapshot;

    char *held;      /* the holdings that are kept, NULL before the first step; and */
    char *held_next; /* those that the transaction at hand has, NULL for the same */
    bool adopts;     /* a step was decided otherwise than another version had it */

    /* ---- what may be missing ---- */
    bool is_new;              /* the state knew of no step when it was opened */
    bool loss_is_accepted;    /* an operator gave up what is missing */
    bool copy_is_due;         /* of the state as it was opened */
    bool copies_state;        /* a copy of the state is being made */
    struct request *backs_up; /* asked for it; NULL for none */

    /* ---- beside the engine ---- */
    struct msg_program program; /* the last that was asked for */
    arena_t *program_texts;
    struct drain *drains; /* by position */
    LIST(struct node_reservation) reservations;
    uint64_t last_reservation; /* number of the last one that was made */
    struct waiting *waits;     /* requests for the end of a job */
    struct error recalled;     /* why a job of the journal cannot be read */
    bool skips_orders;         /* the step at hand is half of a change: no plan is made of it */
    bool notes_late;           /* who held which GPUs after the last step is not noted */
};

/* ---- serving.c: the life of the heart ---- */

/* Copies of the process are heard in turns of `loop`; `wake` asks for a turn. `time_scale` is
 * seconds of the service's clock to a second of real time. What the arguments point to is lent. */
struct serving *serving_new(const struct service *service, const char *name, double time_scale,
                            zloop_t *loop, void (*wake)(void *owner), void *wake_owner);

/* Reads all inputs and the state, and goes on where that stood; jobs run where `source` has
 * capacity. -1 with `error`. */
int serving_open(struct serving *self, const struct simulation *simulation,
                 const struct capacity_source *source, struct error *error);

/* Capacity is heard from here on. Clients are there by now. -1 with `error`. */
int serving_begin(struct serving *self, struct error *error);

/* Requests are taken in, and a step is made if one is due. -1, with `error`, if the service cannot
 * go on. */
int serving_turn(struct serving *self, struct error *error);

/* Requests that are not answered are told `error`; clients are left to the caller. */
void serving_destroy(struct serving **serving, const struct error *error);

/* ---- time ---- */

int64_t serving_now_s(const struct serving *self);              /* of the engine */
int64_t serving_step_s(const struct serving *self);             /* of a step that is made now */
json_t *telling_time(const struct serving *self, int64_t at_s); /* since 1970; null for NEVER_S */

/* ---- parents.c ---- */

/* Gives `job` the parents that `asked` names. -1, with `error`, if a job of `user` cannot wait for
 * one of them; with `user` NULL, of a job that was taken before, such a parent is lost. */
int parents_read(struct serving *self, const char *user, const struct job_request *asked,
                 struct submission *job, struct error *error);

/* How the parents of `job`, of which the engine is to be told, stand by now. */
void parents_renew(struct serving *self, struct submission *job);

/* The parents, as "7" or "7:any"; and for which `job` still waits, as a sentence. */
json_t *parents_tell(const struct submission *job);
void parents_say(const struct job *job, char *text, size_t size);

/* ---- telling.c ---- */

/* The fields of a job in lists; all of it, for `client`. Owned by the caller. */
json_t *telling_job(const struct serving *self, const struct entry *entry);
json_t *telling_whole_job(struct serving *self, const struct entry *entry, const client_t *client);

/* Adds with which chance the promise of a job survives the nodes that are lost, and says so in the
 * sentence that `told` has of the job. */
void telling_add_survival(const struct serving *self, const struct entry *entry, json_t *told);

/* One word of the closed list of reasons, and a sentence. */
const char *telling_reason(const struct serving *self, const struct entry *entry);
void telling_sentence(const struct serving *self, const struct entry *entry, char *text,
                      size_t size);

/* A time of the engine, for people. */
void telling_date(const struct serving *self, int64_t at_s, char text[32]);

/* Bytes of a program, with '?' for what is no UTF-8. */
json_t *telling_text(char *bytes, size_t size);

json_t *telling_nodes(const struct serving *self);

/* GPUs of the node that jobs hold. */
int telling_used(const struct serving *self, int node);

json_t *telling_status(const struct serving *self, const client_t *client);
/* The verdict that the job was told, as a sentence. */
void telling_verdict_sentence(const struct serving *self, const struct entry *entry, char *text,
                              size_t size);

json_t *telling_verdict(const struct serving *self, const struct entry *entry);

/* Adds to `told` the rate that jobs to come are taken for; null where they denied nothing. */
void telling_seen(json_t *told, const struct demand_seen *seen);

/* Why a promise is denied, in the words of a verdict and in at most TELLING_DENIAL_BYTES: by how
 * much the job is beyond a share, and when enough of the share is free; which jobs to come are
 * expected; until when the nodes are known. */
#define TELLING_DENIAL_BYTES (SHARE_BYTES + 128)
void telling_say_denial(const struct serving *self, const struct denial *denial, char *text,
                        size_t size);

/* Adds `promise_share`, what would be promised ahead and may not be, where a share denied it. */
void telling_share(const struct serving *self, json_t *told, const struct share_seen *seen);
const char *telling_node_name(const struct serving *self, int node, char *text, size_t size);

/* The job as it is known to stand whatever becomes of the disk: before the step at hand if that is
 * not kept. The functions above take such an entry too. */
const struct entry *telling_entry(const struct serving *self, const struct entry *entry);

/* ---- telling_shares.c ---- */

/* By how much `job`, which is live and has no promise, is beyond a share now, after what the last
 * step decided; `of` is NULL if each of its shares has room. */
struct share_seen telling_share_now(const struct serving *self, const struct job *job);

/* ---- telling_losses.c ---- */

/* Adds how many nodes failed in how many node-hours, and after how many seconds one does in the
 * mean: null where nothing is known. */
void telling_failures(const struct serving *self, json_t *told);

/* With which chance a job that is exposed so loses no more nodes than its promise survives; that of
 * a job, NULL for none, with a promise that stands. null without nodes in reserve, and where
 * nothing is known of failures. Owned by the caller. */
json_t *telling_survival(const struct serving *self, const struct exposure *exposure);
json_t *telling_survival_of(const struct serving *self, const struct job *job);

/* ---- noting.c ---- */

/* Notes that `client` ordered `event` of the job in `row`; `text` says more. */
void noting_order(struct serving *self, const client_t *client, uint32_t row, const char *event,
                  const char *text);

/* Notes that trainers of a job failed and are started again. */
void noting_lost(struct serving *self, const struct msg_job_report *report);

/* Notes what the step at hand did to jobs and nodes; who holds which GPUs only if that is
 * `ordered`, not in the first half of a change. */
void noting_step(struct serving *self, bool ordered);

/* ---- steps.c ---- */

/* Begins the transaction of the changes at hand, if it is not begun. -1 with `error`. */
int steps_open(struct serving *self, struct error *error);

/* The engine is to be told `occurrence`. */
void steps_tell(struct serving *self, const struct occurrence *occurrence);

/* Whether a request that is not answered yet changes the job in `row`. */
bool steps_change(const struct serving *self, uint32_t row);

/* `request` is answered by `answer` once all changes at hand are kept and decided. */
void steps_await(struct serving *self, struct request **request, uint32_t row, bool is_new,
                 change_answer *answer);

/* Tells the engine, and takes in what it decides, without a word to others. -1 with `error`. */
int steps_decide(struct serving *self, int64_t now_s, const struct occurrence occurrences[],
                 size_t count, struct error *error);

/* In a copy of the process: makes the step that would be made now if a client asked for
 * `occurrence`; and the step that would come without a client, if something is not as expected. -1
 * with `error`. */
int steps_try(struct serving *self, const struct occurrence *occurrence, struct error *error);
int steps_try_news(struct serving *self, struct error *error);

/* In a copy of the process: the step at `at_s` of it, of what is told, and of nodes. -1 with
 * `error`. */
int steps_try_told(struct serving *self, struct error *error);

/* Tells the engine all steps that the journal has after the snapshot. -1 with `error`. */
int steps_replay(struct serving *self, struct error *error);

/* The first step of a new state: nodes may be missing from the start. -1 with `error`. */
int steps_begin(struct serving *self, struct error *error);

/* Makes a step if one is due or something is to be told. -1, with `error`, if the service cannot go
 * on. */
int steps_make(struct serving *self, struct error *error);

/* The service ends, for that reason, before the changes at hand are answered: they are told. */
void steps_abandon(struct serving *self, const struct error *error);

/* When the next look is wanted at the latest. */
size_t steps_look_ms(const struct serving *self);

/* ---- snapshots.c: a start that need not decide all steps again ---- */

/* Puts engine and ledger, which has all jobs of the journal, where they stood at the last snapshot,
 * if there is one. -1 with `error`. */
int snapshots_recall(struct serving *self, struct error *error);

/* Keeps another one once deciding what came since the last would take a moment; and now. Where it
 * cannot be kept the former one does. */
void snapshots_keep_due(struct serving *self);

/* Ends the copy that writes one: what it wrote is of no use. */
void snapshots_give_up(struct serving *self);
void snapshots_keep(struct serving *self);

/* ---- verbs.c ---- */

/* Does or answers `request`, which is given up. */
void verbs_take(struct serving *self, struct request *request);

/* Ends the waiting of requests for jobs that are over. */
void verbs_wake(struct serving *self);

/* The service ends: clients that wait for the end of a job ask its next start. */
void verbs_abandon(struct serving *self);

/* Who gives an order about `entry`, NULL for none: "its user NAME" or "operator NAME". */
void verbs_say_who(const client_t *client, const struct entry *entry, char text[WHO_BYTES]);

/* The entry that a request is about; NULL if it was answered: there is none, or it is another
 * user's. */
struct entry *verbs_entry(struct serving *self, struct request **request, int64_t row, bool owned);

/* ---- submitting.c: jobs come ---- */

void submitting_submit(struct serving *self, struct request *request);

/* The submission of what `user` asked, now; kept with the ledger. NULL with `error`. */
struct submission *submitting_make(struct serving *self, const char *user,
                                   const struct job_request *asked, struct error *error);

/* `request` is answered with the verdict of the job in `row` once there is one. */
void submitting_await(struct serving *self, struct request **request,
                      const struct job_request *asked, uint32_t row, bool is_new);

/* The key `own` of the user, NULL for none, is that of the job in `row` from now on. -1 with
 * `error`. */
int submitting_keep_key(struct serving *self, const struct request *request, const char *own,
                        uint32_t row, struct error *error);

/* Notes that `request` brings `job`. */
void submitting_note(struct serving *self, const struct request *request, const char *event,
                     const struct submission *job);

/* Answers `change` with what was decided on its job; or with that answer, which is given up. */
void submitting_answer_decided(struct serving *self, struct change *change);
void submitting_answer(struct serving *self, struct change *change, json_t *answer);

/* The submission of a job that comes to the engine once more, with what it did, and without the
 * steps of its deadline before `from_s`; kept with the ledger. */
const struct submission *ordering_submit_from(struct serving *self, const struct entry *entry,
                                              int64_t from_s);

/* ---- steering.c: jobs are cancelled, held and released ---- */

/* Jobs that were held when they were changed or cancelled are so again, after a start. -1 with
 * `error`. */
int steering_recall(struct serving *self, struct error *error);

/* Tells the engine of jobs whose change was not over when the service ended. */
void steering_catch_up(struct serving *self);

void steering_cancel(struct serving *self, struct request *request);
void steering_hold(struct serving *self, struct request *request);
void steering_release(struct serving *self, struct request *request);

/* ---- changing.c: a job gets another deadline ---- */

void changing_change(struct serving *self, struct request *request);

/* In a copy of the process: the job has another deadline. -1 with `error`. */
int changing_resubmit(struct serving *self, const struct entry *entry,
                      const struct new_deadline *deadline, struct error *error);

/* Held jobs have the deadlines that they got, after a start. -1 with `error`. */
int changing_recall(struct serving *self, struct error *error);

/* ---- nodes.c: which nodes take jobs ---- */

void nodes_drain(struct serving *self, struct request *request);
void nodes_resume(struct serving *self, struct request *request);

/* Orders and reservations become those that the journal has. -1 with `error`. */
int nodes_recall(struct serving *self, struct error *error);

/* The engine is to be told `item`, of capacity, and what is ordered about its node. */
void nodes_tell(struct serving *self, const struct occurrence *item);

/* Whether a node is to stand otherwise at `at_s` than the engine has it, for orders and
 * reservations; and the engine is to be told of these at the time of the step at hand. Nodes of
 * which it is told in this step are left out. */
bool nodes_differ(const struct serving *self, int64_t at_s);
void nodes_settle(struct serving *self);

/* Another node has the place at `position`: an order to drain was about the one before. For the
 * capacity. */
void nodes_replaced(void *owner, int position);

/* The node called `text`; -1 if it was answered that there is none. */
int nodes_find(struct serving *self, struct request **request, const char *text);

/* ---- reserving.c: nodes that are reserved ---- */

/* The reservations that the journal has. -1 with `error`. */
int reserving_recall(struct serving *self, struct error *error);

/* The reservation of the node that begins first, at `*from_s`, of those that are not over at
 * `at_s`. NULL, and NEVER_S, if there is none. */
const struct node_reservation *reserving_first(const struct serving *self, int node, int64_t at_s,
                                               int64_t *from_s);

/* The reservation that has the node at `at_s`; NULL for none. */
const struct node_reservation *reserving_active(const struct serving *self, int node, int64_t at_s);

/* "reservation 3 of operator NAME". */
void reserving_say(const struct node_reservation *reservation, char *text, size_t size);

/* When a reservation begins or ends next after `at_s`. */
int64_t reserving_change_s(const struct serving *self, int64_t at_s);

void reserving_reserve(struct serving *self, struct request *request);
void reserving_cancel(struct serving *self, struct request *request);
void reserving_list(struct serving *self, struct request *request);

/* ---- breaking.c: which promises an order would break ---- */

/* In a copy of the process that has an order and made the step before it: numbers of the jobs whose
 * promises do not survive what the engine is told, even if all goes as planned from then on. Owned
 * by the caller; NULL with `error`. */
json_t *breaking_find(struct serving *self, const struct occurrence *told, struct error *error);

/* "2 promises would be broken: of jobs 4 7". */
void breaking_say(const json_t *broken, char *text, size_t size);

/* ---- submitting.c: jobs after a start ---- */

/* Puts the jobs that the journal has into the ledger. Most get their submissions from a snapshot or
 * from the step that told of them; the others get theirs, from their documents, once all steps are
 * told again. -1 with `error`. */
int submitting_recall(struct serving *self, struct error *error);
int submitting_settle(struct serving *self, struct error *error);

/* `submission` as it is if it arrives at `at_s`, with the step at hand; kept with the ledger. */
const struct submission *submitting_stamp(struct serving *self, const struct submission *submission,
                                          int64_t at_s);

/* The program of a job, lent until the next call; NULL if it has none of its own. For the
 * capacity. */
int programs_of(void *owner, uint64_t job, const struct msg_program **program, struct error *error);

/* Whether every node that is there runs the program of what was asked, if there is one, as `user`:
 * jobs go where the plan has them. -1, with `error`, if one does not. */
int programs_check(const struct serving *self, const struct job_request *asked, const char *user,
                   struct error *error);

/* The same for a job that was taken before. */
int programs_check_again(struct serving *self, const struct entry *entry, struct error *error);

/* Whether the node, which joins, runs the programs of all jobs that got a verdict, and that wait or
 * run. Otherwise it is not to be used, and `why` says for which user. For the capacity. */
bool programs_may_use(void *owner, const struct capacity_node *node, char *why, size_t size);

/* Tells the engine of jobs that were taken, and of which it was not told before the service
 * ended. */
void submitting_catch_up(struct serving *self);

/* ---- sharing.c: how much of the cluster may be promised to a user ---- */

/* -1, with `error`, if this machine does not know a group that has a share. */
int sharing_open(const struct serving *self, struct error *error);

/* Other shares, for all submissions from now on. -1 with `error`, and those before stay. */
int sharing_renew(struct serving *self, const struct service_limits *limits, struct error *error);

/* Gives `job`, of which the engine does not know yet, the shares that jobs of `user` count for now;
 * kept with the ledger. */
void sharing_give(const struct serving *self, const char *user, struct submission *job);

/* ---- holdings.c: which GPUs each job holds ---- */

/* Puts what jobs hold by the last decision into the transaction at hand, if that is new; and that
 * it is kept. -1 with `error`. */
int holdings_put(struct serving *self, struct error *error);
void holdings_kept(struct serving *self);
void holdings_close(struct serving *self);

/* The jobs hold the GPUs that the state says: so many do. A state of before says nothing. -1 with
 * `error`. */
int holdings_take_over(struct serving *self, size_t *count, struct error *error);

/* ---- adopting.c: a state of a version that decided otherwise ---- */

/* After all steps are told again: where one was decided otherwise, jobs stand as they stood, and
 * promises that were made stand. -1 with `error`. */
int adopting_settle(struct serving *self, struct error *error);

/* ---- missing.c: jobs that were here, and of which the state does not know ---- */

/* After the jobs are recalled: -1, with `error`, if the run folder has files of jobs that the state
 * does not know. Where an operator accepted that, their numbers are left out. */
int missing_settle(struct serving *self, struct error *error);

/* Whether the state knows a job of which the master holds parts: for the capacity. */
bool missing_is_known(void *owner, uint64_t job);

/* -1, with `error`, if the master holds parts of a job that the state does not know. */
int missing_check(struct serving *self, struct error *error);

/* Whether numbers may be given out: a new state first hears what a master has that is there. */
bool missing_may_number(const struct serving *self);

/* ---- backing_up.c ---- */

/* The copy that is due begins. */
void backing_up_begin(struct serving *self);
void backing_up_take(struct serving *self, struct request *request);

/* Copies some pages, if a copy is to be made; whether there are more. */
bool backing_up_goes_on(struct serving *self);

/* ---- learning.c and profiling.c: how fast models train that no table knows ---- */

void learning_learn(struct serving *self, struct request *request);

/* Keeps how fast the trainers of a job are, if they say so. */
void learning_hear(struct serving *self, const struct msg_job_report *report);

void profiling_list(struct serving *self, struct request *request);
void profiling_forget(struct serving *self, struct request *request);

/* A profile as `client` is told it; "claimed" or "measured". */
json_t *profiling_json(const struct serving *self, const client_t *client,
                       const struct profile *profile);
const char *profiling_kind(const struct profile *profile);

/* ---- asking.c: questions to copies of the process ---- */

void asking_whatif(struct serving *self, struct request *request);

/* Whether one more question may be put; otherwise `request` was answered with when to ask again. */
bool asking_has_room(struct serving *self, struct request **request);

/* Puts a question about the job of `request`, where there is room: the name of its user, and behind
 * the end of the name its document. The answer is handed to kind->answer with `subject`. */
void asking_put(struct serving *self, const struct question_kind *kind,
                const struct request *request, void *subject);

/* For the answer to a question whose subject is a request: answers the request with it; and whether
 * the client still waits. */
void asking_answer(void *owner, void *subject, const json_t *answer, const struct error *error);
bool asking_is_wanted(const void *subject);

/* ---- quoting.c: which deadlines would be promised ---- */

void quoting_quote(struct serving *self, struct request *request);
void quoting_dry_run(struct serving *self, struct request *request);

/* In a copy of the process: fields of an answer about the earliest deadline of `job` after
 * `refused_s`: "earliest", "earliest_until", "later". Owned by the caller; NULL, with `error`, if
 * that deadline cannot be found. */
json_t *quoting_find_earliest(struct serving *self, const struct submission *job, int64_t refused_s,
                              struct error *error);

/* The same for a job that is to have that deadline: NULL, with an `error` that says why, also if
 * none is promised. */
json_t *quoting_take_earliest(struct serving *self, const struct submission *job,
                              struct error *error);

/* The same, after its deadline, for a live job that is suspended and comes as `again`; if its
 * deadline is promised at each moment soon, "until" alone, the last of these. */
json_t *quoting_find_change(struct serving *self, const struct submission *again,
                            struct error *error);

/* In a copy of the process: the submission of a question that asking_put put, kept with the ledger.
 * NULL, with an answer that says why in `*bad`. */
struct submission *quoting_submission(struct serving *self, const char *question,
                                      struct job_request *asked, json_t **bad);

/* ---- holds.c: quotes that are held ---- */

/* A quote, and if it is to be held a job like those that are submitted, which holds no GPU. */
void holds_quote(struct serving *self, struct request *request);

/* Whether the verb of `request` may ask so; false with `error`. */
bool holds_check(const struct request *request, const struct job_request *asked,
                 struct error *error);

/* The job that `asked` describes takes the quote that it names. */
void holds_take(struct serving *self, struct request *request, const struct job_request *asked);

/* For so long the engine keeps a quote after the time that its user is told, for jobs that take it
 * in the last moment; and that time. */
int64_t holds_grace_s(const struct serving *self);
int64_t holds_until_s(const struct serving *self, const struct entry *entry);

/* Tells the engine of quotes that were taken, and of which it was not told before the service
 * ended. -1 with `error`. */
int holds_catch_up(struct serving *self, struct error *error);

/* ---- earliest.c: a job is told the earliest deadline, or takes that ---- */

/* Has `change` answered with the earliest deadline that would be promised beside its verdict, or
 * with when to ask for that deadline where too many questions wait. */
void earliest_tell(struct serving *self, struct change *change);

/* Hands `request` to submitting_submit once it has the earliest deadline that is promised. */
void earliest_submit(struct serving *self, struct request *request);

#endif

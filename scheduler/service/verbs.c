/* verbs.c - who may ask for what, and the verbs that change nothing. */
#include "scheduler/service/serving.h"

#include "common/memory.h"
#include "protocol/job_number.h"
#include "scheduler/report/promise_tally.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <utlist.h>

#define LIST_MAX     1000
#define LIST_DEFAULT 100
#define LOG_PIECE    65536

/* ---- requests about one job ---- */

struct about {
    int64_t job;
    int64_t rank;
    int64_t offset;
};

static const struct form_field about_fields[] = {
    {"job", FORM_WHOLE, offsetof(struct about, job), 1, UINT32_MAX, true}, {0}};

static const struct form_field logs_fields[] = {
    {"job", FORM_WHOLE, offsetof(struct about, job), 1, UINT32_MAX, true},
    {"rank", FORM_WHOLE, offsetof(struct about, rank), 0, RANKS_MAX, false},
    {"offset", FORM_WHOLE, offsetof(struct about, offset), 0, INT64_MAX, false},
    {0}};

static const struct form_field no_fields[] = {{0}};

static bool is_owner(const struct request *request, const struct entry *entry)
{
    return client_role(request->client) == ROLE_OPERATE ||
           !strcmp(client_user(request->client), entry->user);
}

void verbs_say_who(const client_t *client, const struct entry *entry, char text[WHO_BYTES])
{
    const bool own = entry && !strcmp(client_user(client), entry->user);

    (void)snprintf(text, WHO_BYTES, "%s %s", own ? "its user" : "operator", client_user(client));
}

struct entry *verbs_entry(struct serving *self, struct request **request, int64_t row, bool owned)
{
    struct entry *entry = ledger_find(self->ledger, (uint64_t)row);

    if (!entry || entry->left_out)
        clients_fail(self->clients, request, ANSWER_UNKNOWN, "there is no job %" PRId64, row);
    else if (owned && !is_owner(*request, entry))
        clients_fail(self->clients, request, ANSWER_NOT_ALLOWED, "job %" PRId64 " is of user %s",
                     row, entry->user);
    else
        return entry;
    return NULL;
}

static bool reads(struct serving *self, struct request **request, const struct form_field fields[],
                  void *form)
{
    arena_t *texts = arena_new();
    struct error error;
    const bool good = form_read((*request)->document, fields, form, texts, &error) == 0;

    if (!good)
        clients_fail(self->clients, request, ANSWER_BAD, "%s", error.text);
    arena_destroy(&texts);
    return good;
}

/* The job of the request, as it may be told; NULL if the request was answered. */
static const struct entry *find_job(struct serving *self, struct request **request,
                                    const struct form_field fields[], struct about *about,
                                    bool owned)
{
    const struct entry *entry = NULL;

    *about = (struct about){0};
    if (reads(self, request, fields, about))
        entry = verbs_entry(self, request, about->job, owned);
    return entry ? telling_entry(self, entry) : NULL;
}

static void show(struct serving *self, struct request *request)
{
    struct about about;
    const struct entry *entry = find_job(self, &request, about_fields, &about, false);

    if (entry)
        clients_answer(self->clients, &request, ANSWER_DONE,
                       telling_whole_job(self, entry, request->client));
}

static void explain(struct serving *self, struct request *request)
{
    struct about about;
    const struct entry *entry = find_job(self, &request, about_fields, &about, false);
    char sentence[512];
    json_t *told;

    if (!entry)
        return;
    telling_sentence(self, entry, sentence, sizeof(sentence));
    told = json_pack("{s:I, s:s, s:s, s:s}", "job", (json_int_t)about.job, "state",
                     standing_names[entry->standing], "reason", telling_reason(self, entry),
                     "sentence", sentence);
    telling_add_survival(self, entry, told);
    clients_answer(self->clients, &request, ANSWER_DONE, told);
}

/* ---- waiting for the end of a job ---- */

struct waiting {
    struct request *request;
    uint64_t row;
    struct waiting *prev;
    struct waiting *next;
};

static bool answer_over(struct serving *self, struct request **request, const struct entry *entry)
{
    if (!entry_is_over(entry))
        return false;
    clients_answer(self->clients, request,
                   entry->standing == STANDING_DONE       ? ANSWER_DONE
                   : entry->standing == STANDING_DECLINED ? ANSWER_DECLINED
                                                          : ANSWER_FAILED,
                   telling_whole_job(self, entry, (*request)->client));
    return true;
}

static void wait_for(struct serving *self, struct request *request)
{
    struct about about;
    const struct entry *entry = find_job(self, &request, about_fields, &about, false);
    struct waiting *waiting;

    if (!entry || answer_over(self, &request, entry))
        return;
    waiting = xcalloc(1, sizeof(*waiting));
    waiting->request = request;
    waiting->row = (uint64_t)about.job;
    DL_APPEND(self->waits, waiting);
}

void verbs_wake(struct serving *self)
{
    struct waiting *waiting;
    struct waiting *next;

    DL_FOREACH_SAFE(self->waits, waiting, next)
    {
        if (clients_listens(waiting->request) &&
            !answer_over(self, &waiting->request, ledger_find(self->ledger, waiting->row)))
            continue;
        if (waiting->request) /* the client is gone */
            clients_fail(self->clients, &waiting->request, ANSWER_FAILED, "the client has gone");
        DL_DELETE(self->waits, waiting);
        free(waiting);
    }
}

void verbs_abandon(struct serving *self)
{
    struct waiting *waiting;
    struct waiting *next;

    DL_FOREACH_SAFE(self->waits, waiting, next)
    {
        DL_DELETE(self->waits, waiting);
        clients_drop(&waiting->request);
        free(waiting);
    }
}

/* ---- lists ---- */

struct listing {
    struct words states;
    const char *user;
    int64_t job;
    int64_t after;
    int64_t limit;
};

static const struct form_field list_fields[] = {
    {"states", FORM_WORDS, offsetof(struct listing, states), 0, 16, false},
    {"user", FORM_TEXT, offsetof(struct listing, user), 0, USER_MAX, false},
    {"after", FORM_WHOLE, offsetof(struct listing, after), 0, UINT32_MAX, false},
    {"limit", FORM_WHOLE, offsetof(struct listing, limit), 1, LIST_MAX, false},
    {0}};

static bool is_listed(const struct listing *listing, const struct entry *entry)
{
    bool listed = listing->states.count == 0 && entry->standing != STANDING_LAPSED;

    for (size_t i = 0; i < listing->states.count; i++)
        listed = listed || !strcmp(listing->states.items[i], standing_names[entry->standing]);
    return listed && (!listing->user || !strcmp(listing->user, entry->user));
}

static int check_states(const struct listing *listing, struct error *error)
{
    for (size_t i = 0; i < listing->states.count; i++) {
        size_t known = 0;

        while (standing_names[known] &&
               strcmp(standing_names[known], listing->states.items[i]) != 0)
            known++;
        if (!standing_names[known])
            return error_set(error, "field \"states\": there is no state \"%.16s\"",
                             listing->states.items[i]);
    }
    return 0;
}

static json_t *list_jobs(const struct serving *self, const struct listing *listing)
{
    json_t *jobs = json_array();
    json_t *next = json_null();
    uint64_t row = (uint64_t)listing->after + 1;

    for (; ledger_find(self->ledger, row); row++) {
        const struct entry *entry = telling_entry(self, ledger_find(self->ledger, row));

        if (entry->left_out || !is_listed(listing, entry))
            continue;
        if ((int64_t)json_array_size(jobs) == listing->limit) {
            next = json_integer((json_int_t)row - 1);
            break;
        }
        json_array_append_new(jobs, telling_job(self, entry));
    }
    return json_pack("{s:o, s:o, s:I}", "jobs", jobs, "next", next, "total",
                     (json_int_t)ledger_next(self->ledger) - 1);
}

static void list(struct serving *self, struct request *request)
{
    struct listing listing = {.limit = LIST_DEFAULT};
    arena_t *texts = arena_new();
    struct error error;

    if (form_read(request->document, list_fields, &listing, texts, &error) < 0 ||
        check_states(&listing, &error) < 0)
        clients_fail(self->clients, &request, ANSWER_BAD, "%s", error.text);
    else
        clients_answer(self->clients, &request, ANSWER_DONE, list_jobs(self, &listing));
    arena_destroy(&texts);
}

static void nodes(struct serving *self, struct request *request)
{
    if (reads(self, &request, no_fields, NULL))
        clients_answer(self->clients, &request, ANSWER_DONE, telling_nodes(self));
}

static void status(struct serving *self, struct request *request)
{
    if (reads(self, &request, no_fields, NULL))
        clients_answer(self->clients, &request, ANSWER_DONE, telling_status(self, request->client));
}

/* ---- what happened ---- */

static const struct form_field history_fields[] = {
    {"job", FORM_WHOLE, offsetof(struct listing, job), 1, UINT32_MAX, false},
    {"after", FORM_WHOLE, offsetof(struct listing, after), 0, INT64_MAX, false},
    {"limit", FORM_WHOLE, offsetof(struct listing, limit), 1, LIST_MAX, false},
    {0}};

static void history(struct serving *self, struct request *request)
{
    struct listing listing = {.limit = LIST_DEFAULT};
    struct error error;
    json_t *events;
    int64_t last;

    if (!reads(self, &request, history_fields, &listing) ||
        (listing.job > 0 && !verbs_entry(self, &request, listing.job, false)))
        return;
    if (events_list(self->events, (uint32_t)listing.job, listing.after, listing.limit, &events,
                    &last, &error) < 0)
        clients_fail(self->clients, &request, ANSWER_FAILED, "%s", error.text);
    else
        clients_answer(self->clients, &request, ANSWER_DONE,
                       json_pack("{s:o, s:o}", "events", events, "next",
                                 last > 0 ? json_integer(last) : json_null()));
}

/* ---- what became of promises ---- */

static enum promise_end end_of(const struct entry *entry)
{
    if (entry->outcome == PROMISE_KEPT)
        return entry_ended_early(entry) ? PROMISE_END_EARLY : PROMISE_END_KEPT;
    if (entry->standing == STANDING_DONE)
        return PROMISE_END_LATE;
    return entry->standing == STANDING_FAILED      ? PROMISE_END_FAILED
           : entry->standing == STANDING_CANCELLED ? PROMISE_END_CANCELLED
                                                   : PROMISE_END_OPEN;
}

static void add_promise(const struct serving *self, promise_tally_t *tally,
                        const struct entry *entry, size_t falls)
{
    struct promise_record record = {.user = entry->user,
                                    .end = end_of(entry),
                                    .was_at_risk = entry->was_at_risk,
                                    .falls = falls};
    const time_t due = (time_t)(self->epoch + entry->verdict.promised_s);
    struct tm parts;
    char week[32];

    (void)strftime(week, sizeof(week), "%G-W%V", gmtime_r(&due, &parts));
    record.week = week;
    record.slack_s = (double)(entry->verdict.promised_s - entry->ended_s);
    for (int cause = 0; cause < WITHDRAWAL_CAUSES; cause++)
        record.withdrawals[cause] = entry->withdrawals[cause];
    promise_tally_add(tally, &record);
}

static json_t *tell_promises(const struct serving *self, const size_t falls[])
{
    promise_tally_t *tally = promise_tally_new();
    json_t *told;

    for (uint64_t row = 1; row < ledger_next(self->ledger); row++) {
        const struct entry *entry = telling_entry(self, ledger_find(self->ledger, row));

        if (!entry->left_out && entry->decided && !entry_is_quote(entry) &&
            verdict_promises(&entry->verdict))
            add_promise(self, tally, entry, falls[row]);
    }
    told = promise_tally_tell(tally);
    promise_tally_destroy(&tally);
    return told;
}

static void promises(struct serving *self, struct request *request)
{
    const size_t rows = ledger_next(self->ledger);
    struct error error;
    size_t *falls;

    if (!reads(self, &request, no_fields, NULL))
        return;
    falls = xcalloc(rows, sizeof(*falls));
    if (events_count_falls(self->events, falls, rows, &error) < 0)
        clients_fail(self->clients, &request, ANSWER_FAILED, "%s", error.text);
    else
        clients_answer(self->clients, &request, ANSWER_DONE, tell_promises(self, falls));
    free(falls);
}

/* ---- what a job printed ---- */

/* Opens a regular file only: a job's program may put a pipe there, and opening a pipe could
 * block. */
static int open_regular(const char *path)
{
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    struct stat found;

    if (file < 0 || (fstat(file, &found) == 0 && S_ISREG(found.st_mode)))
        return file;
    (void)close(file);
    return -1;
}

/* The log of a rank, in the latest incarnation that has one. */
static int open_log(const struct serving *self, const struct entry *entry, int64_t rank)
{
    const struct job_name name = job_number_name(entry->number);
    const struct trained_job *trained = capacity_job(self->capacity, entry->number);
    int64_t incarnation = trained && trained->incarnation > 0 ? trained->incarnation + 1 : 64;
    char path[4096];

    for (; incarnation > 0; incarnation--) {
        int file;

        (void)snprintf(path, sizeof(path), "%s/logs/job-%s.inc-%" PRId64 ".rank-%" PRId64 ".log",
                       self->setting.runs, name.text, incarnation, rank);
        file = open_regular(path);
        if (file >= 0)
            return file;
    }
    return -1;
}

static void logs(struct serving *self, struct request *request)
{
    struct about about;
    const struct entry *entry = find_job(self, &request, logs_fields, &about, true);
    char piece[LOG_PIECE + 1];
    ssize_t got = 0;
    int file;

    if (!entry)
        return;
    if (!self->setting.runs) {
        clients_fail(self->clients, &request, ANSWER_FAILED,
                     "the service does not know where logs are: it has no --runs");
        return;
    }
    file = open_log(self, entry, about.rank);
    if (file >= 0) {
        got = pread(file, piece, LOG_PIECE, about.offset);
        (void)close(file);
    }
    got = got > 0 ? got : 0;
    clients_answer(self->clients, &request, ANSWER_DONE,
                   json_pack("{s:o, s:I, s:b}", "text", telling_text(piece, (size_t)got), "offset",
                             (json_int_t)about.offset + got, "over", entry_is_over(entry)));
}

/* ---- who may what ---- */

static const struct verb {
    const char *name;
    enum role needs;
    void (*take)(struct serving *self, struct request *request);
} verbs[] = {
    {"status", ROLE_READ, status},
    {"list", ROLE_READ, list},
    {"show", ROLE_READ, show},
    {"wait", ROLE_READ, wait_for},
    {"explain", ROLE_READ, explain},
    {"nodes", ROLE_READ, nodes},
    {"reservations", ROLE_READ, reserving_list},
    {"history", ROLE_READ, history},
    {"promises", ROLE_READ, promises},
    {"profiles", ROLE_READ, profiling_list},
    {"quote", ROLE_READ, holds_quote},
    {"whatif", ROLE_READ, asking_whatif},
    {"submit", ROLE_SUBMIT, submitting_submit},
    {"cancel", ROLE_SUBMIT, steering_cancel},
    {"hold", ROLE_SUBMIT, steering_hold},
    {"learn", ROLE_SUBMIT, learning_learn},
    {"forget", ROLE_SUBMIT, profiling_forget},
    {"release", ROLE_SUBMIT, steering_release},
    {"change", ROLE_SUBMIT, changing_change},
    {"logs", ROLE_SUBMIT, logs},
    {"drain", ROLE_OPERATE, nodes_drain},
    {"resume", ROLE_OPERATE, nodes_resume},
    {"reserve", ROLE_OPERATE, reserving_reserve},
    {"unreserve", ROLE_OPERATE, reserving_cancel},
    {"backup", ROLE_OPERATE, backing_up_take},
};

void verbs_take(struct serving *self, struct request *request)
{
    for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
        if (strcmp(verbs[i].name, request->verb) != 0)
            continue;
        if (client_role(request->client) >= verbs[i].needs)
            verbs[i].take(self, request);
        else
            clients_fail(self->clients, &request, ANSWER_NOT_ALLOWED,
                         "%s needs the role \"%s\", and user %s has \"%s\"", verbs[i].name,
                         role_names[verbs[i].needs], client_user(request->client),
                         role_names[client_role(request->client)]);
        return;
    }
    clients_fail(self->clients, &request, ANSWER_BAD, "there is no verb \"%.32s\"", request->verb);
}

/* quote_states.c - drives one live service of three nodes through random states, as four users and
 * an operator, and asks for quotes in each: see tests/e2e/service_quotes_test.sh.
 *
 *     quote_states KEYS STATES
 *
 * In a state jobs have come, were cancelled, run and end, and nodes drain and are back. Then one of
 * four things is tried: the deadline that is named is submitted at once, a second less is submitted
 * at a second that refuses it, several deadlines are asked about, or a job that is there is to have
 * another deadline. */
#include "common/memory.h"
#include "tests/support/seed.h"
#include "tools/service/client.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCALE   8 /* seconds of the service to one of real time */
#define USERS   4
#define RECENT  32 /* jobs that may be cancelled */
#define ASKED   8  /* deadlines about which a state is asked */
#define TIMEOUT 600

/* Of the clock of the service, 15 s of a busy machine: by then no deadline that is asked about is
 * past. */
#define PATIENCE_S 120

struct drive {
    rng_t rng;
    service_client_t *users[USERS];
    service_client_t *operator;
    json_int_t recent[RECENT];
    json_int_t heard; /* number of the last event that was read */
    size_t submitted;
    size_t promised;  /* deadlines that were named, and submitted in time */
    size_t refused;   /* a second less */
    size_t changed;   /* to the deadline that is named */
    size_t unnamed;   /* no deadline is named */
    size_t astray;    /* other than named */
    size_t late;      /* came at another second: nothing is known */
    size_t disturbed; /* trainers did something else than expected meanwhile, likewise */
    size_t compared;  /* pairs of deadlines */
    size_t questions;
};

_Noreturn static void fail(const char *what, const json_t *document, const json_t *answer)
{
    char *asked = document ? json_dumps(document, JSON_COMPACT) : NULL;
    char *told = answer ? json_dumps(answer, JSON_COMPACT) : NULL;

    printf("%s: %s: %s\n", what, asked ? asked : "", told ? told : "");
    exit(1);
}

/* The answer, which is the caller's; `*code` unless NULL, where anything but DONE and DECLINED may
 * come. */
static json_t *ask(service_client_t *client, const char *verb, const json_t *document,
                   enum answer_code *code)
{
    struct answer answer;
    struct error error;

    if (client_ask(client, verb, document, &answer, &error) < 0) {
        printf("%s: %s\n", verb, error.text);
        exit(1);
    }
    if (!code && answer.code != ANSWER_DONE && answer.code != ANSWER_DECLINED)
        fail(verb, document, answer.object);
    if (code)
        *code = answer.code;
    return answer.object;
}

/* Trainers on a busy machine start and work some tenths of a second later than expected, of which
 * no event tells: a few answers in a hundred do not hold for that reason. */
#define ASTRAY_PERCENT 5

static void note_astray(struct drive *self, const char *what, const json_t *asked,
                        const json_t *told)
{
    char *texts[] = {json_dumps(asked, JSON_COMPACT), json_dumps(told, JSON_COMPACT)};

    printf("%s: %s: %s\n", what, texts[0], texts[1]);
    free(texts[0]);
    free(texts[1]);
    self->astray++;
}

static json_int_t number_of(const json_t *answer, const char *member)
{
    return json_integer_value(json_object_get(answer, member));
}

static bool is_promised(const json_t *answer)
{
    const char *verdict = json_string_value(json_object_get(answer, "verdict"));

    return verdict && !strcmp(verdict, "promised");
}

static service_client_t *any_user(struct drive *self)
{
    return self->users[test_pick(&self->rng, USERS)];
}

static json_int_t now_s(struct drive *self)
{
    json_t *nothing = json_object();
    json_t *answer = ask(self->operator, "status", nothing, NULL);
    const json_int_t now = number_of(answer, "now");

    json_decref(answer);
    json_decref(nothing);
    return now;
}

/* Whether something came otherwise than planned since this was asked last. */
static bool is_disturbed(struct drive *self)
{
    static const char *const unforeseen[] = {"behind",  "at-risk",       "withdrawn",
                                             "slips",   "failed",        "node-down",
                                             "node-up", "node-draining", "retried"};
    json_int_t before;
    bool found = false;

    do {
        json_t *about = json_pack("{s:I}", "after", self->heard);
        json_t *answer = ask(self->operator, "history", about, NULL);
        const json_t *events = json_object_get(answer, "events");

        before = self->heard;
        for (size_t i = 0; i < json_array_size(events); i++) {
            const json_t *event = json_array_get(events, i);
            const char *word = json_string_value(json_object_get(event, "event"));

            self->heard = number_of(event, "number");
            for (size_t k = 0; k < sizeof(unforeseen) / sizeof(unforeseen[0]); k++)
                found = found || !strcmp(word, unforeseen[k]);
        }
        json_decref(answer);
        json_decref(about);
    } while (self->heard != before);
    return found;
}

/* ---- what comes ---- */

/* A job of some ten seconds to ten minutes. */
static json_t *pick_job(struct drive *self)
{
    static const struct {
        const char *model;
        int batch_size;
        double iters_per_s;
    } kinds[] = {{"resnet50", 256, 3}, {"vgg16", 256, 3}, {"inception3", 128, 4}, {"bert", 64, 2}};
    const int kind = test_pick(&self->rng, 4);
    const double alone_s = rng_log_uniform(&self->rng, 10, 600);
    json_t *job = json_pack("{s:s, s:i, s:I}", "model", kinds[kind].model, "batch_size",
                            kinds[kind].batch_size, "iterations",
                            (json_int_t)ceil(alone_s * kinds[kind].iters_per_s));

    switch (test_pick(&self->rng, 5)) {
    case 0:
        json_object_set_new(job, "gpus_max", json_integer(1 << test_pick(&self->rng, 4)));
        break;
    case 1:
        json_object_set_new(job, "rates", json_pack("[s, s, s]", "1:5", "2:9", "4:15"));
        break;
    case 2:
        json_object_set_new(job, "gpus_min", json_integer(1 << test_pick(&self->rng, 3)));
        break;
    default:
        break;
    }
    return job;
}

static json_t *submit(struct drive *self, json_t *job, json_int_t deadline)
{
    json_t *answer;

    if (deadline > 0)
        json_object_set_new(job, "deadline", json_integer(deadline));
    json_object_set_new(job, "verdict_only", json_true());
    answer = ask(any_user(self), "submit", job, NULL);
    self->recent[self->submitted++ % RECENT] = number_of(answer, "job");
    return answer;
}

static void add_job(struct drive *self)
{
    json_t *job = pick_job(self);

    if (test_pick(&self->rng, 4) > 0)
        json_object_set_new(job, "deadline_in",
                            json_integer((json_int_t)rng_log_uniform(&self->rng, 60, 7200)));
    json_decref(submit(self, job, 0));
    json_decref(job);
}

static void cancel_job(struct drive *self)
{
    const size_t known = self->submitted < RECENT ? self->submitted : RECENT;
    enum answer_code code; /* the job may be over */
    json_t *order;

    if (known == 0)
        return;
    order = json_pack("{s:I}", "job", self->recent[test_pick(&self->rng, (int)known)]);
    json_decref(ask(self->operator, "cancel", order, &code));
    json_decref(order);
}

/* Of the three nodes one stays. */
static void steer_node(struct drive *self)
{
    json_t *order = json_pack("{s:s}", "node", test_pick(&self->rng, 2) ? "b" : "c");

    json_decref(ask(self->operator, test_pick(&self->rng, 3) ? "resume" : "drain", order, NULL));
    json_decref(order);
}

static void change_state(struct drive *self)
{
    for (int i = test_pick(&self->rng, 4); i > 0; i--)
        switch (test_pick(&self->rng, 8)) {
        case 0:
            steer_node(self);
            break;
        case 1:
        case 2:
        case 3:
            cancel_job(self);
            break;
        default:
            add_job(self);
        }
}

/* ---- what is tried ---- */

/* NULL where the deadline is past by now, on a busy machine. */
static json_t *quote(struct drive *self, const json_t *job, json_int_t within_s,
                     json_int_t deadline)
{
    json_t *asked = json_copy((json_t *)(uintptr_t)job);
    enum answer_code code;
    json_t *answer;

    json_object_set_new(asked, "within_s", json_integer(within_s));
    if (deadline > 0)
        json_object_set_new(asked, "deadline", json_integer(deadline));
    answer = ask(any_user(self), "quote", asked, &code);
    self->questions++;
    if (code != ANSWER_DONE && (code != ANSWER_BAD || deadline == 0 || now_s(self) < deadline))
        fail("quote", asked, answer);
    json_decref(asked);
    if (code == ANSWER_DONE)
        return answer;
    json_decref(answer);
    return NULL;
}

/* 0 if none is named: then the answer says when to ask again. */
static json_int_t named(struct drive *self, const json_t *job, const json_t *answer)
{
    const json_int_t earliest = number_of(answer, "earliest");

    if (earliest > 0)
        return earliest;
    if (number_of(answer, "later") == 0)
        fail("no deadline is named, and no time to ask again", job, answer);
    self->unnamed++;
    return 0;
}

static void try_named(struct drive *self)
{
    json_t *job = pick_job(self);
    json_t *answer;
    json_int_t earliest;

    (void)is_disturbed(self);
    answer = quote(self, job, 2, 0);
    earliest = named(self, job, answer);
    if (earliest > 0) {
        json_t *told = submit(self, job, earliest);

        if (is_promised(told) && number_of(told, "promised_until") == earliest)
            self->promised++;
        else if (now_s(self) > number_of(answer, "until"))
            self->late++;
        else if (is_disturbed(self))
            self->disturbed++;
        else
            note_astray(self, "the deadline that is named is refused", answer, told);
        json_decref(told);
    }
    json_decref(answer);
    json_decref(job);
}

/* The second of the step that decided on the job. */
static json_int_t came_s(struct drive *self, const json_t *told)
{
    json_t *about = json_pack("{s:O}", "job", json_object_get(told, "job"));
    json_t *answer = ask(self->operator, "history", about, NULL);
    const json_t *events = json_object_get(answer, "events");
    json_int_t came = 0;

    for (size_t i = 0; came == 0 && i < json_array_size(events); i++) {
        const json_t *event = json_array_get(events, i);
        const char *word = json_string_value(json_object_get(event, "event"));

        if (!strcmp(word, "promised") || !strcmp(word, "declined"))
            came = number_of(event, "at");
    }
    json_decref(answer);
    json_decref(about);
    return came;
}

/* The answer says at which second a second less is refused. */
static void try_less(struct drive *self)
{
    json_t *job = pick_job(self);
    json_t *answer;
    json_int_t earliest;
    json_int_t refusing;

    (void)is_disturbed(self);
    answer = quote(self, job, 1, 0);
    earliest = named(self, job, answer);
    refusing = number_of(answer, "less_refused_at");
    if (earliest > 0) {
        json_t *told;

        while (now_s(self) < refusing)
            continue;
        json_object_set_new(job, "promise_or_decline", json_true());
        told = submit(self, job, earliest - 1);
        if (came_s(self, told) != refusing)
            self->late++;
        else if (!is_promised(told))
            self->refused++;
        else if (is_disturbed(self))
            self->disturbed++;
        else
            note_astray(self, "a second less than the deadline that is named is promised", answer,
                        told);
        json_decref(told);
    }
    json_decref(answer);
    json_decref(job);
}

static int compare(const void *a, const void *b)
{
    const json_int_t x = *(const json_int_t *)a;
    const json_int_t y = *(const json_int_t *)b;

    return (x > y) - (x < y);
}

/* Answers for the same seconds: the first that is promised, and all later ones. */
static void try_easier(struct drive *self)
{
    json_t *job = pick_job(self);
    json_int_t deadlines[ASKED];
    json_int_t until = 0;
    json_int_t promised = 0; /* the earliest deadline that is, up to `until` */
    const json_int_t now = now_s(self);

    for (int i = 0; i < ASKED; i++)
        deadlines[i] = now + PATIENCE_S + (json_int_t)rng_log_uniform(&self->rng, 5, 20000);
    qsort(deadlines, ASKED, sizeof(*deadlines), compare);
    for (int i = 0; i < ASKED; i++) {
        json_t *answer = quote(self, job, 1, deadlines[i]);
        const json_int_t earliest = number_of(answer, "earliest");
        const bool holds = json_is_true(json_object_get(answer, "promised"));

        if (!answer)
            continue;
        if (number_of(answer, "until") != until)
            promised = 0;
        until = number_of(answer, "until");
        if (earliest > 0 && holds != (deadlines[i] >= earliest))
            fail("a deadline is asked about, and the answer is not that of the earliest one", job,
                 answer);
        if (promised > 0 && !holds)
            fail("an easier deadline is refused", job, answer);
        self->compared += promised > 0 || earliest > 0;
        promised = promised == 0 && holds ? deadlines[i] : promised;
        json_decref(answer);
    }
    json_decref(job);
}

static json_t *change(struct drive *self, json_int_t job, json_int_t deadline)
{
    json_t *order = json_pack("{s:I, s:I}", "job", job, "deadline", deadline);
    enum answer_code code;
    json_t *answer = ask(self->operator, "change", order, &code);

    json_decref(order);
    if (code == ANSWER_DONE || code == ANSWER_DECLINED)
        return answer;
    json_decref(answer); /* the job is over */
    return NULL;
}

static void change_to_earliest(struct drive *self, json_int_t job, const json_t *refused)
{
    const json_int_t earliest = number_of(refused, "earliest");
    json_t *told = earliest > 0 ? change(self, job, earliest) : NULL;

    if (earliest == 0 && number_of(refused, "later") == 0)
        fail("no deadline is named for a change, and no time to ask again", NULL, refused);
    if (!told)
        return;
    if (is_promised(told))
        self->changed++;
    else if (now_s(self) + SCALE >= number_of(refused, "earliest_until"))
        self->late++;
    else if (is_disturbed(self))
        self->disturbed++;
    else
        note_astray(self, "the deadline that is named for a change is refused", refused, told);
    json_decref(told);
}

/* A job that waits or runs gets a deadline that is near, or the one that is named then. */
static void try_change(struct drive *self)
{
    const size_t known = self->submitted < RECENT ? self->submitted : RECENT;
    const json_int_t job = known > 0 ? self->recent[test_pick(&self->rng, (int)known)] : 0;
    json_t *told;

    (void)is_disturbed(self);
    told = job > 0
               ? change(self, job, now_s(self) + (json_int_t)rng_log_uniform(&self->rng, 5, 300))
               : NULL;
    if (told && !is_promised(told))
        change_to_earliest(self, job, told);
    json_decref(told);
}

/* ---- */

static service_client_t *come_as(const char *keys, const char *as)
{
    struct error error;
    const struct client_setting setting = {
        .service = "127.0.0.1:7000", .keys = keys, .as = as, .timeout_s = TIMEOUT};
    service_client_t *client = client_new(&setting, &error);

    if (!client) {
        printf("%s\n", error.text);
        exit(1);
    }
    return client;
}

int main(int argc, char **argv)
{
    static void (*const tries[])(struct drive *) = {try_named, try_less, try_named, try_easier,
                                                    try_change};
    struct drive self = {.rng = rng_new(test_seed(), "states")};
    const long states = argc == 3 ? strtol(argv[2], NULL, 10) : 0;

    if (states <= 0)
        return 2;
    for (int i = 0; i < USERS; i++) {
        char as[16];

        (void)snprintf(as, sizeof(as), "submit:u%d", i);
        self.users[i] = come_as(argv[1], as);
    }
    self.operator= come_as(argv[1], "operate:otto");
    for (long i = 0; i < states; i++) {
        change_state(&self);
        tries[i % 5](&self);
    }
    for (int i = 0; i < USERS; i++)
        client_destroy(&self.users[i]);
    client_destroy(&self.operator);
    printf("states=%ld named=%zu less=%zu changed=%zu unnamed=%zu astray=%zu late=%zu "
           "disturbed=%zu easier=%zu "
           "questions=%zu jobs=%zu\n",
           states, self.promised, self.refused, self.changed, self.unnamed, self.astray, self.late,
           self.disturbed, self.compared, self.questions, self.submitted);
    return 100 * self.astray > ASTRAY_PERCENT * (self.promised + self.refused + self.changed) + 100;
}

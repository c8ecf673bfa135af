/* quote_states.c - drives one live service of three nodes through random states, as four users and
 * an operator, and asks for quotes in each: see tests/e2e/service_quotes_test.sh.
 *
 *     quote_states KEYS STATES TRIES
 *
 * In a state jobs have come, were cancelled, run and end, and nodes drain and are back. Then one of
 * four things is tried: the deadline that is named is submitted at once, a second less is submitted
 * at a second that refuses it, many deadlines are asked about at one moment, or a job that is there
 * is to have another deadline. The first, second and last are written to the file TRIES, a line
 * each, for quiet_tries. */
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
#define TIMEOUT 600

/* Easier deadlines that a state is asked about, each compared with one that is promised; and how
 * many questions a state is asked for them at most. */
#define EASIER    320
#define QUESTIONS 1000

/* Moments in which two deadlines are asked about again, until one of them lasts for all answers. */
#define AGAIN_TRIES 20

struct drive {
    rng_t rng;
    service_client_t *users[USERS];
    service_client_t *operator;
    json_int_t recent[RECENT];
    FILE *tries;
    size_t submitted;
    size_t unnamed;  /* no deadline is named */
    size_t late;     /* came at another second: nothing is known */
    size_t compared; /* easier deadlines, each with one that is promised at the same moment */
    size_t reheard;  /* refused ones among them that are not when they are asked about again */
    size_t unsure;   /* likewise, at a later moment */
    size_t questions;
};

/* How the service stands: between two looks that are alike it has not moved. */
struct moment {
    json_int_t now;
    json_int_t steps;
    uint64_t state;
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

static struct moment look(struct drive *self)
{
    json_t *nothing = json_object();
    json_t *answer = ask(self->operator, "status", nothing, NULL);
    const char *state = json_string_value(json_object_get(answer, "state_hash"));
    const struct moment moment = {.now = number_of(answer, "now"),
                                  .steps = number_of(answer, "steps"),
                                  .state = state ? strtoull(state, NULL, 16) : 0};

    json_decref(answer);
    json_decref(nothing);
    return moment;
}

static bool is_same(const struct moment *a, const struct moment *b)
{
    return a->now == b->now && a->steps == b->steps && a->state == b->state;
}

static json_int_t now_s(struct drive *self)
{
    return look(self).now;
}

/* A try that began after `since` steps, about that job, with the answer before and after. */
static void note_try(struct drive *self, const char *what, json_int_t since, bool is_right,
                     const json_t *asked, const json_t *told)
{
    char *texts[] = {json_dumps(asked, JSON_COMPACT), json_dumps(told, JSON_COMPACT)};

    fprintf(self->tries, "%s %lld %lld %lld %s %s: %s\n", what, since, look(self).steps,
            number_of(told, "job"), is_right ? "right" : "wrong", texts[0], texts[1]);
    free(texts[0]);
    free(texts[1]);
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

static json_t *quote(struct drive *self, const json_t *job, json_int_t within_s)
{
    json_t *asked = json_copy((json_t *)(uintptr_t)job);
    json_t *answer;

    json_object_set_new(asked, "within_s", json_integer(within_s));
    answer = ask(any_user(self), "quote", asked, NULL);
    self->questions++;
    json_decref(asked);
    return answer;
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
    const json_int_t since = look(self).steps;
    json_t *job = pick_job(self);
    json_t *answer = quote(self, job, 2);
    const json_int_t earliest = named(self, job, answer);

    if (earliest > 0) {
        json_t *told = submit(self, job, earliest);
        const bool is_right = is_promised(told) && number_of(told, "promised_until") == earliest;

        if (!is_right && now_s(self) > number_of(answer, "until"))
            self->late++;
        else
            note_try(self, "named", since, is_right, answer, told);
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
    const json_int_t since = look(self).steps;
    json_t *job = pick_job(self);
    json_t *answer = quote(self, job, 1);
    const json_int_t earliest = named(self, job, answer);
    const json_int_t refusing = number_of(answer, "less_refused_at");

    if (earliest > 0) {
        json_t *told;

        while (now_s(self) < refusing)
            continue;
        json_object_set_new(job, "promise_or_decline", json_true());
        told = submit(self, job, earliest - 1);
        if (came_s(self, told) != refusing)
            self->late++;
        else
            note_try(self, "less", since, !is_promised(told), answer, told);
        json_decref(told);
    }
    json_decref(answer);
    json_decref(job);
}

/* ---- many deadlines at one moment ---- */

/* Whether a submission with that deadline would be promised now: 1 or 0; -1 if the service is too
 * busy to say, or the deadline is past. */
static int ask_dry(struct drive *self, json_t *job, json_int_t deadline)
{
    enum answer_code code;
    json_t *answer;
    int promised;

    json_object_set_new(job, "deadline", json_integer(deadline));
    answer = ask(self->users[0], "submit", job, &code);
    promised = code == ANSWER_DONE || code == ANSWER_DECLINED ? is_promised(answer) : -1;
    self->questions++;
    json_decref(answer);
    return promised;
}

/* The earliest deadline that is promised and the latest that is not, at one moment. */
struct found {
    struct moment moment;
    json_int_t promised; /* 0 for none */
    json_int_t refused;
};

/* Whether the later deadline is refused between two answers that promise the earlier one, at one
 * moment, which is in `moment` then. */
static bool is_refused_between(struct drive *self, json_t *job, const struct found *found,
                               struct moment *moment)
{
    for (int i = 0; i < AGAIN_TRIES; i++) {
        struct moment last;
        int before;
        int easier;
        int after;

        *moment = look(self);
        before = ask_dry(self, job, found->promised);
        easier = ask_dry(self, job, found->refused);
        after = ask_dry(self, job, found->promised);
        last = look(self);
        if (is_same(moment, &last))
            return before > 0 && easier == 0 && after > 0;
    }
    *moment = (struct moment){0};
    return false;
}

/* How far trainers are behind between two steps is heard anew by each answer. Only what is told
 * again, and once more, is what the service holds. */
static void ask_again(struct drive *self, json_t *job, const struct found *found)
{
    struct moment moment;
    bool is_refused = is_refused_between(self, job, found, &moment);

    if (is_refused)
        is_refused = is_refused_between(self, job, found, &moment);
    if (is_refused)
        fail("an easier deadline is refused", job,
             json_pack("{s:I, s:I}", "promised", found->promised, "refused", found->refused));
    self->reheard += is_same(&moment, &found->moment);
    self->unsure += !is_same(&moment, &found->moment);
}

static void compare(struct drive *self, json_t *job, struct found *found, json_int_t deadline)
{
    const int promised = ask_dry(self, job, deadline);
    const struct moment moment = look(self);

    if (!is_same(&moment, &found->moment)) {
        *found = (struct found){.moment = moment};
        return;
    }
    self->compared += promised >= 0 && found->promised > 0 && deadline > found->promised;
    if (promised == 0 && deadline > found->refused)
        found->refused = deadline;
    if (promised > 0 && (found->promised == 0 || deadline < found->promised))
        found->promised = deadline;
    if (found->promised > 0 && found->refused > found->promised) {
        ask_again(self, job, found);
        *found = (struct found){.moment = look(self)};
    }
}

/* Half of the deadlines are near the earliest one, where the answers change. */
static void try_easier(struct drive *self)
{
    json_t *job = pick_job(self);
    json_t *answer = quote(self, job, 1);
    const json_int_t earliest = named(self, job, answer);
    const size_t enough = self->compared + EASIER;
    const size_t most = self->questions + QUESTIONS;
    struct found found = {.moment = look(self)};

    json_object_set_new(job, "dry_run", json_true());
    json_object_set_new(job, "verdict_only", json_true());
    while (earliest > 0 && self->compared < enough && self->questions < most)
        compare(
            self, job, &found,
            earliest + test_pick(&self->rng, 4) - 1 +
                (json_int_t)rng_log_uniform(&self->rng, 1, test_pick(&self->rng, 2) ? 64 : 20000));
    json_decref(answer);
    json_decref(job);
}

/* ---- another deadline ---- */

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

static void change_to_earliest(struct drive *self, json_int_t since, json_int_t job,
                               const json_t *refused)
{
    const json_int_t earliest = number_of(refused, "earliest");
    json_t *told = earliest > 0 ? change(self, job, earliest) : NULL;

    if (earliest == 0 && number_of(refused, "later") == 0)
        fail("no deadline is named for a change, and no time to ask again", NULL, refused);
    if (!told)
        return;
    if (!is_promised(told) && now_s(self) + SCALE >= number_of(refused, "earliest_until"))
        self->late++;
    else
        note_try(self, "changed", since, is_promised(told), refused, told);
    json_decref(told);
}

/* A job that waits or runs gets a deadline that is near, or the one that is named then. */
static void try_change(struct drive *self)
{
    const struct moment moment = look(self);
    const size_t known = self->submitted < RECENT ? self->submitted : RECENT;
    const json_int_t job = known > 0 ? self->recent[test_pick(&self->rng, (int)known)] : 0;
    json_t *told =
        job > 0
            ? change(self, job, moment.now + 1 + (json_int_t)rng_log_uniform(&self->rng, 5, 300))
            : NULL;

    if (told && !is_promised(told))
        change_to_earliest(self, moment.steps, job, told);
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
    const long states = argc == 4 ? strtol(argv[2], NULL, 10) : 0;

    if (states <= 0 || !(self.tries = fopen(argv[3], "w")))
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
    printf("states=%ld unnamed=%zu late=%zu easier=%zu reheard=%zu unsure=%zu questions=%zu "
           "jobs=%zu\n",
           states, self.unnamed, self.late, self.compared, self.reheard, self.unsure,
           self.questions, self.submitted);
    return fclose(self.tries) != 0;
}

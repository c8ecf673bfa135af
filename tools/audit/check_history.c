/* check_history.c - the columns slack and history of outcomes.csv. The slack must follow from
 * jobs.csv. The turns of a promise must lead to the verdict, deadline and outcome in the other
 * columns. Files of older versions have neither column. */
#include "tools/audit/check.h"

#include "common/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define BETWEEN " | "

static void report(const struct audit *self, const struct audit_outcome *outcome, const char *text)
{
    audit_report(self, "history-mismatch", outcome->decided_s, outcome->id, "%s", text);
}

/* ---- slack ---- */

static void check_slack(const struct audit *self, const struct audit_outcome *outcome)
{
    const struct audit_record *record = self->histories[outcome->job].record;
    const bool has_slack = outcome->end == AUDIT_ON_TIME || outcome->end == AUDIT_LATE;
    int64_t deadline_s;

    if (!outcome->has_slacks)
        return;
    if (!has_slack || !record) {
        if (outcome->slack_s != AUDIT_DEADLINE_NONE_S)
            audit_report(self, "outcome-mismatch", outcome->decided_s, outcome->id,
                         "a slack of a job that ended neither on time nor late");
        return;
    }
    deadline_s = audit_due_s(self, outcome);
    if (outcome->slack_s != deadline_s - record->end_s)
        audit_report(self, "outcome-mismatch", record->end_s, outcome->id,
                     "the slack is not the %" PRId64 " s from its end in jobs.csv to its deadline",
                     deadline_s - record->end_s);
}

/* ---- turns ---- */

enum turn_kind {
    TURN_PROMISED,
    TURN_AGAIN,
    TURN_WITHDRAWN,
    TURN_FALLS, /* to a later step of the job's soft deadline */
    TURN_AT_RISK,
    TURN_CANCELLED, /* the job never starts, because of a job that it waits for */
    TURN_BEST_EFFORT,
    TURN_DECLINED,
};

static const char *const turn_words[] = {
    [TURN_PROMISED] = "promised by ", [TURN_AGAIN] = "promised again by ",
    [TURN_WITHDRAWN] = "withdrawn: ", [TURN_FALLS] = "falls: ",
    [TURN_AT_RISK] = "at risk: ",     [TURN_BEST_EFFORT] = "best-effort: ",
    [TURN_DECLINED] = "declined: ",   [TURN_CANCELLED] = "cancelled: ",
};

struct turn {
    int64_t at_s;
    enum turn_kind kind;
    const char *rest; /* the text behind the words of the turn */
    size_t length;
};

static bool read_kind(struct turn *turn)
{
    for (size_t i = 0; i < sizeof(turn_words) / sizeof(turn_words[0]); i++) {
        const size_t length = strlen(turn_words[i]);

        if (turn->length < length || strncmp(turn->rest, turn_words[i], length) != 0)
            continue;
        turn->kind = (enum turn_kind)i;
        turn->rest += length;
        turn->length -= length;
        return true;
    }
    return false;
}

/* Reads the turn at the start of `*text`. Moves `*text` to the next turn, or sets it to NULL after
 * the last turn. Returns false if `*text` begins with no turn. */
static bool read_turn(const char **text, struct turn *turn)
{
    const char *next = strstr(*text, BETWEEN);
    const size_t length = next ? (size_t)(next - *text) : strlen(*text);
    const size_t digits = strspn(*text, "0123456789");

    if (number_parse_whole(*text, digits, 0, INT64_MAX / 2, &turn->at_s) != NUMBER_OK ||
        digits >= length || (*text)[digits] != ' ')
        return false;
    turn->rest = *text + digits + 1;
    turn->length = length - digits - 1;
    *text = next ? next + strlen(BETWEEN) : NULL;
    return read_kind(turn);
}

int64_t audit_withdrawals(const struct audit_outcome *outcome)
{
    const char *text = outcome->history;
    int64_t count = 0;
    struct turn turn;

    while (text && read_turn(&text, &turn))
        count += turn.kind == TURN_WITHDRAWN;
    return count;
}

/* ---- the course of a promise ---- */

struct course {
    bool begun;
    bool stands; /* a promise stands */
    int64_t promised_s;
    int64_t last_s;
    enum audit_verdict verdict;
};

/* Whether the turn gives `reason`, alone or with more text behind a comma. */
static bool is_reason(const struct turn *turn, const char *reason)
{
    const size_t length = strlen(reason);

    return turn->length >= length && !strncmp(turn->rest, reason, length) &&
           (turn->length == length || turn->rest[length] == ',');
}

/* Returns NULL, or why this promise cannot be the next turn. */
static const char *make_promise(struct course *course, const struct turn *turn)
{
    const bool was_promised = course->promised_s != AUDIT_DEADLINE_NONE_S;

    if (course->stands)
        return "its history makes a promise while one stands";
    if (was_promised != (turn->kind == TURN_AGAIN))
        return "its history has a first promise as made again, or a later promise as the first";
    if (number_parse_whole(turn->rest, turn->length, 0, INT64_MAX / 2, &course->promised_s) !=
        NUMBER_OK)
        return "its history promises no deadline";
    course->stands = true;
    course->verdict = course->begun ? AUDIT_PROMISED_LATER : AUDIT_PROMISED;
    return NULL;
}

static const char *begin_without(struct course *course, const struct turn *turn,
                                 const struct audit_outcome *outcome)
{
    if (course->begun)
        return "its history denies a promise after its decision";
    if (!audit_is_promised(outcome) && !is_reason(turn, outcome->reason_word))
        return "its history gives another reason";
    course->verdict = turn->kind == TURN_DECLINED ? AUDIT_DECLINED : AUDIT_BEST_EFFORT;
    return NULL;
}

/* Reads "...; its promised deadline falls from 100 s to 200 s". Returns NULL, or how the fall
 * contradicts the course. */
static const char *fall(struct course *course, const struct turn *turn)
{
    static const char words[] = " falls from ";
    const int64_t from_s = course->promised_s;
    int64_t told_s;
    const char *text = turn->rest;

    while (text < turn->rest + turn->length && strncmp(text, words, strlen(words)) != 0)
        text++;
    if (sscanf(text, " falls from %" SCNd64 " s to %" SCNd64 " s", &told_s, &course->promised_s) !=
        2)
        return "its history has a deadline fall, and names no later deadline";
    return told_s == from_s && course->promised_s > from_s
               ? NULL
               : "its history has another deadline fall than the promised one, or fall to an "
                 "earlier one";
}

static const char *cancel(const struct course *course, const struct audit *self,
                          const struct audit_outcome *outcome)
{
    if (course->stands)
        return "its history cancels the job while its promise stands";
    return outcome->end == AUDIT_CANCELLED && self->given->jobs[outcome->job].after
               ? NULL
               : "its history cancels a job that waits for no other job, or that was not cancelled";
}

static const char *take_turn(const struct audit *self, struct course *course,
                             const struct turn *turn, const struct audit_outcome *outcome)
{
    static const char no_promise[] = "its history changes a promise that does not stand";
    const bool stood = course->stands;

    switch (turn->kind) {
    case TURN_PROMISED:
    case TURN_AGAIN:
        return make_promise(course, turn);
    case TURN_BEST_EFFORT:
    case TURN_DECLINED:
        return begin_without(course, turn, outcome);
    case TURN_WITHDRAWN:
        course->stands = false;
        break;
    case TURN_FALLS:
        return stood ? fall(course, turn) : no_promise;
    case TURN_CANCELLED:
        return cancel(course, self, outcome);
    case TURN_AT_RISK:
        break;
    }
    return stood ? NULL : no_promise;
}

/* Returns NULL, or the fault in the time of the turn. */
static const char *check_time(const struct audit *self, const struct course *course,
                              const struct turn *turn, const struct audit_outcome *outcome)
{
    const struct audit_record *record = self->histories[outcome->job].record;

    if (!course->begun && turn->at_s != outcome->decided_s)
        return "its history does not begin with its decision";
    if (turn->at_s < course->last_s)
        return "its history goes back in time";
    if (record && turn->at_s > record->retired_at_s)
        return "its history goes on after its retirement";
    if (!audit_is_round(self->given, turn->at_s))
        return "its history has a turn at a time without a round";
    return NULL;
}

/* Returns NULL, or how the other columns contradict the end of the history. */
static const char *check_last(const struct course *course, const struct audit_outcome *outcome)
{
    if (course->verdict != outcome->verdict)
        return "its history leads to another verdict";
    if (course->promised_s != outcome->promised_s)
        return "its history ends with another promised deadline";
    return NULL;
}

static void check_turns(const struct audit *self, const struct audit_outcome *outcome)
{
    struct course course = {.promised_s = AUDIT_DEADLINE_NONE_S, .last_s = 0};
    const char *text = outcome->history;
    const char *wrong = NULL;
    struct turn turn;

    while (text && !wrong) {
        if (!read_turn(&text, &turn)) {
            report(self, outcome, "its history has a turn that rubato-results(5) does not list");
            return;
        }
        wrong = check_time(self, &course, &turn, outcome);
        if (!wrong)
            wrong = take_turn(self, &course, &turn, outcome);
        course.begun = true;
        course.last_s = turn.at_s;
    }
    if (!wrong && outcome->history)
        wrong = check_last(&course, outcome);
    if (wrong)
        report(self, outcome, wrong);
}

void audit_check_histories(const struct audit *self)
{
    const struct audit_case *given = self->given;

    for (size_t i = 0; i < given->outcome_count; i++) {
        const struct audit_outcome *outcome = &given->outcomes[i];

        if (outcome->job == AUDIT_NO_JOB)
            continue; /* audit_check_outcomes reports a decision on an unknown job */
        check_slack(self, outcome);
        check_turns(self, outcome);
    }
}

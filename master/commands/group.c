/* group.c - the groups that a round asks for: trainers are told of them, one after the other, and say when they are
 * made. */
#include "master/commands/command_run_state.h"

/* How long trainers may take to say that they made a group. */
#define GROUP_US INT64_C(60000000)

static bool has_rank_on(const struct command *group, const struct node *node)
{
    for (size_t i = 0; i < group->rank_count; i++)
        if (group->ranks[i] >= node->first_rank && group->ranks[i] < node->first_rank + node->gpus)
            return true;
    return false;
}

/* Tells the workers that have a part and a rank of it. */
static void ask_for(command_run_t *self, struct attempt *attempt, const struct command *group,
                    int64_t now_us)
{
    const struct msg_group message = {
        .job = attempt->job->number,
        .incarnation = attempt->incarnation->number,
        .moves_state = group->kind == COMMAND_MOVE,
        .source = group->source,
        .rank_count = group->rank_count,
        .ranks = group->ranks,
    };

    attempt->asked = group;
    attempt->asked_us = now_us;
    attempt->longest_s = 0;
    attempt->unanswered = 0;
    attempt->timed =
        timing_begin(self, message.moves_state ? OPERATION_MOVE : OPERATION_GROUP, attempt, now_us);
    for (size_t i = 0; i < attempt->incarnation->part_count; i++) {
        const struct node *node = attempt->incarnation->parts[i].node;

        if (!has_rank_on(group, node))
            continue;
        attempt->unanswered++;
        dispatch_group(self->dispatch, node, &message);
    }
    if (attempt->unanswered == 0)
        attempt->asked = NULL; /* none of the pair is among those that run now */
}

void group_ask(command_run_t *self, struct attempt *attempt, int64_t now_us)
{
    const struct command *next = attempt->group ? attempt->group : attempt->move;

    while (next && !attempt->asked && attempt->incarnation && attempt->incarnation->ready_us >= 0) {
        if (next == attempt->group)
            attempt->group = NULL;
        else
            attempt->move = NULL;
        ask_for(self, attempt, next, now_us);
        next = attempt->move;
    }
}

bool group_is_to_come(command_run_t *self, struct attempt *attempt, int64_t now_us)
{
    if (attempt->failed || !attempt->incarnation)
        return false;
    if (attempt->asked && now_us - attempt->asked_us >= GROUP_US) {
        attempt_fail(self, attempt, "its trainers made no group");
        attempt_stop(self, attempt, "fault", now_us);
        return false;
    }
    return attempt->asked || attempt->group || attempt->move;
}

void group_made(command_run_t *self, const struct msg_report *report, int64_t now_us)
{
    struct attempt *attempt = run_job_of(self, report->part.job)->current;
    const double took_s = (double)report->took_ms / 1000;

    if (!attempt || !attempt->asked || !attempt->incarnation ||
        attempt->incarnation->number != report->part.incarnation)
        return;
    if (took_s > attempt->longest_s)
        attempt->longest_s = took_s;
    if (--attempt->unanswered > 0)
        return;
    overhead_table_took(self->table, attempt->timed, attempt->longest_s, self->setting.out);
    attempt->asked = NULL;
    group_ask(self, attempt, now_us);
}

/* group.c - the groups that a round asks for. Trainers are told of one group after the other, and
 * report when they have made it. */
#include "master/commands/command_run_state.h"

/* How long trainers may take to say that they made a group. */
#define GROUP_US INT64_C(60000000)

static bool has_rank_on(const struct debug_command *group, const struct worker_node *node)
{
    for (size_t i = 0; i < group->rank_count; i++)
        if (group->ranks[i] >= node->first_rank && group->ranks[i] < node->first_rank + node->gpus)
            return true;
    return false;
}

/* Tells the workers that have both a part of the job and a rank of the group. */
static void ask_for(command_run_t *self, struct job_round *round, const struct debug_command *group,
                    int64_t now_us)
{
    const struct msg_group message = {
        .job = round->job->number,
        .incarnation = round->incarnation->number,
        .moves_state = group->kind == COMMAND_MOVE,
        .source = group->source,
        .rank_count = group->rank_count,
        .ranks = group->ranks,
    };

    round->asked = group;
    round->asked_us = now_us;
    round->longest_s = 0;
    round->unanswered = 0;
    round->timed =
        timing_begin(self, message.moves_state ? OPERATION_MOVE : OPERATION_GROUP, round, now_us);
    for (size_t i = 0; i < round->incarnation->part_count; i++) {
        const struct worker_node *node = round->incarnation->parts[i].node;

        if (!has_rank_on(group, node))
            continue;
        round->unanswered++;
        dispatch_group(self->dispatch, node, &message);
    }
    if (round->unanswered == 0)
        round->asked = NULL; /* no rank of the pair runs now */
}

void group_ask(command_run_t *self, struct job_round *round, int64_t now_us)
{
    const struct debug_command *next = round->group ? round->group : round->move;

    while (next && !round->asked && round->incarnation && round->incarnation->ready_us >= 0) {
        if (next == round->group)
            round->group = NULL;
        else
            round->move = NULL;
        ask_for(self, round, next, now_us);
        next = round->move;
    }
}

bool group_is_to_come(command_run_t *self, struct job_round *round, int64_t now_us)
{
    if (round->failed || !round->incarnation)
        return false;
    if (round->asked && now_us - round->asked_us >= GROUP_US) {
        job_round_fail(self, round, "its trainers made no group");
        job_round_stop(self, round, "fault", now_us);
        return false;
    }
    return round->asked || round->group || round->move;
}

void group_made(command_run_t *self, const struct msg_report *report, int64_t now_us)
{
    struct job_round *round = run_job_of(self, report->part.job)->current;
    const double took_s = (double)report->took_ms / 1000;

    if (!round || !round->asked || !round->incarnation ||
        round->incarnation->number != report->part.incarnation)
        return;
    if (took_s > round->longest_s)
        round->longest_s = took_s;
    if (--round->unanswered > 0)
        return;
    overhead_table_took(self->table, round->timed, round->longest_s, self->setting.out);
    round->asked = NULL;
    group_ask(self, round, now_us);
}

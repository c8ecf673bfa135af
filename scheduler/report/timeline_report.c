/* timeline_report.c - see timeline_report.h. */
#include "scheduler/report/timeline_report.h"

#include "common/digits.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

/* The end of a line. Its full size is copied, which needs no call of memcpy. */
struct ending {
    char text[15];
    unsigned char length;
};

#define ENDING(word)                                                                               \
    {                                                                                              \
        "," word "\n", sizeof("," word "\n") - 1                                                   \
    }

static const struct ending endings[] = {
    [CHANGE_START] = ENDING("start"),         [CHANGE_RESTART] = ENDING("restart"),
    [CHANGE_GROW] = ENDING("grow"),           [CHANGE_SHRINK] = ENDING("shrink"),
    [CHANGE_MOVE] = ENDING("move"),           [CHANGE_PREEMPTED] = ENDING("preempted"),
    [CHANGE_NODE_LOST] = ENDING("node-lost"), [CHANGE_DONE] = ENDING("done"),
    [CHANGE_FAILED] = ENDING("failed"),       [CHANGE_CANCELLED] = ENDING("cancelled"),
    [CHANGE_SUSPENDED] = ENDING("suspended"),
};

void timeline_report_begin(output_t *timeline, output_t *cluster)
{
    output_text(timeline, "time,job_id,pool,gpus,reason\n");
    output_text(cluster, "time,gpus_up,gpus_used,jobs_running,jobs_waiting,efficiency\n");
}

static char *put_bytes(char *at, const char *text, size_t length)
{
    memcpy(at, text, length);
    return at + length;
}

/* The most bytes that the line of a change takes. */
static size_t line_bytes(const struct allocation_change *change)
{
    return change->id_length + change->pool_length + 2 * DIGITS_BYTES + sizeof(struct ending) + 2;
}

/* Writes the line of a change. `time`, of which DIGITS_BYTES bytes are copied, begins each line of
 * a round. */
static char *put_change(char *at, const char *time, size_t time_length,
                        const struct allocation_change *change)
{
    const struct ending *ending = &endings[change->reason];

    memcpy(at, time, DIGITS_BYTES);
    at = put_bytes(at + time_length, change->submission->id, change->id_length);
    *at++ = ',';
    at = put_bytes(at, change->pool, change->pool_length);
    *at++ = ',';
    at = digits_put(at, change->gpus);
    memcpy(at, ending->text, sizeof(ending->text));
    return at + ending->length;
}

/* How many changes fit into one request for room, and their bytes. */
static size_t count_fitting(const struct allocation_change changes[], size_t count, size_t *bytes)
{
    size_t fitting = 1;

    *bytes = line_bytes(&changes[0]);
    while (fitting < count && *bytes + line_bytes(&changes[fitting]) <= OUTPUT_ROOM_MAX)
        *bytes += line_bytes(&changes[fitting++]);
    return fitting;
}

void timeline_report_changes(output_t *out, int64_t now_s, const struct allocation_change changes[],
                             size_t count)
{
    char time[DIGITS_BYTES + 1] = "";
    char *end = digits_put(time, now_s);

    *end++ = ',';
    while (count > 0) {
        size_t bytes;
        const size_t fitting = count_fitting(changes, count, &bytes);
        char *at = output_room(out, bytes);

        for (size_t i = 0; i < fitting; i++)
            at = put_change(at, time, (size_t)(end - time), &changes[i]);
        output_wrote(out, at);
        changes += fitting;
        count -= fitting;
    }
}

static bool is_as_before(const struct cluster_use *use, const struct cluster_use *before)
{
    return use->gpus_up == before->gpus_up && use->gpus_used == before->gpus_used &&
           use->jobs_running == before->jobs_running && use->jobs_waiting == before->jobs_waiting &&
           use->efficiency == before->efficiency;
}

static void tell_use(const struct cluster_use *use, struct use_line *line)
{
    const int64_t counts[] = {use->gpus_up, use->gpus_used, use->jobs_running, use->jobs_waiting};
    const size_t count = sizeof(counts) / sizeof(counts[0]);
    char *at = line->text;

    assert(sizeof(line->text) >= (count + 1) * (DIGITS_BYTES + 1) + 1);
    for (size_t i = 0; i < count; i++) {
        *at++ = ',';
        at = digits_put(at, counts[i]);
    }
    *at++ = ',';
    if (!isnan(use->efficiency))
        at = digits_put_nine(at, use->efficiency);
    *at++ = '\n';
    line->length = (size_t)(at - line->text);
    line->use = *use;
}

void timeline_report_use(output_t *out, int64_t now_s, const struct cluster_use *use,
                         struct use_line *last)
{
    char *at = output_room(out, DIGITS_BYTES + sizeof(last->text));

    if (last->length == 0 || !is_as_before(use, &last->use))
        tell_use(use, last);
    at = digits_put(at, now_s);
    memcpy(at, last->text, last->length);
    output_wrote(out, at + last->length);
}

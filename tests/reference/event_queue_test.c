/* event_queue_test.c - the queue does what a plain list of events does, looked through each time.
 */
#include "common/rng.h"
#include "scheduler/reference/event_queue.h"
#include "tests/support/seed.h"
#include "tests/support/test.h"

#include <string.h>

#define JOBS_MAX   60
#define EVENTS_MAX 200

/* Jobs by their number. */
struct numbers {
    int at[JOBS_MAX];
    int count;
};

struct model_event {
    int64_t at_s;
    struct numbers starts;
    struct numbers ends;
};

/* Section 6 of the behavioural specification, kept sorted by time. */
struct model {
    struct model_event events[EVENTS_MAX];
    int count;
};

static void numbers_add(struct numbers *list, int number)
{
    assert_true(list->count < JOBS_MAX);
    list->at[list->count++] = number;
}

static void numbers_remove(struct numbers *list, int number)
{
    int count = 0;

    for (int i = 0; i < list->count; i++)
        if (list->at[i] != number)
            list->at[count++] = list->at[i];
    list->count = count;
}

static void model_remove(struct model *model, int index)
{
    model->count--;
    memmove(&model->events[index], &model->events[index + 1],
            (size_t)(model->count - index) * sizeof(model->events[0]));
}

static struct model_event *model_event_at(struct model *model, int64_t at_s)
{
    int index = 0;

    while (index < model->count && model->events[index].at_s < at_s)
        index++;
    if (index < model->count && model->events[index].at_s == at_s)
        return &model->events[index];
    assert_true(model->count < EVENTS_MAX);
    memmove(&model->events[index + 1], &model->events[index],
            (size_t)(model->count - index) * sizeof(model->events[0]));
    model->count++;
    model->events[index] = (struct model_event){.at_s = at_s};
    return &model->events[index];
}

/* An event left empty disappears, even if a wake-up was asked for then (EF-Q13). */
static void model_drop_end(struct model *model, int number)
{
    for (int i = 0; i < model->count; i++) {
        struct model_event *event = &model->events[i];
        const int before = event->ends.count;

        numbers_remove(&event->ends, number);
        if (event->ends.count < before && event->ends.count == 0 && event->starts.count == 0)
            model_remove(model, i--);
    }
}

static void model_drop_start(struct model *model, int number)
{
    for (int i = 0; i < model->count; i++) {
        struct model_event *event = &model->events[i];
        const int before = event->starts.count;

        numbers_remove(&event->starts, number);
        if (event->starts.count < before && event->ends.count == 0 && event->starts.count == 0)
            model_remove(model, i--);
    }
}

static bool model_has_end(const struct model *model, int number, int64_t at_s)
{
    for (int i = 0; i < model->count; i++)
        for (int k = 0; k < model->events[i].ends.count; k++)
            if (model->events[i].ends.at[k] == number)
                return model->events[i].at_s == at_s;
    return false;
}

static void model_remove_at(struct model *model, int64_t at_s)
{
    for (int i = 0; i < model->count; i++)
        if (model->events[i].at_s == at_s)
            model_remove(model, i--);
}

/* Section 8, word by word (EF-Q16). */
static void model_merge(struct model *model, int64_t now_s, int64_t slot_s)
{
    int64_t x = model->events[0].at_s;

    while (x - now_s <= slot_s && model->count > 1) {
        struct model_event *first = &model->events[0];
        const struct model_event *next = &model->events[1];

        first->at_s = now_s + slot_s;
        if (next->at_s - now_s > slot_s)
            break;
        x = next->at_s;
        for (int i = 0; i < next->starts.count; i++)
            numbers_add(&first->starts, next->starts.at[i]);
        for (int i = 0; i < next->ends.count; i++)
            numbers_add(&first->ends, next->ends.at[i]);
        model_remove(model, 1);
    }
}

static struct submission submissions[JOBS_MAX];
static struct job jobs[JOBS_MAX];

static void check_dues(const struct due *due, const struct numbers *expected)
{
    for (int i = 0; i < expected->count; i++, due = due->next) {
        assert_non_null(due);
        assert_ptr_equal(due->job, &jobs[expected->at[i]]);
    }
    assert_null(due);
}

static void check_first(event_queue_t *queue, const struct model *model)
{
    const struct event *event = event_queue_first(queue);
    const struct model_event *expected = &model->events[0];

    if (model->count == 0) {
        assert_null(event);
        return;
    }
    assert_non_null(event);
    assert_int_equal(event->at_s, expected->at_s);
    check_dues(event->starts, &expected->starts);
    check_dues(event->ends, &expected->ends);
}

/* One game: jobs arrive, their ends move about, time goes on. */
struct game {
    event_queue_t *queue;
    struct model model;
    int64_t now_s;
    int64_t slot_s;
    bool arrived[JOBS_MAX];
    uint64_t next_number; /* of a job that takes the row of one that is over */
};

static int64_t later(rng_t *rng, const struct game *game)
{
    return game->now_s + (int64_t)rng_below(rng, 3 * (uint64_t)game->slot_s + 20);
}

static void play_move(rng_t *rng, struct game *game)
{
    const int number = (int)rng_below(rng, JOBS_MAX);
    struct job *job = &jobs[number];
    const int64_t at_s = later(rng, game);

    if (!game->arrived[number] || job->end_s == at_s)
        return;
    model_drop_end(&game->model, number);
    numbers_add(&model_event_at(&game->model, at_s)->ends, number);
    if (event_queue_end_of(game->queue, job) || rng_below(rng, 2) == 0)
        event_queue_move_end(game->queue, job, at_s);
    else
        event_queue_add_end(game->queue, job, at_s);
    assert_int_equal(job->end_s, at_s);
    assert_true(model_has_end(&game->model, number, at_s));
    assert_int_equal(event_queue_end_of(game->queue, job)->at_s, at_s);
}

static void announce(rng_t *rng, struct game *game, int number)
{
    const int64_t at_s = later(rng, game);

    submissions[number].number = game->next_number++;
    jobs[number] = (struct job){.submission = &submissions[number], .row = (uint32_t)number};
    game->arrived[number] = false;
    numbers_add(&model_event_at(&game->model, at_s)->starts, number);
    event_queue_add_start(game->queue, &jobs[number], at_s);
}

/* A job that is there, or is to arrive, is over; another takes its row. */
static void play_replace(rng_t *rng, struct game *game)
{
    const int number = (int)rng_below(rng, JOBS_MAX);

    if (game->arrived[number]) {
        model_drop_end(&game->model, number);
        event_queue_drop_end(game->queue, &jobs[number]);
    } else {
        model_drop_start(&game->model, number);
        event_queue_drop_start(game->queue, &jobs[number]);
    }
    if (game->model.count + 1 < EVENTS_MAX)
        announce(rng, game, number);
}

static void play_drop(rng_t *rng, struct game *game)
{
    const int number = (int)rng_below(rng, JOBS_MAX);

    model_drop_end(&game->model, number);
    event_queue_drop_end(game->queue, &jobs[number]);
    assert_null(event_queue_end_of(game->queue, &jobs[number]));
}

static void play_wake(rng_t *rng, struct game *game)
{
    const int64_t at_s = later(rng, game);

    if (game->model.count + 1 >= EVENTS_MAX)
        return;
    (void)model_event_at(&game->model, at_s);
    event_queue_add_wake(game->queue, at_s);
}

/* The end of a round: the event of now leaves, what comes within a slot is folded. */
static void play_advance(rng_t *rng, struct game *game)
{
    if (game->model.count == 0)
        return;
    if (rng_below(rng, 4) > 0) {
        game->now_s = game->model.events[0].at_s;
        for (int i = 0; i < game->model.events[0].starts.count; i++)
            game->arrived[game->model.events[0].starts.at[i]] = true;
        model_remove_at(&game->model, game->now_s);
        event_queue_remove(game->queue, game->now_s);
    }
    event_queue_remove(game->queue, game->now_s - 1); /* where there is none */
    model_remove_at(&game->model, game->now_s - 1);
    if (game->model.count == 0)
        return;
    model_merge(&game->model, game->now_s, game->slot_s);
    event_queue_merge(game->queue, game->now_s, game->slot_s, true);
}

static void play(rng_t *rng, struct game *game)
{
    switch (rng_below(rng, 12)) {
    case 0:
        play_drop(rng, game);
        break;
    case 1:
        play_wake(rng, game);
        break;
    case 2:
        play_replace(rng, game);
        break;
    case 3:
    case 4:
        play_advance(rng, game);
        break;
    default:
        play_move(rng, game);
    }
    check_first(game->queue, &game->model);
}

static void start(rng_t *rng, struct game *game)
{
    *game = (struct game){.queue = event_queue_new(), .slot_s = 1 + (int64_t)rng_below(rng, 60)};
    for (int i = 0; i < JOBS_MAX; i++)
        announce(rng, game, i);
    check_first(game->queue, &game->model);
}

TEST(a_queue_does_what_a_list_does)
{
    rng_t rng = rng_new(test_seed(), "event queue");
    static struct game game;

    for (int i = 0; i < 60; i++) {
        start(&rng, &game);
        for (int k = 0; k < 2000; k++)
            play(&rng, &game);
        event_queue_destroy(&game.queue);
        assert_null(game.queue);
    }
    event_queue_destroy(&game.queue);
}

/* The job arrives alone, with another, or at a time at which another is due. */
TEST(a_job_that_is_cancelled_before_it_arrives_leaves_nothing)
{
    event_queue_t *queue = event_queue_new();
    const struct submission stated[] = {{.number = 0}, {.number = 1}, {.number = 2}};
    struct job alone = {.submission = &stated[0], .row = 0};
    struct job first = {.submission = &stated[1], .row = 1};
    struct job second = {.submission = &stated[2], .row = 2};

    event_queue_add_start(queue, &alone, 100);
    event_queue_add_start(queue, &first, 200);
    event_queue_add_start(queue, &second, 200);
    event_queue_drop_start(queue, &alone);
    assert_false(event_queue_has(queue, 100));
    event_queue_drop_start(queue, &second);
    assert_ptr_equal(event_queue_first(queue)->starts->job, &first);
    assert_null(event_queue_first(queue)->starts->next);
    event_queue_add_end(queue, &alone, 200);
    event_queue_drop_start(queue, &first);
    assert_null(event_queue_first(queue)->starts);
    assert_ptr_equal(event_queue_first(queue)->ends->job, &alone);
    event_queue_drop_end(queue, &alone);
    assert_null(event_queue_first(queue));
    event_queue_destroy(&queue);
}

/* An end belongs to the job, not to the row that it is in. */
TEST(the_next_job_of_a_row_has_no_end_yet)
{
    event_queue_t *queue = event_queue_new();
    const struct submission stated[] = {{.number = 4}, {.number = 5}};
    struct job job = {.submission = &stated[0], .row = 3};

    assert_null(event_queue_end_of(queue, &job));
    event_queue_add_end(queue, &job, 160);
    assert_ptr_equal(event_queue_end_of(queue, &job), event_queue_first(queue));
    event_queue_remove(queue, 160);
    assert_null(event_queue_end_of(queue, &job));
    event_queue_add_end(queue, &job, 170);
    event_queue_drop_end(queue, &job);
    job.submission = &stated[1];
    assert_null(event_queue_end_of(queue, &job));
    event_queue_drop_end(queue, &job);
    event_queue_destroy(&queue);
}

/* A step that comes late finds all that was due as one event, in its order. */
TEST(what_was_due_before_is_due_now)
{
    event_queue_t *queue = event_queue_new();
    const struct submission stated[] = {{.number = 0}, {.number = 1}, {.number = 2}};
    struct job ends = {.submission = &stated[0], .row = 0};
    struct job arrives = {.submission = &stated[1], .row = 1};
    struct job later = {.submission = &stated[2], .row = 2};

    event_queue_add_start(queue, &arrives, 100);
    event_queue_add_start(queue, &later, 131);
    event_queue_add_end(queue, &ends, 110);
    event_queue_add_wake(queue, 130);
    event_queue_catch_up(queue, 90);
    assert_int_equal(event_queue_first(queue)->at_s, 100);
    event_queue_catch_up(queue, 130);
    assert_int_equal(event_queue_first(queue)->at_s, 130);
    assert_ptr_equal(event_queue_first(queue)->starts->job, &arrives);
    assert_null(event_queue_first(queue)->starts->next);
    assert_ptr_equal(event_queue_first(queue)->ends->job, &ends);
    assert_ptr_equal(event_queue_end_of(queue, &ends), event_queue_first(queue));
    event_queue_remove(queue, 130);
    assert_int_equal(event_queue_first(queue)->at_s, 131);
    event_queue_destroy(&queue);
}

TEST(an_empty_queue_has_no_event)
{
    event_queue_t *queue = event_queue_new();

    assert_null(event_queue_first(queue));
    event_queue_remove(queue, 7);
    event_queue_destroy(&queue);
}

TEST(the_only_event_is_never_put_off)
{
    event_queue_t *queue = event_queue_new();

    /* EF-Q16 */
    event_queue_add_wake(queue, 101);
    event_queue_merge(queue, 100, 60, true);
    assert_int_equal(event_queue_first(queue)->at_s, 101);
    event_queue_add_wake(queue, 500);
    event_queue_merge(queue, 100, 60, true);
    assert_int_equal(event_queue_first(queue)->at_s, 160);
    event_queue_destroy(&queue);
}

TEST(a_wake_up_disappears_with_the_end_that_fell_on_it)
{
    event_queue_t *queue = event_queue_new();
    struct job job = {.submission = &(const struct submission){.id = "job"}};

    /* EF-Q13 */
    event_queue_add_wake(queue, 160);
    event_queue_add_end(queue, &job, 160);
    event_queue_move_end(queue, &job, 170);
    assert_int_equal(event_queue_first(queue)->at_s, 170);
    event_queue_move_end(queue, &job, 170);
    assert_ptr_equal(event_queue_first(queue)->ends->job, &job);
    event_queue_destroy(&queue);
}

TEST(an_awaited_event_stays_until_nobody_waits_for_it)
{
    event_queue_t *queue = event_queue_new();
    struct job job = {.submission = &(const struct submission){.id = "job"}};

    event_queue_await(queue, 160);
    event_queue_add_end(queue, &job, 160);
    event_queue_move_end(queue, &job, 170);
    assert_true(event_queue_has(queue, 160));
    assert_int_equal(event_queue_first(queue)->at_s, 160);
    event_queue_await_no_more(queue, 160);
    assert_false(event_queue_has(queue, 160));
    assert_int_equal(event_queue_first(queue)->at_s, 170);
    event_queue_await(queue, 170);
    event_queue_await_no_more(queue, 170);
    event_queue_await_no_more(queue, 170);
    assert_ptr_equal(event_queue_first(queue)->ends->job, &job);
    event_queue_destroy(&queue);
}

int main(void)
{
    (void)test_seed();
    return tests_run(NULL, NULL);
}

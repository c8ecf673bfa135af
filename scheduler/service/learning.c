/* learning.c - the verb that says how fast a model trains. */
#include "scheduler/service/serving.h"

#include "common/memory.h"

#include <stdlib.h>
#include <string.h>

struct lesson {
    const char *model;
    int64_t batch_size;
    struct words rates;
};

static const struct form_field fields[] = {
    {"model", FORM_TEXT, offsetof(struct lesson, model), 0, THROUGHPUT_MODEL_BYTES_MAX, true},
    {"batch_size", FORM_WHOLE, offsetof(struct lesson, batch_size), 1, BATCH_SIZE_MAX, true},
    {"rates", FORM_WORDS, offsetof(struct lesson, rates), 0, 64, true},
    {0}};

static int read_lesson(const char *document, struct lesson *lesson, struct throughput_row *row,
                       arena_t *texts, struct error *error)
{
    if (form_read(document, fields, lesson, texts, error) < 0)
        return -1;
    if (!throughput_is_model_name(lesson->model, strlen(lesson->model)))
        return error_set(error, "field \"model\": expected " THROUGHPUT_MODEL_EXPECTED);
    return profiles_read_rates(&lesson->rates, lesson->model, (int)lesson->batch_size, row, error);
}

/* It is kept: jobs that come from here on are planned by it. */
static void answer_learned(struct serving *self, struct change *change)
{
    struct lesson lesson = {0};
    struct throughput_row row = {0};
    arena_t *texts = arena_new();
    struct error error;

    if (read_lesson(change->request->document, &lesson, &row, texts, &error) < 0 ||
        profiles_learn(self->profiles, lesson.model, row.batch_size, &error) < 0)
        clients_fail(self->clients, &change->request, ANSWER_FAILED, "%s", error.text);
    else
        clients_answer(self->clients, &change->request, ANSWER_DONE,
                       json_pack("{s:s, s:i, s:i}", "model", lesson.model, "batch_size",
                                 row.batch_size, "levels", row.level_count));
    arena_destroy(&texts);
    free(change);
}

void learning_learn(struct serving *self, struct request *request)
{
    struct lesson lesson = {0};
    struct throughput_row row;
    arena_t *texts = arena_new();
    struct error error;

    if (read_lesson(request->document, &lesson, &row, texts, &error) < 0)
        clients_fail(self->clients, &request, ANSWER_BAD, "%s", error.text);
    else if (steps_open(self, &error) < 0 || profiles_put(self->profiles, &row, &error) < 0)
        clients_fail(self->clients, &request, ANSWER_FAILED, "%s; nothing was done", error.text);
    else
        steps_await(self, &request, 0, false, answer_learned);
    arena_destroy(&texts);
}

/* request.c - see request.h. */
#include "scheduler/service/request.h"

#include "scheduler/service/rates.h"
#include "scheduler/state/steps.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static_assert(JOB_WORD_MAX == WIRE_WORD_MAX, "a word of a command fits into a message");

struct msg_program job_request_program(const struct job_request *request, uint64_t job,
                                       const char *user)
{
    return (struct msg_program){.job = job,
                                .argument_count = request->command.count,
                                .arguments = request->command.items,
                                .folder = request->folder ? request->folder : "",
                                .variable_count = request->environment.count,
                                .variables = request->environment.items,
                                .user = user,
                                .grace_ms = request->grace_s * 1000,
                                .checkpoint_s = request->checkpoint_s};
}

static int check_command(const struct job_request *request, struct error *error)
{
    const struct msg_program program = job_request_program(request, 0, "");

    return request->command.count > 0 ? program_check(&program, error) : 0;
}

static int check_deadline(const struct job_request *request, struct error *error)
{
    const bool soft = request->deadlines.count > 0;
    const int deadlines = (request->deadline > 0) + (request->deadline_in > 0) +
                          (request->earliest ? 1 : 0) + (soft ? 1 : 0);

    if (soft && deadlines > 1)
        return error_set(error, "field \"deadlines\": expected no other deadline beside it");
    if (deadlines > 1)
        return error_set(
            error, "fields \"deadline\", \"deadline_in\" and \"earliest\": expected one of them");
    if (soft && request->value != 1)
        return error_set(error, "field \"value\": the steps of the deadline have values");
    if (request->earliest && request->held)
        return error_set(error, "field \"earliest\": a job that is held is promised no deadline");
    if (request->confidence > CONFIDENCE_MAX)
        return error_set(error, "field \"confidence\": %g is not within 0 to %g",
                         request->confidence, CONFIDENCE_MAX);
    if (request->promise_or_decline && deadlines == 0 && request->hold == 0)
        return error_set(error, "field \"promise_or_decline\": there is no deadline to promise");
    return 0;
}

static int check_work(const struct job_request *request, struct error *error)
{
    const char *missing = !request->model            ? "model"
                          : request->batch_size == 0 ? "batch_size"
                          : request->iterations == 0 ? "iterations"
                                                     : NULL;

    return missing && request->hold == 0 ? error_set(error, "field \"%s\" is missing", missing) : 0;
}

static int check(const struct job_request *request, struct error *error)
{
    if (check_work(request, error) < 0)
        return -1;
    if (request->gpus_max > 0 && request->gpus_max < request->gpus_min)
        return error_set(error, "field \"gpus_max\": %" PRId64 " is less than gpus_min, %" PRId64,
                         request->gpus_max, request->gpus_min);
    return check_deadline(request, error) < 0 ? -1 : check_command(request, error);
}

static const char *variable_of(const char *name, const char *text, arena_t *texts)
{
    const size_t size = strlen(name) + strlen(text) + 2;
    char *word = arena_alloc(texts, size);

    (void)snprintf(word, size, "%s=%s", name, text);
    return word;
}

/* Adds the fields that have a variable to the environment, behind the user's own variables. */
static void add_variables(struct job_request *request, arena_t *texts)
{
    const struct words own = request->environment;
    const struct job_field *field;
    struct words all = {.count = own.count};

    for (size_t i = 0; (field = job_field_at(i)); i++) {
        const char *text = field->variable ? job_field_text(field, request) : NULL;

        if (!text)
            continue;
        if (!all.items) {
            all.items = arena_alloc(texts, (own.count + JOB_TEXTS_MAX + 1) * sizeof(*all.items));
            for (size_t k = 0; k < own.count; k++)
                all.items[k] = own.items[k];
        }
        assert(all.count < own.count + JOB_TEXTS_MAX);
        all.items[all.count++] = variable_of(field->variable, text, texts);
        all.items[all.count] = NULL;
    }
    request->environment = all.items ? all : own;
}

int job_request_read_json(const json_t *document, struct job_request *request, arena_t *texts,
                          struct error *error)
{
    *request = (struct job_request){.value = 1, .confidence = -1};
    if (job_fields_read(document, request, texts, error) < 0)
        return -1;
    add_variables(request, texts);
    return check(request, error);
}

int job_request_read(const char *document, struct job_request *request, arena_t *texts,
                     struct error *error)
{
    json_t *object = form_parse(document, error);
    const int status = object ? job_request_read_json(object, request, texts, error) : -1;

    json_decref(object);
    return status;
}

/* ---- the submission ---- */

const struct profile *job_request_profile(const struct job_request *request,
                                          const struct submitting *with)
{
    const int batch_size = (int)request->batch_size;

    if (request->rates.count > 0 || !with->profiles ||
        throughput_find(with->throughputs, request->model, batch_size))
        return NULL;
    return profiles_find(with->profiles, with->user, request->model, batch_size);
}

/* How fast the job trains: by its own rates, by a profile, or by the tables. NULL with `error`. */
static const struct throughput_row *find_row(const struct job_request *request,
                                             const struct submitting *with,
                                             struct throughput_row *own, struct error *error)
{
    const int batch_size = (int)request->batch_size;
    const struct profile *profile = job_request_profile(request, with);
    const struct throughput_row *row;

    if (request->rates.count > 0)
        return rates_read(&request->rates, request->model, batch_size, own, error) == 0
                   ? rows_keep(with->rows, own)
                   : NULL;
    if (profile)
        return rows_keep(with->rows, &profile->row);
    row = throughput_find(with->throughputs, request->model, batch_size);
    if (!row)
        error_set(
            error,
            "no throughputs of model %s at batch size %d: neither %s nor a profile of user %s "
            "or of an operator",
            request->model, batch_size, throughput_source(with->throughputs), with->user);
    return row;
}

static const struct throughput_row *row_of(const struct job_request *request,
                                           const struct submitting *with, struct error *error)
{
    struct throughput_row own;
    const struct throughput_row *row = find_row(request, with, &own, error);

    if (!row || (request->gpus_min <= 1 && request->gpus_max == 0))
        return row;
    own = *row;
    throughput_limit(&own, (int)request->gpus_min, (int)request->gpus_max);
    if (own.level_count > 0)
        return rows_keep(with->rows, &own);
    error_set(error,
              "model %s has no throughput on %" PRId64 " to %" PRId64
              " GPUs at batch size %" PRId64,
              request->model, request->gpus_min, request->gpus_max, request->batch_size);
    return NULL;
}

/* The throughputs of the job in each pool, in `kept`; NULL in a cluster of one pool. The user's
 * rates and profiles count for each GPU type whose table does not know the model. */
static const struct pool_rows *pool_rows_of(const struct job_request *request,
                                            const struct submitting *with, arena_t *kept)
{
    struct pool_rows *rows;
    struct error ignored;

    if (with->pool_count < 2)
        return NULL;
    rows = arena_alloc(kept, sizeof(*rows));
    *rows = (struct pool_rows){.of = {NULL}};
    for (int i = 0; i < with->pool_count; i++) {
        struct submitting of_pool = *with;

        of_pool.throughputs = with->pools[i];
        rows->of[i] = row_of(request, &of_pool, &ignored);
    }
    return rows;
}

static int64_t deadline_of(const struct job_request *request, const struct submitting *with)
{
    if (request->deadline_in > 0)
        return with->now_s + request->deadline_in;
    return request->deadline > 0 ? request->deadline - with->epoch : DEADLINE_NONE_S;
}

static int read_steps(const struct words *steps, int64_t now_s, int64_t epoch,
                      struct job_level levels[LEVELS_MAX], struct error *error)
{
    if (steps->count > LEVELS_MAX)
        return error_set(error, "expected at most %d steps", LEVELS_MAX);
    for (size_t i = 0; i < steps->count; i++) {
        const char *text = steps->items[i];
        char step[32];

        (void)snprintf(step, sizeof(step), "step %zu", i + 1);
        if (steps_parse_one(text, strlen(text), now_s, epoch, &levels[i], error) < 0)
            return error_prefix(error, step);
    }
    return steps_check(levels, steps->count, error);
}

int job_request_steps(const struct words *steps, int64_t now_s, int64_t epoch,
                      struct job_level levels[LEVELS_MAX], struct error *error)
{
    return read_steps(steps, now_s, epoch, levels, error) < 0
               ? error_prefix(error, "field \"deadlines\"")
               : 0;
}

/* The deadlines of the job, in `kept`, and their `count`: 0 for best effort, 1 for a firm deadline.
 * NULL with `error`. */
static struct job_level *levels_of(const struct job_request *request, const struct submitting *with,
                                   arena_t *kept, size_t *count, struct error *error)
{
    const bool soft = request->deadlines.count > 0;
    struct job_level *levels = arena_alloc(kept, LEVELS_MAX * sizeof(*levels));

    *levels = (struct job_level){deadline_of(request, with), request->value * LEVEL_VALUE_FULL};
    if (soft && job_request_steps(&request->deadlines, with->now_s, with->epoch, levels, error) < 0)
        return NULL;
    if (levels->deadline_s <= with->now_s) {
        error_set(error, "field \"%s\": it is %" PRId64 " s in the past",
                  soft ? "deadlines" : "deadline", with->now_s - levels->deadline_s);
        return NULL;
    }
    *count = soft ? request->deadlines.count : levels->deadline_s == DEADLINE_NONE_S ? 0 : 1;
    return levels;
}

/* The time that the job takes on the GPUs that it asks for, by which some policies plan. -1 if
 * neither its user nor its rate tells a usable one. */
static int64_t duration_of(const struct job_request *request, const struct throughput_row *row)
{
    const double duration_s = ceil((double)request->iterations / row->iters_per_s[0]);

    if (request->duration_s > 0)
        return request->duration_s;
    return duration_s >= 1 && duration_s <= (double)TIME_MAX_S ? (int64_t)duration_s : -1;
}

static double confidence_of(const struct job_request *request)
{
    if (request->confidence == 0)
        return CONFIDENCE_NONE;
    return request->confidence > 0 ? request->confidence : CONFIDENCE_AS_SET;
}

static const char *name_of(const struct job_request *request, uint64_t number, arena_t *kept)
{
    char made[32];

    if (request->name)
        return arena_text(kept, request->name, strlen(request->name));
    (void)snprintf(made, sizeof(made), "job-%" PRIu32, (uint32_t)number);
    return arena_text(kept, made, strlen(made));
}

void job_request_say(const struct job_request *request, struct submission *job, arena_t *kept)
{
    struct job_text *texts = NULL;
    const struct job_field *field;

    job->text_count = 0;
    for (size_t i = 0; (field = job_field_at(i)); i++) {
        const char *text = field->uses & JOB_FIELD_SAID ? job_field_text(field, request) : NULL;

        if (!text)
            continue;
        if (!texts)
            texts = arena_alloc(kept, JOB_TEXTS_MAX * sizeof(*texts));
        assert(job->text_count < JOB_TEXTS_MAX);
        texts[job->text_count++] =
            (struct job_text){field->form.name, arena_text(kept, text, strlen(text))};
    }
    job->texts = texts;
}

struct submission *job_request_submission(const struct job_request *request,
                                          const struct submitting *with, arena_t *kept,
                                          struct error *error)
{
    size_t count;
    const struct job_level *levels = levels_of(request, with, kept, &count, error);
    const struct throughput_row *row;
    struct submission *job;

    if (!levels)
        return NULL;
    row = row_of(request, with, error); /* last, because the row is kept for good */
    if (!row)
        return NULL;
    job = arena_alloc(kept, sizeof(*job));
    *job = (struct submission){.id = name_of(request, with->number, kept),
                               .number = with->number,
                               .throughput = row,
                               .pool_rows = pool_rows_of(request, with, kept),
                               .model = row->model,
                               .submit_s = with->now_s,
                               .deadline_s = levels->deadline_s,
                               .iterations = request->iterations,
                               .batch_size = row->batch_size,
                               .gpus_requested = row->gpus[0],
                               .duration_s = duration_of(request, row),
                               .best_effort = count == 0,
                               .promise_or_decline =
                                   request->promise_or_decline || request->held_until > 0,
                               .confidence = confidence_of(request),
                               .levels = levels,
                               .level_count = count};
    job_request_say(request, job, kept);
    if (request->held_until > 0)
        job->quoted_until_s = request->held_until - with->epoch + with->grace_s;
    return job;
}

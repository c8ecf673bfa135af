/* oracle_model.c - what a job's model says about GPU counts: levels, rates and the largest count
 * that is of use (sections 3.3, 3.5, 3.6 and 5.2). */
#include "oracle_internal.h"

#include <math.h>
#include <string.h>

static bool is(const char *text, const char *wanted)
{
    return strcmp(text, wanted) == 0;
}

static bool model_is_known(const char *name)
{
    static const char *const known[] = {"vgg16", "resnet50",    "inception3",      "bert",
                                        "gpt2",  "deepspeech2", "cifar10",         "imagenet",
                                        "ncf",   "yolov3",      "resnet50_cifar10"};

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (is(name, known[i]))
            return true;
    return false;
}

static int at_most(long gpus, long limit)
{
    return (int)(gpus < limit ? gpus : limit);
}

static int t4_cap(const char *model, long batch)
{
    if (is(model, "bert") || is(model, "cifar10"))
        return 16;
    if (is(model, "deepspeech2") && batch == 320)
        return 32;
    if (is(model, "yolov3"))
        return 4;
    if (is(model, "ncf"))
        return 1;
    return 64;
}

static int a100_cap(const char *model, long batch)
{
    if (is(model, "deepspeech2"))
        return at_most(batch, 1 << 30);
    if (is(model, "gpt2") || is(model, "inception3")) {
        long small = is(model, "gpt2") ? 128 : 64;

        if (batch == small)
            return 16;
        return batch == 2 * small ? 32 : at_most(batch, 64);
    }
    if (is(model, "bert"))
        return batch == 64 ? 8 : 16;
    if ((is(model, "resnet50") || is(model, "vgg16")) && batch == 64)
        return 32;
    return at_most(batch, 64);
}

/* EF-Q10: neither how little a GPU adds nor whether it slows the job down makes a difference. */
static int edf_cap(struct oracle_call *call, const struct job *job)
{
    int widest = 0;

    /* EF-Q6: only the text `nan` rules a level out; an empty cell or a `0` does not. */
    for (size_t i = 0; i < job->table->level_count; i++)
        if (job->row->cells[i].kind != ORACLE_CELL_NAN)
            widest = job->table->levels[i];
    if (widest == 0)
        oracle_abort(call, ORACLE_BAD_CELL, "job %s: no level is usable", job->given->id);
    return at_most(at_most(widest, 64), job->given->batch_size);
}

void oracle_job_resolve(struct oracle_call *call, struct job *job,
                        const struct oracle_tables *tables, enum oracle_policy policy,
                        const char *gpu_type)
{
    /* EF-Q9: an unknown model borrows the table of resnet50, but not its cap. */
    const char *name = model_is_known(job->given->model) ? job->given->model : "resnet50";

    job->table = NULL;
    job->row = NULL;
    for (size_t i = 0; i < tables->count && !job->table; i++)
        if (is(tables->at[i].model, name))
            job->table = &tables->at[i];
    for (size_t i = 0; job->table && i < job->table->row_count && !job->row; i++)
        if (job->table->rows[i].batch_size == job->given->batch_size)
            job->row = &job->table->rows[i];

    if (policy == ORACLE_EDF || policy == ORACLE_EDF_ACCESSCTRL) {
        if (!job->row)
            oracle_abort(call, ORACLE_BAD_INPUT, "job %s: no row for %s with batch size %ld",
                         job->given->id, name, job->given->batch_size);
        job->cap = edf_cap(call, job);
    } else if (is(gpu_type, "T4")) {
        /* EF-Q5: every other GPU type has the caps of A100, and that of any type but A100 the
         * tables of T4. */
        job->cap = t4_cap(job->given->model, job->given->batch_size);
    } else {
        job->cap = a100_cap(job->given->model, job->given->batch_size);
    }
}

static const struct oracle_table *job_table(struct oracle_call *call, const struct job *job)
{
    if (!job->table)
        oracle_abort(call, ORACLE_BAD_INPUT, "job %s: model %s has no table", job->given->id,
                     job->given->model);
    return job->table;
}

/* EF-Q7: a level counts also if it is slower than the one below. */
int oracle_level_up(struct oracle_call *call, const struct job *job, int gpus)
{
    const struct oracle_table *table = job_table(call, job);
    bool is_level = gpus == 0;

    for (size_t i = 0; i < table->level_count; i++)
        is_level = is_level || table->levels[i] == gpus;
    if (!is_level)
        return gpus;
    for (size_t i = 0; i < table->level_count; i++)
        if (table->levels[i] > gpus)
            return table->levels[i] <= job->cap ? table->levels[i] : gpus;
    return gpus;
}

int oracle_column_down(struct oracle_call *call, const struct job *job, int gpus)
{
    const struct oracle_table *table = job_table(call, job);
    int best = 0;

    for (size_t i = 0; i < table->level_count; i++)
        if (table->levels[i] <= gpus)
            best = table->levels[i];
    return best;
}

int oracle_level_down(struct oracle_call *call, const struct job *job, int gpus)
{
    return oracle_column_down(call, job, gpus < job->cap ? gpus : job->cap);
}

double oracle_rate(struct oracle_call *call, const struct job *job, int gpus)
{
    const struct oracle_table *table = job_table(call, job);

    if (!job->row)
        oracle_abort(call, ORACLE_BAD_INPUT, "job %s: no row for %s with batch size %ld",
                     job->given->id, table->model, job->given->batch_size);
    for (size_t i = 0; i < table->level_count; i++) {
        const struct oracle_cell *cell = &job->row->cells[i];

        if (table->levels[i] != gpus)
            continue;
        if (cell->kind == ORACLE_CELL_EMPTY)
            oracle_abort(call, ORACLE_BAD_CELL, "job %s: no throughput at %d GPUs", job->given->id,
                         gpus);
        return cell->kind == ORACLE_CELL_NAN ? (double)NAN : cell->iters_per_s;
    }
    oracle_abort(call, ORACLE_NO_LEVEL, "job %s: %d GPUs are no level", job->given->id, gpus);
}

double oracle_duration(struct oracle_call *call, double work_iters, double rate)
{
    if (rate == 0)
        oracle_abort(call, ORACLE_BAD_CELL, "division by a throughput of 0");
    return work_iters / rate;
}

double oracle_ceil(struct oracle_call *call, double time_s)
{
    if (!isfinite(time_s))
        oracle_abort(call, ORACLE_BAD_CELL, "an end time is no number");
    return ceil(time_s);
}

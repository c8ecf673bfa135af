/* info_json.c - see info_json.h. */
#include "tools/trace_tools/info_json.h"

#include "common/memory.h"

/* Asserts that jansson made a value: only a lack of memory can prevent this here. */
static json_t *must(json_t *json)
{
    if (!json)
        memory_out();
    return json;
}

static json_t *spread_json(const struct spread *spread)
{
    if (spread->count == 0)
        return json_null();
    return must(json_pack("{s:I, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "count",
                          (json_int_t)spread->count, "mean", spread->mean, "min", spread->min,
                          "p10", spread->p10, "p25", spread->p25, "p50", spread->p50, "p75",
                          spread->p75, "p90", spread->p90, "p99", spread->p99, "max", spread->max));
}

static json_t *gpus_json(const struct summary *summary)
{
    json_t *list = must(json_array());

    for (size_t i = 0; i < summary->gpus_count; i++) {
        const struct gpu_share *share = &summary->gpus[i];

        json_array_append_new(
            list, must(json_pack("{s:o, s:I}", "gpus",
                                 share->gpus > 0 ? json_integer(share->gpus) : json_null(), "jobs",
                                 (json_int_t)share->jobs)));
    }
    return list;
}

static json_t *models_json(const struct summary *summary)
{
    json_t *list = must(json_array());

    for (size_t i = 0; i < summary->models_count; i++) {
        const struct model_share *share = &summary->models[i];

        json_array_append_new(list,
                              must(json_pack("{s:s, s:i, s:I}", "model", share->model, "batch_size",
                                             share->batch_size, "jobs", (json_int_t)share->jobs)));
    }
    return list;
}

json_t *info_json(const char *path, const struct summary *summary)
{
    const json_int_t span_s = summary->last_submit_s - summary->first_submit_s;
    const json_int_t jobs = (json_int_t)summary->jobs;
    const json_int_t best_effort = (json_int_t)summary->best_effort_jobs;

    return must(json_pack(
        "{s:s, s:I, s:I, s:f, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "trace", path,
        "jobs", jobs, "best_effort_jobs", best_effort, "best_effort_share",
        (double)best_effort / (double)jobs, "first_submit_s", (json_int_t)summary->first_submit_s,
        "last_submit_s", (json_int_t)summary->last_submit_s, "span_s", span_s, "arrivals_per_hour",
        span_s > 0 ? json_real(summary->arrivals_per_hour) : json_null(), "gpu_hours",
        summary->loading_jobs > 0 ? json_real(summary->gpu_hours) : json_null(),
        "gpus_busy_on_average",
        summary->loading_jobs > 0 && span_s > 0 ? json_real(summary_gpus_busy(summary))
                                                : json_null(),
        "duration_s", spread_json(&summary->duration_s), "tightness",
        spread_json(&summary->tightness), "gpus", gpus_json(summary), "models",
        models_json(summary)));
}

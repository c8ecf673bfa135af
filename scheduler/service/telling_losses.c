/* telling_losses.c - how often nodes fail, and the chance that a promise survives the losses of
 * nodes. */
#include "scheduler/service/serving.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static struct failure_rate rate_now(const struct serving *self)
{
    const struct failures seen = engine_failures(self->engine, serving_now_s(self));

    return failure_rate_seen(&seen, self->setting.node_mtbf_s);
}

void telling_failures(const struct serving *self, json_t *told)
{
    const struct failures seen = engine_failures(self->engine, serving_now_s(self));
    const struct failure_rate rate = rate_now(self);

    json_object_set_new(told, "node_failures", json_integer((json_int_t)seen.count));
    json_object_set_new(told, "node_hours", json_real(seen.node_s / 3600));
    json_object_set_new(told, "node_mtbf_s",
                        rate.node_s > 0 ? json_integer((json_int_t)failure_rate_mtbf_s(&rate))
                                        : json_null());
}

json_t *telling_survival(const struct serving *self, const struct exposure *exposure)
{
    const struct failure_rate rate = rate_now(self);
    const double chance = survival_chance(&rate, exposure->node_s, exposure->losses);
    char sentence[SURVIVAL_BYTES];

    if (inputs_terms(&self->inputs).losses == 0 || isnan(chance))
        return json_null();
    survival_sentence(chance, exposure->losses, sentence);
    return json_pack("{s:i, s:f, s:f, s:s}", "losses", exposure->losses, "node_hours",
                     exposure->node_s / 3600, "chance", chance, "sentence", sentence);
}

/* The node hours that the course of the job has left: as of the last round, less the time since. */
static struct exposure exposure_now(const struct serving *self, const struct job *job)
{
    const int per_node = cluster_gpus_per_node(self->decision.cluster);
    const int nodes = (job_gpus(job) + per_node - 1) / per_node;
    const double over_s = (double)(serving_now_s(self) - self->decision.now_s);
    struct exposure exposure = job->exposure;

    exposure.node_s = fmax(0, exposure.node_s - nodes * fmax(0, over_s));
    return exposure;
}

json_t *telling_survival_of(const struct serving *self, const struct job *job)
{
    struct exposure exposure;

    if (!job || job->promise.state != PROMISE_STANDS)
        return json_null();
    exposure = exposure_now(self, job);
    return telling_survival(self, &exposure);
}

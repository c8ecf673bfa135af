/* setting_text.c - see setting_text.h. */
#include "scheduler/record/setting_text.h"

static void write_leasing(struct text *text, const struct record_setting *setting)
{
    const struct leasing *leasing = &setting->leasing;

    text_word(text, "leasing");
    text_key_whole(text, "lease", leasing->lease_s);
    text_key_whole(text, "check", leasing->check_s);
    text_key_whole(text, "admission", leasing->admission_s);
    text_key_quoted(text, "objective", lease_objective_name(leasing->objective));
    text_key_quoted(text, "solver", setting->solver);
    text_key_real(text, "limit", leasing->time_limit_s);
    text_key_real(text, "gap", leasing->gap);
    text_word(text, "\n");
}

static void write_promising(struct text *text, const struct promising *promising)
{
    text_word(text, "promises");
    text_word(text, " objective=");
    text_word(text, promise_objective_names()[promising->objective]);
    text_key_whole(text, "spare-nodes", promising->spare_nodes);
    text_key_whole(text, "node-loss", promising->node_loss_s);
    if (promising->confidence > 0)
        text_key_real(text, "confidence", promising->confidence);
    text_word(text, "\n");
}

static void write_pool(struct text *text, const struct pool_spec *pool)
{
    text_word(text, "cluster");
    text_key_whole(text, "switches", pool->switches);
    text_key_whole(text, "nodes", pool->nodes_per_switch);
    text_key_whole(text, "gpus", pool->gpus_per_node);
    if (pool->gpu_type[0])
        text_key_quoted(text, "type", pool->gpu_type);
    text_word(text, "\n");
}

void setting_text_write(const struct record_setting *setting, struct text *text)
{
    text_word(text, "setting");
    text_key_quoted(text, "policy", setting->policy);
    text_key_quoted(text, "rules", setting->rules);
    text_key_quoted(text, "placement", setting->placement);
    text_key_quoted(text, "gpu_type", setting->gpu_type);
    text_key_whole(text, "slot", setting->slot_s);
    text_key_whole(text, "restart", setting->restart_threshold);
    text_word(text, "\n");
    for (int i = 0; i < setting->cluster.pool_count; i++)
        write_pool(text, &setting->cluster.pools[i]);
    if (setting->promises)
        write_promising(text, &setting->promising);
    if (setting->solver)
        write_leasing(text, setting);
}

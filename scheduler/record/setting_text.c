/* setting_text.c - see setting_text.h. */
#include "scheduler/record/setting_text.h"

#include <stdlib.h>

static void write_value(struct text *text, const struct policy_option *option,
                        const struct option_spec *value)
{
    const char *key = policy_option_key(option);
    char *printed;

    if (value->kind == OPTION_KIND_REAL) {
        text_key_real(text, key, *(const double *)value->value);
        return;
    }
    printed = option_text(value);
    if (option->record == RECORD_QUOTED || value->kind == OPTION_KIND_TEXT)
        text_key_quoted(text, key, printed ? printed : "");
    else
        text_key_word(text, key, printed);
    free(printed);
}

static bool is_written(const struct record_setting *setting, const struct policy_option *option)
{
    if (option->record == RECORD_UNUSUAL)
        return !policy_option_is_usual(setting->options, option, setting->values);
    return option->record != RECORD_NEVER;
}

/* Writes the options as a line. No line is written if all have their usual values. */
static void write_options(struct text *text, const struct record_setting *setting)
{
    const char *word = setting->options->record_word;
    bool begun = false;

    for (const struct policy_option *item = setting->options->items; item->spec.kind; item++) {
        const struct option_spec value = policy_option_at(item, setting->values);

        if (!is_written(setting, item))
            continue;
        if (!begun)
            text_word(text, word ? word : RECORD_OPTIONS_WORD);
        write_value(text, item, &value);
        begun = true;
    }
    if (begun)
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
    if (setting->admission)
        text_key_quoted(text, "admission", setting->admission);
    text_word(text, "\n");
    for (int i = 0; i < setting->cluster.pool_count; i++)
        write_pool(text, &setting->cluster.pools[i]);
    if (setting->options)
        write_options(text, setting);
}

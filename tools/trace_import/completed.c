/* completed.c - see completed.h. */
#include "tools/trace_import/completed.h"

#include "tools/trace_tools/drawn_rows.h"
#include "tools/trace_tools/gpu_mix.h"
#include "tools/trace_tools/menu.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define MIX_BYTES ((size_t)GPU_MIX_MAX * 16)

static bool can_train(const throughput_table_t *table, const char *models, int gpus,
                      struct error *error)
{
    const struct gpu_mix mix = {.count = 1, .gpus = {gpus}, .weight_sum = {1}};
    menu_t *menu = menu_new(table, models, &mix, error);
    const bool found = menu != NULL;

    menu_destroy(&menu);
    return found;
}

/* The smallest GPU count above `gpus` in the rows of the table; 0 if no row has a larger count. */
static int next_count(const throughput_table_t *table, int gpus)
{
    int next = 0;

    for (size_t i = 0; i < throughput_count(table); i++) {
        const struct throughput_row *row = throughput_row_at(table, i);

        for (int level = 0; level < row->level_count; level++)
            if (row->gpus[level] > gpus && (next == 0 || row->gpus[level] < next))
                next = row->gpus[level];
    }
    return next;
}

/* Writes every GPU count on which some model can train as a mix, and the largest count to
 * `most`. */
static int write_mix(const throughput_table_t *table, const char *models, char *mix, int *most,
                     struct error *error)
{
    size_t used = 0;
    size_t counts = 0;

    for (int gpus = next_count(table, 0); gpus > 0 && counts < GPU_MIX_MAX;
         gpus = next_count(table, gpus))
        if (can_train(table, models, gpus, error)) {
            used +=
                (size_t)snprintf(mix + used, MIX_BYTES - used, "%s%d:1", used > 0 ? "," : "", gpus);
            *most = gpus;
            counts++;
        }
    return counts > 0 ? 0 : -1;
}

static void write_head(const foreign_t *jobs, const struct recipe *recipe,
                       const struct completed_fit *fit, const char *origin, output_t *output)
{
    bool any = false;

    output_format(output, "# Imported by rubato " RUBATO_VERSION ": %s\n", origin);
    output_format(output, "# %zu jobs; left out:", foreign_count(jobs));
    for (int reason = 0; reason < FOREIGN_REASON_COUNT; reason++) {
        const size_t count = foreign_left_out(jobs, (enum foreign_reason)reason);

        if (count > 0)
            output_format(output, "%s %zu that %s", any ? "," : "", count,
                          foreign_reason_words((enum foreign_reason)reason, count));
        any = any || count > 0;
    }
    output_format(output,
                  "%s\n# Of the source: job_id, submissions from the first one on, duration, and "
                  "num_gpu as the next count of the throughput table (%zu jobs ask for a count "
                  "between two, %zu for more than its %d)\n",
                  any ? "" : " none", fit->rounded, fit->narrowed, fit->most);
    output_format(output,
                  "# Drawn from seed %" PRId64 ": the model among those with a rate on num_gpu, "
                  "each as likely as the others, then its batch size; iterations = duration x "
                  "rate; deadline = submission + duration x a number from %g to %g, uniform; best "
                  "effort with probability %g\n",
                  recipe->setting.seed, recipe->setting.tightness.low,
                  recipe->setting.tightness.high, recipe->setting.best_effort_share);
}

static int whole_gpus(const struct foreign_job *job)
{
    return (int)ceil(job->gpus);
}

static struct completed_fit fit_of(const foreign_t *jobs, const throughput_table_t *table, int most)
{
    struct completed_fit fit = {.most = most};
    double lost_gpu_s = 0;
    double gpu_s = 0;

    for (size_t i = 0; i < foreign_count(jobs); i++) {
        const struct foreign_job *job = foreign_at(jobs, i);
        const int gpus = whole_gpus(job);

        gpu_s += gpus * job->duration_s;
        lost_gpu_s += gpus > most ? (gpus - most) * job->duration_s : 0;
        fit.narrowed += gpus > most;
        fit.rounded += gpus <= most && next_count(table, gpus - 1) != gpus;
    }
    fit.lost_share = lost_gpu_s / gpu_s;
    return fit;
}

static struct generated_job known_of(const struct foreign_job *job, double first_s, int64_t start_s)
{
    return (struct generated_job){.submit_s = start_s + llround(job->submit_s - first_s),
                                  .duration_s = job->duration_s < 1 ? 1 : llround(job->duration_s),
                                  .gpus = whole_gpus(job)};
}

static int write_jobs(const foreign_t *jobs, generator_t *generator, const struct recipe *recipe,
                      struct drawn_rows *rows, struct error *error)
{
    const double first_s = foreign_at(jobs, 0)->submit_s;

    for (size_t i = 0; i < foreign_count(jobs); i++) {
        const struct foreign_job *from = foreign_at(jobs, i);
        struct generated_job job = known_of(from, first_s, recipe->setting.start_s);

        if (generator_complete(generator, &job, error) < 0)
            return -1;
        drawn_rows_job(rows, from->name, from->user, from->virtual_cluster, &job);
    }
    return 0;
}

int completed_write(foreign_t *jobs, const struct recipe *recipe, const throughput_table_t *table,
                    const char *origin, char delimiter, output_t *output, struct completed_fit *fit,
                    struct error *error)
{
    struct generator_setting setting = recipe->setting;
    struct drawn_rows rows = {.row = {.output = output, .delimiter = delimiter},
                              .best_effort = setting.best_effort_share > 0,
                              .users = foreign_has_users(jobs),
                              .virtual_clusters = foreign_has_virtual_clusters(jobs)};
    generator_t *generator;
    char mix[MIX_BYTES];
    int most = 0;
    int result;

    if (write_mix(table, setting.models, mix, &most, error) < 0)
        return -1;
    setting.gpus_mix = mix;
    generator = generator_new(&setting, table, error);
    if (!generator)
        return -1;
    *fit = fit_of(jobs, table, most);
    write_head(jobs, recipe, fit, origin, output);
    drawn_rows_header(&rows, dialect_find(recipe->dialect));
    result = write_jobs(jobs, generator, recipe, &rows, error);
    generator_destroy(&generator);
    return result;
}

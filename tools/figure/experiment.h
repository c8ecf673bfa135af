/* experiment.h - the evaluation of ElasticFlow (ASPLOS 2023), figure by figure: what was run on
 * what, and what was published of it. All of it is constants. */
#ifndef FIGURE_EXPERIMENT_H
#define FIGURE_EXPERIMENT_H

#include "common/options.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EXPERIMENT_SERIES_MAX   10
#define EXPERIMENT_SETTINGS_MAX 11

/* The measures that figures show. */
enum measure_shown {
    SHOWS_SHARE,      /* of the jobs with a deadline, those that met it: a bar a setting */
    SHOWS_SHARE_LINE, /* the same as a line through the settings */
    SHOWS_JCT_LINE,   /* mean JCT of best-effort jobs under gandiva over that under the policy */
    SHOWS_GPUS,       /* GPUs that are held over time */
    SHOWS_JOBS,       /* jobs that come, jobs that are let in and jobs that run over time */
    SHOWS_EFFICIENCY, /* of the cluster over time */
    SHOWS_PRE_RUNS,   /* seconds until a model is profiled: a bar a setting, which is a model */
    SHOWS_CHANGES,    /* seconds of changes, which are the settings; series are models */
};

/* Jobs as the artifact's generator draws them, but for the seed. */
struct drawn_jobs {
    int64_t jobs;
    double gap_s; /* mean */
    struct option_range tightness;
    double best_effort_share;
};

struct experiment_setting {
    const char *label;       /* all that overheads have */
    const char *trace;       /* public, without ".csv" */
    const char *shipped;     /* a trace of our own */
    struct drawn_jobs drawn; /* where there is neither */
    const char *cluster;
};

struct experiment_series {
    const char *name;
    const char *policy; /* NULL where there are published values only, or models */
};

struct experiment {
    const char *figure;
    enum measure_shown shows;
    const char *title;
    const char *x_label;
    const char *y_label;
    double x_max; /* hours of what is shown over time */
    double y_min; /* above 0 for a logarithmic axis */
    double y_max;
    const char *gpu_type;
    int64_t slot_s;
    const struct experiment_series *series;
    size_t series_count;
    const struct experiment_setting *settings;
    size_t setting_count;
    const char *const *models; /* of overheads: as tables call those of settings or series */
    /* By series and setting, NaN for none; NULL where only a picture was published. */
    const double (*published)[EXPERIMENT_SETTINGS_MAX];
    bool stands_in; /* its jobs are generated, and stand for those of public traces */
};

/* The figure with the public traces, or, where these are not at hand and it needs them, with jobs
 * that stand for theirs. NULL if there is no such figure. */
const struct experiment *experiment_find(const char *figure, bool has_traces);

/* All experiments on the public traces, in the order of the paper. */
extern const struct experiment experiments[];
extern const size_t experiment_count;

/* Whether the jobs of all settings are drawn anew from any seed. */
bool experiment_is_drawn(const struct experiment *self);

/* Another set-up than that of the run scripts, with which a policy in a setting comes to what was
 * published, or nearer. */
struct experiment_fit {
    const char *figure;
    const char *policy;
    const char *setting;    /* NULL for each that has no row of its own */
    const char *cluster;    /* NULL: that of the run script */
    int64_t slot_s;         /* 0: likewise */
    int64_t lease_s;        /* 0: likewise; else chronus chooses without a solver */
    const char *what;       /* is other than in the run script */
    const char *difference; /* why it still is not what was published, NULL if nothing is known */
};

/* NULL if the run script's own set-up fits best, as far as is known. */
const struct experiment_fit *experiment_fit(const char *figure, const char *policy,
                                            const char *setting);
bool experiment_has_fits(const char *figure);

/* Why what is measured of a policy in a setting (or NULL: in all) is not what was published; NULL
 * if nothing is known to say. */
const char *experiment_difference(const char *figure, const char *policy, const char *setting);

#endif

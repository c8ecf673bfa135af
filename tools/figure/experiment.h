/* experiment.h - the evaluation of ElasticFlow (ASPLOS 2023), figure by figure: policies, traces
 * and clusters of each figure, and its published values, as constants. */
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
    SHOWS_SHARE,      /* share of the jobs with a deadline that met their deadline: a bar for each
                         setting */
    SHOWS_SHARE_LINE, /* the share of SHOWS_SHARE, as a line through the settings */
    SHOWS_JCT_LINE,   /* mean JCT of best-effort jobs under gandiva divided by that under the policy
                       */
    SHOWS_GPUS,       /* held GPUs over time */
    SHOWS_JOBS,       /* submitted, admitted and running jobs over time */
    SHOWS_EFFICIENCY, /* efficiency of the cluster over time */
    SHOWS_PRE_RUNS,   /* seconds until a model is profiled: a bar for each setting, and each setting
                         is a model */
    SHOWS_CHANGES,    /* seconds of changes: settings are changes, series are models */
};

/* The parameters, except the seed, of jobs that the artifact's generator draws. */
struct drawn_jobs {
    int64_t jobs;
    double gap_s; /* mean gap between arrivals */
    struct option_range tightness;
    double best_effort_share;
};

struct experiment_setting {
    const char *label;       /* label of the setting; a figure of overheads sets no other field */
    const char *trace;       /* name of a public trace, without ".csv" */
    const char *shipped;     /* name of a trace that comes with Rubato */
    struct drawn_jobs drawn; /* drawn jobs where the setting has neither trace nor cluster of its
                                own */
    const char *cluster;
};

struct experiment_series {
    const char *name;
    const char *policy; /* NULL for a series of published values or of a model */
};

struct experiment {
    const char *figure;
    enum measure_shown shows;
    const char *title;
    const char *x_label;
    const char *y_label;
    double x_max; /* hours shown in a figure over time */
    double y_min; /* lower end of the y axis, above 0 for a logarithmic axis */
    double y_max;
    const char *gpu_type;
    int64_t slot_s;
    const struct experiment_series *series;
    size_t series_count;
    const struct experiment_setting *settings;
    size_t setting_count;
    const char *const *models; /* models of overheads, by their names in throughput tables, for
                                  settings or series */
    /* Published values by series and setting, NaN for none; NULL where only a picture was
     * published. */
    const double (*published)[EXPERIMENT_SETTINGS_MAX];
    bool stands_in; /* generated jobs replace the jobs of public traces */
};

/* The figure with the public traces. If the figure needs public traces and they are missing, its
 * variant with generated jobs. NULL if no figure has the name. */
const struct experiment *experiment_find(const char *figure, bool has_traces);

/* All experiments on the public traces, in the order of the paper. */
extern const struct experiment experiments[];
extern const size_t experiment_count;

/* Whether the jobs of all settings are drawn from a seed. */
bool experiment_is_drawn(const struct experiment *self);

/* A set-up that differs from the run scripts and with which a policy in a setting reproduces the
 * published value or comes nearer. */
struct experiment_fit {
    const char *figure;
    const char *policy;
    const char *setting; /* NULL: every setting without a row of its own */
    const char *cluster; /* NULL: the cluster of the run script */
    int64_t slot_s;      /* 0: the slot of the run script */
    int64_t lease_s;     /* 0: the lease of the run script; else chronus chooses without a solver */
    const char *what;    /* difference from the run script */
    const char *difference; /* reason for a remaining difference from the published value; NULL if
                               unknown */
};

/* The set-up that fits best; NULL if the set-up of the run script fits best, as far as is known. */
const struct experiment_fit *experiment_fit(const char *figure, const char *policy,
                                            const char *setting);
bool experiment_has_fits(const char *figure);

/* The reason why measured values of a policy in a setting (NULL: in all settings) differ from the
 * published values; NULL if unknown. */
const char *experiment_difference(const char *figure, const char *policy, const char *setting);

#endif

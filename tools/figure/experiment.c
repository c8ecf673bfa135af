/* experiment.c - see experiment.h.
 *
 * Source: the plot scripts and run scripts of the published artifact (Apache-2.0). */
#include "tools/figure/experiment.h"

#include <math.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define N            NAN

/* The bars of the paper in the paper's order, then a policy of Rubato's own. */
static const struct experiment_series all_series[] = {
    {"EDF", "edf"},
    {"Gandiva", "gandiva"},
    {"Tiresias", "dlas-gpu"},
    {"Themis", "themis"},
    {"Chronus", "chronus"},
    {"Pollux", NULL},
    {"ElasticFlow", "ef-accessctrl"},
    {"Rubato", "rubato"},
};
enum { EDF, GANDIVA, TIRESIAS, THEMIS, CHRONUS, POLLUX, ELASTICFLOW };

static const struct experiment_series parts_of_elasticflow[] = {
    {"EDF", "edf"},          {"EDF + admission", "edf-accessctrl"},
    {"EDF + scaling", "ef"}, {"ElasticFlow", "ef-accessctrl"},
    {"Rubato", "rubato"},
};

static const struct experiment_series elasticflow_alone[] = {{"ElasticFlow", "ef-accessctrl"}};

#define PUBLIC_TIGHTNESS                                                                           \
    {                                                                                              \
        0.5, 1.5                                                                                   \
    }

static const struct experiment_setting setting_6a[] = {
    {"25 jobs", .shipped = "testbed25", .cluster = "n4g8"}};
static const double published_6a[][EXPERIMENT_SETTINGS_MAX] = {{.08}, {.24}, {.32}, {.28},
                                                               {.40}, {.32}, {.64}, {N}};

static const struct experiment_setting setting_6b[] = {
    {"195 jobs", .trace = "195job", .cluster = "n16g8"}};
static const double published_6b[][EXPERIMENT_SETTINGS_MAX] = {{.0872}, {.2103}, {.4564}, {.3897},
                                                               {.4103}, {N},     {.6667}, {N}};

static const struct experiment_setting setting_8a[] = {
    {"195 jobs", .trace = "elasticVpollux_e", .cluster = "n16g4"}};
static const double published_8a[][EXPERIMENT_SETTINGS_MAX] = {{.118}, {.09},  {.287}, {.312},
                                                               {.262}, {.523}, {.728}, {N}};

#define PUBLIC(name, file, nodes)                                                                  \
    {                                                                                              \
        .label = (name), .trace = (file), .cluster = (nodes)                                       \
    }

static const struct experiment_setting settings_8b[] = {
    PUBLIC("1", "cluster01", "n64g8"),          PUBLIC("2", "cluster02", "n64g8"),
    PUBLIC("3", "cluster03", "n64g8"),          PUBLIC("4", "cluster04", "n128g8"),
    PUBLIC("5", "cluster05", "n64g8"),          PUBLIC("6", "cluster06", "n64g8"),
    PUBLIC("7", "cluster07", "n128g8"),         PUBLIC("8", "cluster08", "n128g8"),
    PUBLIC("9", "cluster09", "n128g8"),         PUBLIC("10", "cluster10", "n32g8"),
    PUBLIC("Philly", "philly_103959", "n32g8"),
};
static const double published_8b[][EXPERIMENT_SETTINGS_MAX] = {
    {.182, .228, .095, .007, .375, .105, .046, .252, .800, .769, .01},
    {.246, .286, .314, .228, .228, .381, .351, .325, .329, .354, .15},
    {.478, .470, .401, .120, .420, .466, .346, .373, .468, .473, .32},
    {.464, .431, .389, .432, .430, .425, .437, .423, .456, .431, .33},
    {.474, .445, .426, .450, .453, .432, .460, .447, .466, .454, .324},
    {N, N, N, N, N, N, N, N, N, N, N},
    {.788, .822, .455, .631, .832, .607, .665, .896, .938, .981, .87},
    {N, N, N, N, N, N, N, N, N, N, N},
};

#define JOBS_9                                                                                     \
    {                                                                                              \
        1000, 1500, PUBLIC_TIGHTNESS, 0                                                            \
    }

static const struct experiment_setting settings_9[] = {
    {"64 GPUs", NULL, NULL, JOBS_9, "n8g8"},
    {"128 GPUs", NULL, NULL, JOBS_9, "n16g8"},
    {"256 GPUs", NULL, NULL, JOBS_9, "n32g8"},
};
static const double published_9[][EXPERIMENT_SETTINGS_MAX] = {
    {.026, .118, .118}, {.203, .326, .658}, {.452, .835, .939}, {.926, .949, .944}, {N, N, N}};

static const struct experiment_setting setting_10[] = {
    {"100 jobs", NULL, NULL, {100, 1500, {1.5, 1.5}, 0}, "n16g8"}};

#define SHARE_11(percent)                                                                          \
    {                                                                                              \
#percent "%", NULL, NULL, {200, 900, PUBLIC_TIGHTNESS, (percent) / 100.0 }, "n8g8"         \
    }

static const struct experiment_setting settings_11[] = {
    SHARE_11(10), SHARE_11(20), SHARE_11(30), SHARE_11(40), SHARE_11(50),
    SHARE_11(60), SHARE_11(70), SHARE_11(80), SHARE_11(90),
};
static const double published_11a[][EXPERIMENT_SETTINGS_MAX] = {
    {.09, .10, .15, .15, .23, .28, .44, .79, .95}, {.25, .24, .20, .18, .19, .17, .18, .18, .16},
    {.46, .46, .44, .42, .43, .41, .44, .50, .53}, {.41, .40, .37, .34, .36, .34, .35, .42, .37},
    {.42, .42, .40, .37, .40, .39, .42, .50, .53}, {N, N, N, N, N, N, N, N, N},
    {.74, .67, .67, .69, .68, .76, .82, .92, .95}, {N, N, N, N, N, N, N, N, N},
};
static const double published_11b[][EXPERIMENT_SETTINGS_MAX] = {
    {.05, .05, .05, .05, .07, .07, .08, .08, .10},
    {1, 1, 1, 1, 1, 1, 1, 1, 1},
    {1.44, 1.39, 1.33, 1.31, 1.26, 1.27, 1.28, 1.30, 1.45},
    {1.37, 1.36, 1.34, 1.32, 1.26, 1.27, 1.29, 1.29, 1.46},
    {1.50, 1.45, 1.40, 1.38, 1.29, 1.29, 1.28, 1.29, 1.44},
    {N, N, N, N, N, N, N, N, N},
    {1.60, 1.37, 1.18, 1.11, 1.27, 1.24, 1.19, 1.16, 1.31},
    {N, N, N, N, N, N, N, N, N},
};

/* Generated jobs that replace the jobs of public traces and load their clusters fully. */
static const struct experiment_setting generated_195[] = {
    {"generated jobs", .shipped = "testbed195", .cluster = "n16g8"}};
static const struct experiment_setting generated_8a[] = {
    {"generated jobs", .drawn = {195, 1170, PUBLIC_TIGHTNESS, 0}, .cluster = "n16g4"}};
static const struct experiment_setting generated_8b[] = {
    {"generated for 256 GPUs", .drawn = {250, 290, PUBLIC_TIGHTNESS, 0}, .cluster = "n32g8"},
    {"generated for 512 GPUs", .drawn = {500, 146, PUBLIC_TIGHTNESS, 0}, .cluster = "n64g8"},
    {"generated for 1024 GPUs", .drawn = {1000, 73, PUBLIC_TIGHTNESS, 0}, .cluster = "n128g8"},
};

static const char *const models_12[] = {"resnet50", "vgg16", "inception3",
                                        "gpt2",     "bert",  "deepspeech2"};

static const struct experiment_series pre_run[] = {{"pre-run", NULL}};
#define LABEL(text)                                                                                \
    {                                                                                              \
        .label = (text)                                                                            \
    }
static const struct experiment_setting settings_12a[] = {
    LABEL("ResNet50"), LABEL("VGG16"), LABEL("Inception-V3"),
    LABEL("GPT-2"),    LABEL("BERT"),  LABEL("DeepSpeech2")};
static const double published_12a[][EXPERIMENT_SETTINGS_MAX] = {
    {549.759, 550.011, 366.84, 336.054, 305.462, 337.726}};

/* The plot script has the same values for BERT and DeepSpeech2. */
static const struct experiment_series series_12b[] = {
    {"ResNet50", NULL}, {"VGG16", NULL}, {"Inception-V3", NULL},
    {"GPT-2", NULL},    {"BERT", NULL},  {"DeepSpeech2", NULL}};
static const struct experiment_setting settings_12b[] = {LABEL("1 to 2 GPUs"), LABEL("2 to 1"),
                                                         LABEL("8 to 16"), LABEL("16 to 8"),
                                                         LABEL("migration of 8")};
static const double published_12b[][EXPERIMENT_SETTINGS_MAX] = {
    {1.884, 1.659, 1.666, 1.787, .887},  {1.82, 1.629, 2.407, 2.354, 3.209},
    {1.819, 1.099, 1.738, 1.733, .69},   {2.344, 3.101, 3.203, 3.198, 2.119},
    {3.904, 2.611, 4.239, 4.222, 3.191}, {3.904, 2.611, 4.239, 4.222, 3.191}};

#define SERIES(table)    .series = (table), .series_count = COUNT(table)
#define SETTINGS(table)  .settings = (table), .setting_count = COUNT(table)
#define SHARE_LABEL      .y_label = "Deadline satisfactory ratio", .y_max = 1
#define ON_A100(seconds) .gpu_type = "A100", .slot_s = (seconds)

const struct experiment experiments[] = {
    {"6a", SHOWS_SHARE, "Figure 6a: 25 jobs of our own on 4 nodes of 8 A100 GPUs", "", SHARE_LABEL,
     ON_A100(240), SERIES(all_series), SETTINGS(setting_6a), .published = published_6a},
    {"6b", SHOWS_SHARE, "Figure 6b: 195 jobs on 16 nodes of 8 A100 GPUs", "", SHARE_LABEL,
     ON_A100(240), SERIES(all_series), SETTINGS(setting_6b), .published = published_6b},
    {"7a", SHOWS_GPUS, "Figure 7a: allocated GPUs in the run of figure 6b", "Time (hour)",
     "Number of allocated GPUs", .x_max = 48, .y_max = 140, ON_A100(240), SERIES(all_series),
     SETTINGS(setting_6b)},
    {"7b", SHOWS_JOBS, "Figure 7b: jobs in the run of figure 6b, by 10 minutes", "Time (hour)",
     "Number of jobs", .x_max = 48, .y_max = 25, ON_A100(240), SERIES(elasticflow_alone),
     SETTINGS(setting_6b)},
    {"8a", SHOWS_SHARE, "Figure 8a: 195 jobs on 16 nodes of 4 T4 GPUs, simulated", "", SHARE_LABEL,
     .gpu_type = "T4", .slot_s = 60, SERIES(all_series), SETTINGS(setting_8a),
     .published = published_8a},
    {"8b", SHOWS_SHARE, "Figure 8b: the public traces, simulated", "Trace", SHARE_LABEL,
     ON_A100(60), SERIES(all_series), SETTINGS(settings_8b), .published = published_8b},
    {"9", SHOWS_SHARE, "Figure 9: what the parts of ElasticFlow contribute", "Cluster size",
     SHARE_LABEL, ON_A100(240), SERIES(parts_of_elasticflow), SETTINGS(settings_9),
     .published = published_9},
    {"10", SHOWS_EFFICIENCY, "Figure 10: cluster efficiency, 100 jobs on 128 GPUs", "Time (hour)",
     "Cluster efficiency", .x_max = 190, .y_max = 0.35, ON_A100(240), SERIES(all_series),
     SETTINGS(setting_10)},
    {"11a", SHOWS_SHARE_LINE, "Figure 11a: deadlines, with best-effort jobs",
     "Percentage of best-effort jobs", SHARE_LABEL, ON_A100(240), SERIES(all_series),
     SETTINGS(settings_11), .published = published_11a},
    {"11b", SHOWS_JCT_LINE, "Figure 11b: JCT of best-effort jobs", "Percentage of best-effort jobs",
     "JCT improvement over Gandiva", .y_max = 2, ON_A100(240), SERIES(all_series),
     SETTINGS(settings_11), .published = published_11b},
    {"12a", SHOWS_PRE_RUNS, "Figure 12a: until a model is profiled, on emulated GPUs", "Model",
     "Time (s)", .y_max = 600, .gpu_type = "A100", SERIES(pre_run), SETTINGS(settings_12a),
     .models = models_12, .published = published_12a},
    {"12b", SHOWS_CHANGES, "Figure 12b: scaling and migration, on emulated GPUs", "Change",
     "Time (s)", .y_min = 0.001, .y_max = 10, .gpu_type = "A100", SERIES(series_12b),
     SETTINGS(settings_12b), .models = models_12, .published = published_12b},
};
const size_t experiment_count = COUNT(experiments);

/* Figures with generated jobs, used under the same names if the public traces are missing. */
#define STAND_IN(figure)                                                                           \
    .stands_in = true, .title = "Generated jobs in the setting of figure " figure

static const struct experiment stand_ins[] = {
    {"6b", SHOWS_SHARE, STAND_IN("6b"), .x_label = "", SHARE_LABEL, ON_A100(240),
     SERIES(all_series), SETTINGS(generated_195)},
    {"7a", SHOWS_GPUS, STAND_IN("7a"), .x_label = "Time (hour)",
     .y_label = "Number of allocated GPUs", .x_max = 48, .y_max = 140, ON_A100(240),
     SERIES(all_series), SETTINGS(generated_195)},
    {"7b", SHOWS_JOBS, STAND_IN("7b"), .x_label = "Time (hour)", .y_label = "Number of jobs",
     .x_max = 48, .y_max = 25, ON_A100(240), SERIES(elasticflow_alone), SETTINGS(generated_195)},
    {"8a", SHOWS_SHARE, STAND_IN("8a"), .x_label = "", SHARE_LABEL, .gpu_type = "T4", .slot_s = 60,
     SERIES(all_series), SETTINGS(generated_8a)},
    {"8b", SHOWS_SHARE, STAND_IN("8b"), .x_label = "Cluster", SHARE_LABEL, ON_A100(60),
     SERIES(all_series), SETTINGS(generated_8b)},
};

const struct experiment *experiment_find(const char *figure, bool has_traces)
{
    for (size_t i = 0; i < COUNT(stand_ins) && !has_traces; i++)
        if (!strcmp(stand_ins[i].figure, figure))
            return &stand_ins[i];
    for (size_t i = 0; i < experiment_count; i++)
        if (!strcmp(experiments[i].figure, figure))
            return &experiments[i];
    return NULL;
}

bool experiment_is_drawn(const struct experiment *self)
{
    for (size_t i = 0; i < self->setting_count; i++)
        if (self->settings[i].drawn.jobs == 0)
            return false;
    return true;
}

static const struct experiment_fit fits[] = {
    {"8a", "chronus", NULL, NULL, 0, 3600, "leases of 3600 s, not 240 s", NULL},
    {"8b", "edf", "Philly", "n4g8", 0, 0, "4 nodes, not 32", NULL},
    {"8b", "gandiva", "Philly", "n4g8", 0, 0, "4 nodes, not 32", NULL},
    {"8b", "dlas-gpu", "Philly", "n4g8", 0, 0, "4 nodes, not 32", NULL},
    {"8b", "themis", "Philly", "n4g8", 0, 0, "4 nodes, not 32", NULL},
    {"8b", "ef-accessctrl", "Philly", "n4g8", 0, 0, "4 nodes, not 32", NULL},
    {"8b", "chronus", "Philly", NULL, 0, 0, NULL,
     "that of dlas-gpu on 4 nodes (284 of 876 jobs); no lease gives it"},
    {"8b", "gandiva", NULL, NULL, 240, 0, "slots of 240 s, not 60 s", NULL},
    {"8b", "themis", NULL, NULL, 240, 0, "slots of 240 s, not 60 s", NULL},
    {"8b", "edf", NULL, NULL, 240, 0, "slots of 240 s, not 60 s",
     "not found; slots of 240 s come nearer than those of the run script"},
    {"8b", "dlas-gpu", NULL, NULL, 240, 0, "slots of 240 s, not 60 s",
     "not found; slots of 240 s come nearer than those of the run script"},
    {"8b", "chronus", NULL, NULL, 0, 300, "leases of 300 s, not 240 s",
     "not found; leases of 300 s come nearer than those of the run script"},
};

const struct experiment_fit *experiment_fit(const char *figure, const char *policy,
                                            const char *setting)
{
    for (size_t i = 0; i < COUNT(fits); i++)
        if (!strcmp(fits[i].figure, figure) && !strcmp(fits[i].policy, policy) &&
            (!fits[i].setting || !strcmp(fits[i].setting, setting)))
            return &fits[i];
    return NULL;
}

bool experiment_has_fits(const char *figure)
{
    for (size_t i = 0; i < COUNT(fits); i++)
        if (!strcmp(fits[i].figure, figure))
            return true;
    return false;
}

static const struct {
    const char *figure;
    const char *policy;
    const char *setting;
    const char *cause;
} differences[] = {
    {"6a", NULL, NULL, "the 25 jobs of the paper are not public: these are others"},
    {"6b", NULL, NULL,
     "the paper ran real GPUs; the artifact in simulation gives what is measured"},
    {"8a", "chronus", NULL, "that of leases of 3600 s (51 of 195 jobs); the run script says 240 s"},
    {"8b", "chronus", "Philly", "that of dlas-gpu on 4 nodes (284 of 876 jobs); no lease gives it"},
    {"8b", NULL, "Philly",
     "that of 4 nodes (n4g8), on which the same runs give the published values"},
    {"8b", "gandiva", NULL, "that of slots of 240 s, to within 0.012; the run script says 60 s"},
    {"8b", "themis", NULL, "that of slots of 240 s, to within 0.008; the run script says 60 s"},
    {"8b", "edf", NULL, "slots of 240 s come nearer; what is left was not found"},
    {"8b", "dlas-gpu", NULL, "not found; slots of 240 s come nearer"},
    {"8b", "chronus", NULL, "leases of 300 s come nearer; the run script says 240 s"},
    {"8b", NULL, NULL, "not found; other slots give more on some traces and less on others"},
    {"9", NULL, NULL, "the artifact's deadlines were drawn without a seed"},
    {"11a", "chronus", NULL, "it counts best-effort jobs too (CH-Q9), and see the others"},
    {"11a", NULL, NULL, "deadlines and best effort were drawn without a seed"},
    {"11b", NULL, NULL, "deadlines and best effort were drawn without a seed"},
    {"12a", NULL, NULL, "emulated: 25 s a start as in the artifact, and nothing of CUDA"},
    {"12b", NULL, NULL, "emulated: what Rubato takes, without CUDA and state to load"},
};

const char *experiment_difference(const char *figure, const char *policy, const char *setting)
{
    for (size_t i = 0; i < COUNT(differences); i++)
        if (!strcmp(differences[i].figure, figure) &&
            (!differences[i].policy || !strcmp(differences[i].policy, policy)) &&
            (!differences[i].setting || !strcmp(differences[i].setting, setting)))
            return differences[i].cause;
    return NULL;
}

/* rules.c - see rules.h. */
#include "tools/audit/rules.h"

#include "common/input.h"

#include <math.h>
#include <string.h>

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static bool is_model(const struct audit_job *job, const char *model)
{
    return !strcmp(job->model, model);
}

static int64_t ef_gpus_on_t4(const struct audit_job *job)
{
    if (is_model(job, "bert") || is_model(job, "cifar10"))
        return 16;
    if (is_model(job, "deepspeech2") && job->batch_size == 320)
        return 32;
    if (is_model(job, "yolov3"))
        return 4;
    return is_model(job, "ncf") ? 1 : 64;
}

/* The published rules go by the name and the batch size in the trace, never by the tables. */
static int64_t ef_gpus_max(const struct audit_job *job, const char *gpu_type)
{
    const int64_t batch = job->batch_size;

    if (!strcmp(gpu_type, "T4"))
        return ef_gpus_on_t4(job);
    if (is_model(job, "deepspeech2"))
        return batch;
    if (is_model(job, "bert"))
        return batch == 64 ? 8 : 16;
    if (is_model(job, "gpt2") && (batch == 128 || batch == 256))
        return batch / 8;
    if (is_model(job, "inception3") && (batch == 64 || batch == 128))
        return batch / 4;
    if (batch == 64 && (is_model(job, "resnet50") || is_model(job, "vgg16")))
        return 32;
    return least(batch, 64);
}

/* EF-Q10: the largest GPU count that the table does not rule out, whether it pays off or not. */
static int64_t edf_gpus_max(const struct audit_job *job, const char *gpu_type)
{
    int64_t most = 1;

    (void)gpu_type;
    for (int i = 0; i < job->rates->count; i++)
        if (!job->rates->says_nan[i] && job->rates->gpus[i] > most)
            most = job->rates->gpus[i];
    return least(least(most, 64), job->batch_size);
}

/* EF-Q10 put right. */
static int64_t fastest_gpus_max(const struct audit_job *job, const char *gpu_type)
{
    const int64_t most = least(64, job->batch_size);
    double best = 0;
    int64_t gpus = 1;

    (void)gpu_type;
    for (int i = 0; i < job->rates->count; i++)
        if (job->rates->gpus[i] <= most && job->rates->iters_per_s[i] > best) {
            best = job->rates->iters_per_s[i];
            gpus = job->rates->gpus[i];
        }
    return gpus;
}

/* A policy of our own: whatever the table has a rate for. */
static int64_t measured_gpus_max(const struct audit_job *job, const char *gpu_type)
{
    int64_t most = 1;

    (void)gpu_type;
    for (int i = 0; i < job->rates->count; i++)
        if (job->rates->iters_per_s[i] > 0 && job->rates->gpus[i] > most)
            most = job->rates->gpus[i];
    return most;
}

static int64_t asked_gpus_max(const struct audit_job *job, const char *gpu_type)
{
    (void)gpu_type;
    return job->gpus;
}

/* What every policy keeps that is not one of the reference's: the default rules of a round. */
static const struct audit_policy any_policy = {.name = "any",
                                               .gpus_max = measured_gpus_max,
                                               .charges_overhead = true,
                                               .declines = DECLINES_ANYBODY};

/* Policies of our own that start a job at the size it asked for. */
#define PLAIN_POLICY(policy_name, who_waits)                                                       \
    {                                                                                              \
        .name = (policy_name), .gpus_max = asked_gpus_max, .fixed_size = true,                     \
        .charges_overhead = true, .pays_for_starts = true, .declines = DECLINES_TOO_LARGE,         \
        .declines_best_effort = true, .waits = (who_waits)                                         \
    }

static const struct audit_policy policies[] = {
    {.name = "ef-accessctrl",
     .gpus_max = ef_gpus_max,
     .plans_ahead = true,
     .plans_by_slot = true,
     .cuts_at_finish = true,
     .charges_overhead = true,
     .pays_always = true,
     .forgives_rest = true,
     .restarts_by_slot = true,
     .declines = DECLINES_ANYBODY,
     .late_by_finish = true},
    {.name = "ef",
     .gpus_max = ef_gpus_max,
     .plans_ahead = true,
     .plans_by_slot = true,
     .cuts_at_finish = true,
     .charges_overhead = true,
     .pays_always = true,
     .forgives_rest = true,
     .restarts_by_slot = true},
    {.name = "edf", .gpus_max = edf_gpus_max},
    {.name = "edf-accessctrl",
     .gpus_max = edf_gpus_max,
     .charges_overhead = true,
     .pays_always = true,
     .forgives_rest = true,
     .restarts_by_slot = true,
     .declines = DECLINES_ANYBODY,
     .declines_best_effort = true,
     .decides_one_by_one = true,
     .retires_idle = true},
    {.name = "gandiva",
     .gpus_max = asked_gpus_max,
     .fixed_size = true,
     .measure = BY_SECONDS,
     .rhythm = RHYTHM_ARRIVALS,
     .charges_overhead = true,
     .forgives_rest = true,
     .restarts_by_slot = true,
     .keeps_last_arrival = true,
     .takes_turns = true,
     .adjusts_first = true,
     .adjusts_literally = true,
     .turns_by_clock = true,
     .looks_at_arrivals = true},
    {.name = "dlas-gpu",
     .gpus_max = asked_gpus_max,
     .fixed_size = true,
     .measure = BY_SECONDS,
     .rhythm = RHYTHM_SPACED,
     .charges_overhead = true,
     .forgives_rest = true,
     .restarts_by_slot = true,
     .declines = DECLINES_TOO_LARGE,
     .waits = WAITS_WITHOUT_ROOM,
     .keeps_last_arrival = true,
     .queues = 3,
     .ignores_overhead = true,
     .holds_for_slot = true,
     .forgets_too_large = true,
     .keeps_stale_ends = true,
     .recorded_at_end = true},
    {.name = "themis", /* TH-Q4: no overheads */
     .gpus_max = asked_gpus_max,
     .fixed_size = true,
     .measure = BY_EITHER,
     .rhythm = RHYTHM_SLOTS,
     .waits = WAITS_WITHOUT_ROOM,
     .ends_with_slot = true,
     .recorded_at_end = true},
    {.name = "chronus",
     .gpus_max = asked_gpus_max,
     .fixed_size = true,
     .measure = BY_SECONDS,
     .rhythm = RHYTHM_CHECKS,
     .waits = WAITS_FOR_LEASES,
     .leases = true,
     .credits_waiting = true,
     .promises_rounded = true,
     .pays_restarts = true,
     .loses_best_effort = true,
     .promotes_overruns = true,
     .admits_to_last = true},
    PLAIN_POLICY("fifo", WAITS_IN_LINE),
    PLAIN_POLICY("fifo-first-fit", WAITS_WITHOUT_ROOM),
    PLAIN_POLICY("srtf", WAITS_WITHOUT_ROOM),
};

static struct audit_policy find_policy(const char *name)
{
    for (size_t i = 0; i < sizeof(policies) / sizeof(policies[0]); i++)
        if (!strcmp(policies[i].name, name))
            return policies[i];
    return any_policy;
}

static void clean_restart(struct audit_policy *policy)
{
    policy->restarts_by_slot = false;
}

static void clean_cap(struct audit_policy *policy)
{
    policy->gpus_max = fastest_gpus_max;
}

static void clean_credit(struct audit_policy *policy)
{
    policy->cuts_at_finish = false;
    policy->retires_done = true;
}

static void clean_charge(struct audit_policy *policy)
{
    policy->pays_always = false;
}

static void clean_slots(struct audit_policy *policy)
{
    policy->plans_by_slot = false;
}

static void clean_lateness(struct audit_policy *policy)
{
    policy->late_by_finish = false;
    policy->records_work_end = true;
}

/* EF-Q36 put right: best effort makes nobody late, and is itself never late. */
static void clean_proof(struct audit_policy *policy)
{
    policy->declines_best_effort = false;
}

static void clean_plan(struct audit_policy *policy)
{
    (void)policy; /* it shows only in what it no longer explains */
}

static void clean_last_arrival(struct audit_policy *policy)
{
    policy->keeps_last_arrival = false;
}

static void clean_sets(struct audit_policy *policy)
{
    policy->adjusts_literally = false;
}

static void clean_adjustment(struct audit_policy *policy)
{
    policy->adjusts_first = false;
}

static void clean_turns(struct audit_policy *policy)
{
    policy->turns_by_clock = false;
}

static void clean_looks(struct audit_policy *policy)
{
    policy->looks_at_arrivals = false;
}

static void clean_debts(struct audit_policy *policy)
{
    policy->charges_overhead = false;
}

static void clean_forecast(struct audit_policy *policy)
{
    policy->ignores_overhead = false;
}

static void clean_rest(struct audit_policy *policy)
{
    policy->forgives_rest = false;
}

static void clean_holding(struct audit_policy *policy)
{
    policy->holds_for_slot = false;
}

static void clean_too_large(struct audit_policy *policy)
{
    policy->forgets_too_large = false;
    policy->declines = DECLINES_TOO_LARGE;
    policy->declines_best_effort = true;
}

static void clean_stale_ends(struct audit_policy *policy)
{
    policy->keeps_stale_ends = false;
}

static void clean_slot_ends(struct audit_policy *policy)
{
    policy->ends_with_slot = false;
}

static void clean_waiting(struct audit_policy *policy)
{
    policy->credits_waiting = false;
}

static void clean_spare_gpus(struct audit_policy *policy)
{
    policy->spares_for_all = true;
}

static void clean_promise(struct audit_policy *policy)
{
    policy->promises_rounded = false;
}

static void clean_restarts(struct audit_policy *policy)
{
    policy->pays_restarts = false;
}

static void clean_best_effort(struct audit_policy *policy)
{
    policy->loses_best_effort = false;
}

static void clean_overrun(struct audit_policy *policy)
{
    policy->promotes_overruns = false;
}

static void clean_admission(struct audit_policy *policy)
{
    policy->admits_to_last = false;
}

/* The quirks that an audit can see, by the first letters of the policies that have them. */
static const struct {
    const char *tag;
    const char *policies;
    void (*clean)(struct audit_policy *policy);
    bool only_by_tag; /* not among those that "clean" puts right */
} quirks[] = {
    {"EF-Q3", "ef", clean_restart, false},
    {"EF-Q3", "edf-accessctrl", clean_restart, false},
    {"EF-Q10", "edf", clean_cap, false},
    {"EF-Q13", "ef", clean_plan, false},
    {"EF-Q14", "ef", clean_credit, false},
    {"EF-Q20", "ef", clean_charge, false},
    {"EF-Q20", "edf-accessctrl", clean_charge, false},
    {"EF-Q27", "ef", clean_slots, false},
    {"EF-Q33", "ef", clean_lateness, false},
    {"EF-Q36", "edf-accessctrl", clean_proof, false},
    {"EF-Q41", "ef", clean_plan, false},
    {"CO-Q1", "gandiva", clean_restart, false},
    {"CO-Q1", "dlas-gpu", clean_restart, false},
    {"CO-Q2", "gandiva", clean_last_arrival, true},
    {"CO-Q2", "dlas-gpu", clean_last_arrival, true},
    {"GA-Q4", "gandiva", clean_sets, false},
    {"GA-Q5", "gandiva", clean_sets, false},
    {"GA-Q7", "gandiva", clean_adjustment, false},
    {"GA-Q8", "gandiva", clean_turns, false},
    {"GA-Q9", "gandiva", clean_looks, true},
    {"GA-Q10", "gandiva", clean_debts, true},
    {"TI-Q1", "dlas-gpu", clean_forecast, false},
    {"TI-Q2", "dlas-gpu", clean_rest, false},
    {"TI-Q4", "dlas-gpu", clean_holding, false},
    {"TI-Q9", "gandiva", clean_too_large, false},
    {"TI-Q9", "dlas-gpu", clean_too_large, false},
    {"TI-Q9", "themis", clean_too_large, false},
    {"TI-Q11", "dlas-gpu", clean_stale_ends, false},
    {"TH-Q6", "themis", clean_slot_ends, true},
    {"CH-Q1", "chronus", clean_waiting, false},
    {"CH-Q6", "chronus", clean_spare_gpus, false},
    {"CH-Q7", "chronus", clean_promise, false},
    {"CH-Q8", "chronus", clean_restarts, false},
    {"CH-Q9", "chronus", clean_best_effort, false},
    {"CH-Q17", "chronus", clean_overrun, false},
    {"CH-Q18", "chronus", clean_admission, false},
};

/* The quirks whose absence changes nothing that an audit looks at. */
static const char *const unseen_tags[] = {
    "EF-Q12", "EF-Q28", "EF-Q29", "EF-Q35", "EF-Q37", "GA-Q1", "GA-Q2",  "GA-Q3",
    "GA-Q11", "TI-Q3",  "TH-Q1",  "TH-Q3",  "TH-Q5",  "CH-Q2", "CH-Q10",
};

#define QUIRK_COUNT (sizeof(quirks) / sizeof(quirks[0]))

_Static_assert(QUIRK_COUNT <= 64, "put_right has a bit for each row");

/* Whether `name` is `family` or "family-accessctrl". */
static bool is_of_family(const char *name, const char *family)
{
    const size_t length = strlen(family);

    return !strncmp(name, family, length) && (name[length] == '\0' || name[length] == '-');
}

static bool is_word(const char *word, size_t length, const char *text)
{
    return strlen(text) == length && !memcmp(word, text, length);
}

static bool lists(const char *rules, const char *tag)
{
    for (const char *at = rules; *at; at += strspn(at, ",")) {
        const size_t length = strcspn(at, ",");

        if (is_word(at, length, tag))
            return true;
        at += length;
    }
    return false;
}

static bool is_tag(const char *word, size_t length)
{
    for (size_t i = 0; i < QUIRK_COUNT; i++)
        if (is_word(word, length, quirks[i].tag))
            return true;
    for (size_t i = 0; i < sizeof(unseen_tags) / sizeof(unseen_tags[0]); i++)
        if (is_word(word, length, unseen_tags[i]))
            return true;
    return false;
}

int audit_rules_check(const char *rules, struct error *error)
{
    if (!strcmp(rules, "reference") || !strcmp(rules, "clean"))
        return 0;
    for (const char *at = rules;; at++) {
        const size_t length = strcspn(at, ",");

        if (!is_tag(at, length)) {
            char found[64] = "";

            (void)input_printable(found, sizeof(found), at, length);
            return error_set(
                error, "rules: expected reference, clean or tags of quirks, found \"%s\"", found);
        }
        at += length;
        if (!*at)
            return 0;
    }
}

struct audit_policy audit_policy_under(const char *name, const char *rules)
{
    struct audit_policy policy = find_policy(name);

    for (size_t i = 0; i < QUIRK_COUNT; i++)
        if (is_of_family(name, quirks[i].policies) &&
            (lists(rules, quirks[i].tag) || (!strcmp(rules, "clean") && !quirks[i].only_by_tag))) {
            quirks[i].clean(&policy);
            policy.put_right |= (uint64_t)1 << i;
        }
    return policy;
}

const char *audit_tag(const struct audit_policy *policy, const char *tag)
{
    for (size_t i = 0; i < QUIRK_COUNT; i++)
        if (policy->put_right & (uint64_t)1 << i && !strcmp(quirks[i].tag, tag))
            return NULL;
    return tag;
}

bool audit_is_too_large(const struct audit_policy *self, const struct audit_case *given,
                        const struct audit_job *job)
{
    return self->fixed_size && job->gpus > given->cluster.gpus;
}

bool audit_is_restart(const struct audit_policy *self, const struct audit_case *given, size_t round)
{
    const int64_t every =
        self->restarts_by_slot ? given->summary.slot_s : given->summary.restart_threshold;

    return round > 0 && every > 0 && (int64_t)round % every == 0;
}

int64_t audit_overhead_s(int64_t cluster_gpus, int64_t gpus, bool seen, bool restart)
{
    const bool large = cluster_gpus >= 256;
    int64_t overhead_s = large ? 7 : 2;

    if (seen) /* EF-Q19: also when everybody else restarts */
        return overhead_s;
    if (restart)
        overhead_s += large ? 47 : 27;
    for (; gpus > 0; gpus /= 2)
        overhead_s += 2;
    return overhead_s;
}

double audit_rate(const struct audit_rates *rates, int64_t gpus)
{
    for (int i = 0; rates && i < rates->count; i++)
        if (rates->gpus[i] == gpus)
            return rates->iters_per_s[i] > 0 ? rates->iters_per_s[i] : 0;
    return 0;
}

double audit_best_rate(const struct audit_rates *rates, int64_t gpus_max)
{
    double best = 0;

    for (int i = 0; rates && i < rates->count; i++)
        if (rates->gpus[i] <= gpus_max)
            best = fmax(best, rates->iters_per_s[i]); /* ignores a NaN */
    return best;
}

/* audit_leases_test.c - result folders made by hand of a policy that hands out leases: good ones, and
 * each broken in one way, which the auditor must name. */
#include "tests/audit/run_files.h"
#include "tests/support/test.h"

#include <string.h>

#define SIZES_HEADER                                                                               \
    "job_id,submit_time,iteration,model_name,ddl,batch_size,best_effort,num_gpu,duration\n"
#define LISTS_HEADER                                                                               \
    "job_id,num_gpu,batch_size,model_name,submit_time,iterations,duration,expect_time_list,"       \
    "expect_value_list,best_effort,job_type\n"
#define PROMISES_HEADER "job_id,class,estimated_s,promised,starts,leases,waited_s,missed\n"
#define LEASES_HEADER   "time,objective,method,answer,entries,columns,rows,granted_gpus\n"

#define WITH_LEASING(leasing)                                                                      \
    "\"leasing\": {" leasing "}, \"placement\": \"elastic\", \"nodes\": 2, \"gpus\": 8"

/* Leases of 60 s, checks every 20. `a` is promised 660. It gets a lease at 60 and is credited with the
 * 60 s before it (CH-Q1), but none at 120, because `b` was declined; those of 180 and 240 with another
 * 60 s. So 253 s are over at 253: 250 of its own and two starts of 1.5 s. `b` is hopeless when it comes;
 * it has spare GPUs from 120 to 180 and from 300 on, for four starts of 2 s: of two it pays for lease
 * rounds (CH-Q8). `c`, best effort, has what is left at 180. */
static const struct run_files leased_run = {
    .trace = SIZES_HEADER "a,0,9,vgg16,700,128,0,4,250\nb,10,9,vgg16,100,128,0,8,200\n"
                          "c,130,9,vgg16,0,128,1,4,50\n",
    .cluster = CLUSTER_OF_8,
    .rates = LINEAR_RATES,
    .jobs = JOBS_HEADER "240,c,4,130,180,231.5,9223372036854775807,1\n260,a,4,0,60,253,700,0\n"
                        "460,b,8,10,120,448,100,0\n",
    .work = WORK_HEADER "c,seconds,50,60,240\na,seconds,250,260,560\nb,seconds,200,220,1760\n",
    .rounds = "time,layout\n0,\n60,0@0x4\n120,1@0x8\n180,0@0x4 2@4x4\n240,0@0x4\n260,\n300,1@0x8\n"
              "460,\n",
    .promises = PROMISES_HEADER "c,best-effort,56,,1,0,0,0\na,accepted,281,660,2,3,120,0\n"
                                "b,lowest,227,100,4,0,0,1\n",
    .leases =
        LEASES_HEADER "60,maximize,closed-form,-,1,0,0,4\n120,minimize,closed-form,-,1,0,0,0\n"
                      "180,maximize,full,optimal,1,9,6,4\n240,maximize,closed-form,-,1,0,0,4\n",
    .summary = SUMMARY_ON(
        WITH_LEASING("\"lease_s\": 60, \"check_s\": 20, \"admission_s\": 60, "
                     "\"objective\": \"adaptive\", \"solver\": \"cbc\", \"admitted\": 1, "
                     "\"rounds\": 4, \"by_method\": {\"closed-form\": 3, \"full\": 1}, "
                     "\"by_answer\": {\"optimal\": 1}, \"columns_max\": 9, \"rows_max\": 6"),
        "chronus", "60", "3", "2", "1", "1", "3", "0.5", "264.16666666666669", "438", "460",
        "0.69565217391304346", "8"),
};

/* Without a solver, and checked every 6 s. `p` is soft: it is promised the lease boundary before its
 * second deadline. `o` is hopeless, runs for longer than its estimate of 5 s and is unaccepted then
 * (CH-Q17). */
static const struct run_files planned_run = {
    .trace = LISTS_HEADER "p,4,128,vgg16,0,9,100,180-250,10-5,0,soft\n"
                          "o,8,128,vgg16,0,9,5,3,10,0,strict\n",
    .cluster = CLUSTER_OF_8,
    .rates = LINEAR_RATES,
    .jobs = JOBS_HEADER "12,o,8,0,0,7,3,0\n102,p,4,0,60,101.5,180,0\n",
    .work = WORK_HEADER "o,seconds,5,12,96\np,seconds,100,102,168\n",
    .rounds = "time,layout\n0,1@0x8\n12,\n60,0@0x4\n102,\n",
    .promises = PROMISES_HEADER "o,unaccepted,5,3,1,0,0,1\np,accepted,112,240,1,1,60,0\n",
    .leases = LEASES_HEADER "60,minimize,plan,-,2,0,0,4\n",
    .summary = SUMMARY_ON(
        WITH_LEASING("\"lease_s\": 60, \"check_s\": 6, \"admission_s\": 60, "
                     "\"objective\": \"adaptive\", \"solver\": \"none\", \"admitted\": 1, "
                     "\"rounds\": 1, \"by_method\": {\"plan\": 1}, \"by_answer\": {\"-\": 1}, "
                     "\"columns_max\": 0, \"rows_max\": 0"),
        "chronus", "60", "2", "2", "1", "1", "2", "0.5", "54.25", "101.5", "102",
        "0.3235294117647059", "4"),
};

#define SAYS_RIGHT(tag)                                                                            \
    (struct edit)                                                                                  \
    {                                                                                              \
        SUMMARY, "\"leasing\"", "\"rules\": \"" tag "\", \"leasing\""                              \
    }

static void what_a_quirk_causes_is_named_by_its_tag(void **state)
{
    (void)state;
    expect_quirk(&leased_run, 2, "work-overcredited", "CH-Q1");
    expect_quirk(&leased_run, 2, "starts-mismatch", "CH-Q8");
    expect_quirk(&planned_run, 1, "work-overcredited", "CH-Q1");
}

static void a_quirk_that_was_put_right_explains_nothing(void **state)
{
    (void)state;
    expect(&leased_run, SAYS_RIGHT("CH-Q1"), "wait-mismatch", "a");
    expect(&leased_run, SAYS_RIGHT("CH-Q8"), "starts-mismatch", "b");
    expect(&planned_run, SAYS_RIGHT("clean"), "wait-mismatch", "p");
}

/* Audits `run` with one edit, which must leave it without a violation, and says how many effects of
 * `tag` there are. */
static size_t count_effects(const struct run_files *run, struct edit edit, const char *tag)
{
    struct findings findings;
    struct error error;
    size_t count = 0;

    if (audit_edited(run, &edit, &findings, &error) < 0)
        fail_msg("%s", error.text);
    if (findings.violations > 0)
        fail_msg("%s: %s", findings.items[0].check, findings.items[0].text);
    for (size_t i = 0; i < findings.count; i++)
        count += !strcmp(findings.items[i].tag, tag);
    findings_clear(&findings);
    return count;
}

static void another_quirk_that_was_put_right_changes_nothing(void **state)
{
    (void)state;
    assert_int_equal(count_effects(&leased_run, SAYS_RIGHT("CH-Q2,CH-Q10"), "CH-Q1"), 1);
    assert_int_equal(count_effects(&leased_run, SAYS_RIGHT("CH-Q7,CH-Q9"), "CH-Q8"), 1);
    assert_int_equal(count_effects(&planned_run, SAYS_RIGHT("CH-Q17,CH-Q18"), "CH-Q1"), 1);
}

static void a_broken_promise_is_found(void **state)
{
    (void)state;
    expect(&leased_run, (struct edit){PROMISES, "281,660", "281,240"}, "promise-broken", "a");
    expect(&leased_run, (struct edit){PROMISES, "b,lowest", "b,accepted"}, "promise-broken", "b");
}

static void a_promise_that_was_withdrawn_is_found(void **state)
{
    (void)state;
    expect(&leased_run, (struct edit){PROMISES, "a,accepted", "a,unaccepted"}, "promise-withdrawn",
           "a");
    expect(&planned_run, (struct edit){PROMISES, "p,accepted", "p,lowest"}, "promise-withdrawn",
           "p");
}

static void another_promise_than_the_rules_allow_is_found(void **state)
{
    (void)state;
    expect(&leased_run, (struct edit){PROMISES, "281,660", "281,700"}, "promise-mismatch", "a");
    expect(&leased_run, (struct edit){PROMISES, "281,660", "281,"}, "promise-mismatch", "a");
    expect(&leased_run, (struct edit){PROMISES, "227,100", "227,120"}, "promise-mismatch", "b");
    expect(&leased_run, (struct edit){PROMISES, "effort,56,,", "effort,56,300,"},
           "promise-mismatch", "c");
    /* Of a soft job it is the last deadline that is rounded, and the first that counts else. */
    expect(&planned_run, (struct edit){PROMISES, "112,240", "112,180"}, "promise-mismatch", "p");
    expect(&planned_run, (struct edit){PROMISES, "p,accepted,112,240", "p,unaccepted,112,250"},
           "promise-mismatch", "p");
    expect(&planned_run, (struct edit){PROMISES, "p,accepted,112,240,1,1", "p,lowest,112,180,1,1"},
           "promise-mismatch", "p");
}

static void a_wrong_estimate_is_found(void **state)
{
    (void)state;
    expect(&leased_run, (struct edit){PROMISES, "281,660", "282,660"}, "promise-mismatch", "a");
    expect(&planned_run, (struct edit){TRACE, "0,9,5,3,", "0,9,6,3,"}, "promise-mismatch", "o");
}

static void a_wrong_verdict_is_found(void **state)
{
    (void)state;
    expect(&leased_run, (struct edit){PROMISES, "3,120,0", "3,120,1"}, "promise-mismatch", "a");
    expect(&leased_run, (struct edit){PROMISES, "4,0,0,1", "4,0,0,0"}, "promise-mismatch", "b");
    expect(&leased_run, (struct edit){SUMMARY, "\"accepted\": 1", "\"accepted\": 2"},
           "count-mismatch", NULL);
    expect(&leased_run, (struct edit){SUMMARY, "\"declined\": 1", "\"declined\": 2"},
           "count-mismatch", NULL);
}

/* CH-Q7: `a` would have met its deadline, but not the lease boundary before it. */
static void a_deadline_that_only_rounding_misses_is_named(void **state)
{
    const struct run_files late = {
        .trace = SIZES_HEADER "a,0,9,vgg16,255,128,0,4,250\n",
        .cluster = CLUSTER_OF_8,
        .rates = LINEAR_RATES,
        .jobs = JOBS_HEADER "260,a,4,0,0,255,255,0\n",
        .work = WORK_HEADER "a,seconds,250,250,1040\n",
        .rounds = "time,layout\n0,0@0x4\n260,\n",
        .promises = PROMISES_HEADER "a,lowest,281,240,5,0,0,1\n",
        .leases = LEASES_HEADER,
        .summary = leased_run.summary,
    };
    struct findings findings;
    struct error error;

    (void)state;
    if (audit_edited(&late, NULL, &findings, &error) < 0)
        fail_msg("%s", error.text);
    assert_non_null(find_finding(&findings, "deadline-rounded", "CH-Q7"));
    findings_clear(&findings);
    expect(&late, SAYS_RIGHT("CH-Q7"), "promise-mismatch", "a");
}

static void a_class_that_the_layouts_do_not_lead_to_is_found(void **state)
{
    (void)state;
    expect(&leased_run, (struct edit){PROMISES, "b,lowest", "b,unaccepted"}, "class-mismatch", "b");
    expect(&leased_run, (struct edit){PROMISES, "a,accepted", "a,lowest"}, "class-mismatch", "a");
    expect(&leased_run, (struct edit){PROMISES, "a,accepted", "a,best-effort"}, "class-mismatch",
           "a");
    expect(&leased_run, (struct edit){PROMISES, "c,best-effort", "c,unaccepted"}, "class-mismatch",
           "c");
    expect(&planned_run, (struct edit){PROMISES, "o,unaccepted", "o,lowest"}, "class-mismatch",
           "o");
}

static void rows_that_are_not_those_of_the_records_are_found(void **state)
{
    (void)state;
    expect(&leased_run, (struct edit){PROMISES, "b,lowest,227,100,4,0,0,1\n", ""},
           "promise-mismatch", "b");
    expect(&leased_run, (struct edit){PROMISES, "b,lowest", "a,lowest"}, "retired-twice", "a");
    expect(&leased_run, (struct edit){PROMISES, "b,lowest", "x,lowest"}, "unknown-job", "x");
    expect(&leased_run, (struct edit){JOBS, "460,b,8,10,120,448,100,0\n", ""}, "promise-mismatch",
           "b");
    expect(&leased_run, (struct edit){PROMISES, "c,best", "d,best"}, "promise-mismatch", "c");
}

static void an_account_that_does_not_balance_is_found(void **state)
{
    (void)state;
    expect(&leased_run, (struct edit){JOBS, "180,231.5", "180,232"}, "end-mismatch", "c");
    expect(&leased_run, (struct edit){JOBS, "60,253", "60,254"}, "end-mismatch", "a");
    expect(&leased_run, (struct edit){TRACE, "0,8,200", "0,8,201"}, "end-mismatch", "b");
    expect(&leased_run, (struct edit){WORK, "200,220,1760", "200,220,1768"}, "gpu-seconds-mismatch",
           "b");
    expect(&leased_run, (struct edit){WORK, "seconds,200", "iterations,9"}, "record-mismatch", "b");
    expect(&leased_run, (struct edit){WORK, "250,260", "250,261"}, "work-overcredited", "a");
    expect(&leased_run, (struct edit){WORK, "250,260", "250,200"}, "work-uncredited", "a");
}

static void an_end_that_is_seen_at_another_check_is_found(void **state)
{
    (void)state;
    expect(&leased_run, (struct edit){JOBS, "240,c", "260,c"}, "end-mismatch", "c");
    expect(&leased_run, (struct edit){JOBS, "120,448", "120,440"}, "end-mismatch", "b");
    expect(&leased_run, (struct edit){JOBS, "60,253", "60,261"}, "end-mismatch", "a");
    expect(&leased_run, (struct edit){ROUNDS, "300,1@0x8\n", "300,1@0x8\n420,\n"}, "end-mismatch",
           "b");
}

static void starts_that_nobody_saw_are_found(void **state)
{
    (void)state;
    expect(&leased_run, (struct edit){PROMISES, "100,4,", "100,5,"}, "starts-mismatch", "b");
    expect(&leased_run, (struct edit){PROMISES, "100,4,", "100,2,"}, "starts-mismatch", "b");
    expect(&leased_run, (struct edit){PROMISES, "660,2,", "660,3,"}, "starts-mismatch", "a");
    expect(&planned_run, (struct edit){PROMISES, "5,3,1,", "5,3,0,"}, "starts-mismatch", "o");
}

static void waiting_that_was_not_is_found(void **state)
{
    (void)state;
    expect(&leased_run, (struct edit){PROMISES, "3,120,0", "3,180,0"}, "wait-mismatch", "a");
    expect(&leased_run, (struct edit){PROMISES, "4,0,0,1", "4,0,60,1"}, "wait-mismatch", "b");
    expect(&planned_run, (struct edit){PROMISES, "1,1,60,0", "1,1,0,0"}, "wait-mismatch", "p");
}

static void leases_that_were_not_held_are_found(void **state)
{
    (void)state;
    expect(&leased_run, (struct edit){PROMISES, "660,2,3,", "660,2,4,"}, "leases-mismatch", "a");
    expect(&leased_run, (struct edit){PROMISES, "660,2,3,", "660,2,2,"}, "leases-mismatch", "a");
    expect(&leased_run, (struct edit){PROMISES, "281,660", "119,660"}, "leases-mismatch", "a");
    expect(&leased_run, (struct edit){PROMISES, "56,,1,0", "56,,1,1"}, "promise-mismatch", "c");
}

static void gpus_that_change_hands_at_a_wrong_time_are_found(void **state)
{
    (void)state;
    expect(&leased_run, (struct edit){ROUNDS, "\n60,0@0x4", "\n60,\n80,0@0x4"}, "out-of-slot", "a");
    expect(&leased_run, (struct edit){ROUNDS, "260,\n300,1@0x8", "260,1@0x8"}, "out-of-slot", "b");
    expect(&leased_run, (struct edit){ROUNDS, "120,1@0x8", "100,\n120,1@0x8"}, "out-of-slot", "a");
    expect(&leased_run, (struct edit){ROUNDS, "180,0@0x4", "160,\n180,0@0x4"}, "out-of-slot", "b");
}

/* With admission rounds every 120 s, `b` has to stand still from 60 to 120: it pays for two starts. */
static void spare_gpus_that_a_lease_round_took_are_found(void **state)
{
    const struct run_files sparse_run = {
        .trace = SIZES_HEADER "b,0,9,vgg16,3,128,0,8,70\n",
        .cluster = CLUSTER_OF_8,
        .rates = LINEAR_RATES,
        .jobs = JOBS_HEADER "140,b,8,0,0,134,3,0\n",
        .work = WORK_HEADER "b,seconds,70,80,640\n",
        .rounds = "time,layout\n0,0@0x8\n60,\n120,0@0x8\n140,\n",
        .promises = PROMISES_HEADER "b,lowest,79,3,2,0,0,1\n",
        .leases = LEASES_HEADER,
        .summary = SUMMARY_ON(
            WITH_LEASING("\"lease_s\": 60, \"check_s\": 20, \"admission_s\": 120, "
                         "\"objective\": \"random\", \"solver\": \"cbc\", \"admitted\": 0, "
                         "\"rounds\": 0, \"by_method\": {}, \"by_answer\": {\"-\": 0}, "
                         "\"columns_max\": 0, \"rows_max\": 0"),
            "chronus", "60", "1", "1", "0", "1", "1", "0", "134", "134", "140",
            "0.5714285714285714", "4"),
    };

    (void)state;
    expect_quirk(&sparse_run, 0, NULL, NULL);
    expect(&sparse_run, (struct edit){ROUNDS, "60,\n", ""}, "out-of-slot", "b");
    expect(&sparse_run, (struct edit){ROUNDS, "60,\n120,", "40,\n80,"}, "out-of-slot", "b");
    expect(&leased_run, (struct edit){SUMMARY, "\"admission_s\": 60", "\"admission_s\": 40"},
           "out-of-slot", "c");
}

static void spare_gpus_that_nobody_has_are_found(void **state)
{
    (void)state;
    expect(&leased_run, (struct edit){ROUNDS, "180,0@0x4 2@4x4", "180,0@0x4"}, "idle-gpus", "c");
    expect(&leased_run, (struct edit){ROUNDS, "260,\n300,1@0x8", "260,\n300,\n360,1@0x8"},
           "idle-gpus", "b");
}

/* CH-Q6 put right: `a` is promised 180 and has spare GPUs at once, at no cost. */
static void spare_gpus_are_for_all_where_that_is_put_right(void **state)
{
    const struct run_files filled_run = {
        .trace = SIZES_HEADER "a,0,9,vgg16,200,128,0,4,50\n",
        .cluster = CLUSTER_OF_8,
        .rates = LINEAR_RATES,
        .jobs = JOBS_HEADER "60,a,4,0,0,50,200,0\n",
        .work = WORK_HEADER "a,seconds,50,60,240\n",
        .rounds = "time,layout\n0,0@0x4\n60,\n",
        .promises = PROMISES_HEADER "a,accepted,56,180,0,0,0,0\n",
        .leases = LEASES_HEADER,
        .summary =
            SUMMARY_ON("\"rules\": \"CH-Q6,CH-Q9\", " WITH_LEASING(
                           "\"lease_s\": 60, \"check_s\": 20, \"admission_s\": 60, "
                           "\"objective\": \"maximize\", \"solver\": \"none\", \"admitted\": 1, "
                           "\"rounds\": 0, \"by_method\": {}, \"by_answer\": {}, "
                           "\"columns_max\": 0, \"rows_max\": 0"),
                       "chronus", "60", "1", "1", "1", "0", "1", "1", "50", "50", "60", "0.5", "2"),
    };

    (void)state;
    expect_quirk(&filled_run, 0, NULL, NULL);
    expect(&filled_run, (struct edit){SUMMARY, "CH-Q6,", ""}, "leases-mismatch", "a");
    expect(&filled_run, (struct edit){SUMMARY, "CH-Q6,", ""}, "starts-mismatch", "a");
    expect(&filled_run, (struct edit){PROMISES, "180,0,", "180,2,"}, "starts-mismatch", "a");
    expect(&filled_run, (struct edit){PROMISES, "180,0,0,0", "180,0,0,61"}, "wait-mismatch", "a");
    expect(&filled_run, (struct edit){ROUNDS, "0,0@0x4\n", "0,\n20,0@0x4\n"}, "idle-gpus", "a");
}

static void rounds_at_wrong_times_are_found(void **state)
{
    (void)state;
    expect(&leased_run, (struct edit){ROUNDS, "\n260,", "\n250,0@0x4\n260,"}, "off-check", NULL);
    expect(&leased_run, (struct edit){ROUNDS, "\n460,", "\n280,"}, "not-in-time-order", NULL);
    expect(&leased_run, (struct edit){ROUNDS, "\n0,\n", "\n"}, "arrival-missed", "a");
    expect(&leased_run, (struct edit){ROUNDS, "180,0@0x4 2@4x4", "200,0@0x4 2@4x4"},
           "arrival-missed", "c");
}

static void lease_rounds_that_cannot_be_are_found(void **state)
{
    static const struct edit edits[] = {
        {LEASES, "120,minimize", "130,minimize"},
        {LEASES, "maximize,closed-form,-,1,0,0,4\n120", "random,closed-form,-,1,0,0,4\n120"},
        {LEASES, "closed-form,-", "closed-form,infeasible"},
        {LEASES, "full,optimal", "full,-"},
        {LEASES, "full,optimal", "full,failed"},
        {LEASES, "full,optimal", "plan,feasible"},
        {LEASES, "9,6,4", "9,6,8"},
        {LEASES, "-,1,0,0,0", "-,1,0,0,4"},
        {LEASES, "9,6,4", "9,6,3"},
        {LEASES, "optimal,1", "optimal,0"},
        {LEASES, "optimal,1", "optimal,3"},
        {SUMMARY, "\"objective\": \"adaptive\"", "\"objective\": \"minimize\""},
        {SUMMARY, "\"solver\": \"cbc\"", "\"solver\": \"none\""},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(edits); i++)
        expect(&leased_run, edits[i], "lease-mismatch", NULL);
    expect(&leased_run, (struct edit){LEASES, "180,maximize,full,optimal,1,9,6,4\n", ""},
           "lease-mismatch", "a");
    expect(&leased_run, (struct edit){LEASES, "240,max", "120,max"}, "not-in-time-order", NULL);
    expect(&leased_run, (struct edit){PROMISES, "c,best-effort,56,,1,0", "c,best-effort,56,,1,1"},
           "lease-mismatch", NULL);
    expect(&planned_run, (struct edit){LEASES, "plan", "closed-form"}, "lease-mismatch", NULL);
}

static void a_round_in_which_a_solver_failed_is_one_of_the_plan(void **state)
{
    const struct run_files failed = {
        .trace = planned_run.trace,
        .cluster = planned_run.cluster,
        .rates = planned_run.rates,
        .jobs = planned_run.jobs,
        .work = planned_run.work,
        .rounds = planned_run.rounds,
        .promises = planned_run.promises,
        .leases = LEASES_HEADER "60,minimize,plan,no-solution,2,7,5,4\n",
        .summary = SUMMARY_ON(
            WITH_LEASING(
                "\"lease_s\": 60, \"check_s\": 6, \"admission_s\": 60, "
                "\"objective\": \"adaptive\", \"solver\": \"cbc\", \"admitted\": 1, "
                "\"rounds\": 1, \"by_method\": {\"plan\": 1, \"full\": 0}, "
                "\"by_answer\": {\"no-solution\": 1}, \"columns_max\": 7, \"rows_max\": 5"),
            "chronus", "60", "2", "2", "1", "1", "2", "0.5", "54.25", "101.5", "102",
            "0.3235294117647059", "4"),
    };

    (void)state;
    expect_quirk(&failed, 1, "work-overcredited", "CH-Q1");
    expect(&failed, (struct edit){LEASES, "plan", "full"}, "lease-mismatch", NULL);
}

static void sums_of_lease_rounds_that_are_wrong_are_found(void **state)
{
    static const struct edit edits[] = {
        {SUMMARY, "\"admitted\": 1", "\"admitted\": 2"},
        {SUMMARY, "\"rounds\": 4", "\"rounds\": 5"},
        {SUMMARY, "\"closed-form\": 3", "\"closed-form\": 2"},
        {SUMMARY, "\"full\": 1", "\"plan\": 1"},
        {SUMMARY, "\"optimal\": 1", "\"optimal\": 1, \"-\": 2"},
        {SUMMARY, "\"optimal\": 1", "\"failed\": 1"},
        {SUMMARY, "\"columns_max\": 9", "\"columns_max\": 10"},
        {SUMMARY, "\"rows_max\": 6", "\"rows_max\": 0"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(edits); i++)
        expect(&leased_run, edits[i], "count-mismatch", NULL);
}

static void expect_error(const struct run_files *run, struct edit edit, const char *part)
{
    struct findings findings;
    struct error error;

    assert_int_equal(audit_edited(run, &edit, &findings, &error), -1);
    if (!strstr(error.text, part))
        fail_msg("\"%s\" does not say \"%s\"", error.text, part);
    findings_clear(&findings);
}

static void what_cannot_be_read_is_an_error(void **state)
{
    (void)state;
    expect_error(&leased_run, (struct edit){PROMISES, "lowest", "highest"},
                 "promises.csv:4: column 2 (class): expected accepted, unaccepted, lowest or "
                 "best-effort");
    expect_error(&leased_run, (struct edit){PROMISES, "660", "soon"}, "promises.csv:3: column 4");
    expect_error(&leased_run, (struct edit){PROMISES, ",missed", ",late"}, "missed");
    expect_error(&leased_run, (struct edit){LEASES, "minimize", "less"}, "leases.csv:3: column 2");
    expect_error(&leased_run, (struct edit){LEASES, "full", "half"}, "leases.csv:4: column 3");
    expect_error(&leased_run, (struct edit){LEASES, "optimal", "good"}, "leases.csv:4: column 4");
    expect_error(&leased_run, (struct edit){JOBS, "231.5", "-1"}, "jobs.csv:2: column 6");
    expect_error(&leased_run, (struct edit){SUMMARY, "\"leasing\"", "\"hiring\""}, "leasing");
    expect_error(&leased_run, (struct edit){SUMMARY, "\"lease_s\": 60", "\"lease_s\": \"x\""},
                 "leasing");
    expect_error(&leased_run, (struct edit){SUMMARY, "\"check_s\": 20", "\"check_s\": 0"},
                 "1 to 2147483647 s");
    expect_error(&leased_run, (struct edit){SUMMARY, "\"check_s\": 20", "\"check_s\": 25"},
                 "check_s");
    expect_error(&leased_run, (struct edit){SUMMARY, "adaptive", "adapted"}, "adapted");
    expect_error(&leased_run, (struct edit){SUMMARY, "\"full\": 1", "\"half\": 1"}, "half");
    expect_error(&leased_run, (struct edit){SUMMARY, "{\"optimal\": 1}", "1"}, "by_answer");
    expect_error(&planned_run, (struct edit){TRACE, "180-250", "180--250"},
                 "trace.csv:2: column 8 (expect_time_list)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_quirk_causes_is_named_by_its_tag),
        cmocka_unit_test(a_quirk_that_was_put_right_explains_nothing),
        cmocka_unit_test(another_quirk_that_was_put_right_changes_nothing),
        cmocka_unit_test(a_broken_promise_is_found),
        cmocka_unit_test(a_promise_that_was_withdrawn_is_found),
        cmocka_unit_test(another_promise_than_the_rules_allow_is_found),
        cmocka_unit_test(a_wrong_estimate_is_found),
        cmocka_unit_test(a_wrong_verdict_is_found),
        cmocka_unit_test(a_deadline_that_only_rounding_misses_is_named),
        cmocka_unit_test(a_class_that_the_layouts_do_not_lead_to_is_found),
        cmocka_unit_test(rows_that_are_not_those_of_the_records_are_found),
        cmocka_unit_test(an_account_that_does_not_balance_is_found),
        cmocka_unit_test(an_end_that_is_seen_at_another_check_is_found),
        cmocka_unit_test(starts_that_nobody_saw_are_found),
        cmocka_unit_test(waiting_that_was_not_is_found),
        cmocka_unit_test(leases_that_were_not_held_are_found),
        cmocka_unit_test(gpus_that_change_hands_at_a_wrong_time_are_found),
        cmocka_unit_test(spare_gpus_that_a_lease_round_took_are_found),
        cmocka_unit_test(spare_gpus_that_nobody_has_are_found),
        cmocka_unit_test(spare_gpus_are_for_all_where_that_is_put_right),
        cmocka_unit_test(rounds_at_wrong_times_are_found),
        cmocka_unit_test(lease_rounds_that_cannot_be_are_found),
        cmocka_unit_test(a_round_in_which_a_solver_failed_is_one_of_the_plan),
        cmocka_unit_test(sums_of_lease_rounds_that_are_wrong_are_found),
        cmocka_unit_test(what_cannot_be_read_is_an_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

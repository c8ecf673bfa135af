/* audit_fixed_test.c - result folders made by hand of policies that give a job the GPUs it asked for:
 * good ones, and each broken in one way, which the auditor must name. */
#include "tests/audit/run_files.h"
#include "tests/support/test.h"

#define SIZES_HEADER                                                                               \
    "job_id,submit_time,iteration,model_name,ddl,batch_size,best_effort,num_gpu,duration\n"

/* Tiresias, slots of 60 s, overheads of 10 s on 8 GPUs and of 8 s on 4. `a` is done at 110 and keeps
 * its GPUs up to 120 (TI-Q4), `b` at 150 and up to 180. `c` and `d` are left alone, so that nobody
 * charges them (TI-Q2); `d` comes last and is seen at once (CO-Q2). `c` is late. */
static const struct run_files tiresias_run = {
    .trace = SIZES_HEADER "a,0,9,vgg16,130,128,0,8,100\nb,20,9,vgg16,500,128,0,4,30\n"
                          "c,130,9,vgg16,350,128,0,4,200\nd,400,9,vgg16,500,128,0,4,80\n",
    .cluster = CLUSTER_OF_8,
    .rates = LINEAR_RATES,
    .jobs = JOBS_HEADER "110,a,8,0,0,110,130,0\n150,b,4,20,120,150,500,0\n"
                        "380,c,4,130,180,380,350,0\n480,d,4,400,400,480,500,0\n",
    .work = WORK_HEADER "a,seconds,100,110,960\nb,seconds,30,52,240\n"
                        "c,seconds,200,192,800\nd,seconds,80,72,320\n",
    .rounds = "time,layout\n0,0@0x8\n60,0@0x8\n120,1@0x4\n180,2@0x4\n380,\n400,3@0x4\n480,\n",
    .summary = SUMMARY_OF("dlas-gpu", "60", "4", "4", "3", "1", "4", "0.75", "142.5", "250", "480",
                          "0.60416666666666663", "7"),
};

/* Themis, slots of 60 s and no overheads. The iterations of `a` are done at 100, it ends with the slot
 * (TH-Q6); the seconds of `b` run out at 190; the iterations of `c`, best effort, just at 300. */
static const struct run_files themis_run = {
    .trace = SIZES_HEADER "a,0,800,vgg16,110,128,0,8,110\nb,20,1000,vgg16,200,128,0,4,70\n"
                          "c,130,240,bert,0,64,1,2,500\n",
    .cluster = CLUSTER_OF_8,
    .rates = LINEAR_RATES,
    .jobs = JOBS_HEADER "120,a,8,0,0,120,110,0\n190,b,4,20,120,190,200,0\n"
                        "300,c,2,130,180,300,9223372036854775807,1\n",
    .work =
        WORK_HEADER "a,iterations,800,960,960\nb,seconds,70,120,480\nc,iterations,240,240,240\n",
    .rounds = "time,layout\n0,0@0x8\n60,0@0x8\n120,1@0x4\n180,1@0x4 2@4x2\n240,2@4x2\n300,\n",
    .summary = SUMMARY_OF("themis", "60", "3", "2", "1", "1", "3", "0.5", "153.33333333333334",
                          "170", "300", "0.7", "6"),
};

/* Gandiva, slots of 60 s, an overhead of 8 s on 4 GPUs. `a` and `b` have a node each, `c` waits for its
 * turn behind `b`. Nobody looks before `d` comes at 300 (GA-Q9); then `c` is next, which still owes
 * its overhead. `d` waits for both nodes and owes nothing. */
static const struct run_files gandiva_run = {
    .trace = SIZES_HEADER "a,0,9,vgg16,200,128,0,4,100\nb,0,9,vgg16,100,128,0,4,150\n"
                          "c,0,9,vgg16,400,128,0,4,100\nd,300,9,vgg16,500,128,0,8,50\n",
    .cluster = CLUSTER_OF_8,
    .rates = LINEAR_RATES,
    .jobs = JOBS_HEADER "300,a,4,0,0,108,200,0\n300,b,4,0,0,158,100,0\n420,c,4,0,0,408,400,0\n"
                        "480,d,8,300,420,470,500,0\n",
    .work = WORK_HEADER "a,seconds,100,292,1200\nb,seconds,150,292,1200\nc,seconds,100,112,480\n"
                        "d,seconds,50,60,480\n",
    .rounds = "time,layout\n0,0@0x4 1@4x4\n300,2@4x4\n360,2@4x4\n420,3@0x8\n480,\n",
    .summary = SUMMARY_OF("gandiva", "60", "4", "4", "2", "2", "4", "0.5", "211", "408", "480",
                          "0.875", "5"),
};

/* Gandiva again, with 6 s on 2 GPUs. At 60 `b` and `a` are put on one node and `c` gets the other; at
 * 300 its set is given up, before the time since 60 is credited, so that `c` waits behind them and gets
 * nothing for it (GA-Q7). */
static const struct run_files moved_run = {
    .trace = SIZES_HEADER "a,0,9,vgg16,400,128,0,2,200\nb,0,9,vgg16,400,128,0,2,200\n"
                          "c,10,9,vgg16,400,128,0,2,200\nd,300,9,vgg16,900,128,0,4,100\n",
    .cluster = CLUSTER_OF_8,
    .rates = LINEAR_RATES,
    .jobs = JOBS_HEADER "300,b,2,0,0,212,400,0\n300,a,2,0,0,212,400,0\n420,d,4,300,300,400,900,0\n"
                        "540,c,2,10,60,506,400,0\n",
    .work = WORK_HEADER "b,seconds,200,288,600\na,seconds,200,288,600\nd,seconds,100,120,480\n"
                        "c,seconds,200,234,480\n",
    .rounds = "time,layout\n0,0@0x2 1@4x2\n60,2@0x2 1@4x2 0@6x2\n300,3@0x4 2@4x2\n"
              "360,3@0x4 2@4x2\n420,2@4x2\n480,2@4x2\n540,\n",
    .summary = SUMMARY_OF("gandiva", "60", "4", "4", "3", "1", "4", "0.75", "255", "496", "540",
                          "0.5", "7"),
};

/* Gandiva: `a` has nothing to do and is done when somebody looks, long before its overhead is over. */
static const struct run_files nothing_run = {
    .trace = SIZES_HEADER "a,0,9,vgg16,200,128,0,4,0\nb,2,9,vgg16,500,128,0,4,30\n",
    .cluster = CLUSTER_OF_8,
    .rates = LINEAR_RATES,
    .jobs = JOBS_HEADER "2,a,4,0,0,2,200,0\n62,b,4,2,2,32,500,0\n",
    .work = WORK_HEADER "a,seconds,0,0,8\nb,seconds,30,60,240\n",
    .rounds = "time,layout\n0,0@0x4\n2,1@4x4\n62,\n",
    .summary =
        SUMMARY_OF("gandiva", "60", "2", "2", "2", "0", "2", "1", "16", "30", "62", "0.5", "3"),
};

/* Gandiva, four nodes of 3 GPUs: `a` has two of them and two GPUs of another. */
static const struct run_files odd_run = {
    .trace = SIZES_HEADER "a,0,9,vgg16,200,128,0,8,100\nb,0,9,vgg16,500,128,0,2,80\n",
    .cluster = CLUSTER_HEADER "1,4,3,64,256\n",
    .rates = LINEAR_RATES,
    .jobs = JOBS_HEADER "120,b,2,0,0,80,500,0\n120,a,8,0,0,100,200,0\n",
    .work = WORK_HEADER "b,seconds,80,120,240\na,seconds,100,120,960\n",
    .rounds = "time,layout\n0,0@0x5 0@6x3 1@9x2\n60,0@0x5 0@6x3 1@9x2\n120,\n",
    .summary =
        SUMMARY_ON("\"placement\": \"gandiva\", \"nodes\": 4, \"gpus\": 12", "gandiva", "60", "2",
                   "2", "2", "0", "2", "1", "90", "100", "120", "0.83333333333333337", "3"),
};

/* A run with more in its summary. */
static struct edit summary_with(const char *more)
{
    return (struct edit){SUMMARY, "\"placement\"", more};
}

#define SAYS_RIGHT(tag) summary_with("\"rules\": \"" tag "\", \"placement\"")

static void what_a_quirk_causes_is_named_by_its_tag(void **state)
{
    (void)state;
    expect_quirk(&tiresias_run, 5, "work-overcredited", "TI-Q4");
    expect_quirk(&tiresias_run, 5, "work-not-done", "TI-Q2");
    expect_quirk(&tiresias_run, 5, "slot-cut-short", "CO-Q2");
    expect_quirk(&themis_run, 1, "end-mismatch", "TH-Q6");
    expect_quirk(&gandiva_run, 2, "work-overcredited", "GA-Q9");
    expect_quirk(&moved_run, 3, "gpu-seconds-mismatch", "GA-Q7");
    expect_quirk(&nothing_run, 1, "slot-cut-short", "CO-Q2");
}

static void a_quirk_that_was_put_right_explains_nothing(void **state)
{
    (void)state;
    expect(&tiresias_run, SAYS_RIGHT("TI-Q4"), "work-overcredited", "a");
    expect(&tiresias_run, SAYS_RIGHT("TI-Q4"), "end-mismatch", "a");
    expect(&tiresias_run, SAYS_RIGHT("TI-Q1"), "work-not-done", "c");
    expect(&tiresias_run, SAYS_RIGHT("clean"), "work-not-done", "c");
    expect(&tiresias_run, SAYS_RIGHT("CO-Q2"), "slot-cut-short", NULL);
    expect(&themis_run, SAYS_RIGHT("TH-Q6"), "end-mismatch", "a");
    expect(&gandiva_run, SAYS_RIGHT("GA-Q9"), "slot-skipped", NULL);
    expect(&gandiva_run, SAYS_RIGHT("GA-Q10"), "work-uncredited", "a");
    expect(&moved_run, SAYS_RIGHT("GA-Q7"), "gpu-seconds-mismatch", "c");
    expect(&moved_run, SAYS_RIGHT("clean"), "end-mismatch", "c");
}

static void another_size_than_asked_for_is_found(void **state)
{
    (void)state;
    expect(&tiresias_run, (struct edit){ROUNDS, "120,1@0x4", "120,1@0x2"}, "not-as-asked", "b");
    expect(&tiresias_run, (struct edit){ROUNDS, "400,3@0x4", "400,3@0x8"}, "over-cap", "d");
    expect(&themis_run, (struct edit){ROUNDS, "240,2@4x2", "240,2@4x1"}, "not-as-asked", "c");
}

static void sizes_that_share_a_node_are_found(void **state)
{
    (void)state;
    expect(&moved_run, (struct edit){TRACE, "400,128,0,2,200\nb", "400,128,0,1,200\nb"},
           "sizes-mixed", "a");
    expect(&odd_run, (struct edit){ROUNDS, "120,", "120,0@0x8 1@8x1"}, "sizes-mixed", "b");
}

static void a_job_on_parts_of_nodes_is_found(void **state)
{
    (void)state;
    expect_quirk(&odd_run, 0, NULL, NULL);
    expect(&odd_run, (struct edit){ROUNDS, "0,0@0x5 0@6x3", "0,0@0x3 0@4x5"}, "scattered", "a");
    expect(&odd_run, (struct edit){ROUNDS, "0,0@0x5 0@6x3", "0,0@0x3 0@3x1 0@6x4"}, "scattered",
           "a");
    expect(&odd_run, (struct edit){ROUNDS, "\n0,0@0x5 0@6x3 1@9x2", "\n0,0@0x2 0@3x2 0@6x2 0@9x2"},
           "scattered", "a");
    expect(&odd_run, (struct edit){ROUNDS, "1@9x2\n120", "1@8x2\n120"}, "scattered", "b");
}

#define WITH_SERVICE(service)                                                                      \
    summary_with("\"preemptions\": 0, \"migrations\": 0, \"resizes\": 0, "                         \
                 "\"queueing_delay_mean_s\": 37.5, \"queueing_delay_p99_s\": 100, "                \
                 "\"attained_service_gpu_s\": " service ", \"placement\"")

static void service_that_nobody_had_is_found(void **state)
{
    const struct edit good = WITH_SERVICE("[2120, 200, 0]");
    struct findings findings;
    struct error error;

    (void)state;
    assert_int_equal(audit_edited(&tiresias_run, &good, &findings, &error), 0);
    assert_int_equal(findings.violations, 0);
    findings_clear(&findings);
    expect(&tiresias_run, WITH_SERVICE("[2120, 201, 0]"), "count-mismatch", NULL);
    expect(&tiresias_run, WITH_SERVICE("[2120, 200]"), "count-mismatch", NULL);
    expect(&tiresias_run, WITH_SERVICE("[]"), "count-mismatch", NULL);
}

static void a_start_without_a_place_is_found(void **state)
{
    (void)state;
    expect(&gandiva_run, (struct edit){JOBS, "c,4,0,0,", "c,4,0,60,"}, "start-mismatch", "c");
    expect(&gandiva_run, (struct edit){JOBS, "d,8,300,420,", "d,8,300,300,"}, "start-mismatch",
           "d");
    expect(&gandiva_run, (struct edit){JOBS, "b,4,0,0,", "b,4,0,300,"}, "start-mismatch", "b");
    expect(&tiresias_run, (struct edit){JOBS, "c,4,130,180,", "c,4,130,120,"}, "start-mismatch",
           "c");
}

static void credit_without_time_is_found(void **state)
{
    (void)state;
    expect(&tiresias_run, (struct edit){WORK, "110,960", "111,960"}, "work-overcredited", "a");
    expect(&themis_run, (struct edit){WORK, "800,960,960", "800,960.5,960"}, "work-overcredited",
           "a");
    expect(&gandiva_run, (struct edit){WORK, "100,112,480", "100,120,480"}, "work-overcredited",
           "c");
    /* Nobody is credited with time of others in which he had no place yet. */
    expect(&moved_run, (struct edit){WORK, "c,seconds,200,234", "c,seconds,200,534"},
           "work-overcredited", "c");
}

static void time_without_credit_is_found(void **state)
{
    (void)state;
    expect(&tiresias_run, (struct edit){WORK, "110,960", "109,960"}, "work-uncredited", "a");
    expect(&themis_run, (struct edit){WORK, "70,120,480", "70,119,480"}, "work-uncredited", "b");
    expect(&gandiva_run, (struct edit){WORK, "50,60,480", "50,51,480"}, "work-uncredited", "d");
    expect(&gandiva_run, (struct edit){WORK, "100,292,1200", "100,292,1196"},
           "gpu-seconds-mismatch", "a");
}

static void work_that_was_not_done_is_found(void **state)
{
    (void)state;
    expect(&tiresias_run, (struct edit){TRACE, "0,4,30\n", "0,4,53\n"}, "end-mismatch", "b");
    expect(&themis_run, (struct edit){TRACE, "240,bert", "241,bert"}, "work-not-done", "c");
    expect(&gandiva_run, (struct edit){TRACE, "0,8,50\n", "0,8,61\n"}, "work-not-done", "d");
    expect(&gandiva_run, (struct edit){ROUNDS, "360,2@4x4", "360,"}, "work-not-done", "c");
}

static void an_end_at_another_time_is_found(void **state)
{
    (void)state;
    expect(&tiresias_run, (struct edit){JOBS, "110,a,8,0,0,110", "111,a,8,0,0,111"}, "end-mismatch",
           "a");
    expect(&tiresias_run, (struct edit){JOBS, "110,a,8,0,0,110", "120,a,8,0,0,110"},
           "record-mismatch", "a");
    expect(&themis_run, (struct edit){JOBS, "120,a,8,0,0,120", "100,a,8,0,0,100"}, "end-mismatch",
           "a");
    expect(&themis_run, (struct edit){JOBS, "190,b,4,20,120,190", "191,b,4,20,120,191"},
           "end-mismatch", "b");
    expect(&gandiva_run, (struct edit){JOBS, "0,108,200", "0,109,200"}, "end-mismatch", "a");
    expect(&gandiva_run, (struct edit){JOBS, "0,108,200", "0,300,200"}, "end-mismatch", "a");
    expect(&nothing_run, (struct edit){JOBS, "0,2,200", "0,1,200"}, "end-mismatch", "a");
}

static void a_job_that_is_not_retired_when_it_is_done_is_found(void **state)
{
    (void)state;
    expect(&themis_run, (struct edit){TRACE, "0,800,", "0,400,"}, "end-mismatch", "a");
    expect(&themis_run, (struct edit){TRACE, "0,4,70\n", "0,4,60\n"}, "end-mismatch", "b");
    expect(&gandiva_run, (struct edit){TRACE, "0,4,100\nd", "0,4,52\nd"}, "end-mismatch", "c");
    expect(&tiresias_run, (struct edit){TRACE, "0,8,100", "0,8,40"}, "end-mismatch", "a");
    expect(&gandiva_run, (struct edit){TRACE, "0,4,100\nd", "0,4,0\nd"}, "end-mismatch", "c");
}

static void the_wrong_measure_is_found(void **state)
{
    (void)state;
    expect(&tiresias_run, (struct edit){WORK, "c,seconds,200", "c,iterations,9"}, "record-mismatch",
           "c");
    expect(&themis_run, (struct edit){WORK, "a,iterations,800,960", "a,seconds,110,120"},
           "record-mismatch", "a");
    expect(&themis_run, (struct edit){WORK, "b,seconds,70,120", "b,iterations,1000,480"},
           "work-not-done", "b");
    expect(&themis_run, (struct edit){WORK, "b,seconds,70", "b,seconds,71"}, "record-mismatch",
           "b");
}

static void rounds_at_wrong_times_are_found(void **state)
{
    (void)state;
    expect(&themis_run, (struct edit){ROUNDS, "120,1@0x4\n", ""}, "slot-skipped", NULL);
    expect(&themis_run, (struct edit){ROUNDS, "120,1@0x4\n", "119,1@0x4\n"}, "slot-cut-short",
           NULL);
    expect(&gandiva_run, (struct edit){ROUNDS, "\n300,", "\n60,0@0x4 1@4x4\n300,"},
           "slot-cut-short", NULL);
    expect(&gandiva_run, (struct edit){ROUNDS, "360,2@4x4\n", ""}, "slot-skipped", NULL);
    expect(&gandiva_run, (struct edit){ROUNDS, "\n300,", "\n310,"}, "arrival-missed", NULL);
    expect(&tiresias_run, (struct edit){ROUNDS, "\n180,", "\n150,1@0x4\n180,"}, "slot-cut-short",
           NULL);
}

static void who_waits_for_nothing_is_found(void **state)
{
    (void)state;
    expect(&tiresias_run, (struct edit){ROUNDS, "180,2@0x4", "180,"}, "idle-gpus", "c");
    expect(&themis_run, (struct edit){ROUNDS, "180,1@0x4 2@4x2", "180,1@0x4"}, "idle-gpus", "c");
}

static void who_never_starts_is_found(void **state)
{
    (void)state;
    expect(&gandiva_run, (struct edit){TRACE, "0,8,50\n", "0,8,50\ne,300,9,vgg16,500,128,0,1,50\n"},
           "never-started", "e");
    expect(&tiresias_run,
           (struct edit){TRACE, "0,4,80\n", "0,4,80\ne,400,9,vgg16,500,128,0,8,50\n"},
           "never-started", "e");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_quirk_causes_is_named_by_its_tag),
        cmocka_unit_test(a_quirk_that_was_put_right_explains_nothing),
        cmocka_unit_test(another_size_than_asked_for_is_found),
        cmocka_unit_test(sizes_that_share_a_node_are_found),
        cmocka_unit_test(a_job_on_parts_of_nodes_is_found),
        cmocka_unit_test(service_that_nobody_had_is_found),
        cmocka_unit_test(a_start_without_a_place_is_found),
        cmocka_unit_test(credit_without_time_is_found),
        cmocka_unit_test(time_without_credit_is_found),
        cmocka_unit_test(work_that_was_not_done_is_found),
        cmocka_unit_test(an_end_at_another_time_is_found),
        cmocka_unit_test(a_job_that_is_not_retired_when_it_is_done_is_found),
        cmocka_unit_test(the_wrong_measure_is_found),
        cmocka_unit_test(rounds_at_wrong_times_are_found),
        cmocka_unit_test(who_waits_for_nothing_is_found),
        cmocka_unit_test(who_never_starts_is_found),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

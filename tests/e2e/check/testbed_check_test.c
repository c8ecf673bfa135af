/* testbed_check_test.c - the log of a good run, and the same log spoilt in one way after the other:
 * the judge must find nothing in the one and the right thing in each of the others. */
#include "tests/support/test.h"
#include "common/memory.h"
#include "tests/e2e/check/rules.h"
#include "tests/support/folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define S "2026-01-31T12:00:00.000000Z "

/* Job 7 trains on GPU 0 of node 0, its trainer is killed at 20, it begins again there from its
 * checkpoint and is stopped for job 8. Node 1 is cut off at 40, where job 9 is, which goes on on
 * node 0 when its lease is over. */
static const char good_run[] = S
    "1.000000 master event=up job=- incarnation=- node=- gpu=-\n" S
    "2.000000 worker:a event=up job=- incarnation=- node=- gpu=-\n" S
    "2.100000 worker:b event=up job=- incarnation=- node=- gpu=-\n" S
    "3.000000 worker:a event=trainer-started job=- incarnation=- node=0 gpu=0 pid=100\n" S
    "3.100000 worker:b event=trainer-started job=- incarnation=- node=1 gpu=0 pid=200\n" S
    "4.000000 trainer:a.0 event=started job=- incarnation=- node=- gpu=0 pid=100\n" S
    "4.100000 trainer:b.0 event=started job=- incarnation=- node=- gpu=0 pid=200\n" S
    "5.000000 master event=worker-up job=- incarnation=- node=0 gpu=- name=a gpus=1\n" S
    "5.100000 master event=worker-up job=- incarnation=- node=1 gpu=- name=b gpus=1\n" S
    "10.000000 master event=run job=7 incarnation=1 node=0 gpu=-\n" S
    "10.010000 worker:a event=command job=7 incarnation=1 node=0 gpu=- type=RUN seq=4 "
    "effect=applied\n" S "10.020000 master event=gpu-given job=7 incarnation=1 node=0 gpu=0\n" S
    "10.030000 master event=begin job=7 incarnation=1 node=- gpu=-\n" S
    "10.040000 worker:a event=command job=7 incarnation=1 node=0 gpu=- type=BEGIN seq=5 "
    "effect=applied\n" S
    "10.050000 trainer:a.0 event=hold job=7 incarnation=1 node=0 gpu=0 rank=0 from=0\n" S
    "11.000000 master event=gpu-given job=9 incarnation=1 node=1 gpu=0\n" S
    "11.010000 master event=begin job=9 incarnation=1 node=- gpu=-\n" S
    "11.020000 trainer:b.0 event=hold job=9 incarnation=1 node=1 gpu=0 rank=0 from=0\n" S
    "15.000000 trainer:a.0 event=saves job=7 incarnation=1 node=0 gpu=0 step=50\n" S
    "15.010000 master event=part job=7 incarnation=1 node=0 gpu=- state=running step=50 "
    "checkpoint=50\n" S
    "19.000000 harness event=signal job=- incarnation=- node=- gpu=- pid=100 signal=9\n" S
    "20.000000 worker:a event=trainer-exited job=7 incarnation=1 node=0 gpu=0 pid=100 "
    "status=137\n" S
    "20.010000 worker:a event=trainer-started job=- incarnation=- node=0 gpu=0 pid=101\n" S
    "20.020000 worker:a event=part job=7 incarnation=1 node=0 gpu=- state=failed step=-1 "
    "checkpoint=50\n" S "20.030000 master event=part job=7 incarnation=1 node=0 gpu=- state=failed "
    "step=-1 checkpoint=50 "
    "cause=\"a \\\"trainer\\\" is gone\"\n" S
    "20.040000 master event=gpu-freed job=7 incarnation=1 node=0 gpu=0 by=exit\n" S
    "20.050000 master event=retry job=7 incarnation=2 node=- gpu=- count=1\n" S
    "20.060000 trainer:a.0 event=started job=- incarnation=- node=- gpu=0 pid=101\n" S
    "21.000000 worker:a event=command job=7 incarnation=2 node=0 gpu=- type=RUN seq=6 "
    "effect=applied\n" S "21.010000 worker:a event=command job=7 incarnation=2 node=0 gpu=- "
    "type=RUN seq=7 effect=repeated\n" S
    "21.015000 worker:a event=command job=7 incarnation=1 node=0 gpu=- type=BEGIN seq=8 "
    "effect=stale\n" S "21.020000 master event=gpu-given job=7 incarnation=2 node=0 gpu=0\n" S
    "21.030000 master event=begin job=7 incarnation=2 node=- gpu=-\n" S
    "21.040000 worker:a event=command job=7 incarnation=2 node=0 gpu=- type=BEGIN seq=9 "
    "effect=applied\n" S
    "21.050000 trainer:a.0 event=hold job=7 incarnation=2 node=0 gpu=0 rank=0 from=50\n" S
    "21.060000 worker:a event=command job=7 incarnation=2 node=0 gpu=- type=UPDATE seq=10 "
    "effect=applied\n" S
    "30.000000 trainer:b.0 event=saves job=9 incarnation=1 node=1 gpu=0 step=70\n" S
    "30.010000 master event=part job=9 incarnation=1 node=1 gpu=- state=stable step=70 "
    "checkpoint=70\n" S "33.000000 worker:a event=command job=7 incarnation=2 node=0 gpu=- "
    "type=STOP seq=11 effect=applied\n" S
    "33.010000 trainer:a.0 event=release job=7 incarnation=2 node=0 gpu=0 why=paused step=90 "
    "checkpoint=90\n" S "33.020000 worker:a event=part job=7 incarnation=2 node=0 gpu=- "
    "state=stopped step=90 checkpoint=90\n" S
    "33.030000 master event=part job=7 incarnation=2 node=0 gpu=- state=stopped step=90 "
    "checkpoint=90\n" S
    "33.040000 master event=gpu-freed job=7 incarnation=2 node=0 gpu=0 by=exit\n" S
    "34.000000 worker:a event=command job=8 incarnation=1 node=0 gpu=- type=RUN seq=12 "
    "effect=applied\n" S
    "34.010000 worker:a event=part job=8 incarnation=1 node=0 gpu=- state=stopped step=-1 "
    "checkpoint=-1\n" S "34.010010 worker:a event=command job=8 incarnation=1 node=0 gpu=- "
    "type=STOP seq=13 effect=applied\n" S
    "42.000000 master event=worker-down job=- incarnation=- node=1 gpu=- "
    "fenced_until_us=48500000 cause=silence\n" S
    "48.000000 worker:b event=lease-over job=9 incarnation=1 node=1 gpu=-\n" S
    "48.010000 trainer:b.0 event=release job=9 incarnation=1 node=1 gpu=0 why=lease step=75 "
    "checkpoint=70\n" S
    "48.600000 master event=gpu-freed job=9 incarnation=1 node=1 gpu=0 by=lease\n" S
    "48.700000 master event=gpu-given job=9 incarnation=2 node=0 gpu=0\n" S
    "48.710000 master event=begin job=9 incarnation=2 node=- gpu=-\n" S
    "48.720000 trainer:a.0 event=hold job=9 incarnation=2 node=0 gpu=0 rank=0 from=70\n"
    "a sentence on stderr\n" S "50.000000 trainer:a.0 event=release job=9 incarnation=2 node=0 "
    "gpu=0 why=done step=99 checkpoint=99\n" S
    "50.010000 master event=part job=9 incarnation=2 node=0 gpu=- state=done step=99 "
    "checkpoint=99\n" S
    "50.020000 master event=gpu-freed job=9 incarnation=2 node=0 gpu=0 by=exit\n" S
    "60.000000 trainer:a.0 event=stopped job=- incarnation=- node=0 gpu=0\n" S
    "60.010000 worker:a event=trainer-exited job=- incarnation=- node=0 gpu=0 pid=101 status=0\n" S
    "60.020000 worker:b event=trainer-exited job=- incarnation=- node=1 gpu=0 pid=200 status=0\n" S
    "61.000000 worker:a event=down job=- incarnation=- node=0 gpu=-\n" S
    "61.100000 harness event=ended job=- incarnation=- node=- gpu=- source=worker:b pid=20 "
    "status=0\n" S "62.000000 master event=down job=- incarnation=- node=- gpu=-\n";

struct spoilt {
    const char *what;
    const char *from; /* stands in the good run; its first place is replaced by `to` */
    const char *to;
    const char *finding;  /* that must be made */
    const char *and_from; /* a second replacement, NULL for none */
    const char *and_to;
};

static const struct spoilt spoilt_runs[] = {
    {"two hold one GPU", "21.050000 trainer:a.0 event=hold job=7 incarnation=2 node=0 gpu=0",
     "21.050000 trainer:a.0 event=hold job=7 incarnation=2 node=1 gpu=0",
     ": I2: GPU 0 of node 1 is still held by job 9", NULL, NULL},
    {"two incarnations live", "48.010000 trainer:b.0", "48.900000 trainer:b.0",
     ": I2: incarnation 1 of job 9 still lives", NULL, NULL},
    {"a lock was taken", "15.000000 trainer:a.0 event=saves", "15.000000 trainer:a.0 event=overlap",
     ": I2: a trainer found its GPU", NULL, NULL},
    {"a stale command is obeyed", "type=BEGIN seq=8 effect=stale",
     "type=BEGIN seq=8 effect=applied", ": I2: BEGIN for incarnation 1 of job 7, which is over",
     NULL, NULL},
    {"a part is stopped that is over", "34.010010 worker:a event=command job=8",
     "34.010005 worker:a event=other job=- incarnation=- node=0 gpu=-\n" S
     "34.010010 worker:a event=command job=8",
     ": I2: STOP for incarnation 1 of job 8, which is over", NULL, NULL},
    {"a command overtakes", "20.020000 worker:a event=part", "20.020000 worker:a event=other",
     ": I2: BEGIN for incarnation 1 of job 7 behind incarnation 2", "seq=8 effect=stale",
     "seq=8 effect=applied"},
    {"a GPU is given twice", "33.040000 master event=gpu-freed", "33.040000 master event=other",
     ": I3: GPU 0 of node 0 is given away while job 7, incarnation 2 has it", NULL, NULL},
    {"freed while it is held", "33.010000 trainer:a.0", "33.045000 trainer:a.0",
     ": I3: GPU 0 of node 0 is taken for free while it is held", NULL, NULL},
    {"freed by a lease while it is held", "48.010000 trainer:b.0", "48.650000 trainer:b.0",
     ": I3: GPU 0 of node 1 is taken for free while it is held", NULL, NULL},
    {"an exit that was not reported", "33.030000 master event=part", "33.030000 master event=other",
     ": I3: freed by an exit that node 0 did not report", NULL, NULL},
    {"a lease of a node that is up", "event=worker-down", "event=other",
     ": I3: freed by a lease of node 1, which is not down", NULL, NULL},
    {"a lease cut short", "fenced_until_us=48500000", "fenced_until_us=48600001",
     ": I3: freed by a lease that is not over", NULL, NULL},
    {"freed by a word that was not given", "gpu=0 by=lease", "gpu=0 by=vouched",
     ": I3: freed by the word of node 1, which did not give it", NULL, NULL},
    {"freed for no reason", "gpu=0 by=lease", "gpu=0 by=chance",
     ": I3: freed neither by an exit nor by a lease", NULL, NULL},
    {"freed by another", "gpu-freed job=7 incarnation=2", "gpu-freed job=8 incarnation=2",
     ": I3: GPU 0 of node 0 is freed by who does not have it", NULL, NULL},
    {"held without being given", "48.700000 master event=gpu-given", "48.700000 master event=other",
     ": I3: GPU 0 of node 0 is held by who was not given it", NULL, NULL},
    {"run twice", "type=RUN seq=7 effect=repeated", "type=RUN seq=7 effect=applied",
     ": I8: RUN of incarnation 2 of job 7 had its effect before", NULL, NULL},
    {"updated twice", "type=RUN seq=7 effect=repeated", "type=UPDATE seq=10 effect=applied",
     ": I8: UPDATE of incarnation 2 of job 7 had its effect before", NULL, NULL},
    {"a number comes back", "21.030000 master event=begin job=7 incarnation=2",
     "21.030000 master event=begin job=7 incarnation=0",
     ": I8: incarnation 0 of job 7 begins behind incarnation 1", NULL, NULL},
    {"a hold without end", "50.000000 trainer:a.0 event=release",
     "50.000000 trainer:a.0 event=other", ": I9: this hold never ends",
     "60.010000 worker:a event=trainer-exited", "60.010000 worker:a event=other"},
    {"a trainer without end", "60.020000 worker:b event=trainer-exited",
     "60.020000 worker:b event=other", ": I9: this trainer never ends", NULL, NULL},
    {"a worker without end", "61.000000 worker:a event=down", "61.000000 worker:a event=other",
     ": I9: this process comes up and never goes down", NULL, NULL},
    {"a GPU that stays given", "50.020000 master event=gpu-freed", "50.020000 master event=other",
     ": I9: this GPU is never freed", NULL, NULL},
    {"steps done again", "rank=0 from=50", "rank=0 from=49",
     ": I10: job 7 goes on from step 49, behind its checkpoint at 50", NULL, NULL},
    {"steps left out", "rank=0 from=50", "rank=0 from=51",
     ": I10: job 7 goes on from step 51, where it has no checkpoint", NULL, NULL},
    {"a crash", "pid=101 status=0", "pid=101 status=\"signal 11\"",
     ": I12: ended by signal 11, a crash", NULL, NULL},
    {"a crash that the test saw", "pid=20 status=0", "pid=20 status=134",
     ": I12: ended by signal 6, a crash", NULL, NULL},
    {"a signal nobody sent", "pid=20 status=0", "pid=20 status=143",
     ": I12: ended by signal 15, which nobody sent", NULL, NULL},
    {"an assertion", "a sentence on stderr", "master: m.c:7: f: Assertion `x' failed.",
     ": I12: master: m.c:7", NULL, NULL},
    {"a sanitizer", "a sentence on stderr", "m.c:7:3: runtime error: signed integer overflow",
     ": I12: m.c:7:3", NULL, NULL},
    {"a torn line", "62.000000 master event=down job=- incarnation=- node=- gpu=-",
     "62.000000 master event=down job=- incarn", ": log: no line of a log: expected stamp", NULL,
     NULL},
};

/* `text` with the first `from` in it replaced; the caller frees it. */
static char *replaced(const char *text, const char *from, const char *to)
{
    const char *at = strstr(text, from);
    const size_t size = strlen(text) + strlen(to) + 1;
    char *result = xmalloc(size);

    assert_non_null(at);
    (void)snprintf(result, size, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    return result;
}

/* What the judge finds in a log; the caller frees it. */
static char *findings_in(const char *text, bool complete)
{
    folder_t *folder = folder_new();
    struct run_logs *logs = run_logs_new();
    struct run run = {.logs = logs, .complete = complete};
    struct holds *holds;
    char *found = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&found, &size);
    findings_t *findings = findings_new(out);
    struct error error;

    (void)folder_write(folder, "run.log", text);
    assert_int_equal(run_logs_add(logs, folder_path(folder), findings, &error), 0);
    run_logs_sort(logs);
    holds = holds_new(logs);
    run.holds = holds;
    rules_judge(&run, findings);
    findings_destroy(&findings);
    (void)fclose(out);
    holds_destroy(&holds);
    run_logs_destroy(&logs);
    folder_destroy(&folder);
    return found;
}

TEST(a_good_run_has_no_violations)
{
    char *found = findings_in(good_run, true);

    assert_string_equal(found, "");
    free(found);
}

TEST(each_thing_that_is_wrong_is_found)
{
    for (size_t i = 0; i < COUNT(spoilt_runs); i++) {
        const struct spoilt *spoilt = &spoilt_runs[i];
        char *log = replaced(good_run, spoilt->from, spoilt->to);
        char *found;

        if (spoilt->and_from) {
            char *twice = replaced(log, spoilt->and_from, spoilt->and_to);

            free(log);
            log = twice;
        }
        found = findings_in(log, true);
        if (!strstr(found, spoilt->finding))
            fail_msg("%s: expected \"%s\", found:\n%s", spoilt->what, spoilt->finding, found);
        free(found);
        free(log);
    }
}

TEST(a_finding_names_its_line)
{
    char *log = replaced(good_run, "rank=0 from=50", "rank=0 from=49");
    char *found = findings_in(log, true);

    assert_non_null(strstr(found, "run.log:35: I10: "));
    assert_non_null(strstr(found, "run.log:20)"));
    free(found);
    free(log);
}

TEST(what_a_run_that_was_cut_short_leaves_is_no_violation)
{
    char *log =
        replaced(good_run, "50.020000 master event=gpu-freed", "50.020000 master event=other");
    char *found = findings_in(log, false);

    assert_string_equal(found, "");
    free(found);
    free(log);
}

TEST(quoted_words_are_read)
{
    arena_t *arena = arena_new();
    struct log_line line;
    struct error error;

    assert_int_equal(log_line_read(S "1.000000 master event=held job=3 incarnation=- node=- gpu=- "
                                     "cause=\"no \\\"rates\\\"\\u000a\" count=5",
                                   arena, &line, &error),
                     0);
    assert_string_equal(log_line_text(&line, "cause"), "no \"rates\"\n");
    assert_int_equal(log_line_whole(&line, "count", -1), 5);
    assert_int_equal(line.job, 3);
    assert_int_equal(line.stamp_us, 1000000);
    assert_int_equal(log_line_read(S "1.000000 master event=held job=3 incarnation=- node=- gpu=- "
                                     "cause=\"open",
                                   arena, &line, &error),
                     -1);
    arena_destroy(&arena);
}

int main(void)
{
    return tests_run(NULL, NULL);
}

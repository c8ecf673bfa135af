/* record_test.c - records are read as they were written, replayed with the same decisions, and
 * found out if they are cut, damaged or changed. */
#include "common/checksum.h"
#include "common/memory.h"
#include "scheduler/record/record_reader.h"
#include "scheduler/replay/replay.h"
#include "tests/replay/faulty_run.h"
#include "tests/support/folder.h"
#include "tests/support/test.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const policies[] = {"ef-accessctrl", "ef",       "edf",    "edf-accessctrl",
                                       "gandiva",       "dlas-gpu", "themis", "chronus",
                                       "fifo",          "srtf"};

static folder_t *folder;
static struct error told;
static struct error error;

FIXTURE(set_up)
{
    folder = folder_new();
    told.text[0] = error.text[0] = '\0';
    return 0;
}

/* The sentence of a replay, which is shown if it is not there. */
static void assert_told(const struct error *sentence, const char *words)
{
    if (!strstr(sentence->text, words))
        print_message("no \"%s\" in \"%s\"\n", words, sentence->text);
    assert_non_null(strstr(sentence->text, words));
}

FIXTURE(tear_down)
{
    folder_destroy(&folder);
    return 0;
}

static void overwrite(char *at, const char *text)
{
    while (*text)
        *at++ = *text++;
}

/* The record of a faulty run; the caller frees it. */
static char *make_record(const char *policy)
{
    faulty_run(policy, folder_file(folder, "record"));
    return folder_read(folder, "record");
}

static int replay(const char *bytes, size_t length)
{
    return replay_run(folder_write_bytes(folder, "changed", bytes, length), &told, &error);
}

TEST_WITH(a_run_with_faults_is_decided_again, set_up, tear_down)
{
    for (size_t i = 0; i < COUNT(policies); i++) {
        const char *path = folder_file(folder, policies[i]);
        const int64_t steps = faulty_run(policies[i], path);
        char expected[4096];

        (void)snprintf(expected, sizeof(expected),
                       "%s: %" PRId64 " steps, all decisions as recorded", path, steps);
        if (replay_run(path, &told, &error) != 0)
            print_message("%s: %s%s\n", policies[i], told.text, error.text);
        assert_string_equal(told.text, expected);
    }
}

static void assert_says(const char *record, const char *line)
{
    if (!strstr(record, line))
        print_message("no line %s\n", line);
    assert_non_null(strstr(record, line));
}

/* Else the test above would prove little. */
TEST_WITH(a_run_with_faults_has_all_kinds_of_lines, set_up, tear_down)
{
    char *record = make_record("fifo");
    static const char *const lines[] = {
        "\n< submitted 0 id=\"job \\\"0\\\"\\\\\" model=\"resnet50\" batch=128 row=0 ",
        " submit=0 deadline=4000 iterations=4000 gpus=1 duration=500 line=2 levels=4000:10\n",
        "\n< submitted 3 id=\"job \\\"3\\\"\\\\\" best-effort model=\"vgg16\" batch=128 ",
        " row=1 submit=210 deadline=never iterations=9100 gpus=1 duration=770 line=5 levels=-\n",
        "\n< as-expected\n",
        "\n< expected first=0 count=",
        "\n< progress ",
        " deviates cause=\"it runs on a \\\"slow\\\" node\"\n",
        "\n< node-gone 1 until=never cause=\"no sign of life\\x0afor 8 s\"\n",
        "\n< node-up 1 until=never gpus=2\n",
        "\n< node-draining 0 until=never cause=\"on request\"\n",
        "\n< cancelled 2\n",
        "\n< failed 1 cause=\"it ended with status 3, three times\"\n",
        "\n< timer\n",
        "\n< paid ",
        "\n> decided 0 best-effort reason=no-promises by=never earliest=never\n",
        "\n> retired 0 ",
        "\n> released 0 done\n",
        "\n> released 2 cancelled\n",
        "\n> released 1 failed\n",
        "\n> hold 0 gpus=1 overhead=",
        "\n> order live=",
        "\n> layout digest=",
        "\n> trouble node-down node=1 cause=\"node 1 left: no sign of life\\x0afor 8 s\"\n",
        "\n> trouble held job=1 cause=\"it ended with status 3, three times\"\n",
    };

    for (size_t i = 0; i < COUNT(lines); i++)
        assert_says(record, lines[i]);
    free(record);
}

TEST_WITH(a_cut_record_is_replayed_up_to_there, set_up, tear_down)
{
    char *record = make_record("ef-accessctrl");
    const size_t length = strlen(record);
    const char *step = strstr(record, "\nstep 4 ");

    for (size_t cut = 0; cut < length; cut += cut < 2000 || cut + 200 > length ? 1 : 61)
        assert_int_equal(replay(record, cut), -1);
    assert_non_null(step);
    assert_int_equal(replay(record, (size_t)(step - record) + 1), -1);
    assert_told(&error, ": the record breaks off after step 3; the 3 steps before "
                        "are decided as recorded");
    assert_int_equal(replay(record, (size_t)(step - record) + 20), -1);
    assert_told(&error, ": the record breaks off in step 4; the 3 steps before are "
                        "decided as recorded");
    free(record);
}

TEST_WITH(a_flipped_bit_is_found, set_up, tear_down)
{
    char *record = make_record("ef-accessctrl");
    const size_t length = strlen(record);

    for (size_t i = 0; i < length; i += 1 + i % 23) {
        record[i] = (char)(record[i] ^ 1 << i % 8);
        if (replay(record, length) != -1)
            print_message("byte %zu of %zu\n", i, length);
        assert_int_equal(replay(record, length), -1);
        record[i] = (char)(record[i] ^ 1 << i % 8);
    }
    assert_int_equal(replay(record, length), 0);
    free(record);
}

TEST_WITH(more_after_the_end_is_found, set_up, tear_down)
{
    char *record = make_record("edf");
    const size_t length = strlen(record);

    record = realloc(record, length + 16);
    assert_non_null(record);
    overwrite(record + length, "timer\n");
    assert_int_equal(replay(record, length + 6), -1);
    assert_told(&error, ":1: expected the end of the file, found 'timer'");
    free(record);
}

/* Puts checks that fit into a record that was changed. */
static void seal(char *record)
{
    char *at = record;
    uint64_t check = CHECKSUM_OF_NOTHING;

    while (*at) {
        const size_t length = strcspn(at, "\n") + 1;
        char line[64];

        if (!strncmp(at, "check ", 6)) {
            (void)snprintf(line, sizeof(line), "check %016" PRIx64 "\n", check);
            overwrite(at, line);
        }
        check = checksum(check, at, length);
        at += length;
    }
}

/* Takes out the first line that begins with `line`, and replays what is left. */
static int replay_without(const char *policy, const char *line)
{
    char *record = make_record(policy);
    char *at = strstr(record, line);
    int status;

    assert_non_null(at);
    at++;
    memmove(at, at + strcspn(at, "\n") + 1, strlen(at + strcspn(at, "\n")));
    seal(record);
    status = replay(record, strlen(record));
    free(record);
    return status;
}

TEST_WITH(an_occurrence_that_is_missing_changes_decisions, set_up, tear_down)
{
    static const char *const lines[] = {"\n< submitted 7", "\n< expected ",      "\n< progress ",
                                        "\n< paid ",       "\n< node-gone ",     "\n< node-up ",
                                        "\n< cancelled ",  "\n< node-draining ", "\n< failed "};

    for (size_t i = 0; i < COUNT(lines); i++) {
        if (replay_without("fifo", lines[i]) != 1)
            print_message("without %s: %s%s\n", lines[i], told.text, error.text);
        assert_told(&told, " is decided otherwise: recorded '> ");
    }
}

/* Replays with the first `from` turned into `to`, which is as long. */
static int replay_with(const char *from, const char *to)
{
    char *record = make_record("fifo");
    char *at = strstr(record, from);
    int status;

    assert_non_null(at);
    overwrite(at, to);
    seal(record);
    status = replay(record, strlen(record));
    free(record);
    return status;
}

TEST_WITH(a_difference_is_told, set_up, tear_down)
{
    assert_int_equal(replay_with("> decided 0 best-effort", "> decided 0 beat-effort"), 1);
    assert_told(&told, ": step 1 at 60 s is decided otherwise: recorded '> decided 0 beat-effort "
                       "reason=no-promises by=never earliest=never', now '> decided 0 best-effort "
                       "reason=no-promises by=never earliest=never'");
    assert_int_equal(replay_with("> trouble node-down", "> trouble node-gone"), 1);
    assert_told(&told, ", now '> trouble node-down node=1 ");
    assert_int_equal(replay_with("< expected first=0 count=5", "< expected first=0 count=9"), 1);
    assert_told(&told, "recorded is progress as expected of 9 jobs from the one in "
                       "place 0 on, now 5 are expected to make any");
}

/* `record`, which is freed, with `to` for each `from`; counts them in `count`. */
static char *reworded(char *record, const char *from, const char *to, int *count)
{
    const size_t room = strlen(to) > strlen(from) ? strlen(to) - strlen(from) : 0;
    size_t found = 0;
    char *text;
    char *end;

    for (const char *at = record; (at = strstr(at, from)); at++)
        found++;
    text = xmalloc(strlen(record) + found * room + 1);
    end = text;
    for (const char *at = record; *at;) {
        const bool is_there = strncmp(at, from, strlen(from)) == 0;
        const char *bytes = is_there ? to : at;
        const size_t length = is_there ? strlen(to) : 1;

        memcpy(end, bytes, length);
        end += length;
        at += is_there ? strlen(from) : 1;
    }
    *end = '\0';
    *count += (int)found;
    free(record);
    return text;
}

TEST_WITH(a_record_of_before_is_read_by_its_own_words, set_up, tear_down)
{
    int withdrawn = 0;
    int slips = 0;
    int versions = 0;

    for (size_t i = 0; i < COUNT(policies); i++) {
        char *record = make_record(policies[i]);

        record = reworded(record, "rubato-record 4 ", "rubato-record 2 ", &versions);
        record = reworded(record, "> trouble withdrawn ", "> trouble at-risk ", &withdrawn);
        record = reworded(record, "> trouble slips ", "> trouble at-risk ", &slips);
        seal(record);
        if (replay(record, strlen(record)) != 0)
            fail_msg("%s: %s%s", policies[i], told.text, error.text);
        free(record);
    }
    assert_int_equal(versions, COUNT(policies));
    assert_true(withdrawn > 0 && slips > 0);
}

TEST_WITH(what_makes_no_sense_is_refused, set_up, tear_down)
{
    static const struct {
        const char *from;
        const char *to;
        const char *complaint;
    } cases[] = {
        {"rubato-record 4", "rubato-record 5", ":1: is a record of version 5, expected at most 4"},
        {"node-up 1 until=never gpus=2", "node-up 1 until=never gpus=0",
         "expected a whole number from 1 to 4, found '0"},
        {"node-up 1 until=never gpus=2", "node-up 1 until=never gpus=5",
         "expected a whole number from 1 to 4, found '5"},
        {"policy=\"fifo\"", "policy=\"lifo\"", ": there is no policy \"lifo\""},
        {"cluster switches=1", "cluster switches=0",
         ":3:18: expected a whole number from 1 to 100000, found '0 nodes=4 gpus=4'"},
        {"< node-gone 1", "< node-gone 4",
         "expected a whole number from 0 to 3, found '4 until=never"},
        {"row 0 model", "row 1 model", "expected a whole number from 0 to 0, found '1 model="},
        {"row=0 submit", "row=1 submit", "expected a whole number from 0 to 0, found '1 submit="},
        {"\nstep 2 at=", "\nstep 3 at=", "expected a whole number from 2 to 2, found '3 at="},
        {"< cancelled 2", "< cancelled x",
         "expected a whole number from 0 to 9223372036854775807, found 'x'"},
        {"< cancelled 2", "< cancelle 22",
         "expected one of submitted cancelled suspended progress"},
        {"\n> round", "\n- round", "expected an occurrence (<), a row or a decision (>), found"},
        {"best-effort model", "best-affort model", "expected \" model=\", found ' best-affort"},
        {"iterations=4000 ", "iterations=x000 ",
         "expected a whole number from 0 to 1000000000000, found 'x000 gpus="},
        {"deadline=4000", "deadline=5000",
         "expected the deadline as first level before, found the end of the line"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        const int status = replay_with(cases[i].from, cases[i].to);

        assert_int_equal(status, -1);
        assert_told(&error, cases[i].complaint);
    }
}

int main(void)
{
    return tests_run(NULL, NULL);
}

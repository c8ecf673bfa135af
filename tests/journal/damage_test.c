/* damage_test.c - what a disk does to a journal: it is full, loses what it took, ends in the middle
 * of a log, or has another bit. Nothing that was committed is missing without a word. */
#include "common/rng.h"
#include "scheduler/journal/journal.h"
#include "scheduler/journal/mark.h"
#include "scheduler/journal/upkeep.h"
#include "tests/journal/faulty_disk.h"
#include "tests/journal/journaled_run.h"
#include "tests/replay/faulty_run.h"
#include "tests/support/folder.h"
#include "tests/support/seed.h"
#include "tests/support/test.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define STEPS 14 /* in the journal that is damaged */

static folder_t *folder;
static const char *state;
static const char *record;
static struct error error;

FIXTURE(set_up)
{
    folder = folder_new();
    state = folder_file(folder, "state");
    record = folder_file(folder, "record");
    (void)faulty_run("ef", record);
    faulty_disk_fill(-1);
    faulty_disk_lose(false);
    return 0;
}

FIXTURE(tear_down)
{
    folder_destroy(&folder);
    return 0;
}

static journal_t *open_journal(void)
{
    journal_t *journal = journal_open(state, &error);

    if (!journal)
        print_message("%s\n", error.text);
    assert_non_null(journal);
    return journal;
}

static void assert_told(const char *words)
{
    if (!strstr(error.text, words))
        print_message("no \"%s\" in \"%s\"\n", words, error.text);
    assert_non_null(strstr(error.text, words));
}

/* One document for each step, which says which. */
static void put_number(journal_t *journal, int64_t number)
{
    char body[32];

    (void)snprintf(body, sizeof(body), "document %" PRId64, number);
    assert_int_equal(journal_put_number(journal, "job", (uint64_t)number, body, &error), 0);
}

static void begin_run(struct journaled_run *run, journal_t *journal)
{
    journaled_run_open(run, record);
    journaled_run_resume(run, journal);
}

/* Commits a step with its document. */
static void commit_step(struct journaled_run *run, journal_t *journal)
{
    assert_int_equal(journal_begin(journal, &error), 0);
    put_number(journal, run->steps);
    assert_true(journaled_run_add(run, journal));
    assert_int_equal(journal_commit(journal, &error), 0);
}

static int count_document(void *owner, const char *key, const char *body)
{
    int64_t *count = owner;
    char expected[32];

    (void)snprintf(expected, sizeof(expected), "document %s", key);
    assert_string_equal(body, expected);
    (*count)++;
    return 0;
}

static int64_t count_documents(journal_t *journal)
{
    int64_t count = 0;

    assert_int_equal(journal_each(journal, "job", count_document, &count, &error), 0);
    return count;
}

/* Opens it once more; it is to have so many steps and documents. */
static void assert_there(int64_t steps, int64_t documents)
{
    journal_t *journal = open_journal();
    struct journaled_run run;

    begin_run(&run, journal);
    assert_int_equal(run.steps, steps);
    assert_int_equal(count_documents(journal), documents);
    journaled_run_close(&run);
    journal_close(&journal);
}

/* ---- full disks ---- */

static void fails_full(struct journaled_run *run, journal_t *journal, int64_t writes)
{
    assert_int_equal(journal_begin(journal, &error), 0);
    put_number(journal, 1000);
    assert_true(journaled_run_add(run, journal));
    faulty_disk_fill(writes);
    assert_int_equal(journal_commit(journal, &error), -1);
    assert_told("state.db: the disk is full");
    assert_false(journal_is_broken(journal));
}

/* Wherever it is full: the documents are given up, the step has happened. */
TEST_WITH(a_full_disk_loses_nothing, set_up, tear_down)
{
    journal_t *journal = open_journal();
    struct journaled_run run;
    int64_t steps = 0;

    begin_run(&run, journal);
    commit_step(&run, journal);
    for (int64_t writes = 0; writes < 4; writes++) {
        fails_full(&run, journal, writes);
        faulty_disk_fill(0);
        assert_int_equal(journal_commit(journal, &error), -1);
        assert_int_equal(journal_steps(journal), 1 + 2 * writes);
        faulty_disk_fill(-1);
        commit_step(&run, journal);
    }
    steps = run.steps;
    assert_int_equal(journal_steps(journal), 9);
    journaled_run_close(&run);
    journal_close(&journal);
    assert_there(steps, 5);
}

/* What the engine was not told yet has not happened. */
TEST_WITH(a_step_before_its_decision_is_given_up, set_up, tear_down)
{
    const struct occurrence timer = {.kind = OCCURRENCE_TIMER};
    journal_t *journal = open_journal();
    struct journaled_run run;

    begin_run(&run, journal);
    commit_step(&run, journal);
    (void)journal_occurrences(journal, run.engine, 100, &timer, 1);
    faulty_disk_fill(0);
    assert_int_equal(journal_commit(journal, &error), -1);
    faulty_disk_fill(-1);
    commit_step(&run, journal);
    journaled_run_close(&run);
    journal_close(&journal);
    assert_there(2, 2);
}

/* The real thing: a file may not grow. */
TEST_WITH(a_limit_of_file_sizes_is_told, set_up, tear_down)
{
    const struct rlimit small = {65536, RLIM_INFINITY};
    const struct rlimit none = {RLIM_INFINITY, RLIM_INFINITY};
    journal_t *journal = open_journal();
    int64_t documents = 0;
    int status = 0;

    (void)signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    while (status == 0 && documents < 100) {
        assert_int_equal(journal_begin(journal, &error), 0);
        put_number(journal, documents);
        status = journal_commit(journal, &error);
        documents += status == 0;
    }
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
    assert_told("state.db: ");
    assert_false(journal_is_broken(journal));
    assert_int_equal(count_documents(journal), documents);
    assert_int_equal(journal_begin(journal, &error), 0);
    put_number(journal, documents++);
    assert_int_equal(journal_commit(journal, &error), 0);
    journal_close(&journal);
    journal = open_journal();
    assert_int_equal(count_documents(journal), documents);
    journal_close(&journal);
}

/* ---- fsync ---- */

TEST_WITH(a_commit_waits_for_the_disk, set_up, tear_down)
{
    journal_t *journal = open_journal();
    int64_t syncs;

    for (int64_t i = 0; i < 10; i++) {
        assert_int_equal(journal_begin(journal, &error), 0);
        put_number(journal, i);
        syncs = faulty_disk_syncs();
        assert_int_equal(journal_commit(journal, &error), 0);
        assert_int_equal(faulty_disk_syncs(), syncs + 1);
    }
    journal_close(&journal);
}

/* A disk that failed once is not asked again: what it has is not known. */
TEST_WITH(a_failed_fsync_is_never_trusted, set_up, tear_down)
{
    journal_t *journal = open_journal();

    assert_int_equal(journal_begin(journal, &error), 0);
    put_number(journal, 0);
    assert_int_equal(journal_commit(journal, &error), 0);
    assert_int_equal(journal_begin(journal, &error), 0);
    put_number(journal, 1);
    faulty_disk_lose(true);
    assert_int_equal(journal_commit(journal, &error), -1);
    assert_told("state.db: the disk did not keep what was written: ");
    assert_true(journal_is_broken(journal));
    faulty_disk_lose(false);
    assert_int_equal(journal_begin(journal, &error), -1);
    assert_told("state.db: the disk did not keep what was written: ");
    journal_close(&journal);
    journal = open_journal();
    assert_true(count_documents(journal) >= 1);
    journal_close(&journal);
}

/* ---- cut and flipped files ---- */

struct bytes {
    unsigned char *at;
    size_t length;
};

static struct bytes read_file(const char *name)
{
    const int fd = open(folder_file(folder, name), O_RDONLY);
    struct bytes bytes = {NULL, 0};
    struct stat found;

    assert_true(fd >= 0);
    assert_int_equal(fstat(fd, &found), 0);
    bytes.length = (size_t)found.st_size;
    bytes.at = malloc(bytes.length + 1);
    assert_non_null(bytes.at);
    assert_int_equal(read(fd, bytes.at, bytes.length), bytes.length);
    (void)close(fd);
    return bytes;
}

/* The two files of a journal of STEPS steps, the last half of them in the log. */
struct image {
    struct bytes database;
    struct bytes log;
};

static struct image make_image(void)
{
    journal_t *journal = open_journal();
    struct journaled_run run;
    struct image image;

    begin_run(&run, journal);
    while (run.steps < STEPS / 2)
        commit_step(&run, journal);
    journaled_run_close(&run);
    journal_close(&journal);
    journal = open_journal();
    begin_run(&run, journal);
    while (run.steps < STEPS)
        commit_step(&run, journal);
    image.database = read_file("state/state.db");
    image.log = read_file("state/state.db-wal");
    journaled_run_close(&run);
    journal_close(&journal);
    return image;
}

static void free_image(struct image *image)
{
    free(image->database.at);
    free(image->log.at);
}

/* Puts it where no journal is. */
static void put_image(const struct image *image, size_t log_length)
{
    (void)unlink(folder_file(folder, "state/state.db-shm"));
    (void)unlink(folder_file(folder, "state/mark"));
    (void)unlink(folder_file(folder, "state/backup.db"));
    (void)folder_write_bytes(folder, "state/state.db", image->database.at, image->database.length);
    (void)folder_write_bytes(folder, "state/state.db-wal", image->log.at, log_length);
}

/* How many steps are there; -1 if it is refused, in a sentence that names the state. */
static int64_t try_image(const struct image *image, size_t log_length, int64_t *documents)
{
    journal_t *journal;
    int64_t steps;

    *documents = 0;
    put_image(image, log_length);
    journal = journal_open(state, &error);
    if (!journal) {
        assert_told("state/state.db");
        return -1;
    }
    steps = journal_steps(journal);
    *documents = count_documents(journal) + journal_set_aside(journal);
    journal_close(&journal);
    return steps;
}

/* Whatever is cut off its end: the transactions before are there, and both halves of each. */
TEST_WITH(a_log_may_end_anywhere, set_up, tear_down)
{
    struct image image = make_image();
    const size_t stride = test_times(1) > 1 ? 1 : 29;
    int64_t documents;
    int64_t last = STEPS;

    assert_true(image.log.length > 4096);
    for (size_t cut = 0; cut <= 4096; cut += stride) {
        const int64_t steps = try_image(&image, image.log.length - cut, &documents);

        assert_true(steps == documents && steps <= last && steps >= last - 1);
        last = steps;
    }
    assert_int_equal(last, STEPS - 1);
    put_image(&image, image.log.length - 4096);
    assert_there(STEPS - 1, STEPS - 1);
    free_image(&image);
}

/* A bit of the last transaction is as if it had not ended; of any other, the state is refused or
 * has all of it. */
static void judge_flip(const struct image *image, size_t at, bool in_log, size_t last_from)
{
    int64_t documents = 0;
    const int64_t steps = try_image(image, image->log.length, &documents);

    if (steps < 0)
        return;
    if (steps != STEPS && !(in_log && at >= last_from && steps == STEPS - 1))
        print_message("%s, byte %zu: %" PRId64 " steps\n", in_log ? "log" : "database", at, steps);
    assert_true(steps == STEPS || (in_log && at >= last_from && steps == STEPS - 1));
    assert_int_equal(documents, steps);
}

/* Where the log has its last transaction: before it all but that is there. */
static size_t find_last(const struct image *image)
{
    size_t length = image->log.length;
    int64_t documents;

    while (try_image(image, length, &documents) >= STEPS - 1)
        length -= 512;
    return length;
}

static void flip(struct image *image, struct bytes *bytes, rng_t *rng, bool in_log,
                 size_t last_from)
{
    const size_t at = rng_below(rng, bytes->length);
    const unsigned char bit = (unsigned char)(1u << rng_below(rng, 8));

    bytes->at[at] ^= bit;
    judge_flip(image, at, in_log, last_from);
    bytes->at[at] ^= bit;
}

TEST_WITH(a_flipped_bit_is_found_out, set_up, tear_down)
{
    struct image image = make_image();
    const size_t last_from = find_last(&image);
    rng_t rng = rng_new(test_seed(), "flips");

    for (long i = 0; i < test_times(150); i++) {
        flip(&image, &image.database, &rng, false, last_from);
        flip(&image, &image.log, &rng, true, last_from);
    }
    free_image(&image);
}

/* The headers of the log and of its first frame, of 56 bytes; that of the database, of 100. */
TEST_WITH(a_flipped_bit_of_a_header_is_found_out, set_up, tear_down)
{
    struct image image = make_image();
    const size_t last_from = find_last(&image);
    const size_t stride = test_times(1) > 1 ? 1 : 7;

    for (size_t bit = 0; bit < 448; bit += stride) {
        image.log.at[bit / 8] ^= (unsigned char)(1u << bit % 8);
        judge_flip(&image, bit / 8, true, last_from);
        image.log.at[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    for (size_t bit = 0; bit < 800; bit += stride) {
        image.database.at[bit / 8] ^= (unsigned char)(1u << bit % 8);
        judge_flip(&image, bit / 8, false, last_from);
        image.database.at[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    free_image(&image);
}

/* A damaged document does not keep the others from their owner. */
TEST_WITH(a_damaged_document_is_set_aside, set_up, tear_down)
{
    struct image image = make_image();
    unsigned char *found = memmem(image.database.at, image.database.length, "document 3", 10);
    journal_t *journal;

    assert_non_null(found);
    found[9] = '9';
    put_image(&image, 0);
    journal = open_journal();
    assert_int_equal(journal_set_aside(journal), 1);
    assert_int_equal(count_documents(journal), STEPS / 2 - 1);
    journal_close(&journal);
    journal = open_journal();
    assert_int_equal(journal_set_aside(journal), 0);
    journal_close(&journal);
    free_image(&image);
}

TEST_WITH(a_damaged_step_is_named, set_up, tear_down)
{
    struct image image = make_image();
    int64_t documents;
    unsigned char *found = memmem(image.database.at, image.database.length, "< submitted 0", 13);

    assert_non_null(found);
    found[12] = '1';
    assert_int_equal(try_image(&image, 0, &documents), -1);
    assert_told("state.db: is damaged: step 1 is not as it was written, and no later one can be "
                "decided without it; a copy from when it was last opened is ");
    assert_told("state/backup.db");
    free_image(&image);
}

/* ---- the index of documents ---- */

static void run_sql(const char *sql)
{
    char *why = NULL;
    sqlite3 *sqlite = NULL;

    assert_int_equal(sqlite3_open(folder_file(folder, "state/state.db"), &sqlite), SQLITE_OK);
    if (sqlite3_exec(sqlite, sql, NULL, NULL, &why) != SQLITE_OK)
        fail_msg("%s: %s", sql, why);
    assert_int_equal(sqlite3_close(sqlite), SQLITE_OK);
}

/* The table is changed while its index is not in the schema, so that the index stays as it was. */
static void change_behind_index(const char *change)
{
    run_sql("CREATE TABLE kept AS SELECT * FROM sqlite_schema WHERE tbl_name = 'document'");
    run_sql("PRAGMA writable_schema=ON;"
            "DELETE FROM sqlite_schema WHERE name = 'sqlite_autoindex_document_1';"
            "UPDATE sqlite_schema SET sql = replace(sql, ', UNIQUE (kind, name)', '') WHERE name = "
            "'document'");
    run_sql(change);
    run_sql("PRAGMA writable_schema=ON;"
            "DELETE FROM sqlite_schema WHERE tbl_name = 'document';"
            "INSERT INTO sqlite_schema SELECT * FROM kept");
}

TEST_WITH(an_index_that_differs_is_found_out, set_up, tear_down)
{
    static const struct {
        const char *change;
        const char *words;
    } cases[] = {
        {"DELETE FROM document WHERE place = 3", "does not have what they are"},
        {"INSERT INTO document SELECT 1000, kind, 'new', body, checked FROM document WHERE place = "
         "3",
         "does not have what they are"},
        {"UPDATE document SET name = 'other' WHERE place = 3", "does not have what they are"},
        {"UPDATE document SET place = 1000 WHERE place = 3", "does not have what they are"},
    };
    struct image image = make_image();

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        put_image(&image, image.log.length);
        change_behind_index(cases[i].change);
        state = folder_file(folder, "state");
        assert_null(journal_open(state, &error));
        assert_told("state.db: is damaged: the index of documents ");
        assert_told(cases[i].words);
    }
    free_image(&image);
}

/* Opened, copied at once or while it is used, and closed. */
static void copy_state(bool at_once)
{
    journal_t *journal = open_journal();

    if (at_once)
        journal_back_up(journal);
    else
        while (journal_copy(journal, &error) == 0)
            continue;
    journal_close(&journal);
}

/* The copy is the state as it was when it was opened, with what its log had. */
TEST_WITH(the_copy_is_a_state, set_up, tear_down)
{
    struct image image = make_image();
    struct bytes copy;

    for (int at_once = 0; at_once <= 1; at_once++) {
        put_image(&image, image.log.length);
        copy_state(at_once);
        copy = read_file("state/backup.db");
        state = folder_file(folder, "state");
        assert_int_equal(unlink(folder_file(folder, "state/state.db")), 0);
        (void)folder_write_bytes(folder, "state/state.db", copy.at, copy.length);
        assert_there(STEPS, STEPS);
        free(copy.at);
    }
    free_image(&image);
}

/* ---- what is missing ---- */

static void refuses(const char *words)
{
    assert_null(journal_open(state, &error));
    assert_told(words);
    assert_told("rubato state restore ");
    assert_told("rubato state accept-loss ");
}

static void put_database(const struct image *image, size_t length)
{
    (void)folder_write_bytes(folder, "state/state.db", image->database.at, length);
    (void)folder_write_bytes(folder, "state/state.db-wal", image->log.at, image->log.length);
}

/* The mark has all that was committed: a log that was cut between two transactions is noticed, and
 * so is a database that is empty or gone. Each time nothing is changed. */
TEST_WITH(what_was_acknowledged_is_missed, set_up, tear_down)
{
    struct image image = make_image();
    struct bytes mark = read_file("state/mark");

    put_database(&image, image.database.length);
    (void)folder_write_bytes(folder, "state/state.db-wal", image.log.at,
                             image.log.length - 4096 - 24);
    refuses("lacks the last 1 commits that were acknowledged");
    assert_int_equal(unlink(folder_file(folder, "state/state.db-wal")), 0);
    refuses("state.db: lacks the last ");
    put_database(&image, 0);
    refuses("state.db: is empty");
    assert_int_equal(unlink(folder_file(folder, "state/state.db")), 0);
    refuses("state.db: is not there");
    (void)folder_write_bytes(folder, "state/mark", mark.at, mark.length);
    put_database(&image, image.database.length);
    assert_there(STEPS, STEPS);
    free(mark.at);
    free_image(&image);
}

/* Numbers are reserved before they are given, and outlast the database. */
TEST_WITH(numbers_outlast_the_database, set_up, tear_down)
{
    journal_t *journal = open_journal();
    char aside[PATH_MAX];
    uint64_t lost;

    for (uint64_t number = 1; number <= 250; number++)
        assert_int_equal(journal_reserve(journal, number, &error), 0);
    assert_int_equal(journal_begin(journal, &error), 0);
    put_number(journal, 250);
    assert_int_equal(journal_commit(journal, &error), 0);
    journal_close(&journal);
    assert_int_equal(unlink(folder_file(folder, "state/state.db")), 0);
    (void)unlink(folder_file(folder, "state/state.db-wal"));
    refuses("is not there, and mark knows of a state");
    assert_int_equal(upkeep_accept_loss(state, aside, &error), 0);
    journal = open_journal();
    assert_true(journal_loss_is_accepted(journal));
    lost = journal_numbers_lost(journal);
    assert_true(lost >= 250);
    assert_int_equal(journal_go_on(journal, &error), 0);
    journal_close(&journal);
    journal = open_journal();
    assert_false(journal_loss_is_accepted(journal));
    journal_close(&journal);
}

/* Either slot of the mark may be damaged by a write that was cut: the other one counts. */
TEST_WITH(a_damaged_slot_leaves_the_one_before, set_up, tear_down)
{
    const char *path = folder_file(folder, "mark");
    struct mark_file file;
    struct mark mark = {.run = 7};

    for (uint64_t i = 1; i <= 9; i++) {
        int fd;

        assert_int_equal(mark_open(&file, folder_file(folder, ""), MARK, &error), 0);
        assert_int_equal(file.mark.commits, i == 1 ? 0 : i == 2 ? 1 : i - 1);
        mark.commits = i;
        assert_int_equal(mark_write(&file, &mark, true, &error), 0);
        mark.commits = 1000;
        assert_int_equal(mark_write(&file, &mark, true, &error), 0);
        fd = open(path, O_WRONLY | O_CLOEXEC);
        assert_int_equal(pwrite(fd, "x", 1, (off_t)(file.turn % 2) * 4096 + 20), 1);
        assert_int_equal(close(fd), 0);
        mark_close(&file);
    }
}

int main(void)
{
    faulty_disk_install();
    return tests_run(NULL, NULL);
}

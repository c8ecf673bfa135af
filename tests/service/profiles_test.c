/* profiles_test.c - how fast models train, as users and operators say: whose jobs are planned by
 * which profile, and what is kept of it. */
#include "scheduler/service/profiles.h"
#include "scheduler/service/request.h"
#include "tests/support/folder.h"
#include "tests/support/tables.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

#define MODEL "mine"
#define BATCH 8

static folder_t *folder;
static journal_t *journal;
static profiles_t *profiles;
static struct error error;

static void open_state(void)
{
    journal = journal_open(folder_file(folder, "state"), &error);
    assert_non_null(journal);
    profiles = profiles_new(journal, &error);
}

static void close_state(void)
{
    profiles_destroy(&profiles);
    journal_close(&journal);
}

FIXTURE(set_up)
{
    folder = folder_new();
    open_state();
    assert_non_null(profiles);
    return 0;
}

FIXTURE(tear_down)
{
    close_state();
    folder_destroy(&folder);
    return 0;
}

/* `owner` NULL: that of all. The rate is that on one GPU; 0 for a removal. */
static struct profile said(const char *owner, bool measured, double rate)
{
    struct profile profile = {.owner = owner,
                              .measured = measured,
                              .row = {.model = MODEL, .batch_size = BATCH},
                              .by = owner ? owner : "root",
                              .at = 1700000000};

    if (rate > 0) {
        profile.row.level_count = 1;
        profile.row.gpus[0] = 1;
        profile.row.iters_per_s[0] = rate;
    }
    return profile;
}

static void say(const char *owner, bool measured, double rate)
{
    const struct profile profile = said(owner, measured, rate);

    assert_int_equal(profiles_put(profiles, &profile, &error), 0);
    assert_int_equal(journal_commit(journal, &error), 0);
    assert_non_null(profiles_learn(profiles, &profile, &error));
}

/* The rate by which a job of `user` is planned, 0 for none. */
static double planned(const char *user)
{
    const struct profile *profile = profiles_find(profiles, user, MODEL, BATCH);

    return profile ? profile->row.iters_per_s[0] : 0;
}

TEST_WITH(no_profile_of_a_user_serves_another, set_up, tear_down)
{
    say("alice", false, 1000);
    say("alice", true, 2000);
    assert_true(planned("alice") == 2000);
    assert_true(planned("bob") == 0);
    assert_true(planned("alic") == 0);
    assert_true(planned("alice2") == 0);
    say(NULL, false, 5);
    assert_true(planned("bob") == 5);
    say("alice", false, 3000);
    say("alice", true, 0);
    say("alice", false, 0);
    assert_true(planned("bob") == 5);
    assert_true(planned("alice") == 5);
}

/* Each pair of the four in both orders in which they may have come. */
TEST_WITH(a_measured_rate_comes_before_a_claimed_one_then_the_own_before_that_of_all, set_up,
          tear_down)
{
    const struct profile by_rank[] = {said("alice", true, 1), said(NULL, true, 2),
                                      said("alice", false, 3), said(NULL, false, 4)};

    for (size_t first = 0; first < COUNT(by_rank); first++)
        for (size_t second = 0; second < COUNT(by_rank); second++) {
            const size_t best = first < second ? first : second;

            for (size_t i = 0; i < COUNT(by_rank); i++)
                say(by_rank[i].owner, by_rank[i].measured, 0);
            say(by_rank[first].owner, by_rank[first].measured, (double)first + 1);
            say(by_rank[second].owner, by_rank[second].measured, (double)second + 1);
            assert_true(planned("alice") == (double)best + 1);
        }
}

TEST_WITH(a_model_that_is_called_like_the_words_of_a_key_is_another, set_up, tear_down)
{
    static const char *const models[] = {"mine measured", "mine of alice", "8 mine", "mine "};

    say("alice", true, 7);
    for (size_t i = 0; i < COUNT(models); i++) {
        assert_null(profiles_find(profiles, "alice", models[i], BATCH));
        assert_null(profiles_find(profiles, "bob", models[i], BATCH));
    }
    assert_null(profiles_find(profiles, "alice", MODEL, BATCH * 2));
}

TEST_WITH(all_of_them_are_there_after_a_start, set_up, tear_down)
{
    say("alice", true, 1.0 / 3);
    say("alice", false, 3);
    say(NULL, true, 2);
    say(NULL, false, 4);
    close_state();
    open_state();
    assert_non_null(profiles);
    assert_true(planned("alice") == 1.0 / 3);
    assert_true(planned("bob") == 2);
    assert_string_equal(profiles_find(profiles, "bob", MODEL, BATCH)->by, "root");
    say("alice", true, 0);
    say(NULL, true, 0);
    close_state();
    open_state();
    assert_true(planned("alice") == 3);
    assert_true(planned("bob") == 4);
}

static void put_document(const char *key, const char *body)
{
    assert_int_equal(journal_put(journal, "profile", key, body, &error), 0);
    assert_int_equal(journal_commit(journal, &error), 0);
}

TEST_WITH(a_profile_of_an_earlier_version_is_an_operators, set_up, tear_down)
{
    const struct profile *profile;

    put_document("8 mine", "[\"1:5.25\",\"2:9\"]");
    close_state();
    open_state();
    assert_non_null(profiles);
    profile = profiles_find(profiles, "bob", MODEL, BATCH);
    assert_non_null(profile);
    assert_null(profile->owner);
    assert_null(profile->by);
    assert_false(profile->measured);
    assert_int_equal(profile->row.level_count, 2);
    assert_true(profile->row.iters_per_s[0] == 5.25);
    say(NULL, false, 6);
    assert_true(planned("bob") == 6);
}

TEST_WITH(a_document_that_makes_no_sense_is_told, set_up, tear_down)
{
    static const char *const bodies[] = {"{}", "[]", "[1]", "{\"rates\": [\"3:1\"]}", "no JSON"};

    for (size_t i = 0; i < COUNT(bodies); i++) {
        put_document("8 mine\tof alice", bodies[i]);
        close_state();
        open_state();
        assert_null(profiles);
    }
}

TEST_WITH(what_it_said_before_is_told_the_latest_first, set_up, tear_down)
{
    json_t *past;

    for (int i = 1; i <= PROFILES_PAST_MAX + 3; i++)
        say("alice", false, i);
    say("alice", false, 0);
    past = profiles_past(profiles, profiles_of(profiles, "alice", false, MODEL, BATCH), &error);
    assert_non_null(past);
    assert_int_equal(json_array_size(past), PROFILES_PAST_MAX);
    assert_string_equal(
        json_string_value(json_array_get(json_object_get(json_array_get(past, 0), "rates"), 0)),
        "1:23");
    json_decref(past);
    say("alice", false, 9);
    past = profiles_past(profiles, profiles_of(profiles, "alice", false, MODEL, BATCH), &error);
    assert_true(json_is_null(json_object_get(json_array_get(past, 0), "rates")));
    json_decref(past);
}

/* A model for each number. */
static int put_numbered(const char *owner, int number, double rate)
{
    struct profile profile = said(owner, false, rate);
    char model[16];

    (void)snprintf(model, sizeof(model), "model-%d", number);
    profile.row.model = model;
    profile.at += number;
    if (profiles_put(profiles, &profile, &error) < 0)
        return -1;
    assert_non_null(profiles_learn(profiles, &profile, &error));
    return 0;
}

TEST_WITH(the_profiles_of_a_user_are_limited_and_removed_ones_make_room, set_up, tear_down)
{
    for (int i = 0; i < PROFILES_MAX; i++)
        assert_int_equal(put_numbered("alice", i, 1), 0);
    assert_int_equal(put_numbered("alice", PROFILES_MAX, 1), -1);
    assert_non_null(strstr(error.text, "alice has 1000 profiles"));
    assert_int_equal(put_numbered("bob", 0, 1), 0);
    assert_int_equal(put_numbered(NULL, 0, 1), 0);
    assert_int_equal(put_numbered("alice", 3, 2), 0); /* what is there may say otherwise */
    assert_int_equal(put_numbered("alice", 7, 0), 0);
    assert_int_equal(put_numbered("alice", 5, 0), 0);
    assert_int_equal(put_numbered("alice", PROFILES_MAX, 1), 0);
    assert_null(profiles_of(profiles, "alice", false, "model-5", BATCH));
    assert_non_null(profiles_of(profiles, "alice", false, "model-7", BATCH));
    assert_int_equal(journal_commit(journal, &error), 0);
    close_state();
    open_state();
    assert_null(profiles_of(profiles, "alice", false, "model-5", BATCH));
    assert_non_null(profiles_of(profiles, "alice", false, "model-1000", BATCH));
}

TEST_WITH(a_job_keeps_the_rates_that_it_was_promised_by, set_up, tear_down)
{
    rows_t *rows = rows_new();
    tables_t *tables = tables_new("A100");
    arena_t *texts = arena_new();
    const struct submitting with = {.throughputs = tables_for_engine(tables),
                                    .profiles = profiles,
                                    .user = "alice",
                                    .rows = rows};
    struct job_request asked;
    const struct submission *job;

    say("alice", false, 3);
    assert_int_equal(job_request_read("{\"model\": \"mine\", \"batch_size\": 8, \"iterations\": 9}",
                                      &asked, texts, &error),
                     0);
    assert_true(job_request_profile(&asked, &with)->row.iters_per_s[0] == 3);
    job = job_request_submission(&asked, &with, texts, &error);
    assert_non_null(job);
    say("alice", false, 5);
    say("alice", false, 0);
    assert_true(job->throughput->iters_per_s[0] == 3);
    assert_string_equal(job->throughput->model, "mine");
    assert_null(job_request_profile(&asked, &with));
    assert_null(job_request_submission(&asked, &with, texts, &error));
    assert_non_null(strstr(error.text, "nor a profile of user alice or of an operator"));
    arena_destroy(&texts);
    tables_destroy(&tables);
    rows_destroy(&rows);
}

int main(void)
{
    return tests_run(NULL, NULL);
}

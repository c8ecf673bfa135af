/* answer_test.c - answers of a service in which a member is missing or of another kind: each is
 * told in one sentence. */
#include "common/input.h"
#include "tests/support/test.h"
#include "tools/service/answer.h"
#include "tools/service/jobs.h"
#include "tools/service/status.h"
#include "tools/service/verdict.h"

#include <stdlib.h>

/* One value of each kind, and some that are far off. */
static const char *const others[] = {
    "null",
    "true",
    "-1",
    "1e300",
    "\"a\\u001bb\"",
    "[1, \"b\", null, {}]",
    "{\"a\": 1}",
    "9223372036854775807",
};

#define OTHERS (sizeof(others) / sizeof(others[0]))

/* What an object of these members may look like. */
static json_t *good_object(const struct member members[])
{
    static const char *const values[] = {
        [MEMBER_TEXT] = "\"word\"",     [MEMBER_STATE] = "\"running\"",
        [MEMBER_WHOLE] = "7",           [MEMBER_SECONDS] = "3600",
        [MEMBER_HOURS] = "1.5",         [MEMBER_TIME] = "1795539600",
        [MEMBER_WORDS] = "[\"a\", 12]", [MEMBER_DONE] = "3",
        [MEMBER_UNTIL] = "1795539600",
    };
    json_t *object = json_pack("{s:i}", "iterations", 10);

    for (const struct member *member = members; member->title; member++)
        json_object_set_new(object, member->name,
                            json_loads(values[member->kind], JSON_DECODE_ANY, NULL));
    return object;
}

static void check_sentence(const char *sentence)
{
    char shown[1024];

    assert_non_null(strstr(sentence, "makes no sense"));
    (void)input_printable(shown, sizeof(shown), sentence, strlen(sentence));
    assert_string_equal(shown, sentence);
}

/* Prints `object`, as a list of one or as it is; true if it was taken. */
static bool print(const struct member members[], json_t *object, bool as_list)
{
    struct error error = {.text = ""};
    json_t *list = json_pack("[O]", object);
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    const struct page page = {out, true, "list"};
    int result;

    assert_non_null(out);
    result = as_list ? table_print(&page, members, list, &error)
                     : table_print_object(&page, members, object, &error);
    (void)fclose(out);
    if (result < 0) {
        check_sentence(error.text);
        assert_int_equal(size, 0);
    }
    assert_null(memchr(text, '\a', size));
    free(text);
    json_decref(list);
    return result == 0;
}

static void check_members(const struct member members[], bool as_list)
{
    json_t *good = good_object(members);
    size_t refused = 0;

    assert_true(print(members, good, as_list));
    for (const struct member *member = members; member->title; member++) {
        json_t *without = json_copy(good);

        json_object_del(without, member->name);
        if (as_list)
            assert_int_equal(print(members, without, as_list), member->kind == MEMBER_UNTIL);
        json_decref(without);
        for (size_t i = 0; i < OTHERS; i++) {
            json_t *other = json_copy(good);

            json_object_set_new(other, member->name, json_loads(others[i], JSON_DECODE_ANY, NULL));
            refused += print(members, other, as_list) ? 0 : 1;
            json_decref(other);
        }
    }
    assert_true(refused > 0);
    json_decref(good);
}

TEST(a_member_of_another_kind_is_told)
{
    check_members(jobs_listed, true);
    check_members(jobs_events, true);
    check_members(status_nodes, true);
    check_members(jobs_shown, false);
    check_members(status_members, false);
}

TEST(a_part_that_is_no_object_is_told)
{
    for (size_t i = 0; i < OTHERS; i++) {
        json_t *other = json_loads(others[i], JSON_DECODE_ANY, NULL);

        assert_false(print(jobs_listed, other, true));
        json_decref(other);
    }
}

TEST(a_verdict_of_another_kind_is_told)
{
    static const char *const members[] = {"job",      "verdict",  "promised_until", "reason",
                                          "sentence", "earliest", "retry_after_s"};
    const struct call_request request = {.verb = "submit"};

    assert_non_null(freopen("/dev/null", "w", stdout));
    for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++)
        for (size_t k = 0; k < OTHERS; k++) {
            struct answer answer = {ANSWER_DONE,
                                    json_pack("{s:i, s:s, s:I, s:s, s:s, s:n}", "job", 1, "verdict",
                                              "declined", "promised_until", (json_int_t)1795539600,
                                              "reason", "later", "sentence", "why", "earliest")};
            struct error error = {.text = ""};

            json_object_set_new(answer.object, members[i],
                                json_loads(others[k], JSON_DECODE_ANY, NULL));
            if (verdict_show(&request, &answer, &error) < 0)
                check_sentence(error.text);
            json_decref(answer.object);
        }
}

TEST(a_document_that_is_no_object_is_told)
{
    static const char *const bad[] = {"", "{", "[]", "1", "{\"a\": 1, \"a\": 2}", "nonsense"};

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct error error = {.text = ""};

        assert_null(answer_read("list", bad[i], &error));
        check_sentence(error.text);
    }
}

TEST(a_busy_service_says_when_to_come_again)
{
    json_t *good = json_pack("{s:i}", "retry_after_s", 3);
    json_t *bad = json_pack("{s:i}", "retry_after_s", 1000000);
    int64_t after_s;

    assert_true(answer_retry_after(good, &after_s));
    assert_int_equal(after_s, 3);
    assert_false(answer_retry_after(bad, &after_s));
    assert_false(answer_retry_after(NULL, &after_s));
    json_decref(good);
    json_decref(bad);
}

int main(void)
{
    return tests_run(NULL, NULL);
}

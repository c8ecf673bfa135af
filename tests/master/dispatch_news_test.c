/* dispatch_news_test.c - what changed is told once, and in order. */
#include "master/dispatch_news.h"
#include "tests/support/test.h"

static void incarnations_come_once_in_the_order_of_their_first_change(void **state)
{
    struct dispatch_news news = {0};
    struct incarnation first = {.number = 1};
    struct incarnation second = {.number = 2};

    (void)state;
    assert_null(dispatch_news_take(&news));
    dispatch_news_add(&news, &first);
    dispatch_news_add(&news, &second);
    dispatch_news_add(&news, &first);
    assert_ptr_equal(dispatch_news_take(&news), &first);
    assert_ptr_equal(dispatch_news_take(&news), &second);
    assert_null(dispatch_news_take(&news));
    dispatch_news_clear(&news);
}

/* The watch that is told of one may change it, or another, again. */
static void what_changes_while_it_is_told_comes_again(void **state)
{
    struct dispatch_news news = {0};
    struct incarnation first = {.number = 1};
    struct incarnation second = {.number = 2};

    (void)state;
    dispatch_news_add(&news, &first);
    assert_ptr_equal(dispatch_news_take(&news), &first);
    assert_false(first.changed);
    dispatch_news_add(&news, &second);
    dispatch_news_add(&news, &first);
    assert_true(first.changed);
    assert_ptr_equal(dispatch_news_take(&news), &second);
    assert_ptr_equal(dispatch_news_take(&news), &first);
    assert_null(dispatch_news_take(&news));
    dispatch_news_clear(&news);
}

static void a_node_comes_as_often_as_it_changed(void **state)
{
    struct dispatch_news news = {0};
    struct worker_node nodes[2] = {{.number = 0}, {.number = 1}};

    (void)state;
    for (int round = 0; round < 2; round++) {
        dispatch_news_add_node(&news, &nodes[0]);
        dispatch_news_add_node(&news, &nodes[1]);
        assert_ptr_equal(dispatch_news_take_node(&news), &nodes[0]);
        dispatch_news_add_node(&news, &nodes[0]);
        assert_ptr_equal(dispatch_news_take_node(&news), &nodes[1]);
        assert_ptr_equal(dispatch_news_take_node(&news), &nodes[0]);
        assert_null(dispatch_news_take_node(&news));
    }
    dispatch_news_clear(&news);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(incarnations_come_once_in_the_order_of_their_first_change),
        cmocka_unit_test(what_changes_while_it_is_told_comes_again),
        cmocka_unit_test(a_node_comes_as_often_as_it_changed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* dispatch_news_test.c - what changed is told once, and in order. */
#include "master/dispatch_news.h"
#include "tests/support/test.h"

TEST(incarnations_come_once_in_the_order_of_their_first_change)
{
    struct dispatch_news news = {0};
    struct incarnation first = {.number = 1};
    struct incarnation second = {.number = 2};

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
TEST(what_changes_while_it_is_told_comes_again)
{
    struct dispatch_news news = {0};
    struct incarnation first = {.number = 1};
    struct incarnation second = {.number = 2};

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

TEST(a_node_comes_as_often_as_it_changed)
{
    struct dispatch_news news = {0};
    struct worker_node nodes[2] = {{.number = 0}, {.number = 1}};

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
    return tests_run(NULL, NULL);
}

/* master_session_test.c - what a master says of its nodes while the scheduler waits for something else is known when
 * the scheduler asks. The test is the master, on the backend's own loop. */
#include "common/log.h"
#include "scheduler/backend/backend_master_state.h"
#include "tests/support/test.h"

#include <stdio.h>

#define NODES        2
#define HEARTBEAT_MS 20000 /* nobody is taken for silent */

struct scene {
    backend_master_t *backend;
    const struct backend *calls;
    link_server_t *master;
    const struct msg_node *news; /* what it says of nodes before the plan is settled */
    size_t news_count;
};

static struct scene scene;

/* ---- the master ---- */

static const struct msg_node other = {1, "other", 2, 2, true, ""};
static const struct msg_node here = {0, "w", 2, 0, true, ""};
static const struct msg_node away = {0, "w", 2, 0, false, "it said goodbye"};
static const struct msg_node away_again = {0, "w", 2, 0, false, "its lease ran out"};

static void say_node(link_peer_t *peer, const struct msg_node *node)
{
    struct msg_node copy = *node;
    struct writer out;

    msg_nodes_pack(&(struct msg_nodes){1, &copy}, &out);
    link_peer_send(peer, &out);
}

/* Of two nodes one goes and comes back before the other is there. */
static int on_hello(void *owner, link_peer_t *peer, const struct msg_hello *hello, reader_t *in,
                    struct error *error)
{
    const struct msg_scheduler_welcome welcome = {HEARTBEAT_MS, HEARTBEAT_MS, NODES};
    struct writer out;

    (void)owner;
    (void)hello;
    (void)in;
    (void)error;
    msg_scheduler_welcome_pack(&welcome, &out);
    link_peer_send(peer, &out);
    say_node(peer, &here);
    say_node(peer, &away);
    say_node(peer, &here);
    say_node(peer, &other);
    return 0;
}

static int on_message(void *owner, link_peer_t *peer, int type, reader_t *in, struct error *error)
{
    struct msg_plan plan;
    struct writer out;

    (void)owner;
    if (type != MSG_PLAN)
        return 0;
    if (msg_plan_unpack(in, &plan, error) < 0)
        return -1;
    for (size_t i = 0; i < scene.news_count; i++)
        say_node(peer, &scene.news[i]);
    msg_settled_pack(&(struct msg_settled){plan.round}, &out);
    link_peer_send(peer, &out);
    return 0;
}

static void on_gone(void *owner, link_peer_t *peer, const char *cause)
{
    (void)owner;
    (void)peer;
    (void)cause;
}

/* ---- the scheduler ---- */

static int set_up(void **state)
{
    static const struct link_server_calls calls = {
        .hello = on_hello, .message = on_message, .gone = on_gone};
    const struct link_server_setting listening = {"tcp://127.0.0.1:*", HEARTBEAT_MS, NULL};
    const struct backend_master_setting setting = {.master = "127.0.0.1:1", /* no port yet */
                                                   .name = "scheduler",
                                                   .fast_forward = true,
                                                   .heartbeat_ms = HEARTBEAT_MS};
    const struct cluster_spec spec = CLUSTER_OF(1, NODES, 2);
    struct error error;

    (void)state;
    (void)log_to_file("/dev/null");
    scene = (struct scene){.backend = backend_master_new(&setting, &error)};
    if (!scene.backend)
        fail_msg("%s", error.text);
    scene.calls = backend_master_calls(scene.backend);
    scene.master = link_server_new(scene.backend->loop, &listening, &calls, NULL, &error);
    if (!scene.master)
        fail_msg("%s", error.text);
    (void)snprintf(scene.backend->endpoint, sizeof(scene.backend->endpoint), "%s",
                   link_server_endpoint(scene.master));
    if (scene.calls->open(scene.backend, &spec, &error) < 0)
        fail_msg("%s", error.text);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    scene.calls->close(scene.backend, "the test is over");
    link_server_destroy(&scene.master);
    backend_master_destroy(&scene.backend);
    return 0;
}

/* A round without jobs, in which the master says `news`. */
static void carry_out(const struct msg_node *news, size_t count)
{
    static int64_t round;
    struct error error;

    scene.news = news;
    scene.news_count = count;
    if (scene.calls->carry_out(scene.backend, &(struct orders){.round = ++round}, &error) < 0)
        fail_msg("%s", error.text);
}

static const char *went(int node)
{
    return scene.calls->node_went(scene.backend, node);
}

static void check_went(int node, const char *why)
{
    const char *told = went(node);

    assert_non_null(told);
    assert_string_equal(told, why);
    assert_null(went(node));
}

static bool is_up(int node)
{
    const char *cause;

    return scene.calls->node_is_up(scene.backend, node, &cause);
}

/* ---- promises ---- */

static void a_run_begins_with_nobody_gone(void **state)
{
    (void)state;
    for (int node = 0; node < NODES; node++) {
        assert_true(is_up(node));
        assert_null(went(node));
    }
    carry_out(NULL, 0);
    assert_null(went(0));
}

static void a_node_that_went_and_is_back_is_told_once(void **state)
{
    const struct msg_node news[] = {away, here};
    struct error error;

    (void)state;
    carry_out(news, COUNT(news));
    assert_int_equal(scene.calls->wait(scene.backend, 0, 100, false, &error), 1);
    assert_true(is_up(0));
    check_went(0, "w: it said goodbye");
    assert_null(went(1));
    carry_out(NULL, 0);
    assert_null(went(0));
}

static void a_node_that_went_for_good_is_told_once(void **state)
{
    (void)state;
    carry_out(&away, 1);
    assert_false(is_up(0));
    check_went(0, "w: it said goodbye");
    carry_out(&here, 1);
    assert_true(is_up(0));
    assert_null(went(0));
}

static void of_several_causes_the_last_is_told(void **state)
{
    const struct msg_node news[] = {away, here, away_again, away_again, here};

    (void)state;
    carry_out(news, COUNT(news));
    assert_true(is_up(0));
    check_went(0, "w: its lease ran out");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_run_begins_with_nobody_gone, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_node_that_went_and_is_back_is_told_once, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_node_that_went_for_good_is_told_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(of_several_causes_the_last_is_told, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

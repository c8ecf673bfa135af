/* link_test.c - sessions between two processes' ends, here in one loop. */
#include "protocol/link.h"
#include "tests/protocol/link_ends.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Ends in one loop: a server and two clients. */
struct table {
    zloop_t *loop;
    struct server_end server;
    struct client_end first;
    struct client_end second;
    char endpoint[64];
};

static int set_table(void **state)
{
    static struct table table;

    memset(&table, 0, sizeof(table));
    table.loop = ends_loop();
    (void)snprintf(table.endpoint, sizeof(table.endpoint), "ipc://@rubato-link-test-%ld",
                   (long)getpid());
    server_end_open(&table.server, table.loop, table.endpoint, NULL);
    *state = &table;
    return 0;
}

static int clear_table(void **state)
{
    struct table *const table = *state;

    client_end_close(&table->first);
    client_end_close(&table->second);
    server_end_close(&table->server);
    zloop_destroy(&table->loop);
    return 0;
}

TEST_WITH(a_hello_is_answered_and_messages_go_both_ways, set_table, clear_table)
{
    struct table *const table = *test_state;

    table->server.echo = true;
    client_end_open(&table->first, table->loop, table->endpoint, "worker", "a", NULL);
    assert_false(link_client_in_session(table->first.client));
    ends_await(table->loop, &table->first.welcomes, 1);
    assert_true(link_client_in_session(table->first.client));
    assert_int_equal(table->server.hellos, 1);
    assert_string_equal(table->server.last_role, "worker");
    assert_string_equal(table->server.last_name, "a");

    client_end_send(&table->first, -42);
    ends_await(table->loop, &table->first.messages, 1);
    assert_int_equal(table->server.last_number, -42);
    assert_int_equal(table->first.last_number, -42);
}

TEST_WITH(a_goodbye_arrives_although_the_socket_is_closed_at_once, set_table, clear_table)
{
    struct table *const table = *test_state;
    struct writer goodbye;

    client_end_open(&table->first, table->loop, table->endpoint, "worker", "a", NULL);
    ends_await(table->loop, &table->first.welcomes, 1);
    for (int i = 0; i < 100; i++)
        client_end_send(&table->first, i);
    msg_goodbye_pack("its work is done", &goodbye);
    link_client_send(table->first.client, &goodbye);
    client_end_close(&table->first);
    ends_await(table->loop, &table->server.gone, 1);
    assert_int_equal(table->server.messages, 100);
    assert_string_equal(table->server.last_cause, "it said goodbye: its work is done");
}

TEST_WITH(a_closed_connection_ends_the_session, set_table, clear_table)
{
    struct table *const table = *test_state;

    client_end_open(&table->first, table->loop, table->endpoint, "worker", "a", NULL);
    ends_await(table->loop, &table->first.welcomes, 1);
    client_end_close(&table->first);
    ends_await(table->loop, &table->server.gone, 1);
    assert_string_equal(table->server.last_cause, "its connection was closed");
}

/* A server with an interval of a second; clients have long ones. */
static void open_impatient_server(struct table *table)
{
    server_end_close(&table->server);
    ends_set_heartbeats(1000, 20000);
    server_end_open(&table->server, table->loop, table->endpoint, NULL);
}

TEST_WITH(a_silent_client_is_gone_and_says_hello_again_when_it_speaks, set_table, clear_table)
{
    struct table *const table = *test_state;

    open_impatient_server(table);
    client_end_open(&table->first, table->loop, table->endpoint, "worker", "a", NULL);
    ends_await(table->loop, &table->first.welcomes, 1);
    ends_await(table->loop, &table->server.gone, 1);
    assert_string_equal(table->server.last_cause, "it is silent for more than 3 heartbeats");
    ends_await(table->loop, &table->first.welcomes, 2);
    assert_int_equal(table->server.hellos, 2);
}

TEST_WITH(a_client_finds_a_server_that_comes_later_and_one_that_comes_back, set_table, clear_table)
{
    struct table *const table = *test_state;

    server_end_close(&table->server);
    client_end_open(&table->first, table->loop, table->endpoint, "worker", "a", NULL);
    server_end_open(&table->server, table->loop, table->endpoint, NULL);
    ends_await(table->loop, &table->first.welcomes, 1);
    server_end_close(&table->server);
    ends_await(table->loop, &table->first.gone, 1);
    assert_string_equal(table->first.last_cause, "its connection was closed");
    assert_int_equal(table->first.refused, 0);
    server_end_open(&table->server, table->loop, table->endpoint, NULL);
    ends_await(table->loop, &table->first.welcomes, 2);
}

TEST_WITH(a_refused_client_is_told_why_and_may_give_up, set_table, clear_table)
{
    struct table *const table = *test_state;

    ends_set_heartbeats(20000, 200); /* so soon it asks again */
    table->server.refuse = "no workers here";
    client_end_open(&table->first, table->loop, table->endpoint, "worker", "a", NULL);
    ends_await(table->loop, &table->first.refused, 2);
    assert_string_equal(table->first.last_cause, "it refused: no workers here");
    table->first.give_up = true;
    ends_await(table->loop, &table->first.refused, 3);
    assert_int_equal(table->server.gone, 0);
    assert_int_equal(table->first.welcomes, 0);
}

static int talk(zloop_t *loop, int timer, void *argument)
{
    struct table *const table = argument;

    (void)loop;
    (void)timer;
    client_end_send(&table->first, 1);
    return 0;
}

TEST_WITH(a_second_of_the_same_name_is_refused_while_the_first_is_heard_of, set_table, clear_table)
{
    struct table *const table = *test_state;

    int timer;

    open_impatient_server(table);
    client_end_open(&table->first, table->loop, table->endpoint, "worker", "a", NULL);
    ends_await(table->loop, &table->first.welcomes, 1);
    timer = zloop_timer(table->loop, 50, 0, talk, table);
    ends_set_heartbeats(1000, 500); /* the second asks again and again */
    client_end_open(&table->second, table->loop, table->endpoint, "worker", "a", NULL);
    ends_await(table->loop, &table->second.refused, 2);
    (void)zloop_timer_end(table->loop, timer);
    assert_string_equal(table->second.last_cause, "it refused: worker \"a\" is there already");
    assert_int_equal(table->server.hellos, 1);
    assert_non_null(link_server_find(table->server.server, "worker", "a"));
    /* The first is silent from here on; then the name is free. */
    ends_await(table->loop, &table->second.welcomes, 1);
    assert_int_equal(table->server.gone, 1);
}

TEST_WITH(the_server_may_end_a_session, set_table, clear_table)
{
    struct table *const table = *test_state;

    client_end_open(&table->first, table->loop, table->endpoint, "worker", "a", NULL);
    ends_await(table->loop, &table->first.welcomes, 1);
    link_peer_refuse(table->server.peer, "another took over");
    ends_await(table->loop, &table->first.gone, 1);
    assert_string_equal(table->first.last_cause, "it refused: another took over");
    assert_int_equal(table->first.refused, 0); /* the hello was accepted */
    assert_int_equal(table->server.gone, 0);
    ends_await(table->loop, &table->first.welcomes, 2);
}

static bool has_message(void *argument)
{
    return raw_has_message(argument);
}

/* Reads what came to a ROUTER: the sender, and a hello. */
static zframe_t *receive_hello(zloop_t *loop, zsock_t *router, uint64_t *session)
{
    struct error error;
    zframe_t *sender;
    zframe_t *frame;
    reader_t *reader;

    ends_await_that(loop, has_message, router);
    sender = zframe_recv(router);
    frame = zframe_recv(router);
    reader = reader_new(zframe_data(frame), zframe_size(frame), &error);
    assert_non_null(reader);
    assert_int_equal(reader_type(reader), MSG_HELLO);
    *session = reader_session(reader);
    reader_destroy(&reader);
    zframe_destroy(&frame);
    return sender;
}

/* The connection may be one that only the client believes in: it makes another. */
TEST_WITH(a_silent_server_is_gone_and_connected_to_anew, set_table, clear_table)
{
    struct table *const table = *test_state;
    zsock_t *router = zsock_new(ZMQ_ROUTER);
    char endpoint[128];
    struct writer welcome;
    uint64_t session;
    zframe_t *first;
    zframe_t *second;

    (void)snprintf(endpoint, sizeof(endpoint), "%s-silent", table->endpoint);
    assert_int_equal(zmq_bind(zsock_resolve(router), endpoint), 0);
    ends_set_heartbeats(20000, 500);
    client_end_open(&table->first, table->loop, endpoint, "worker", "a", NULL);
    first = receive_hello(table->loop, router, &session);
    msg_bare_pack(MSG_WELCOME, &welcome);
    writer_stamp(&welcome, session, 1);
    (void)zframe_send(&first, router, ZFRAME_MORE | ZFRAME_REUSE);
    assert_true(zmq_send(zsock_resolve(router), welcome.bytes.data, welcome.bytes.size, 0) > 0);
    writer_close(&welcome);
    ends_await(table->loop, &table->first.welcomes, 1);
    ends_await(table->loop, &table->first.gone, 1);
    assert_string_equal(table->first.last_cause, "it is silent");
    assert_int_equal(table->first.refused, 0);
    second = receive_hello(table->loop, router, &session);
    while (zframe_eq(first, second)) { /* said while the welcome was under way */
        zframe_destroy(&second);
        second = receive_hello(table->loop, router, &session);
    }
    assert_true(session >= 2);
    zframe_destroy(&first);
    zframe_destroy(&second);
    zsock_destroy(&router);
}

int main(void)
{
    return tests_run(NULL, NULL);
}

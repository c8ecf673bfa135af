/* master_source_test.c - what a master says of its nodes becomes occurrences. The test is the
 * master, on the loop of the source. */
#include "common/log.h"
#include "scheduler/capacity/capacity_state.h"
#include "scheduler/capacity/master_source.h"
#include "tests/support/test.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NODES        2
#define HEARTBEAT_MS 20000 /* no end is taken for silent */
#define BRIEF_MS     50    /* where a scheduler is to ask again */

struct scene {
    int64_t heartbeat_ms;
    int hellos;
    bool other_version;
    int refused_until; /* so many hellos, but for the first */
    const char *refusal;
    zloop_t *loop;
    struct run_clock clock;
    master_source_t *source;
    capacity_t *capacity;
    link_server_t *master;
    link_peer_t *peer;
    char heard[256];
};

static struct scene scene;

/* ---- the master ---- */

static const struct msg_node other = {
    .node = 1, .name = "other", .gpus = 2, .first_rank = 2, .up = true, .cause = ""};
static const struct msg_node here = {.name = "w", .gpus = 2, .up = true, .cause = ""};
static const struct msg_node away = {.name = "w", .gpus = 2, .cause = "it said goodbye"};
static const struct msg_node away_again = {.name = "w", .gpus = 2, .cause = "its lease ran out"};

static void say_node(link_peer_t *peer, const struct msg_node *node)
{
    struct msg_node copy = *node;
    struct writer out;

    msg_nodes_pack(&(struct msg_nodes){1, &copy, false}, WIRE_VERSION, &out);
    link_peer_send(peer, &out);
}

/* Of two nodes one goes and comes back before the other is there. */
static int on_hello(void *owner, link_peer_t *peer, const struct msg_hello *hello, reader_t *in,
                    struct error *error)
{
    const struct msg_scheduler_welcome welcome = {scene.heartbeat_ms, HEARTBEAT_MS, NODES};
    struct writer out;

    (void)owner;
    (void)hello;
    (void)in;
    if (scene.other_version) {
        msg_refusal_pack(&(struct msg_refusal){scene.refusal, REFUSAL_VERSION, 8, 9}, &out);
        link_peer_send(peer, &out);
        return 0;
    }
    if (++scene.hellos > 1 && scene.hellos <= scene.refused_until)
        return error_set(error, "%s", scene.refusal);
    scene.peer = peer;
    msg_scheduler_welcome_pack(&welcome, &out);
    link_peer_send(peer, &out);
    say_node(peer, &here);
    say_node(peer, &away);
    say_node(peer, &here);
    say_node(peer, &other);
    return 0;
}

/* What came of programs and plans, in its order. */
static int on_message(void *owner, link_peer_t *peer, int type, reader_t *in, struct error *error)
{
    struct msg_program program;
    char *const end = scene.heard + strlen(scene.heard);
    const size_t room = sizeof(scene.heard) - strlen(scene.heard);

    (void)owner;
    (void)peer;
    if (type == MSG_PLAN)
        (void)snprintf(end, room, "plan ");
    if (type != MSG_PROGRAM)
        return 0;
    if (msg_program_unpack(in, &program, error) < 0)
        return -1;
    (void)snprintf(end, room, "%s of %" PRIu64 " ", program.arguments[0], program.job);
    return 0;
}

static void on_gone(void *owner, link_peer_t *peer, const char *cause)
{
    (void)owner;
    (void)peer;
    (void)cause;
}

/* ---- the scheduler ---- */

static int on_look(zloop_t *loop, int timer, void *argument)
{
    (void)loop;
    (void)timer;
    (void)argument;
    return -1;
}

/* Hears the master until `ready`. -1, with `error`, if the source is of no use first. */
static int await(bool (*ready)(const capacity_t *capacity), struct error *error)
{
    while (!ready(scene.capacity)) {
        if (capacity_check(scene.capacity, error) < 0)
            return -1;
        (void)zloop_timer(scene.loop, 1, 1, on_look, NULL);
        (void)zloop_start(scene.loop);
        capacity_send_orders(scene.capacity);
    }
    return 0;
}

static int open_scene(int64_t heartbeat_ms)
{
    static const struct cluster_spec spec = CLUSTER_OF(1, NODES, 2);
    static const struct link_server_calls calls = {
        .hello = on_hello, .message = on_message, .gone = on_gone};
    const struct link_server_setting listening = {.endpoint = "tcp://127.0.0.1:*",
                                                  .heartbeat_ms = heartbeat_ms};
    const struct master_setting setting = {.address = "127.0.0.1:1", /* no port yet */
                                           .name = "scheduler",
                                           .heartbeat_ms = heartbeat_ms};
    struct capacity_source port;
    struct error error;

    (void)log_to_file("/dev/null");
    zsys_init();
    scene = (struct scene){.loop = zloop_new(), .heartbeat_ms = heartbeat_ms};
    scene.source = master_source_new(scene.loop, &setting, &error);
    if (!scene.source) {
        fail_msg("%s", error.text);
        return -1;
    }
    scene.master = link_server_new(scene.loop, &listening, &calls, NULL, &error);
    if (!scene.master)
        fail_msg("%s", error.text);
    master_source_set_endpoint(scene.source, link_server_endpoint(scene.master));
    port = master_source_port(scene.source);
    scene.capacity = capacity_new(&(struct capacity_setting){.cluster = &spec,
                                                             .clock = &scene.clock,
                                                             .fast_forward = true,
                                                             .heartbeat_ms = heartbeat_ms},
                                  &port);
    if (capacity_attach(scene.capacity, &error) < 0 || await(capacity_is_complete, &error) < 0)
        fail_msg("%s", error.text);
    capacity_take_nodes(scene.capacity);
    return 0;
}

FIXTURE(set_up)
{
    return open_scene(HEARTBEAT_MS);
}

FIXTURE(set_up_brief)
{
    return open_scene(BRIEF_MS);
}

FIXTURE(tear_down)
{
    capacity_detach(scene.capacity, "the test is over", true);
    capacity_destroy(&scene.capacity);
    master_source_destroy(&scene.source);
    link_server_destroy(&scene.master);
    zloop_destroy(&scene.loop);
    return 0;
}

/* The master says `news`, and then that a round is settled, by which it is known that all was
 * heard. */
static const struct occurrences *after(const struct msg_node *news, size_t count)
{
    struct writer out;
    struct error error;

    for (size_t i = 0; i < count; i++)
        say_node(scene.peer, &news[i]);
    scene.capacity->round++;
    msg_settled_pack(&(struct msg_settled){scene.capacity->round}, &out);
    link_peer_send(scene.peer, &out);
    if (await(capacity_is_settled, &error) < 0)
        fail_msg("%s", error.text);
    capacity_begin_news(scene.capacity);
    capacity_tell_nodes(scene.capacity);
    return capacity_news(scene.capacity);
}

static void check(const struct occurrence *occurrence, enum occurrence_kind kind, int node,
                  const char *cause)
{
    assert_int_equal(occurrence->kind, kind);
    assert_int_equal(occurrence->node, node);
    assert_string_equal(occurrence->cause, cause);
}

/* ---- promises ---- */

TEST_WITH(a_run_begins_with_no_node_gone, set_up, tear_down)
{
    assert_int_equal(after(NULL, 0)->count, 0);
}

TEST_WITH(a_node_that_went_and_is_back_is_told_of_twice, set_up, tear_down)
{
    const struct msg_node news[] = {away, here};
    const struct occurrences *told = after(news, COUNT(news));

    assert_int_equal(told->count, 2);
    check(&told->items[0], OCCURRENCE_NODE_GONE, 0, "w: it said goodbye");
    check(&told->items[1], OCCURRENCE_NODE_UP, 0, "w");
    assert_true(scene.capacity->changed);
    assert_int_equal(after(NULL, 0)->count, 0);
}

TEST_WITH(a_node_that_went_for_good_is_told_of_once, set_up, tear_down)
{
    const struct occurrences *told = after(&away, 1);

    assert_int_equal(told->count, 1);
    check(&told->items[0], OCCURRENCE_NODE_GONE, 0, "w: it said goodbye");
    assert_int_equal(after(&away, 1)->count, 0);
    told = after(&here, 1);
    assert_int_equal(told->count, 1);
    check(&told->items[0], OCCURRENCE_NODE_UP, 0, "w");
}

TEST_WITH(of_several_causes_the_last_is_told, set_up, tear_down)
{
    const struct msg_node news[] = {away, here, away_again, away_again, here};
    const struct occurrences *told = after(news, COUNT(news));

    assert_int_equal(told->count, 2);
    check(&told->items[0], OCCURRENCE_NODE_GONE, 0, "w: its lease ran out");
}

TEST_WITH(a_node_is_told_with_the_gpus_that_it_has, set_up, tear_down)
{
    static const struct {
        int gpus;
        int told; /* of the cluster's two */
    } sizes[] = {{1, 1}, {3, 2}, {1, 1}};
    const struct msg_node none = {.name = "w", .up = true, .cause = ""};
    const struct occurrences *told;

    for (size_t i = 0; i < COUNT(sizes); i++) {
        const struct msg_node has = {
            .name = "w", .gpus = sizes[i].gpus, .up = true, .cause = "it differs"};

        scene.capacity->changed = false;
        told = after(&has, 1);
        assert_true(scene.capacity->changed);
        assert_int_equal(told->count, 1);
        check(&told->items[0], OCCURRENCE_NODE_UP, 0, "w: it differs");
        assert_int_equal(told->items[0].gpus, sizes[i].told);
        assert_int_equal(after(&has, 1)->count, 0);
    }
    told = after(&none, 1);
    assert_int_equal(told->count, 1);
    check(&told->items[0], OCCURRENCE_NODE_GONE, 0, "it has no GPU");
    told = after((const struct msg_node[]){away, here}, 2);
    assert_int_equal(told->count, 1);
    check(&told->items[0], OCCURRENCE_NODE_UP, 0, "w");
    assert_int_equal(told->items[0].gpus, 2);
}

TEST_WITH(a_node_that_never_registered_is_gone, set_up, tear_down)
{
    scene.capacity->nodes[1].known = scene.capacity->nodes[1].up = false;
    assert_int_equal(after(NULL, 0)->count, 1);
    check(&scene.capacity->news.items[0], OCCURRENCE_NODE_GONE, 1, "it has never registered");
    assert_int_equal(after(NULL, 0)->count, 0);
}

/* The master ends the session, and refuses until `hellos` have come. */
static void refuse(const char *refusal, int hellos)
{
    struct writer goodbye;

    scene.refusal = refusal;
    scene.refused_until = hellos;
    capacity_hear_away(scene.capacity);
    msg_goodbye_pack("it starts anew", &goodbye);
    link_peer_send(scene.peer, &goodbye);
}

static bool is_welcome(const capacity_t *capacity)
{
    return capacity_is_attached(capacity) && scene.hellos > 1;
}

TEST_WITH(a_master_that_was_of_use_is_waited_for, set_up_brief, tear_down)
{
    struct error error;

    refuse("it does not allow the key of this process", 5);
    if (await(is_welcome, &error) < 0)
        fail_msg("%s", error.text);
    assert_in_range(scene.hellos, 6, INT32_MAX);
}

TEST_WITH(a_master_of_another_version_is_not, set_up_brief, tear_down)
{
    struct error error;

    scene.other_version = true;
    refuse("version 5 of the protocol is not spoken here, but 8 to 9", INT32_MAX);
    assert_int_equal(await(is_welcome, &error), -1);
    assert_string_equal(error.text,
                        "the master at 127.0.0.1:1 cannot be used: it refused: version 5 "
                        "of the protocol is not spoken here, but 8 to 9");
}

/* ---- programs ---- */

#define UNREADABLE 100

/* Jobs of odd numbers have a program; from UNREADABLE on no program can be known. */
static int program_of(void *owner, uint64_t job, const struct msg_program **own,
                      struct error *error)
{
    static const char *file = "x";
    static struct msg_program program;

    (void)owner;
    program = (struct msg_program){
        .job = job, .argument_count = 1, .arguments = &file, .folder = "", .user = ""};
    *own = job % 2 == 1 ? &program : NULL;
    return job < UNREADABLE ? 0 : error_set(error, "job %d cannot be read", (int)job);
}

static void assign(uint64_t number)
{
    static const int32_t ranks[] = {0, 1};
    const struct submission submission = {.id = "a", .number = number};
    const struct job job = {.submission = &submission};
    const struct holding holding = {.job = &job, .grant = {.gpus = 2, .rate = 1}};

    (void)trained_jobs_assign(scene.capacity->jobs, &holding, ranks, scene.capacity->round, 0,
                              false);
}

static bool has_sent_plan(const capacity_t *capacity)
{
    (void)capacity;
    return strstr(scene.heard, "plan ");
}

/* A plan is in force, and goes out. */
static void pack_empty_plan(void)
{
    if (scene.capacity->has_plan)
        writer_close(&scene.capacity->plan);
    msg_plan_pack(&(struct msg_plan){.round = 1}, &scene.capacity->plan);
    scene.capacity->has_plan = scene.capacity->sent_anew = true;
    scene.heard[0] = '\0';
}

static void send_plan(void)
{
    struct error error;

    pack_empty_plan();
    capacity_send_orders(scene.capacity);
    assert_int_equal(await(has_sent_plan, &error), 0);
}

/* One that the master knows is not sent again, but to a master that begins another session. */
TEST_WITH(programs_come_before_the_plan, set_up, tear_down)
{
    const struct msg_scheduler_welcome welcome = {HEARTBEAT_MS, HEARTBEAT_MS, NODES};
    struct writer out;
    struct error error;

    scene.capacity->setting.program_of = program_of;
    assign(1);
    assign(2);
    send_plan();
    assert_string_equal(scene.heard, "x of 1 plan ");
    assign(3);
    send_plan();
    assert_string_equal(scene.heard, "x of 3 plan ");
    scene.heard[0] = '\0';
    msg_scheduler_welcome_pack(&welcome, &out);
    link_peer_send(scene.peer, &out);
    assert_int_equal(await(has_sent_plan, &error), 0);
    assert_string_equal(scene.heard, "x of 1 x of 3 plan ");
}

/* A job without its program would run another one. */
TEST_WITH(a_program_that_cannot_be_read_stops_the_plan, set_up, tear_down)
{
    struct error error;

    scene.capacity->setting.program_of = program_of;
    assign(1);
    assign(UNREADABLE);
    pack_empty_plan();
    capacity_send_orders(scene.capacity);
    assert_int_equal(await(has_sent_plan, &error), -1);
    assert_string_equal(error.text, "job 100 cannot be read");
    assert_null(strstr(scene.heard, "plan "));
}

int main(void)
{
    return tests_run(NULL, NULL);
}

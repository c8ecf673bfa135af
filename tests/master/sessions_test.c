/* sessions_test.c - the master's sockets: which peers may speak with it, and what becomes of those
 * that send nonsense. */
#include "master/sessions.h"

#include "common/clock.h"
#include "common/log.h"
#include "master/outbox.h"
#include "tests/support/test.h"

#include <string.h>

#define HEARTBEAT_MS INT64_C(60000)

/* A peer of the master. */
struct peer {
    const char *role;
    link_client_t *link;
    int last_type;
    bool gone;
    bool refused;
    char cause[256];
};

struct scene {
    zloop_t *loop;
    sessions_t *sessions;
    dispatch_t *dispatch;
    plan_run_t *plan_run;
    int workers_gone;
    int schedulers_gone;
    bool goodbye;
};

/* ---- the master ---- */

static void worker_went(void *owner)
{
    struct scene *scene = owner;

    scene->workers_gone++;
}

static void scheduler_came(void *owner)
{
    (void)owner;
}

static void scheduler_went(void *owner, bool goodbye)
{
    struct scene *scene = owner;

    scene->schedulers_gone++;
    scene->goodbye = goodbye;
}

/* With a run of plans, as for a scheduler, or without one, as with commands. */
static void scene_open(struct scene *scene, bool plan_run)
{
    static const struct sessions_calls calls = {worker_went, scheduler_came, scheduler_went};
    static const struct msg_scheduler_welcome welcome = {HEARTBEAT_MS, 3 * HEARTBEAT_MS, 1};
    const struct sessions_setting setting = {"tcp://127.0.0.1:*", HEARTBEAT_MS, NULL,
                                             clock_boot_us};
    const struct dispatch_setting dispatch_setting = {
        HEARTBEAT_MS * 1000, 3 * HEARTBEAT_MS * 1000, clock_boot_us(), 1, 0, true};
    struct peers *peers;
    struct error error;

    memset(scene, 0, sizeof(*scene));
    scene->loop = zloop_new();
    scene->sessions = sessions_new(scene->loop, &setting, &calls, scene, &error);
    if (!scene->sessions)
        fail_msg("%s", error.text);
    peers = sessions_peers(scene->sessions);
    scene->plan_run = plan_run_new(&welcome, &outbox_scheduler_calls, peers);
    scene->dispatch = dispatch_new(&dispatch_setting, &outbox_worker_calls, peers, &plan_run_watch,
                                   scene->plan_run);
    plan_run_use(scene->plan_run, scene->dispatch);
    sessions_use(scene->sessions, scene->dispatch, plan_run ? scene->plan_run : NULL);
}

static void scene_close(struct scene *scene)
{
    sessions_destroy(&scene->sessions);
    plan_run_destroy(&scene->plan_run);
    dispatch_destroy(&scene->dispatch);
    zloop_destroy(&scene->loop);
}

/* ---- peers ---- */

static void on_hello(void *owner, uint32_t version, struct writer *out)
{
    const struct peer *peer = owner;
    struct msg_gpu gpu = {"", 0, false};
    const struct msg_worker_hello worker = {
        .address = "a", .port = 9000, .kind = "emulated", .gpu_count = 1, .gpus = &gpu};
    const struct msg_hello hello = {.version = version, .role = peer->role, .name = "p"};

    if (!strcmp(peer->role, "worker"))
        msg_worker_hello_pack("p", version, &worker, out);
    else
        msg_hello_pack(&hello, 0, out);
}

static int on_message(void *owner, int type, reader_t *in, struct error *error)
{
    struct peer *peer = owner;

    (void)in;
    (void)error;
    peer->last_type = type;
    return 0;
}

static bool on_gone(void *owner, const char *cause, enum refusal_code refused)
{
    struct peer *peer = owner;

    peer->gone = true;
    peer->refused = refused;
    (void)snprintf(peer->cause, sizeof(peer->cause), "%s", cause);
    return false;
}

static void peer_open(struct scene *scene, struct peer *peer, const char *role)
{
    static const struct link_client_calls calls = {on_hello, on_message, on_gone};
    const struct link_client_setting setting = {
        .endpoint = sessions_endpoint(scene->sessions),
        .heartbeat_ms = HEARTBEAT_MS,
        .server = "master",
    };
    struct error error;

    memset(peer, 0, sizeof(*peer));
    peer->role = role;
    peer->link = link_client_new(scene->loop, &setting, &calls, peer, &error);
    if (!peer->link)
        fail_msg("%s", error.text);
}

static int leave(zloop_t *loop, int timer, void *owner)
{
    (void)loop;
    (void)timer;
    (void)owner;
    return -1;
}

/* Handles what has come; the test fails if that goes on for a minute. */
static void turn(struct scene *scene, int64_t since_us)
{
    const int timer = zloop_timer(scene->loop, 1, 1, leave, scene);

    (void)zloop_start(scene->loop);
    zloop_timer_end(scene->loop, timer);
    assert_true(clock_boot_us() < since_us + INT64_C(60000000));
}

static void await(struct scene *scene, const bool *flag)
{
    const int64_t since_us = clock_boot_us();

    while (!*flag)
        turn(scene, since_us);
}

/* Until the master has sent a message of this type. */
static void await_type(struct scene *scene, const struct peer *peer, int type)
{
    const int64_t since_us = clock_boot_us();

    while (peer->last_type != type) {
        turn(scene, since_us);
        assert_false(peer->gone);
    }
}

/* ---- promises ---- */

TEST(only_workers_and_schedulers_are_welcome)
{
    struct scene scene;
    struct peer peer;

    scene_open(&scene, true);
    peer_open(&scene, &peer, "trainer");
    await(&scene, &peer.gone);
    assert_true(peer.refused);
    assert_non_null(strstr(peer.cause, "a master speaks with workers and a scheduler, not with a "
                                       "\"trainer\""));
    link_client_destroy(&peer.link);
    scene_close(&scene);
}

TEST(a_master_with_commands_needs_no_scheduler)
{
    struct scene scene;
    struct peer peer;

    scene_open(&scene, false);
    peer_open(&scene, &peer, "scheduler");
    await(&scene, &peer.gone);
    assert_true(peer.refused);
    assert_non_null(strstr(peer.cause, "carries out a file of commands"));
    link_client_destroy(&peer.link);
    scene_close(&scene);
}

TEST(a_message_of_the_other_role_ends_the_session)
{
    static const struct {
        const char *role;
        int type;
        const char *sentence;
    } cases[] = {
        {"worker", MSG_PLAN, "PLAN is no message from a worker"},
        {"scheduler", MSG_REPORT, "REPORT is no message from a scheduler"},
        {"worker", MSG_RUN, "RUN is no message from a worker"},
        {"scheduler", 90, "message is no message from a scheduler"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene scene;
        struct peer peer;
        struct writer out;

        scene_open(&scene, true);
        peer_open(&scene, &peer, cases[i].role);
        await_type(&scene, &peer, !strcmp(cases[i].role, "worker") ? MSG_WELCOME : MSG_HEARTBEAT);
        msg_bare_pack(cases[i].type, &out);
        link_client_send(peer.link, &out);
        await(&scene, &peer.gone);
        assert_non_null(strstr(peer.cause, cases[i].sentence));
        link_client_destroy(&peer.link);
        scene_close(&scene);
    }
}

TEST(a_message_without_its_fields_ends_the_session)
{
    static const struct {
        const char *role;
        int type;
    } cases[] = {{"worker", MSG_HEARTBEAT}, {"worker", MSG_REPORT}, {"scheduler", MSG_PLAN}};

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene scene;
        struct peer peer;
        struct writer out;

        scene_open(&scene, true);
        peer_open(&scene, &peer, cases[i].role);
        await_type(&scene, &peer, !strcmp(cases[i].role, "worker") ? MSG_WELCOME : MSG_HEARTBEAT);
        writer_open(&out, cases[i].type, 1);
        writer_text(&out, "nonsense");
        link_client_send(peer.link, &out);
        await(&scene, &peer.gone);
        assert_int_equal(scene.workers_gone + scene.schedulers_gone, 1);
        assert_false(scene.goodbye);
        link_client_destroy(&peer.link);
        scene_close(&scene);
    }
}

TEST(a_plan_that_makes_no_sense_ends_the_session)
{
    int32_t rank = 0;
    struct msg_planned_job jobs[] = {
        {.job = 1,
         .name = "a",
         .model = "m",
         .batch_size = 1,
         .rate = 1,
         .rank_count = 1,
         .ranks = &rank},
        {.job = 2,
         .name = "b",
         .model = "m",
         .batch_size = 1,
         .rate = 1,
         .rank_count = 1,
         .ranks = &rank},
    };
    const struct msg_plan plan = {.round = 1, .job_count = 2, .jobs = jobs};
    struct scene scene;
    struct peer peer;
    struct writer out;

    scene_open(&scene, true);
    peer_open(&scene, &peer, "scheduler");
    await_type(&scene, &peer, MSG_HEARTBEAT);
    msg_plan_pack(&plan, &out);
    link_client_send(peer.link, &out);
    await(&scene, &peer.gone);
    assert_non_null(strstr(peer.cause, "plan: GPU 0 is given to job 2 and to another one"));
    link_client_destroy(&peer.link);
    scene_close(&scene);
}

TEST(a_peer_that_comes_while_the_master_ends_is_told_to_end)
{
    struct scene scene;
    struct peer worker;
    struct peer scheduler;
    struct msg_worker_heartbeat heartbeat = {0, 0, 0, NULL};
    struct writer out;

    scene_open(&scene, true);
    sessions_close(scene.sessions, "test");
    sessions_close(scene.sessions, "once is enough");
    peer_open(&scene, &worker, "worker");
    await_type(&scene, &worker, MSG_SHUTDOWN);
    worker.last_type = 0;
    msg_worker_heartbeat_pack(&heartbeat, &out);
    link_client_send(worker.link, &out);
    await_type(&scene, &worker, MSG_SHUTDOWN);
    peer_open(&scene, &scheduler, "scheduler");
    await(&scene, &scheduler.gone);
    assert_true(scheduler.refused);
    link_client_destroy(&scheduler.link);
    link_client_destroy(&worker.link);
    scene_close(&scene);
}

FIXTURE(open_sockets)
{
    zsys_init();
    zsys_handler_set(NULL);
    return log_to_file("/dev/null");
}

int main(void)
{
    return tests_run(open_sockets, NULL);
}

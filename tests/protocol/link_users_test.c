/* link_users_test.c - links without keys between processes of different users of this machine. */
#include "protocol/link.h"
#include "protocol/link_socket.h"
#include "protocol/local_socket.h"
#include "protocol/peer_user.h"
#include "tests/protocol/link_ends.h"
#include "tests/support/folder.h"
#include "tests/support/test.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define ANOTHER 65534

struct scene {
    zloop_t *loop;
    folder_t *folder;
    struct server_end server;
    struct client_end client;
};

static int set_scene(void **state)
{
    static struct scene scene;

    memset(&scene, 0, sizeof(scene));
    scene.loop = ends_loop();
    scene.folder = folder_new();
    assert_int_equal(chmod(folder_path(scene.folder), 0777), 0);
    *state = &scene;
    return 0;
}

static int clear_scene(void **state)
{
    struct scene *const scene = *state;

    client_end_close(&scene->client);
    server_end_close(&scene->server);
    zloop_destroy(&scene->loop);
    folder_destroy(&scene->folder);
    return 0;
}

static const char *local_endpoint(struct scene *scene, const char *name)
{
    static char endpoint[512];

    (void)snprintf(endpoint, sizeof(endpoint), "ipc://%s", folder_file(scene->folder, name));
    return endpoint;
}

/* ---- a process of a user ---- */

struct process {
    pid_t pid;
    int said; /* what it writes */
    bool has_spoken;
    char text[512];
};

/* Runs this program anew as user `uid`, in `role` (see `roles`): a copy of this process has no
 * threads of libzmq, and may stand still at a lock that one of these threads held. */
static struct process process_start(const char *role, const char *argument, uid_t uid)
{
    struct process self = {.pid = -1};
    char user[16];
    char said[16];
    int ends[2];

    assert_int_equal(pipe(ends), 0);
    (void)snprintf(user, sizeof(user), "%u", uid);
    (void)snprintf(said, sizeof(said), "%d", ends[1]);
    self.pid = fork();
    assert_true(self.pid >= 0);
    if (self.pid == 0) {
        (void)close(ends[0]);
        (void)execl("/proc/self/exe", "link_users_test", role, argument, user, said, NULL);
        _exit(1);
    }
    (void)close(ends[1]);
    self.said = ends[0];
    assert_int_equal(fcntl(self.said, F_SETFL, O_NONBLOCK), 0);
    return self;
}

static bool has_spoken(void *argument)
{
    struct process *const self = argument;
    const ssize_t got = read(self->said, self->text, sizeof(self->text) - 1);

    return got >= 0;
}

/* What it says first, "" if it ends without a word. */
static const char *process_await(struct process *self, zloop_t *loop)
{
    ends_await_that(loop, has_spoken, self);
    return self->text;
}

static void process_end(const struct process *self)
{
    (void)kill(self->pid, SIGKILL);
    assert_int_equal(waitpid(self->pid, NULL, 0), self->pid);
    (void)close(self->said);
}

static void say(int said, const char *text)
{
    (void)!write(said, text, strlen(text));
}

/* A client without anything of Rubato's in its favour: says hello and passes on what it gets. */
static void be_client(const char *endpoint, int said)
{
    void *const socket = zmq_socket(zmq_ctx_new(), ZMQ_DEALER);
    struct writer message;
    struct error error;
    unsigned char answer[4096];
    struct msg_refusal refusal;
    reader_t *reader;
    int size;

    msg_hello_pack(&(struct msg_hello){.version = WIRE_VERSION, .role = "worker", .name = "a"}, 0,
                   &message);
    writer_stamp(&message, 1, 1);
    if (zmq_connect(socket, endpoint) < 0)
        return;
    (void)zmq_send(socket, message.bytes.data, message.bytes.size, 0);
    size = zmq_recv(socket, answer, sizeof(answer), 0);
    reader = size > 0 ? reader_new(answer, (size_t)size, &error) : NULL;
    if (!reader)
        return;
    if (reader_type(reader) == MSG_REFUSED)
        msg_refusal_unpack(reader, &refusal);
    say(said, reader_type(reader) == MSG_REFUSED ? refusal.sentence : "welcome");
    (void)pause();
}

/* A server that welcomes each hello; says where it listens. */
static void be_server(const char *endpoint, int said)
{
    void *const socket = zmq_socket(zmq_ctx_new(), ZMQ_ROUTER);
    char bound[256];
    size_t bound_size = sizeof(bound);

    if (zmq_bind(socket, endpoint) < 0 ||
        zmq_getsockopt(socket, ZMQ_LAST_ENDPOINT, bound, &bound_size) < 0)
        return;
    say(said, bound);
    for (;;) {
        unsigned char id[256];
        unsigned char hello[4096];
        const int id_size = zmq_recv(socket, id, sizeof(id), 0);
        const int size = zmq_recv(socket, hello, sizeof(hello), 0);
        struct writer welcome;
        struct error error;
        reader_t *reader = size > 0 ? reader_new(hello, (size_t)size, &error) : NULL;

        if (!reader)
            return;
        msg_bare_pack(MSG_WELCOME, &welcome);
        writer_stamp(&welcome, reader_session(reader), 1);
        (void)zmq_send(socket, id, (size_t)id_size, ZMQ_SNDMORE);
        (void)zmq_send(socket, welcome.bytes.data, welcome.bytes.size, 0);
        writer_close(&welcome);
        reader_destroy(&reader);
    }
}

static void only_root_can_be_another(void)
{
    if (geteuid() != 0)
        skip();
}

/* ---- servers ---- */

static void expect_answer(struct scene *scene, const char *endpoint, uid_t uid, const char *answer)
{
    struct process peer = process_start("client", endpoint, uid);

    assert_string_equal(process_await(&peer, scene->loop), answer);
    process_end(&peer);
}

#define READY(name) TEST_WITH(name, set_scene, clear_scene)

READY(a_server_takes_its_own_user_only)
{
    struct scene *const scene = *test_state;
    const char *endpoint;

    only_root_can_be_another();
    server_end_open(&scene->server, scene->loop, "tcp://127.0.0.1:*", NULL);
    endpoint = link_server_endpoint(scene->server.server);
    expect_answer(scene, endpoint, ANOTHER, "uid 65534: only user root may connect without keys");
    assert_int_equal(scene->server.hellos, 0);
    assert_int_equal(link_server_refused(scene->server.server), 1);
    expect_answer(scene, endpoint, geteuid(), "welcome");
    assert_int_equal(scene->server.hellos, 1);
}

/* The file of a local socket, and whose clients it serves. */
static void expect_file(struct scene *scene, enum link_peers peers, mode_t mode)
{
    const char *const endpoint = local_endpoint(scene, "socket");
    struct stat status;

    ends_set_peers(peers, LINK_PEERS_SAME_USER);
    server_end_open(&scene->server, scene->loop, endpoint, NULL);
    assert_int_equal(stat(folder_file(scene->folder, "socket"), &status), 0);
    assert_true(S_ISSOCK(status.st_mode));
    assert_int_equal(status.st_mode & 0777, mode);
    expect_answer(scene, endpoint, geteuid(), "welcome");
}

READY(a_file_of_a_socket_is_for_the_same_user)
{
    expect_file(*test_state, LINK_PEERS_SAME_USER, 0600);
}

READY(a_server_of_any_user_knows_which_one_it_is)
{
    struct scene *const scene = *test_state;

    expect_file(scene, LINK_PEERS_ANY_USER, 0666);
    assert_int_equal(link_peer_uid(scene->server.peer), (int64_t)geteuid());
    if (geteuid() == 0) {
        ends_await(scene->loop, &scene->server.gone, 1);
        expect_answer(scene, local_endpoint(scene, "socket"), ANOTHER, "welcome");
        assert_int_equal(link_peer_uid(scene->server.peer), ANOTHER);
    }
}

/* ---- files of sockets ---- */

static int try_to_listen(struct scene *scene, const char *endpoint, struct error *error)
{
    const struct link_server_setting setting = {.endpoint = endpoint, .heartbeat_ms = 1000};
    static const struct link_server_calls calls = {0};
    link_server_t *server = link_server_new(scene->loop, &setting, &calls, NULL, error);
    const int result = server ? 0 : -1;

    link_server_destroy(&server);
    return result;
}

READY(a_file_in_use_is_left_alone)
{
    struct scene *const scene = *test_state;
    const char *const endpoint = local_endpoint(scene, "socket");
    struct error error;
    char sentence[600];

    server_end_open(&scene->server, scene->loop, endpoint, NULL);
    assert_int_equal(try_to_listen(scene, endpoint, &error), -1);
    (void)snprintf(sentence, sizeof(sentence), "%s: cannot listen there: another process does",
                   endpoint);
    assert_string_equal(error.text, sentence);
    expect_answer(scene, endpoint, geteuid(), "welcome");
}

READY(a_file_that_is_no_socket_is_left_alone)
{
    struct scene *const scene = *test_state;
    const char *const endpoint = local_endpoint(scene, "socket");
    struct error error;
    char *text;

    (void)folder_write(scene->folder, "socket", "words");
    assert_int_equal(try_to_listen(scene, endpoint, &error), -1);
    assert_non_null(strstr(error.text, "socket: there is a file that is no socket"));
    text = folder_read(scene->folder, "socket");
    assert_string_equal(text, "words");
    free(text);
}

READY(a_folder_that_is_not_there_is_named)
{
    struct scene *const scene = *test_state;
    struct error error;

    assert_int_equal(try_to_listen(scene, local_endpoint(scene, "none/socket"), &error), -1);
    assert_non_null(strstr(error.text, "none/socket: cannot listen there: No such file"));
}

READY(the_file_goes_with_its_server)
{
    struct scene *const scene = *test_state;

    expect_file(scene, LINK_PEERS_SAME_USER, 0600);
    server_end_close(&scene->server);
    assert_false(folder_has(scene->folder, "socket"));
}

/* A server that was killed leaves its file. */
READY(a_file_that_is_left_over_is_replaced)
{
    struct scene *const scene = *test_state;
    const char *const endpoint = local_endpoint(scene, "socket");
    struct process server = process_start("server", endpoint, geteuid());

    (void)process_await(&server, scene->loop);
    process_end(&server);
    assert_true(folder_has(scene->folder, "socket"));
    expect_file(scene, LINK_PEERS_SAME_USER, 0600);
}

/* ---- clients ---- */

static void expect_no_session(struct scene *scene, const char *endpoint)
{
    struct process server = process_start("server", endpoint, ANOTHER);

    client_end_open(&scene->client, scene->loop, process_await(&server, scene->loop), "worker", "a",
                    NULL);
    ends_await(scene->loop, &scene->client.refused, 1);
    assert_string_equal(scene->client.last_cause,
                        "it is a process of another user, and has no keys");
    assert_int_equal(scene->client.welcomes, 0);
    assert_false(link_client_in_session(scene->client.client));
    client_end_close(&scene->client);
    process_end(&server);
}

READY(a_client_takes_no_server_of_another_user)
{
    struct scene *const scene = *test_state;

    only_root_can_be_another();
    expect_no_session(scene, "tcp://127.0.0.1:*");
    expect_no_session(scene, local_endpoint(scene, "socket"));
}

READY(a_client_may_take_a_server_of_any_user)
{
    struct scene *const scene = *test_state;
    struct process server;

    only_root_can_be_another();
    server = process_start("server", "tcp://127.0.0.1:*", ANOTHER);
    ends_set_peers(LINK_PEERS_SAME_USER, LINK_PEERS_ANY_USER);
    client_end_open(&scene->client, scene->loop, process_await(&server, scene->loop), "worker", "a",
                    NULL);
    ends_await(scene->loop, &scene->client.welcomes, 1);
    process_end(&server);
}

/* ---- what the kernel tells ---- */

struct connection {
    int listener;
    int near_end;
    int far_end;
};

static struct connection connect_ends(void)
{
    struct connection self = {socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), -1,
                              socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t size = sizeof(address);

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (bind(self.listener, (const struct sockaddr *)&address, size) == 0 &&
        listen(self.listener, 1) == 0 &&
        getsockname(self.listener, (struct sockaddr *)&address, &size) == 0 &&
        connect(self.far_end, (const struct sockaddr *)&address, size) == 0)
        self.near_end = accept(self.listener, NULL, NULL);
    return self;
}

static void close_ends(const struct connection *self)
{
    (void)close(self->near_end);
    (void)close(self->far_end);
    (void)close(self->listener);
}

READY(a_connection_that_is_not_whole_has_no_user)
{
    struct connection connection = connect_ends();

    assert_int_equal(peer_user_of(connection.near_end), (int64_t)geteuid());
    assert_int_equal(peer_user_of(connection.far_end), (int64_t)geteuid());
    (void)close(connection.far_end);
    connection.far_end = -1;
    assert_int_equal(peer_user_of(connection.near_end), -1);
    assert_int_equal(peer_user_of(connection.listener), -1);
    assert_int_equal(peer_user_of(-1), -1);
    close_ends(&connection);
}

/* The server's end has no user before it accepts the connection. */
READY(a_connection_that_waits_has_no_user)
{
    struct connection connection = connect_ends();
    struct sockaddr_in address;
    socklen_t size = sizeof(address);
    const int waiting = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    assert_int_equal(getsockname(connection.listener, (struct sockaddr *)&address, &size), 0);
    assert_int_equal(connect(waiting, (const struct sockaddr *)&address, size), 0);
    assert_int_equal(peer_user_of(waiting), -1);
    (void)close(waiting);
    close_ends(&connection);
}

/* Has the kernel answer EACCES when a netlink socket is asked for. */
static bool forbid_netlink(void)
{
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_NETLINK, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {COUNT(rules), rules};

    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static void look_without_netlink(const char *argument, int said)
{
    const struct connection connection = connect_ends();
    char text[64];
    int64_t whole;

    (void)argument;
    if (!forbid_netlink() || socket(AF_NETLINK, SOCK_RAW, 0) >= 0)
        return;
    whole = peer_user_of(connection.near_end);
    (void)close(connection.far_end);
    (void)snprintf(text, sizeof(text), "%d, then %d", (int)whole,
                   (int)peer_user_of(connection.near_end));
    say(said, text);
}

READY(the_table_of_connections_tells_the_same)
{
    struct scene *const scene = *test_state;
    const uid_t uid = geteuid() == 0 ? ANOTHER : geteuid();
    struct process process = process_start("look without netlink", "", uid);
    char text[64];

    (void)snprintf(text, sizeof(text), "%u, then -1", uid);
    assert_string_equal(process_await(&process, scene->loop), text);
    process_end(&process);
}

/* ---- roles ---- */

static const struct role {
    const char *name;
    void (*work)(const char *argument, int said);
} roles[] = {
    {"client", be_client},
    {"server", be_server},
    {"look without netlink", look_without_netlink},
};

static int play(const char *role, const char *argument, const char *user, const char *said)
{
    const uid_t uid = (uid_t)strtoul(user, NULL, 10);

    if (setresuid(uid, uid, uid) != 0 || prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
        return 1;
    for (size_t i = 0; i < COUNT(roles); i++)
        if (strcmp(roles[i].name, role) == 0)
            roles[i].work(argument, (int)strtol(said, NULL, 10));
    return 1;
}

int main(int argc, char **argv)
{
    if (argc == 5)
        _exit(play(argv[1], argv[2], argv[3], argv[4]));
    return tests_run(NULL, NULL);
}

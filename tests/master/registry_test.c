/* registry_test.c - nodes are numbered as their workers come; a name stays with its GPUs. */
#include "master/node_gpus.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

static struct worker_node *admit(registry_t *registry, const char *name, int gpus, int port,
                                 struct error *error)
{
    struct msg_gpu gpu[16];
    char uuids[16][8];
    const struct msg_worker_hello hello = {.address = "127.0.0.1",
                                           .port = port,
                                           .kind = "nvml",
                                           .gpu_count = (size_t)gpus,
                                           .gpus = gpu};

    for (int i = 0; i < gpus && i < 16; i++) {
        (void)snprintf(uuids[i], sizeof(uuids[i]), "g%d", i);
        gpu[i] = (struct msg_gpu){uuids[i], 40960, false};
    }
    return registry_admit(registry, name, &hello, error);
}

TEST(nodes_and_gpus_are_numbered_in_the_order_of_hellos)
{
    registry_t *registry = registry_new();
    struct error error;

    assert_int_equal(admit(registry, "b", 8, 9000, &error)->number, 0);
    assert_int_equal(admit(registry, "a", 1, 9000, &error)->first_rank, 8);
    assert_int_equal(admit(registry, "c", 4, 9000, &error)->first_rank, 9);
    assert_int_equal(registry_gpus(registry), 13);
    for (int32_t rank = 0; rank < 13; rank++)
        assert_int_equal(registry_find(registry, rank)->number, rank < 8 ? 0 : rank < 9 ? 1 : 2);
    assert_null(registry_find(registry, 13));
    assert_null(registry_find(registry, -1));
    registry_destroy(&registry);
}

TEST(a_worker_that_comes_back_has_its_number)
{
    registry_t *registry = registry_new();
    struct error error;
    struct worker_node *node = admit(registry, "a", 2, 9000, &error);

    (void)admit(registry, "b", 2, 9000, &error);
    assert_ptr_equal(admit(registry, "a", 2, 9100, &error), node);
    assert_int_equal(node->port, 9100);
    assert_int_equal(registry_count(registry), 2);
    registry_destroy(&registry);
}

TEST(a_second_worker_of_a_name_is_refused)
{
    registry_t *registry = registry_new();
    struct error error;

    admit(registry, "a", 2, 9000, &error)->state = WORKER_UP;
    assert_null(admit(registry, "a", 2, 9000, &error));
    assert_string_equal(error.text, "there is a worker \"a\" already");
    registry_destroy(&registry);
}

TEST(a_worker_that_comes_back_with_other_gpus_is_taken_as_it_is)
{
    struct msg_gpu other = {"other", 40960, false};
    const struct msg_worker_hello hello = {
        .address = "127.0.0.1", .port = 1, .kind = "nvml", .gpu_count = 1, .gpus = &other};
    registry_t *registry = registry_new();
    struct error error;
    struct worker_node *node = admit(registry, "a", 2, 9000, &error);

    (void)admit(registry, "b", 2, 9000, &error);
    assert_ptr_equal(registry_admit(registry, "a", &hello, &error), node);
    assert_int_equal(node->gpus, 1);
    assert_string_equal(node->gpu[0].uuid, "other");
    assert_string_equal(node->differs, "it has 1 GPU instead of 2, without g0");
    assert_ptr_equal(registry_find(registry, 1), node);
    registry_destroy(&registry);
}

/* A worker that found these GPUs, which is started anew. */
static struct worker_node *admit_with(registry_t *registry, const char *const uuids[], size_t count)
{
    struct msg_gpu gpus[4] = {{"", 0, false}};
    const struct msg_worker_hello hello = {
        .address = "127.0.0.1", .port = 1, .kind = "nvml", .gpu_count = count, .gpus = gpus};
    struct error error;

    for (size_t i = 0; i < count; i++)
        gpus[i].uuid = uuids[i];
    return registry_admit(registry, "a", &hello, &error);
}

TEST(gpus_that_differ_are_named)
{
    registry_t *registry = registry_new();
    const struct worker_node *node =
        admit_with(registry, (const char *const[]){"GPU-a", "GPU-b", "GPU-c"}, 3);

    assert_string_equal(node->differs, "");
    (void)admit_with(registry, (const char *const[]){"GPU-a", "GPU-c"}, 2);
    assert_string_equal(node->differs, "it has 2 GPUs instead of 3, without GPU-b");
    (void)admit_with(registry, (const char *const[]){"GPU-c", "GPU-a"}, 2);
    assert_string_equal(node->differs, "");
    (void)admit_with(registry, (const char *const[]){"GPU-a", "GPU-d"}, 2);
    assert_string_equal(node->differs, "it has other GPUs than before, without GPU-c");
    (void)admit_with(registry, NULL, 0);
    assert_string_equal(node->differs, "it has 0 GPUs instead of 2, without GPU-a");
    assert_int_equal(node->gpus, 0);
    (void)admit_with(registry, (const char *const[]){"GPU-a", "GPU-d"}, 2);
    assert_string_equal(node->differs, "it has 2 GPUs instead of 0");
    assert_int_equal(node->gpus, 2);
    registry_destroy(&registry);
}

TEST(a_worker_without_gpus_gets_ranks_when_it_has_some)
{
    registry_t *registry = registry_new();
    struct error error;
    struct worker_node *node = admit_with(registry, NULL, 0);

    (void)admit(registry, "b", 2, 9000, &error);
    assert_int_equal(node->gpus, 0);
    (void)admit_with(registry, (const char *const[]){"GPU-a", "GPU-b"}, 2);
    assert_int_equal(node->gpus, 2);
    assert_int_equal(node->first_rank, 2);
    assert_ptr_equal(registry_find(registry, 3), node);
    registry_destroy(&registry);
}

TEST(a_worker_with_more_gpus_than_ranks_gets_others_when_nothing_of_it_is_left)
{
    registry_t *registry = registry_new();
    struct error error;
    struct worker_node *node = admit(registry, "a", 2, 9000, &error);
    struct remote_part *left = (struct remote_part *)&error;

    (void)admit(registry, "b", 2, 9000, &error);
    node->parts = left;
    (void)admit(registry, "a", 3, 9000, &error);
    assert_int_equal(node->gpus, 2);
    node->parts = NULL;
    assert_true(registry_make_room(registry, node));
    assert_false(registry_make_room(registry, node));
    assert_int_equal(node->number, 0);
    assert_int_equal(node->gpus, 3);
    assert_int_equal(node->first_rank, 4);
    assert_null(registry_find(registry, 0));
    assert_ptr_equal(registry_find(registry, 6), node);
    assert_int_equal(registry_gpus(registry), 7);
    registry_destroy(&registry);
}

/* ---- after a master that knew them ---- */

static struct worker_node *claim(registry_t *registry, const char *name, int gpus, int number,
                                 int first_rank)
{
    struct msg_gpu gpu[16] = {{"", 0, false}};
    struct error error;
    const struct msg_worker_hello hello = {.address = "127.0.0.1",
                                           .port = 9000,
                                           .kind = "emulated",
                                           .gpu_count = (size_t)gpus,
                                           .gpus = gpu,
                                           .numbered = true,
                                           .node = number,
                                           .first_rank = first_rank};

    for (int i = 1; i < gpus; i++)
        gpu[i] = gpu[0];
    return registry_admit(registry, name, &hello, &error);
}

TEST(nodes_that_were_numbered_keep_their_places)
{
    registry_t *registry = registry_new();

    assert_int_equal(claim(registry, "c", 4, 2, 8)->number, 2);
    assert_true(registry_has_gaps(registry));
    assert_int_equal(claim(registry, "a", 4, 0, 0)->first_rank, 0);
    assert_int_equal(claim(registry, "b", 4, 1, 4)->first_rank, 4);
    assert_false(registry_has_gaps(registry));
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(registry_at(registry, i)->number, i);
    for (int32_t rank = 0; rank < 12; rank++)
        assert_int_equal(registry_find(registry, rank)->number, rank / 4);
    registry_destroy(&registry);
}

TEST(a_new_node_makes_way_for_one_that_had_its_place)
{
    registry_t *registry = registry_new();
    struct error error;
    struct worker_node *fresh = admit(registry, "new", 4, 9000, &error);

    assert_int_equal(claim(registry, "b", 4, 1, 4)->number, 1);
    assert_int_equal(claim(registry, "a", 4, 0, 0)->number, 0);
    assert_true(fresh->moved);
    assert_int_equal(fresh->number, 2);
    assert_int_equal(fresh->first_rank, 8);
    /* Not twice, and not once all are there. */
    assert_int_equal(claim(registry, "liar", 4, 1, 4)->number, 3);
    registry_close(registry);
    assert_int_equal(claim(registry, "late", 4, 2, 8)->number, 4);
    assert_int_equal(fresh->number, 2);
    registry_destroy(&registry);
}

TEST(a_new_node_takes_the_place_that_is_left)
{
    registry_t *registry = registry_new();
    struct error error;
    const struct worker_node *fresh;

    (void)claim(registry, "a", 4, 0, 0);
    (void)claim(registry, "c", 4, 2, 8);
    fresh = admit(registry, "new", 4, 9000, &error);
    assert_int_equal(fresh->number, 1);
    assert_int_equal(fresh->first_rank, 4);
    registry_destroy(&registry);
}

TEST(a_place_that_cannot_be_is_not_given)
{
    registry_t *registry = registry_new();

    assert_int_equal(claim(registry, "a", 4, 0, RANKS_MAX - 1)->first_rank, 0);
    assert_int_equal(claim(registry, "b", 4, NODES_MAX - 1, RANKS_MAX - 4)->number, NODES_MAX - 1);
    assert_int_equal(claim(registry, "c", 4, 7, 100)->number, 1);
    registry_destroy(&registry);
}

/* Workers with so many GPUs as to take all ranks, which come once and hold nothing. */
static registry_t *full_registry(void)
{
    registry_t *registry = registry_new();
    static struct msg_gpu gpus[NODE_GPUS_MAX];
    const struct msg_worker_hello hello = {.address = "127.0.0.1",
                                           .port = 9000,
                                           .kind = "nvml",
                                           .gpu_count = NODE_GPUS_MAX,
                                           .gpus = gpus};
    struct error error;

    for (int i = 0; i < NODE_GPUS_MAX; i++)
        gpus[i].uuid = "";
    for (int i = 0; i < RANKS_MAX / NODE_GPUS_MAX; i++) {
        char name[16];

        (void)snprintf(name, sizeof(name), "fake-%d", i);
        registry_admit(registry, name, &hello, &error)->state = WORKER_UP;
    }
    return registry;
}

TEST(a_node_that_nothing_names_gives_its_place_up_when_there_is_no_other)
{
    registry_t *registry = full_registry();
    struct error error;
    struct worker_node *node;

    assert_null(admit(registry, "real", 8, 9000, &error));
    assert_string_equal(error.text,
                        "no room for worker \"real\": there are 64 nodes and 65536 GPUs");
    registry_at(registry, 3)->state = WORKER_DOWN;
    registry_at(registry, 3)->named = 1;
    assert_null(admit(registry, "real", 8, 9000, &error));
    registry_at(registry, 5)->state = WORKER_DOWN;
    node = admit(registry, "real", 8, 9000, &error);
    assert_ptr_equal(node, registry_at(registry, 5));
    assert_string_equal(node->name, "real");
    assert_int_equal(node->gpus, 8);
    assert_int_equal(node->first_rank, 5 * NODE_GPUS_MAX);
    assert_ptr_equal(registry_find(registry, 5 * NODE_GPUS_MAX + 7), node);
    assert_null(registry_find(registry, 5 * NODE_GPUS_MAX + 8));
    node->state = WORKER_UP;
    node = admit(registry, "another", 16, 9000, &error); /* in what the first left */
    assert_int_equal(node->first_rank, 5 * NODE_GPUS_MAX + 8);
    assert_int_equal(registry_count(registry), 65);
    registry_destroy(&registry);
}

static struct worker_node *come(registry_t *registry, const char *kind, int number)
{
    char name[32];
    struct error error;
    struct worker_node *node;

    (void)snprintf(name, sizeof(name), "%s-%d", kind, number);
    registry_forget_gone(registry);
    node = admit(registry, name, 8, 9000, &error);
    if (!node)
        fail_msg("%s", error.text);
    else
        node->state = WORKER_UP;
    return node;
}

/* Each held parts of jobs, and eight are there at a time. */
TEST(nodes_come_and_go_without_end_under_names_that_are_never_used_again)
{
    registry_t *registry = registry_new();
    struct worker_node *there[8] = {NULL};

    registry_close(registry);
    for (int i = 0; i < 10000; i++) {
        struct worker_node **place = &there[i % 8];

        if (*place)
            registry_note_gone(registry, *place);
        *place = come(registry, "node", i);
        (*place)->has_held = true;
        assert_in_range(registry_count(registry), 1, 8 + REGISTRY_GONE_MAX + 1);
        assert_in_range(registry_gpus(registry), 8, (8 + REGISTRY_GONE_MAX + 1) * 8);
    }
    registry_destroy(&registry);
}

TEST(a_node_that_went_lately_or_that_something_names_is_not_forgotten)
{
    registry_t *registry = registry_new();
    struct worker_node *named = come(registry, "named", 0);
    struct worker_node *late;
    struct error error;

    registry_close(registry);
    named->named = 1;
    registry_note_gone(registry, named);
    for (int i = 0; i < 2 * REGISTRY_GONE_MAX; i++)
        registry_note_gone(registry, come(registry, "node", i));
    late = come(registry, "late", 0);
    registry_note_gone(registry, late);
    registry_forget_gone(registry);
    assert_ptr_equal(admit(registry, "named-0", 8, 9000, &error), named);
    assert_ptr_equal(admit(registry, "late-0", 8, 9000, &error), late);
    registry_destroy(&registry);
}

TEST(a_hello_that_makes_no_sense_is_refused)
{
    const struct msg_worker_hello many = {
        .address = "127.0.0.1", .port = 1, .kind = "nvml", .gpu_count = NODE_GPUS_MAX + 1};
    registry_t *registry = registry_new();
    struct error error;

    assert_null(registry_admit(registry, "a", &many, &error));
    assert_string_equal(error.text, "worker \"a\" has 1025 GPUs, expected 0 to 1024");
    assert_null(admit(registry, "a", 1, 0, &error));
    assert_string_equal(error.text, "worker \"a\" has the port 0, expected 1 to 65535");
    assert_int_equal(registry_count(registry), 0);
    registry_destroy(&registry);
}

TEST(ports_are_used_in_turns)
{
    registry_t *registry = registry_new();
    struct error error;
    struct worker_node *many = admit(registry, "a", 1, 9000, &error);
    struct worker_node *few = admit(registry, "b", 1, 65534, &error);

    for (int i = 0; i < 2500; i++)
        assert_int_equal(node_next_port(many), 9000 + i % 1000);
    for (int i = 0; i < 5; i++)
        assert_int_equal(node_next_port(few), 65534 + i % 2);
    registry_destroy(&registry);
}

/* The GPUs of a node by rank, from the first one on, as digits. */
static const char *ranks_of(const struct worker_node *node)
{
    static char text[17];

    for (int32_t i = 0; i < node->gpus; i++) {
        text[i] = (char)('0' + node_gpu(node, node->first_rank + i));
        assert_int_equal(node_rank(node, text[i] - '0'), node->first_rank + i);
    }
    text[node->gpus] = '\0';
    return text;
}

/* "there" and "gone" by a letter for each GPU. */
static void change(struct worker_node *node, const char *letters)
{
    const size_t count = strlen(letters);
    char uuids[16][8];
    struct msg_gpu gpus[16];

    for (size_t i = 0; i < count && i < 16; i++) {
        (void)snprintf(uuids[i], sizeof(uuids[i]), "g%zu", i);
        gpus[i] = (struct msg_gpu){uuids[i], 40960, letters[i] == 'g'};
    }
    assert_true(node_change_gpus(node, gpus, count));
    assert_false(node_change_gpus(node, gpus, count));
}

TEST(gpus_that_go_on_keep_their_ranks_and_the_last_fill_the_gaps)
{
    registry_t *registry = registry_new();
    struct error error;
    struct worker_node *node;

    (void)admit(registry, "a", 2, 9000, &error);
    node = admit(registry, "b", 5, 9000, &error);
    assert_string_equal(ranks_of(node), "01234");
    change(node, "tgttt");
    assert_string_equal(ranks_of(node), "0423");
    assert_string_equal(node->differs, "it has 4 GPUs instead of 5, without g1");
    assert_int_equal(node_rank(node, 1), -1);
    change(node, "ggttt");
    assert_string_equal(ranks_of(node), "342");
    change(node, "gtttt");
    assert_string_equal(ranks_of(node), "3421");
    change(node, "ggggg");
    assert_string_equal(ranks_of(node), "");
    change(node, "ttttt");
    assert_string_equal(ranks_of(node), "01234");
    registry_destroy(&registry);
}

TEST(a_gpu_beyond_the_ranks_of_a_node_waits_for_room)
{
    registry_t *registry = registry_new();
    struct error error;
    struct worker_node *node = admit(registry, "a", 2, 9000, &error);

    (void)admit(registry, "b", 1, 9000, &error);
    change(node, "gttt");
    assert_string_equal(ranks_of(node), "1");
    assert_true(registry_make_room(registry, node));
    assert_string_equal(ranks_of(node), "312");
    assert_int_equal(node->first_rank, 3);
    assert_ptr_equal(registry_find(registry, 6), node);
    registry_destroy(&registry);
}

int main(void)
{
    return tests_run(NULL, NULL);
}

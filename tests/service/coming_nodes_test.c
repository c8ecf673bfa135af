/* coming_nodes_test.c - nodes come and go without end under one service: names are not used up, and
 * nothing grows with them. */
#include "tests/support/heart.h"
#include "tests/support/test.h"

#include <malloc.h>
#include <stdio.h>

#define NODES   8
#define GPUS    4
#define ALL     10000
#define SETTLED 4000      /* nodes after which the database has all of its cache */
#define MORE    (1 << 17) /* bytes that the rest may take beyond that */

#define JOB                                                                                        \
    "{\"model\": \"resnet50\", \"batch_size\": 128, \"iterations\": 1000000, \"gpus_max\": 4}"

static struct heart *heart;
static int numbers[NODES];

FIXTURE(set_up)
{
    heart = heart_new(NODES, GPUS);
    return 0;
}

FIXTURE(tear_down)
{
    heart_destroy(&heart);
    return 0;
}

static void come(int node)
{
    char name[32];

    (void)snprintf(name, sizeof(name), "node-%d", node);
    numbers[node % NODES] = fake_source_add(heart->source, name, GPUS);
}

/* The whole cluster goes and another one comes, but for a job that is moved each time. */
static void exchange(int from)
{
    for (int i = from; i < from + NODES; i++) {
        if (i >= NODES)
            fake_source_remove(heart->source, numbers[i % NODES], "its allocation is over");
        come(i);
    }
    heart_go_to(heart, 1 + from / NODES);
}

static size_t bytes_used(void)
{
    return mallinfo2().uordblks;
}

TEST_WITH(ten_thousand_nodes_come_and_go_and_nothing_grows, set_up, tear_down)
{
    size_t used = 0;

    for (int i = 0; i < ALL; i += NODES) {
        exchange(i);
        if (i == 0)
            heart_ask(heart, heart->alice, "submit", JOB);
        if (i == SETTLED)
            used = bytes_used();
        assert_int_equal(capacity_nodes_up(heart->serving->capacity), NODES);
        assert_int_equal(fake_source_gpus(heart->source, heart_job(heart, 1)), GPUS);
    }
    assert_in_range(bytes_used(), 0, used + MORE);
    assert_in_range(fake_source_nodes(heart->source), NODES, NODES + 1);
    assert_string_equal(capacity_node(heart->serving->capacity, 0)->name, "node-9992");
}

int main(void)
{
    return tests_run(NULL, NULL);
}

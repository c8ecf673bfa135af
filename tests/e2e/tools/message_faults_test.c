/* message_faults_test.c - faults come as often as asked for, and the same ones for the same
 * seed. */
#include "tests/e2e/tools/message_faults.h"
#include "tests/support/test.h"

#include <string.h>

#define MESSAGES 20000
#define ROOM     64

static struct fault_rates parsed(const char *text)
{
    struct fault_rates rates;
    struct error error;

    assert_int_equal(fault_rates_parse(text, &rates, &error), 0);
    return rates;
}

/* A sum over everything that happened to many messages. */
static uint64_t run_through(uint64_t seed, const char *spec, struct fault_counts *counts)
{
    message_faults_t *faults = message_faults_new(seed, "up");
    const struct fault_rates rates = parsed(spec);
    uint64_t sum = 0;

    message_faults_set(faults, &rates);
    for (int i = 0; i < MESSAGES; i++) {
        unsigned char bytes[ROOM] = "a message of a few dozen bytes";
        size_t size = 30;
        const struct fate fate = message_faults_next(faults, bytes, &size, ROOM);

        assert_true(size <= ROOM);
        sum = 31 * sum + (uint64_t)fate.copies + 4 * (uint64_t)fate.delay_ms[0] + size;
        for (size_t j = 0; j < size; j++)
            sum = 31 * sum + bytes[j];
    }
    *counts = *message_faults_counts(faults);
    message_faults_destroy(&faults);
    return sum;
}

TEST(without_faults_nothing_happens)
{
    message_faults_t *faults = message_faults_new(1, "up");
    unsigned char bytes[ROOM] = "whole";
    size_t size = 5;
    const struct fate fate = message_faults_next(faults, bytes, &size, ROOM);

    assert_int_equal(fate.copies, 1);
    assert_int_equal(fate.delay_ms[0], 0);
    assert_int_equal(size, 5);
    assert_memory_equal(bytes, "whole", 5);
    message_faults_destroy(&faults);
}

TEST(faults_come_as_often_as_asked_for)
{
    struct fault_counts counts;

    (void)run_through(7, "loss=0.3,duplicate=0.5,reorder=0.1,flip=0.05", &counts);
    assert_int_equal(counts.messages, MESSAGES);
    assert_in_range(counts.lost, MESSAGES * 28 / 100, MESSAGES * 32 / 100);
    assert_in_range(counts.duplicated, MESSAGES * 33 / 100, MESSAGES * 37 / 100);
    assert_in_range(counts.overtaken, MESSAGES * 9 / 100, MESSAGES * 11 / 100);
    assert_in_range(counts.damaged, MESSAGES * 4 / 100, MESSAGES * 6 / 100);
}

TEST(a_seed_repeats_a_run)
{
    const char *spec =
        "loss=0.1,duplicate=0.2,reorder=0.1,flip=0.1,truncate=0.1,splice=0.2,delay=30";
    struct fault_counts counts;
    const uint64_t once = run_through(3, spec, &counts);

    assert_true(run_through(3, spec, &counts) == once);
    assert_true(run_through(4, spec, &counts) != once);
}

TEST(nonsense_is_refused)
{
    static const char *const wrong[] = {
        "loss", "loss=", "loss=2", "lost=0.1", "loss=0.1;flip=0.1", "delay=-1"};
    struct fault_rates rates;
    struct error error;

    for (size_t i = 0; i < COUNT(wrong); i++)
        assert_int_equal(fault_rates_parse(wrong[i], &rates, &error), -1);
}

int main(void)
{
    return tests_run(NULL, NULL);
}

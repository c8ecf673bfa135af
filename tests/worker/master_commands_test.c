/* master_commands_test.c - what the master tells a worker becomes of parts, or of the node. */
#include "worker/master_commands.h"

#include "tests/support/folder.h"
#include "tests/support/test.h"
#include "tests/worker/holdings_bed.h"

#include <string.h>

static struct holdings_bed bed;
static struct master_commands commands;
static folder_t *tables; /* of rates */

static int set_up(void **state)
{
    (void)state;
    tables = folder_new();
    (void)folder_write(tables, "X1.csv",
                       "model,global_batch_size,gpus,iterations_per_s\nmodel,64,1,2.5\n");
    holdings_bed_make(&bed);
    holdings_trainer_up(bed.holdings, 0, 0);
    commands = (struct master_commands){
        .holdings = bed.holdings,
        .rates = rates_new(folder_path(tables), "X1"),
        .emulates = true,
    };
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    rates_destroy(&commands.rates);
    holdings_bed_clear(&bed);
    folder_destroy(&tables);
    return 0;
}

/* Hands over what was packed; -1 with `error`. */
static int hand_over(struct writer *message, struct error *error)
{
    reader_t *in = reader_new(message->bytes.data, message->bytes.size, error);
    int result;

    assert_non_null(in);
    result = master_commands_carry_out(&commands, reader_type(in), in, error);
    reader_destroy(&in);
    writer_close(message);
    return result;
}

static void run(const struct msg_run *message)
{
    struct writer out;
    struct error error;

    msg_run_pack(message, &out);
    assert_int_equal(hand_over(&out, &error), 0);
}

static int hand_over_bare(int type, struct error *error)
{
    struct writer out;

    msg_bare_pack(type, &out);
    return hand_over(&out, error);
}

static void a_run_without_a_rate_is_looked_up(void **state)
{
    struct msg_run message = holdings_bed_run(1, 0);

    (void)state;
    message.rate = 0;
    run(&message);
    assert_int_equal(parts_live(holdings_parts(bed.holdings)), 1);
    assert_string_equal(bed.reported, "");
}

static void an_emulation_without_a_rate_is_refused_with_a_sentence(void **state)
{
    struct msg_run message = holdings_bed_run(1, 0);

    (void)state;
    message.rate = 0;
    message.batch_size = 128;
    run(&message);
    assert_string_equal(bed.reported, "failed ");
    assert_non_null(strstr(bed.cause, "X1.csv: no rate of model with 128 samples on 1 GPU"));
    assert_int_equal(parts_live(holdings_parts(bed.holdings)), 0);
}

static void a_program_needs_no_rate(void **state)
{
    struct msg_run message = holdings_bed_run(1, 0);

    (void)state;
    commands.emulates = false;
    message.rate = 0;
    message.batch_size = 128;
    run(&message);
    assert_string_equal(bed.reported, "");
    assert_int_equal(parts_live(holdings_parts(bed.holdings)), 1);
}

static void a_stop_goes_to_the_part_that_it_names(void **state)
{
    const struct msg_run first = holdings_bed_run(1, 0);
    const struct msg_run second = holdings_bed_run(2, 0);
    const struct msg_stop stop = {.job = 1, .incarnation = 1, .step = -1, .grace_ms = -1};
    struct writer out;
    struct error error;

    (void)state;
    run(&first);
    run(&second);
    msg_stop_pack(&stop, &out);
    assert_int_equal(hand_over(&out, &error), 0);
    assert_string_equal(bed.reported, "stopping ");
    assert_int_equal(parts_live(holdings_parts(bed.holdings)), 2);
}

static void a_restart_is_no_end(void **state)
{
    const struct msg_run message = holdings_bed_run(1, 0);
    struct error error;

    (void)state;
    run(&message);
    assert_int_equal(hand_over_bare(MSG_RESTART, &error), 0);
    assert_string_equal(bed.reported, "stopping ");
    assert_false(holdings_is_closing(bed.holdings));
}

static void a_shutdown_is_one(void **state)
{
    struct error error;

    (void)state;
    assert_int_equal(hand_over_bare(MSG_SHUTDOWN, &error), 0);
    assert_true(holdings_is_closing(bed.holdings));
    assert_int_equal(hand_over_bare(MSG_SHUTDOWN, &error), 0);
}

static void what_is_no_command_is_an_error(void **state)
{
    struct error error;

    (void)state;
    assert_int_equal(hand_over_bare(MSG_WELCOME, &error), -1);
    assert_string_equal(error.text, "a message of type 2 is not for a worker");
    assert_int_equal(hand_over_bare(MSG_STOP, &error), -1); /* without its fields */
    assert_string_equal(bed.reported, "");
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_run_without_a_rate_is_looked_up),
        TEST(an_emulation_without_a_rate_is_refused_with_a_sentence),
        TEST(a_program_needs_no_rate),
        TEST(a_stop_goes_to_the_part_that_it_names),
        TEST(a_restart_is_no_end),
        TEST(a_shutdown_is_one),
        TEST(what_is_no_command_is_an_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

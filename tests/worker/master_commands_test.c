/* master_commands_test.c - what the master tells a worker becomes of parts, or of the node. */
#include "worker/master_commands.h"

#include "tests/support/folder.h"
#include "tests/support/test.h"
#include "tests/worker/holdings_bed.h"

#include <string.h>

static struct holdings_bed bed;
static struct master_commands commands;
static folder_t *tables; /* of rates */

FIXTURE(set_up)
{
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

FIXTURE(tear_down)
{
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

#define READY(name) TEST_WITH(name, set_up, tear_down)

READY(a_run_without_a_rate_is_looked_up)
{
    struct msg_run message = holdings_bed_run(1, 0);

    message.rate = 0;
    run(&message);
    assert_int_equal(parts_live(holdings_parts(bed.holdings)), 1);
    assert_string_equal(bed.reported, "");
}

READY(an_emulation_without_a_rate_is_refused_with_a_sentence)
{
    struct msg_run message = holdings_bed_run(1, 0);

    message.rate = 0;
    message.batch_size = 128;
    run(&message);
    assert_string_equal(bed.reported, "failed ");
    assert_non_null(strstr(bed.cause, "X1.csv: no rate of model with 128 samples on 1 GPU"));
    assert_int_equal(parts_live(holdings_parts(bed.holdings)), 0);
}

READY(a_program_needs_no_rate)
{
    struct msg_run message = holdings_bed_run(1, 0);

    commands.emulates = false;
    message.rate = 0;
    message.batch_size = 128;
    run(&message);
    assert_string_equal(bed.reported, "");
    assert_int_equal(parts_live(holdings_parts(bed.holdings)), 1);
}

READY(a_stop_goes_to_the_part_that_it_names)
{
    const struct msg_run first = holdings_bed_run(1, 0);
    const struct msg_run second = holdings_bed_run(2, 0);
    const struct msg_stop stop = {.job = 1, .incarnation = 1, .step = -1, .grace_ms = -1};
    struct writer out;
    struct error error;

    run(&first);
    run(&second);
    msg_stop_pack(&stop, &out);
    assert_int_equal(hand_over(&out, &error), 0);
    assert_string_equal(bed.reported, "stopping ");
    assert_int_equal(parts_live(holdings_parts(bed.holdings)), 2);
}

READY(a_restart_is_no_end)
{
    const struct msg_run message = holdings_bed_run(1, 0);
    struct error error;

    run(&message);
    assert_int_equal(hand_over_bare(MSG_RESTART, &error), 0);
    assert_string_equal(bed.reported, "stopping ");
    assert_false(holdings_is_closing(bed.holdings));
}

READY(a_shutdown_is_one)
{
    struct error error;

    assert_int_equal(hand_over_bare(MSG_SHUTDOWN, &error), 0);
    assert_true(holdings_is_closing(bed.holdings));
    assert_int_equal(hand_over_bare(MSG_SHUTDOWN, &error), 0);
}

READY(what_is_no_command_is_an_error)
{
    struct error error;

    assert_int_equal(hand_over_bare(MSG_WELCOME, &error), -1);
    assert_string_equal(error.text, "a message of type 2 is not for a worker");
    assert_int_equal(hand_over_bare(MSG_STOP, &error), -1); /* without its fields */
    assert_string_equal(bed.reported, "");
}

int main(void)
{
    return tests_run(NULL, NULL);
}

/* master_commands.c - see master_commands.h. */
#include "worker/master_commands.h"

#include "common/clock.h"
#include "common/log.h"
#include "protocol/master_worker.h"

#include <inttypes.h>

static void log_command(const struct master_commands *self, const reader_t *in, uint64_t job,
                        uint32_t incarnation, enum effect effect)
{
    const struct log_subject subject = {
        .job = incarnation > 0 ? (int64_t)job : LOG_NONE,
        .incarnation = incarnation > 0 ? (int64_t)incarnation : LOG_NONE,
        .node = holdings_number(self->holdings),
        .gpu = LOG_NONE,
    };

    log_event(&subject, "command", "type=%s seq=%" PRIu64 " effect=%s",
              msg_type_name(reader_type(in)), reader_sequence(in), effect_name(effect));
}

/* ---- of a part ---- */

static int on_run(const struct master_commands *self, reader_t *in, struct error *error)
{
    struct msg_run run;
    struct error unknown;
    enum effect effect;

    if (msg_run_unpack(in, &run, error) < 0)
        return -1;
    if (!(run.rate > 0))
        run.rate = rates_find(self->rates, run.model, run.batch_size, run.world, &unknown);
    if (!(run.rate > 0) && self->emulates) {
        effect = parts_refuse(holdings_parts(self->holdings), &run, unknown.text);
    } else {
        run.rate = run.rate > 0 ? run.rate : 0;
        effect = parts_run(holdings_parts(self->holdings), &run);
    }
    log_command(self, in, run.job, run.incarnation, effect);
    return 0;
}

static int on_begin(const struct master_commands *self, reader_t *in, struct error *error)
{
    struct msg_begin begin;

    if (msg_begin_unpack(in, &begin, error) < 0)
        return -1;
    log_command(self, in, begin.job, begin.incarnation,
                parts_begin(holdings_parts(self->holdings), &begin));
    return 0;
}

static int on_update(const struct master_commands *self, reader_t *in, struct error *error)
{
    struct msg_update update;

    if (msg_update_unpack(in, &update, error) < 0)
        return -1;
    log_command(self, in, update.job, update.incarnation,
                parts_update(holdings_parts(self->holdings), &update));
    return 0;
}

static int on_stop(const struct master_commands *self, reader_t *in, struct error *error)
{
    struct msg_stop stop;

    if (msg_stop_unpack(in, &stop, error) < 0)
        return -1;
    log_command(self, in, stop.job, stop.incarnation,
                parts_stop(holdings_parts(self->holdings), &stop));
    return 0;
}

static int on_group(const struct master_commands *self, reader_t *in, struct error *error)
{
    struct msg_group group;

    if (msg_group_unpack(in, &group, error) < 0)
        return -1;
    log_command(self, in, group.job, group.incarnation,
                parts_group(holdings_parts(self->holdings), &group));
    return 0;
}

/* ---- of the node ---- */

static int on_restart(const struct master_commands *self, reader_t *in, struct error *error)
{
    if (msg_bare_unpack(in, error) < 0)
        return -1;
    log_command(self, in, 0, 0, EFFECT_APPLIED);
    holdings_restart(self->holdings, clock_boot_us());
    return 0;
}

static int on_shutdown(const struct master_commands *self, reader_t *in, struct error *error)
{
    const bool again = holdings_is_closing(self->holdings);

    if (msg_bare_unpack(in, error) < 0)
        return -1;
    log_command(self, in, 0, 0, again ? EFFECT_REPEATED : EFFECT_APPLIED);
    if (!again)
        holdings_shut_down(self->holdings, clock_boot_us());
    return 0;
}

static const struct {
    int type;
    int (*carry_out)(const struct master_commands *self, reader_t *in, struct error *error);
} commands[] = {
    {MSG_RUN, on_run},           {MSG_BEGIN, on_begin}, {MSG_UPDATE, on_update},
    {MSG_STOP, on_stop},         {MSG_GROUP, on_group}, {MSG_RESTART, on_restart},
    {MSG_SHUTDOWN, on_shutdown},
};

int master_commands_carry_out(const struct master_commands *self, int type, reader_t *in,
                              struct error *error)
{
    for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++)
        if (commands[i].type == type)
            return commands[i].carry_out(self, in, error);
    return error_set(error, "a message of type %d is not for a worker", type);
}

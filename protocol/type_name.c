/* type_name.c - the names of message types. No other file knows the types of all links. */
#include "protocol/client_scheduler.h"
#include "protocol/master_worker.h"
#include "protocol/scheduler_master.h"
#include "protocol/wire.h"
#include "protocol/worker_trainer.h"

const char *msg_type_name(int type)
{
    static const char *const names[WIRE_TYPE_MAX + 1] = {
        [MSG_HELLO] = "HELLO",
        [MSG_WELCOME] = "WELCOME",
        [MSG_REFUSED] = "REFUSED",
        [MSG_HEARTBEAT] = "HEARTBEAT",
        [MSG_GOODBYE] = "GOODBYE",
        [MSG_NODES] = "NODES",
        [MSG_PLAN] = "PLAN",
        [MSG_JOB_REPORT] = "JOB_REPORT",
        [MSG_SETTLED] = "SETTLED",
        [MSG_PROGRAM] = "PROGRAM",
        [MSG_RUN] = "RUN",
        [MSG_BEGIN] = "BEGIN",
        [MSG_UPDATE] = "UPDATE",
        [MSG_STOP] = "STOP",
        [MSG_GROUP] = "GROUP",
        [MSG_RESTART] = "RESTART",
        [MSG_SHUTDOWN] = "SHUTDOWN",
        [MSG_REPORT] = "REPORT",
        [MSG_GPUS] = "GPUS",
        [MSG_PREPARE] = "PREPARE",
        [MSG_RANK_REPORT] = "RANK_REPORT",
        [MSG_REQUEST] = "REQUEST",
        [MSG_ANSWER] = "ANSWER",
    };

    if (type < 0 || type > WIRE_TYPE_MAX || !names[type])
        return "message";
    return names[type];
}

/* stages.c - see stages.h. */
#include "scheduler/engine/stages.h"

/* Completes `given` by the plain stages. */
struct stages stages_complete(const struct stages *given)
{
    struct stages all = *given;

#define PLAIN(stage, function) all.stage = all.stage ? all.stage : (function)
    PLAIN(open, plain_open);
    PLAIN(close, plain_close);
    PLAIN(whole_s, plain_whole_s);
    PLAIN(check, plain_check);
    PLAIN(announce, plain_announce);
    PLAIN(forget, plain_forget);
    PLAIN(expect, plain_expect);
    PLAIN(credit, plain_credit);
    PLAIN(pay, plain_pay);
    PLAIN(collect, plain_collect);
    PLAIN(retire, plain_retire);
    PLAIN(adopt, plain_adopt);
    PLAIN(adopt_proof, plain_adopt);
    PLAIN(place, plain_place);
    PLAIN(charge, plain_charge);
    PLAIN(foresee, plain_foresee);
    PLAIN(in_time, plain_in_time);
    PLAIN(advance, plain_advance);
    PLAIN(restart_rounds, plain_restart_rounds);
#undef PLAIN
    return all;
}

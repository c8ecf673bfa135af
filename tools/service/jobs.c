/* jobs.c - see jobs.h. */
#include "tools/service/jobs.h"

const struct member jobs_listed[] = {
    {"JOB", "job", MEMBER_WHOLE},
    {"NAME", "name", MEMBER_TEXT},
    {"USER", "user", MEMBER_TEXT},
    {"STATE", "state", MEMBER_STATE},
    {"VERDICT", "verdict", MEMBER_STATE},
    {"GPUS", "gpus", MEMBER_WHOLE},
    {"DONE", "iterations_done", MEMBER_DONE},
    {"DEADLINE", "deadline", MEMBER_TIME},
    {"EXPECTED END", "expected_end", MEMBER_TIME},
    {"REASON", "reason", MEMBER_TEXT},
    {NULL, NULL, MEMBER_TEXT},
};

const struct member jobs_shown[] = {
    {"job", "job", MEMBER_WHOLE},
    {"name", "name", MEMBER_TEXT},
    {"comment", "comment", MEMBER_TEXT},
    {"user", "user", MEMBER_TEXT},
    {"state", "state", MEMBER_STATE},
    {"reason", "reason", MEMBER_TEXT},
    {"sentence", "sentence", MEMBER_TEXT},
    {"verdict", "verdict", MEMBER_STATE},
    {"deadline", "deadline", MEMBER_TIME},
    {"promised until", "promised_until", MEMBER_TIME},
    {"expected end", "expected_end", MEMBER_TIME},
    {"submitted", "submitted", MEMBER_TIME},
    {"started", "started", MEMBER_TIME},
    {"ended", "ended", MEMBER_TIME},
    {"model", "model", MEMBER_TEXT},
    {"batch size", "batch_size", MEMBER_WHOLE},
    {"iterations", "iterations", MEMBER_WHOLE},
    {"iterations done", "iterations_done", MEMBER_WHOLE},
    {"done", "iterations_done", MEMBER_DONE},
    {"GPUs", "gpus", MEMBER_WHOLE},
    {"nodes", "nodes", MEMBER_WORDS},
    {"GPUs at least", "gpus_min", MEMBER_WHOLE},
    {"GPUs at most", "gpus_max", MEMBER_WHOLE},
    {"value", "value", MEMBER_WHOLE},
    {"confidence", "confidence", MEMBER_PERCENT},
    {"after", "after", MEMBER_WORDS},
    {"command", "command", MEMBER_WORDS},
    {"folder", "folder", MEMBER_TEXT},
    {"environment", "environment", MEMBER_WORDS},
    {"grace", "grace_s", MEMBER_SECONDS},
    {"checkpoint every", "checkpoint_s", MEMBER_SECONDS},
    {"key", "key", MEMBER_TEXT},
    {NULL, NULL, MEMBER_TEXT},
};

const struct member jobs_events[] = {
    {"AT", "at", MEMBER_TIME},
    {"EVENT", "event", MEMBER_TEXT},
    {"TEXT", "text", MEMBER_TEXT},
    {NULL, NULL, MEMBER_TEXT},
};

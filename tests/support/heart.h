/* heart.h - the heart of a service in a test: without a socket, on a capacity without processes, by
 * a clock that the test turns. */
#ifndef SUPPORT_HEART_H
#define SUPPORT_HEART_H

#include "scheduler/service/serving.h"
#include "tests/support/fake_source.h"
#include "tests/support/folder.h"

struct heart {
    folder_t *folder; /* has the state of the service */
    zloop_t *loop;
    struct serving *serving;
    struct run_clock shown; /* the clock of `source` */
    fake_source_t *source;
    clients_t *clients;
    client_t *alice;       /* a user who may submit */
    client_t *bob;         /* another user who may submit */
    client_t *root;        /* an operator */
    uint64_t asked;        /* number of requests so far */
    enum answer_code code; /* code of the last answer */
    json_t *answer;        /* document of the last answer */
    int answers;
    int wakes;
    struct cluster_spec cluster;
};

/* A service with a new state and room for `nodes` nodes of `gpus` GPUs, of which none is there yet.
 * The test fails if the service cannot be opened. */
struct heart *heart_new(int nodes, int gpus);
void heart_destroy(struct heart **heart);

/* Ends the service, after a snapshot if `with_snapshot`, and starts it again on the same state and
 * capacity. */
void heart_start_again(struct heart *self, bool with_snapshot);

/* Sets the clock of the service to `now_s`, lets the trainers report their progress, and gives the
 * service its turns. */
void heart_go_to(struct heart *self, int64_t now_s);

/* Gives the service `turns` turns without moving the clock. */
void heart_turn(struct heart *self, int turns);

/* Asks `verb` for `client` with the document of `format`, and gives the service turns until it
 * answers. Returns the answer, lent until the next answer. The test fails if no answer comes. */
json_t *heart_ask(struct heart *self, client_t *client, const char *verb, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The text `key` in the last answer, "" if there is none. */
const char *heart_says(const struct heart *self, const char *key);

/* The number of the job in row `row`, as plans have it. */
uint64_t heart_job(const struct heart *self, uint32_t row);

#endif

/* heart.h - the heart of a service in a test: without a socket, on capacity without processes, by a
 * clock that the test turns. */
#ifndef SUPPORT_HEART_H
#define SUPPORT_HEART_H

#include "scheduler/service/serving.h"
#include "tests/support/fake_source.h"
#include "tests/support/folder.h"

struct heart {
    folder_t *folder; /* has the state */
    zloop_t *loop;
    struct serving *serving;
    struct run_clock shown; /* the clock of the source */
    fake_source_t *source;
    clients_t *clients;
    client_t *alice;       /* may submit */
    client_t *bob;         /* likewise */
    client_t *root;        /* operates */
    uint64_t asked;        /* requests so far */
    enum answer_code code; /* of the last answer */
    json_t *answer;        /* the document of the last answer */
    int answers;
    int wakes;
    struct cluster_spec cluster;
};

/* A service of a new state, with room for `nodes` nodes of `gpus` GPUs of which none is there. The
 * test fails if it cannot be opened. */
struct heart *heart_new(int nodes, int gpus);
void heart_destroy(struct heart **heart);

/* The service ends, with a snapshot if that is wanted, and starts again on the same state and the
 * same capacity. */
void heart_start_again(struct heart *self, bool with_snapshot);

/* The clock of the service stands at `now_s`, trainers say how far they are, and the service has
 * its turns. */
void heart_go_to(struct heart *self, int64_t now_s);

/* The heart has that many turns at the time at which the clock stands. */
void heart_turn(struct heart *self, int turns);

/* `client` asks `verb` with the document that `format` says, and the service has turns until it
 * answers. Returns the answer, lent until the next. The test fails if none comes. */
json_t *heart_ask(struct heart *self, client_t *client, const char *verb, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* A text in the last answer; "" if there is none. */
const char *heart_says(const struct heart *self, const char *key);

/* The number of the job in `row`, as plans have it. */
uint64_t heart_job(const struct heart *self, uint32_t row);

#endif

/* questions.h - questions that are put to copies of the process: a copy goes on as if, answers, and
 * is gone; the process itself neither waits nor changes.
 *
 * Two copies are asked at a time, one of them at most for the same user. Each takes several
 * questions of its user, in the order in which they came: what a copy costs is shared. A question
 * that changes the copy is its last. Then other users have their turn. */
#ifndef SERVICE_QUESTIONS_H
#define SERVICE_QUESTIONS_H

#include "common/error.h"

#include <czmq.h>
#include <jansson.h>
#include <stdbool.h>

#define QUESTIONS_MAX         64 /* that are not answered yet */
#define QUESTIONS_OF_USER_MAX 48

typedef struct questions questions_t;

struct question_kind {
    /* Finds the answer, in the copy: an object, owned by the caller. NULL with `error`. `question`
     * is what was put. */
    json_t *(*ask)(void *owner, const void *question, struct error *error);

    /* Has it, in the process: an object that is lent, or NULL with what went wrong. */
    void (*answer)(void *owner, void *subject, const json_t *answer, const struct error *error);

    /* Whether it is still to be asked; NULL for always. */
    bool (*is_wanted)(const void *subject);

    bool changes_copy;
};

questions_t *questions_new(zloop_t *loop, void *owner);

/* Open questions are answered with an error: the service ends. */
void questions_destroy(questions_t **self);

/* 0 if `user` may put one more question; else the seconds after which there is room, by the time
 * that the last ones took. */
int questions_retry_s(const questions_t *self, const char *user);

/* Puts `question`, of `size` bytes, which is copied as `user` is, where questions_retry_s says that
 * it may. Answers come in turns of the loop; `subject` is handed to kind->answer. */
void questions_put(questions_t *self, const char *user, const struct question_kind *kind,
                   const void *question, size_t size, void *subject);

#endif

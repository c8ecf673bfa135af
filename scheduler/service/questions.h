/* questions.h - questions that copies of the process answer. A copy tries something out, answers,
 * and ends. The process itself neither waits nor changes.
 *
 * Two copies run at a time, at most one for each user. A copy takes several questions of its user,
 * in the order of their arrival, as each copy has a cost. A question that changes the copy is its
 * last. Then other users have their turn. */
#ifndef SERVICE_QUESTIONS_H
#define SERVICE_QUESTIONS_H

#include "common/error.h"

#include <czmq.h>
#include <jansson.h>
#include <stdbool.h>

#define QUESTIONS_MAX         64 /* questions without an answer */
#define QUESTIONS_OF_USER_MAX 48

typedef struct questions questions_t;

struct question_kind {
    /* In the copy: answers the `question` that was put, by an object that the caller owns. NULL
     * with `error`. */
    json_t *(*ask)(void *owner, const void *question, struct error *error);

    /* In the process: takes the answer, a lent object, or NULL with `error`. */
    void (*answer)(void *owner, void *subject, const json_t *answer, const struct error *error);

    /* Whether the answer is still wanted; NULL: it always is. */
    bool (*is_wanted)(const void *subject);

    bool changes_copy;
};

questions_t *questions_new(zloop_t *loop, void *owner);

/* Answers open questions with an error, as the service ends. */
void questions_destroy(questions_t **self);

/* 0 if `user` may put a question now. Otherwise the seconds until there is room, as estimated from
 * the last questions. */
int questions_retry_s(const questions_t *self, const char *user);

/* Puts `question`, which has `size` bytes and is copied, for `user`, if questions_retry_s allows
 * it. The answer comes in a turn of the loop, and kind->answer gets `subject`. */
void questions_put(questions_t *self, const char *user, const struct question_kind *kind,
                   const void *question, size_t size, void *subject);

#endif

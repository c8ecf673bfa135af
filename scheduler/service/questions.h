/* questions.h - questions that are put to a copy of the process: it goes on as if, answers, and is
 * gone; the process itself neither waits nor changes. */
#ifndef SERVICE_QUESTIONS_H
#define SERVICE_QUESTIONS_H

#include "common/error.h"

#include <czmq.h>
#include <jansson.h>
#include <stdbool.h>

typedef struct questions questions_t;

/* Finds the answer, in the copy: an object, owned by the caller. NULL with `error`. */
typedef json_t *question_ask(void *owner, const void *question, struct error *error);

/* Has it, in the process: an object that is lent, or NULL with what went wrong. */
typedef void question_answer(void *owner, void *subject, const json_t *answer,
                             const struct error *error);

questions_t *questions_new(zloop_t *loop, void *owner);

/* Open questions are never answered. */
void questions_destroy(questions_t **self);

/* Whether a question would be put at once: no other waits. */
bool questions_at_once(const questions_t *self);

/* Puts `question`, of `size` bytes, which is copied. Answers come in turns of the loop; `subject`
 * is handed to `answer`. */
void questions_put(questions_t *self, question_ask *ask, const void *question, size_t size,
                   question_answer *answer, void *subject);

#endif

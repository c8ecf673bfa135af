/* decision_text.h - a decision of the engine as lines of text: the same lines for the same
 * decisions, and other lines for others.
 *
 *   > round=17 elapsed=60 next=1080 before=12          the round, 0 for none; " restart" if all do
 *   > decided 7 promised reason=fits by=3600 earliest=never
 *   > retired 3 on-record=1020 by=iterations late=no start=60 end=1020 early=0 ...
 *   > released 3 done                                  what held GPUs, and why it holds none
 *   > hold 7 gpus=8 overhead=30 rate=2.5               what is not as in the decision before
 *   > order live=12 holding=9 digest=0123456789abcdef  of all jobs in the order of service,
 *                                                    if it changed
 *   > layout digest=0123456789abcdef                   of the GPUs of each job, if it changed
 *   > trouble node-down node=3 cause="..."             with a word of disturbance_word */
#ifndef RECORD_DECISION_TEXT_H
#define RECORD_DECISION_TEXT_H

#include "common/error.h"
#include "scheduler/engine/decision.h"
#include "scheduler/record/text.h"

/* Remembers the parts of earlier decisions that are not repeated. */
typedef struct decision_text decision_text_t;

/* A text in the words of record version `version`, see record.h. */
decision_text_t *decision_text_new(int64_t version) __attribute__((returns_nonnull));
void decision_text_destroy(decision_text_t **self);

/* Appends the lines of `decision`, which was taken in the order of the run. */
void decision_text_write(decision_text_t *self, const struct decision *decision, struct text *text);

/* Appends the line of a step that failed. */
void decision_text_fail(struct text *text, const struct error *error);

#endif

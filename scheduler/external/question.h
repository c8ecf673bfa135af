/* question.h - a view as a line of JSON; rubato-policy(5) has its members. */
#ifndef EXTERNAL_QUESTION_H
#define EXTERNAL_QUESTION_H

#include "scheduler/plan/view.h"

/* `what` is "admit" or "allocate". The line ends with a line end; the caller frees it. */
char *question_text(const struct view *view, const char *what) __attribute__((returns_nonnull));

#endif

/* parents.h - the jobs that a job of a trace waits for: a list of ids in a cell, and the jobs that
 * these are.
 *
 *   A;B:any    after A is done, and after B has ended in any way
 *
 * Commas do as well as semicolons. An id may end with ":any" itself: a job that is called so is
 * meant first. */
#ifndef STATE_PARENTS_H
#define STATE_PARENTS_H

#include "scheduler/state/submission.h"

#define PARENTS_TEXT_MAX ((size_t)PARENTS_MAX * 136) /* bytes of a list */
#define PARENTS_EXPECTED                                                                           \
    "at most 64 ids of jobs, each perhaps followed by :any, with ; between them"

/* Splits the list in `text`, which lends the ids. Returns their number; 0 if the text is no
 * list. */
size_t parents_parse(char *text, struct parent parents[PARENTS_MAX]);

/* Finds the jobs that the ids name among `jobs`, which are in the order of arrival. A parent comes
 * before its child there. Returns the first job with a wrong list, with a sentence in `why` that
 * follows "expected "; NULL if all lists are right. */
const struct submission *parents_link(submissions_t *jobs, char *why, size_t size);

#endif

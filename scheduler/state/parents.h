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

/* Takes the list in `text` apart, which lends the ids as they stand there. How many there are; 0 if
 * it is none. */
size_t parents_parse(char *text, struct parent parents[PARENTS_MAX]);

/* Finds which jobs are meant, of `jobs` in the order of their arrival. A parent comes before its
 * child there. Returns the first job whose list makes no sense, with a sentence in `why` that
 * follows "expected "; NULL if all do. */
const struct submission *parents_link(submissions_t *jobs, char *why, size_t size);

#endif

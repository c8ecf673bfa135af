/* trace_users.h - whose the jobs of a run are: the column `user` of its trace, which no run reads.
 */
#ifndef SERVICE_TRACE_USERS_H
#define SERVICE_TRACE_USERS_H

typedef struct trace_users trace_users_t;

/* The users of the trace of the run whose results are in `folder`: of the copy there, or of the
 * file that the summary names. No user is known where there is no such trace, where it is another
 * one now, or has no such column. */
trace_users_t *trace_users_read(const char *folder) __attribute__((returns_nonnull));
void trace_users_destroy(trace_users_t **self);

/* The user of the job with that id; NULL: not known. */
const char *trace_users_find(const trace_users_t *self, const char *id);

#endif

/* trace_users.h - the users of the jobs of a run: from the column `user` of its trace, which
 * simulations do not read. */
#ifndef SERVICE_TRACE_USERS_H
#define SERVICE_TRACE_USERS_H

typedef struct trace_users trace_users_t;

/* The users of the trace of the run whose results are in `folder`: of the copy there, or of the
 * file that the summary names. No user is known if the trace is missing, was changed, or has no
 * such column. */
trace_users_t *trace_users_read(const char *folder) __attribute__((returns_nonnull));
void trace_users_destroy(trace_users_t **self);

/* The user of the job with that id; NULL if unknown. */
const char *trace_users_find(const trace_users_t *self, const char *id);

#endif

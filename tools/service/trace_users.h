/* trace_users.h - the users of the jobs of a run, from the column `user` of the trace. Simulations
 * do not read that column. */
#ifndef SERVICE_TRACE_USERS_H
#define SERVICE_TRACE_USERS_H

typedef struct trace_users trace_users_t;

/* The users in the trace of the run whose results are in `folder`. The trace is the copy there, or
 * the file that the summary names. No user is known if the trace is missing, was changed, or has no
 * column `user`. */
trace_users_t *trace_users_read(const char *folder) __attribute__((returns_nonnull));
void trace_users_destroy(trace_users_t **self);

/* The user of the job `id`, NULL if the user is unknown. */
const char *trace_users_find(const trace_users_t *self, const char *id);

#endif

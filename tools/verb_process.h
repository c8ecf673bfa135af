/* verb_process.h - start and end of a process that runs verbs. */
#ifndef TOOLS_VERB_PROCESS_H
#define TOOLS_VERB_PROCESS_H

/* Called at the start of `main`. */
void verb_process_begin(void);

/* The exit status of the process if the verb returned `status`. The two differ if buffered output
 * cannot be written. */
int verb_process_end(int status);

#endif

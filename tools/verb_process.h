/* verb_process.h - begin and end of a process that carries out verbs. */
#ifndef TOOLS_VERB_PROCESS_H
#define TOOLS_VERB_PROCESS_H

/* Called first in a program. */
void verb_process_begin(void);

/* The exit status of the process if the verb's own is `status`: another one if buffered output
 * cannot be written. */
int verb_process_end(int status);

#endif

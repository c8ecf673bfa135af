/* verb_process.h - how a process that carries out verbs begins and ends. */
#ifndef TOOLS_VERB_PROCESS_H
#define TOOLS_VERB_PROCESS_H

/* First thing in a program. */
void verb_process_begin(void);

/* The exit status where the verb's own is `status`: what it printed may still be on its way, and
 * may not arrive. */
int verb_process_end(int status);

#endif

/* handover.h - the lean scheduler does what is plain and small; for anything else it becomes the full
 * one, which lies beside it as `scheduler-full`, before a byte is read from a pipe or written anywhere.
 *
 * The lean one is linked statically against musl, as glibc asks the processor some 70 questions at
 * every start. On a virtual machine each of them traps: together they take longer than a simulation
 * of a small trace. docs/performance.md has the figures, cmake/Lean.cmake how it is built. */
#ifndef LEAN_HANDOVER_H
#define LEAN_HANDOVER_H

/* Remembers the command line, which must not be changed from here on. */
void handover_prepare(char **argv);

/* Starts again as the full scheduler, with the same command line. */
_Noreturn void handover(void);

#endif

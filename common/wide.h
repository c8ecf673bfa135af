/* wide.h - functions with wider vectors where the processor has them, with bit for bit the same
 * results.
 *
 * Sanitizers do not get along with functions that are chosen when a program is loaded. */
#ifndef COMMON_WIDE_H
#define COMMON_WIDE_H

#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__clang__)
#define WIDE __attribute__((target_clones("avx2", "default")))
#else
#define WIDE
#endif

#endif

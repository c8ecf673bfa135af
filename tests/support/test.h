/* test.h - what every test program includes first: cmocka and the headers that it wants before it.
 */
#ifndef SUPPORT_TEST_H
#define SUPPORT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* The exit status that reports a whole program as skipped. */
#define TEST_SKIPPED 77

#endif

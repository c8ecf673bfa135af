/* shell_word.h - words of command lines that users copy from messages. */
#ifndef COMMON_SHELL_WORD_H
#define COMMON_SHELL_WORD_H

#include <stdio.h>

/* Prints `text` as one word of a shell's command line, quoted where a shell would change it. */
void shell_word_print(const char *text, FILE *out);

#endif

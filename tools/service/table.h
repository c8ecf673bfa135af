/* table.h - prints an answer as a table. A list of objects has a column for each member. A single
 * object has a line for each member. */
#ifndef SERVICE_TABLE_H
#define SERVICE_TABLE_H

#include "common/error.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

enum member_kind {
    MEMBER_TEXT,
    MEMBER_STATE, /* a word, coloured on a terminal */
    MEMBER_WHOLE,
    MEMBER_SECONDS,
    MEMBER_HOURS,   /* hours with two decimals */
    MEMBER_PERCENT, /* per cent; "none" for 0 */
    MEMBER_TIME,
    MEMBER_UNTIL, /* a time; answers of an older service may lack it */
    MEMBER_WORDS, /* a list of texts or numbers */
    MEMBER_DONE,  /* share of "iterations" done */
};

/* A member that is null in the answer is shown as "-". */
struct member {
    const char *title; /* title of the column; NULL ends the list */
    const char *name;
    enum member_kind kind;
};

/* The stream on which an answer is printed, and the verb of that answer. */
struct page {
    FILE *out;
    bool colours;
    const char *verb;
};

/* A page on standard output, with colours if the terminal has them and NO_COLOR is not set. */
struct page page_on_stdout(const char *verb);

/* Prints the objects of `list`. -1, with `error` and nothing printed, if an object is invalid. */
int table_print(const struct page *page, const struct member members[], const json_t *list,
                struct error *error);

/* Prints the members of `object`, skipping absent ones. -1, with `error`, if a member is
 * invalid. */
int table_print_object(const struct page *page, const struct member members[], const json_t *object,
                       struct error *error);

#endif

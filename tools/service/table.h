/* table.h - what an answer says as a table: a column a member for a list of objects, a line a
 * member for one object. */
#ifndef SERVICE_TABLE_H
#define SERVICE_TABLE_H

#include "common/error.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

enum member_kind {
    MEMBER_TEXT,
    MEMBER_STATE, /* a word that has a colour on a terminal */
    MEMBER_WHOLE,
    MEMBER_SECONDS,
    MEMBER_HOURS,   /* with two decimals */
    MEMBER_PERCENT, /* none for 0 */
    MEMBER_TIME,
    MEMBER_UNTIL, /* likewise; of which a service of a version before may say nothing */
    MEMBER_WORDS, /* a list of texts or numbers */
    MEMBER_DONE,  /* how much of "iterations" */
};

/* A member that is null in the answer is shown as "-". */
struct member {
    const char *title; /* of the column; NULL ends the list */
    const char *name;
    enum member_kind kind;
};

/* Where it goes, and in which answer it is. */
struct page {
    FILE *out;
    bool colours;
    const char *verb;
};

/* To standard output, with colours where a terminal has them and NO_COLOR is not set. */
struct page page_on_stdout(const char *verb);

/* The objects of `list`. -1, with `error` and nothing printed, if one of them makes no sense. */
int table_print(const struct page *page, const struct member members[], const json_t *list,
                struct error *error);

/* The members of `object`; without those that it does not have. */
int table_print_object(const struct page *page, const struct member members[], const json_t *object,
                       struct error *error);

#endif

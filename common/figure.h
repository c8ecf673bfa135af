/* figure.h - figures in a struct: a table says how each is called, what its value is, and where in
 * the struct the value lies. Summaries, columns and documents walk the table.
 *
 *   struct turns_figures {
 *       int64_t rounds_given;
 *   };
 *
 *   static const struct figure items[] = {
 *       {FIGURE(struct turns_figures, rounds_given, "rounds_given", "rounds",
 *               "rounds on GPUs that all jobs together had")},
 *       FIGURES_END};
 */
#ifndef COMMON_FIGURE_H
#define COMMON_FIGURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum figure_kind {
    FIGURE_KIND_END,
    FIGURE_KIND_SWITCH, /* bool */
    FIGURE_KIND_WHOLE,  /* int64_t */
    FIGURE_KIND_TENTHS, /* int64_t, a real number in tenths */
    FIGURE_KIND_REAL,   /* double, NaN where the value is unknown */
    FIGURE_KIND_TEXT,   /* const char * that stays for the whole process, NULL where unknown */
    FIGURE_KIND_NAME,   /* char [] */
    FIGURE_KIND_CHOICE, /* an enumeration in the order of `names` */
    FIGURE_KIND_EACH,   /* int64_t [], a number for each of `names` */
    FIGURE_KIND_LIST,   /* int64_t [], as many numbers as the int at `length` says */
};

struct figure {
    enum figure_kind kind;
    const char *key;  /* name, words joined by "_" */
    const char *unit; /* unit, printed after a value; NULL for a plain number */
    const char *help; /* the meaning of the figure, without a full stop */
    size_t offset;    /* offset of the value in the struct */
    size_t length;    /* of a list: offset of its length in the struct */
    const char *const
        *names;        /* ended with NULL: the words of a choice, or a name for each number */
    const char *title; /* heading of the column; NULL: the key in capitals */
    int decimals;      /* decimals in a column for users */
    bool share;        /* a part of 1, which is per cent for users */
    bool no_column;    /* the figure stands in summaries alone */
};

#define FIGURE_KIND_OF(type, member)                                                               \
    _Generic(((type *)0)->member,                                                                  \
        bool: FIGURE_KIND_SWITCH,                                                                  \
        int64_t: FIGURE_KIND_WHOLE,                                                                \
        double: FIGURE_KIND_REAL,                                                                  \
        const char *: FIGURE_KIND_TEXT,                                                            \
        char *: FIGURE_KIND_NAME)

/* A bool, int64_t, double, const char * or char [] in `member` of `type`. */
#define FIGURE(type, member, name, unit_, help_)                                                   \
    .kind = FIGURE_KIND_OF(type, member), .key = (name), .unit = (unit_), .help = (help_),         \
    .offset = offsetof(type, member)

/* An enumeration, or int64_t [], in the order of `names_`. */
#define FIGURE_CHOICE(type, member, name, names_, help_)                                           \
    .kind = FIGURE_KIND_CHOICE, .key = (name), .names = (names_), .help = (help_),                 \
    .offset = offsetof(type, member)
#define FIGURE_EACH(type, member, name, names_, unit_, help_)                                      \
    .kind = FIGURE_KIND_EACH, .key = (name), .names = (names_), .unit = (unit_), .help = (help_),  \
    .offset = offsetof(type, member)

#define FIGURES_END                                                                                \
    {                                                                                              \
        .kind = FIGURE_KIND_END                                                                    \
    }

/* The address of the figure's value in the struct `values`. */
static inline const void *figure_in(const struct figure *self, const void *values)
{
    return (const char *)values + self->offset;
}

/* How many numbers a list has in the struct `values`. */
static inline int figure_length(const struct figure *self, const void *values)
{
    return *(const int *)(const void *)((const char *)values + self->length);
}

/* A real number, or tenths, as a real number, NaN where the value is unknown. */
double figure_real(const struct figure *self, const void *values);

/* The value as text, a number with all its digits; false, with an empty text, where it is
 * unknown. */
bool figure_text(const struct figure *self, const void *values, char *text, size_t size);

#endif

/* finding.h - what an audit found: violations, and deviations that a documented quirk of the
 * published policies explains. */
#ifndef AUDIT_FINDING_H
#define AUDIT_FINDING_H

#include <stddef.h>
#include <stdint.h>

/* A finding that has no time of its own. */
#define AUDIT_NO_TIME INT64_MIN

struct finding {
    const char *check; /* the name of the check, the same in every release */
    const char *tag;   /* the quirk that explains it; NULL for a violation */
    int64_t at_s;      /* AUDIT_NO_TIME if it has none */
    char *job;         /* its id; NULL if it is about no single job */
    char *text;
};

struct findings {
    struct finding *items;
    size_t count;
    size_t capacity;
    size_t violations; /* those without a tag */
};

/* Where and about whom; a finding takes copies of the texts in it, except `check` and `tag`. */
struct finding_place {
    const char *check;
    const char *tag;
    int64_t at_s;
    const char *job;
};

void findings_add(struct findings *self, const struct finding_place *place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Puts them in order of time, those without a time last; equal ones keep their order. */
void findings_sort(struct findings *self);

void findings_clear(struct findings *self);

#endif

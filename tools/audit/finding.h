/* finding.h - what an audit found: violations, which are what cannot be true or must not be; broken
 * promises; and what a documented quirk of the published policies explains. */
#ifndef AUDIT_FINDING_H
#define AUDIT_FINDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A finding that has no time of its own. */
#define AUDIT_NO_TIME INT64_MIN

struct finding {
    const char *check; /* the name of the check, the same in every release */
    const char *tag;   /* the quirk that explains it; NULL if there is none */
    int64_t at_s;      /* AUDIT_NO_TIME if it has none */
    char *job;         /* its id; NULL if it is about no single job */
    char *text;
};

struct findings {
    struct finding *items;
    size_t count;
    size_t capacity;
    size_t broken;     /* promises, explained or not */
    size_t quirks;     /* those with a tag */
    size_t violations; /* neither */
};

/* Whether it is about a promise that was broken. */
bool finding_is_broken(const struct finding *finding);

/* Adds a copy of `finding`, of its job and of its text. */
void findings_add(struct findings *self, const struct finding *finding);

/* Puts them in order of time, those without a time last; equal ones keep their order. */
void findings_sort(struct findings *self);

void findings_clear(struct findings *self);

#endif

/* finding.h - the findings of an audit: violations, which are impossible or forbidden results,
 * broken promises, and deviations that a documented quirk of the published policies explains. */
#ifndef AUDIT_FINDING_H
#define AUDIT_FINDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The time of a finding that has none. */
#define AUDIT_NO_TIME INT64_MIN

struct finding {
    const char *check; /* the name of the check, the same in every release */
    const char *tag;   /* tag of the quirk that explains the finding; NULL for none */
    int64_t at_s;      /* AUDIT_NO_TIME if the finding has no time */
    char *job;         /* id of the job; NULL if the finding is about no single job */
    char *text;
};

struct findings {
    struct finding *items;
    size_t count;
    size_t capacity;
    size_t broken;     /* findings of broken promises, with or without a tag */
    size_t quirks;     /* number of findings with a tag */
    size_t violations; /* findings that have no tag and are no broken promise */
};

/* Whether the finding is a broken promise. */
bool finding_is_broken(const struct finding *finding);

/* Adds a copy of `finding`, of its job and of its text. */
void findings_add(struct findings *self, const struct finding *finding);

/* Sorts the findings by time, those without a time last. Findings of the same time keep their
 * order. */
void findings_sort(struct findings *self);

void findings_clear(struct findings *self);

#endif

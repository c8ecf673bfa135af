/* admissions.h - the admission modules of the published policies. */
#ifndef REFERENCE_ADMISSIONS_H
#define REFERENCE_ADMISSIONS_H

#include "scheduler/admission/admission.h"

extern const struct admission admission_together;
extern const struct admission admission_each;
extern const struct admission admission_one_by_one;
extern const struct admission admission_by_lease;

/* The verdict on `job`: promised if all deadlines can be met with it. EF-Q34: a best-effort job is
 * admitted in any case. */
static inline struct verdict admission_verdict(const struct job *job, bool met)
{
    return met || job->submission->best_effort ? verdict_promise(job)
                                               : verdict_decline(REASON_NO_ROOM);
}

#endif

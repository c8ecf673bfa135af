/* quirks.h - which checks the published policies fail by themselves, and by which documented quirk.
 * The auditor does not work out how far a quirk goes: golden runs and the transcription of the
 * artifact guard that. */
#ifndef AUDIT_QUIRKS_H
#define AUDIT_QUIRKS_H

#include <stdbool.h>

/* The tag of a quirk that makes a run of `policy` under `rules` fail `check`. NULL if no quirk
 * does, or if these rules put all such quirks right. */
const char *audit_quirk(const char *policy, const char *rules, const char *check);

#endif

/* quirks.h - which checks the published policies fail by themselves, and by which documented quirk.
 * The auditor does not check the extent of a quirk: golden runs and the transcription of the
 * artifact guard that. */
#ifndef AUDIT_QUIRKS_H
#define AUDIT_QUIRKS_H

#include <stdbool.h>

/* The tag of a quirk that makes a run of `policy` under `rules` fail `check`. NULL if no quirk
 * does, or if `rules` correct all such quirks. */
const char *audit_quirk(const char *policy, const char *rules, const char *check);

#endif

/* quirks.h - the checks that the published policies fail, and the documented quirk that explains
 * each failure. The auditor does not check the extent of a quirk. Golden runs and the transcription
 * of the artifact do. */
#ifndef AUDIT_QUIRKS_H
#define AUDIT_QUIRKS_H

#include <stdbool.h>

/* The tag of a quirk that makes a run of `policy` under `rules` fail `check`. NULL if no quirk
 * does, or if `rules` correct all such quirks. */
const char *audit_quirk(const char *policy, const char *rules, const char *check);

#endif

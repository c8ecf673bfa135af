/* lease_files.h - what summary.json says of leases; the files beside it are read by audit_read_leases
 * (case.h). */
#ifndef AUDIT_LEASE_FILES_H
#define AUDIT_LEASE_FILES_H

#include "tools/audit/case.h"

#include <jansson.h>

/* Unpacks the object "leasing" of `summary`, read from `path`, if it has one. -1, with `error` set, if
 * it makes no sense. */
int audit_unpack_leasing(struct audit_leasing *leasing, json_t *summary, const char *path,
                         struct error *error);

#endif

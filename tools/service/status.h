/* status.h - the members that are shown of the service and of its nodes. */
#ifndef SERVICE_STATUS_H
#define SERVICE_STATUS_H

#include "tools/service/table.h"

extern const struct member status_members[];
extern const struct member status_nodes[];

#endif

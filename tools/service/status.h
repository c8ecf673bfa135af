/* status.h - the members of the service and of its nodes that are shown. */
#ifndef SERVICE_STATUS_H
#define SERVICE_STATUS_H

#include "tools/service/table.h"

extern const struct member status_members[];
extern const struct member status_nodes[];

#endif

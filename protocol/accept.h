/* accept.h - limits the connections that the servers of this process accept. For the files of the
 * link only. */
#ifndef PROTOCOL_ACCEPT_H
#define PROTOCOL_ACCEPT_H

#include <stddef.h>

/* How many descriptors this process may have open before its servers refuse connections:
 * LINK_DESCRIPTORS_KEPT fewer than its limit. Calling this function links accept.c into a
 * program. */
size_t accept_room(void);

#endif

/* node_lease.h - the right to hold parts until a stated time. A lease begins when a heartbeat is
 * sent that the master then answers. When the lease has expired, all parts must be given up. A part
 * still held some time later is overdue.
 *
 * Has no clock: times are CLOCK_BOOTTIME, in microseconds. */
#ifndef WORKER_NODE_LEASE_H
#define WORKER_NODE_LEASE_H

#include <stdbool.h>
#include <stdint.h>

struct node_lease {
    int64_t length_us;  /* length that the master set */
    int64_t until_us;   /* end of the lease; 0 before the first lease */
    int64_t overdue_us; /* when parts held at its end are overdue, INT64_MAX for never */
};

/* The action that a lease calls for. */
enum node_lease_call {
    LEASE_CALLS_NOTHING,
    LEASE_CALLS_IN, /* the lease has expired: all parts are to be given up, which may take a while
                     */
    LEASE_KILLS,    /* parts are overdue and are to be killed */
};

/* A lease that was never given. */
struct node_lease node_lease_none(void);

/* The message sent at `stamp_us` reached the master. A lease never gets shorter. */
void node_lease_renew(struct node_lease *self, int64_t stamp_us);

/* To be asked before anything else whenever the process wakes up: it may have been stopped for any
 * time. `has_parts`: some part has not been given up. Each action is returned once. */
enum node_lease_call node_lease_look(struct node_lease *self, bool has_parts, int64_t now_us);

/* When to look again; INT64_MAX for never. */
int64_t node_lease_due_us(const struct node_lease *self, bool has_parts);

#endif

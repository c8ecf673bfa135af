/* timing.h - all time limits of the testbed's processes. */
#ifndef PROTOCOL_TIMING_H
#define PROTOCOL_TIMING_H

#define HEARTBEAT_MS_DEFAULT 5000   /* interval of heartbeats, both ways on every link */
#define HEARTBEATS_MISSED    3      /* a peer silent for this many intervals is gone */
#define LEASE_MS_DEFAULT     60000  /* how long a part runs on without word from the master */
#define LEASE_CONFIRM_MS     500    /* from a lease's end until lingering trainers are killed */
#define LEASE_MARGIN_MS      2000   /* from the end of a lease until its GPUs count as free */
#define GRACE_MS_DEFAULT     30000  /* between SIGTERM and SIGKILL */
#define STABLE_MS_DEFAULT    600000 /* limit from BEGIN until an incarnation trains at its rate */
#define RETRY_AFTER_MS       1000 /* wait before the second restart; doubled for each further one */
#define RETRIES_MAX          5    /* restarts of a job by faults before it is held */

#endif

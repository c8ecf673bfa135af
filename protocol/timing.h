/* timing.h - how long the processes of the testbed wait for each other: the one place. */
#ifndef PROTOCOL_TIMING_H
#define PROTOCOL_TIMING_H

#define HEARTBEAT_MS_DEFAULT 5000   /* both ways on every link */
#define HEARTBEATS_MISSED    3      /* after so many a peer is gone */
#define LEASE_MS_DEFAULT     60000  /* how long a part runs on without word from the master */
#define LEASE_CONFIRM_MS     500    /* after its end, trainers that hold on are killed */
#define LEASE_MARGIN_MS      2000   /* after its end, the master takes the GPUs for free */
#define GRACE_MS_DEFAULT     30000  /* between SIGTERM and SIGKILL */
#define STABLE_MS_DEFAULT    600000 /* from BEGIN until an incarnation trains at its rate */
#define RETRY_AFTER_MS       1000   /* before the second restart; twice that before the next */
#define RETRIES_MAX          5      /* restarts of a job by faults before it is held */

#endif

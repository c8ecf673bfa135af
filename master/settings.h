/* settings.h - the command line of the master. */
#ifndef MASTER_SETTINGS_H
#define MASTER_SETTINGS_H

#include "common/error.h"

#include <stdbool.h>
#include <stdint.h>

struct master_settings {
    int64_t port;
    int64_t workers; /* expected */
    const char *listen;
    const char *keys;  /* folder, NULL without */
    const char *user;  /* user to become, NULL to stay the current one */
    const char *trace; /* file of commands, NULL without */
    int64_t debug;
    double heartbeat_s;
    double lease_s;
    double stable_within_s; /* 0: for ever */
    int64_t exclude_after;  /* 0: never */
    double time_scale;
    bool once;
};

/* Parses the command line. 0 to go on; otherwise the program ends with the exit status `status`. */
int master_settings_parse(struct master_settings *self, int argc, char **argv, int *status);

/* Complains on stderr; returns the exit status of a user's mistake. */
int master_settings_fail(const struct error *error);

#endif

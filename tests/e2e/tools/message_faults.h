/* message_faults.h - what happens to messages on their way: drawn from a seed, so that the Nth
 * message of a direction meets the same fate in every run. */
#ifndef E2E_MESSAGE_FAULTS_H
#define E2E_MESSAGE_FAULTS_H

#include "common/error.h"
#include "common/rng.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Probabilities in 0 .. 1, and a mean delay. */
struct fault_rates {
    double loss;
    double duplicate;
    double reorder;  /* it may overtake and be overtaken */
    double flip;     /* one bit */
    double truncate; /* its end is missing */
    double splice;   /* from some byte on it is another message */
    double delay_ms; /* mean, exponential */
};

/* "loss=0.3,delay=50", "none" for no faults. -1, with `error`, if it is no such text. */
int fault_rates_parse(const char *text, struct fault_rates *rates, struct error *error);

/* What becomes of one message. */
struct fate {
    int copies; /* 0: lost */
    bool overtaken;
    int64_t delay_ms[2]; /* of each copy */
    bool damaged;
};

struct fault_counts {
    uint64_t messages;
    uint64_t lost;
    uint64_t duplicated;
    uint64_t overtaken;
    uint64_t damaged;
};

/* Messages of one direction. */
typedef struct message_faults message_faults_t;

message_faults_t *message_faults_new(uint64_t seed, const char *direction);
void message_faults_destroy(message_faults_t **self);
void message_faults_set(message_faults_t *self, const struct fault_rates *rates);

/* Draws the fate of the next message, `*size` bytes in `bytes`, which are damaged where they are;
 * there is room for `room` of them. */
struct fate message_faults_next(message_faults_t *self, unsigned char *bytes, size_t *size,
                                size_t room);

const struct fault_counts *message_faults_counts(const message_faults_t *self);

#endif

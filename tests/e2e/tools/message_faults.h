/* message_faults.h - faults of messages on their way. A seed draws them, so that the Nth message of
 * a direction has the same fate in every run. */
#ifndef E2E_MESSAGE_FAULTS_H
#define E2E_MESSAGE_FAULTS_H

#include "common/error.h"
#include "common/rng.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The probability of each fault, from 0 to 1, and the mean delay. */
struct fault_rates {
    double loss;
    double duplicate;
    double reorder;  /* the message may overtake others and be overtaken */
    double flip;     /* a bit is inverted */
    double truncate; /* the end is missing */
    double splice;   /* from some byte on, the bytes are those of another message */
    double delay_ms; /* mean of an exponential distribution */
};

/* Reads a text such as "loss=0.3,delay=50", or "none" for no faults. -1, with `error`, if the text
 * is invalid. */
int fault_rates_parse(const char *text, struct fault_rates *rates, struct error *error);

/* The fate of a message. */
struct fate {
    int copies; /* 0 if the message is lost */
    bool overtaken;
    int64_t delay_ms[2]; /* delay of each copy */
    bool damaged;
};

struct fault_counts {
    uint64_t messages;
    uint64_t lost;
    uint64_t duplicated;
    uint64_t overtaken;
    uint64_t damaged;
};

/* The faults of one direction. */
typedef struct message_faults message_faults_t;

message_faults_t *message_faults_new(uint64_t seed, const char *direction);
void message_faults_destroy(message_faults_t **self);
void message_faults_set(message_faults_t *self, const struct fault_rates *rates);

/* Draws the fate of the next message, which has `*size` bytes in `bytes`, and damages the bytes in
 * place. `bytes` has room for `room` bytes. */
struct fate message_faults_next(message_faults_t *self, unsigned char *bytes, size_t *size,
                                size_t room);

const struct fault_counts *message_faults_counts(const message_faults_t *self);

#endif

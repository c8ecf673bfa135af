/* survival.h - the chance that a job loses no more nodes than its promise survives.
 *
 * Nodes fail independently, at any time with the same chance, once in M seconds in the mean. A job
 * on n nodes for L seconds is exposed for x = n L node-seconds. Another node takes the place of
 * each lost node. The job loses k nodes with the chance e^-(x/M) (x/M)^k / k! (a Poisson process:
 * Feller, An Introduction to Probability Theory 1, 1968, XVII.2).
 *
 * M is measured: c failures in T node-seconds. If the rate 1/M has a Gamma distribution of shape a
 * and rate b before the measurement, it has a Gamma distribution of shape a + c and rate b + T
 * after it, and k has a negative binomial distribution (Greenwood and Yule, J. R. Stat. Soc. 83,
 * 1920; Gelman et al., Bayesian Data Analysis, 2013, 2.6):
 *
 * P(k) = C(a + c + k - 1, k) ((b + T) / (b + T + x))^(a + c) (x / (b + T + x))^k */
#ifndef PLANNER_SURVIVAL_H
#define PLANNER_SURVIVAL_H

#include <stdbool.h>
#include <stdint.h>

/* Failures of nodes that were seen. */
struct failures {
    int64_t count;
    double node_s; /* seconds of nodes that were up, all added up */
};

/* The known rate of failures: a Gamma distribution of failures per node-second. */
struct failure_rate {
    double shape;  /* INFINITY: the mean is known for certain */
    double node_s; /* shape / node_s is the mean; if the mean is certain, seconds per failure; 0:
                      nothing is known */
};

/* The rate of a node that certainly fails once in `mtbf_s` seconds in the mean; 0 if nothing is
 * known. */
struct failure_rate failure_rate_certain(double mtbf_s);

/* The rate by failures seen. A prior of a failure each `prior_mtbf_s` weighs as much as a failure
 * seen in so many node-seconds. With 0 the prior is that of Jeffreys: half a failure in no time. */
struct failure_rate failure_rate_seen(const struct failures *seen, int64_t prior_mtbf_s);

/* Mean node-seconds from a failure to the next; 0 where nothing is known. */
double failure_rate_mtbf_s(const struct failure_rate *self);

/* The chance that a job exposed for `node_s` node-seconds loses at most `losses` of its nodes. NaN
 * where nothing is known of the rate. */
double survival_chance(const struct failure_rate *rate, double node_s, int losses);

/* Writes a chance for people, "99.3 %", and returns `text`. Chances are rounded down: only
 * certainty is 100 %. */
#define CHANCE_BYTES 16
const char *survival_text(double chance, char text[CHANCE_BYTES]);

/* Writes a clause about a promise that survives `losses`, with the chance that no more nodes are
 * lost. Returns `text`. */
#define SURVIVAL_BYTES 128
const char *survival_sentence(double chance, int losses, char text[SURVIVAL_BYTES]);

#endif

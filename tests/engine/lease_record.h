/* lease_record.h - the results of a run of chronus: the outcome of each job, the GPUs of each job
 * over time, and the lease rounds. The results of the engine and of the oracle have this common
 * form. */
#ifndef TESTS_LEASE_RECORD_H
#define TESTS_LEASE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The facts of a job. Times are in seconds. The deadline of a job that has none is 2^63. */
enum lease_fact {
    FACT_RETIRED_AT,
    FACT_START_TIME,
    FACT_END_TIME,
    FACT_DEADLINE,
    FACT_BEST_EFFORT,
    FACT_CLASS, /* value of enum lease_class */
    FACT_ESTIMATED,
    FACT_PROMISED,
    FACT_STARTS,
    FACT_LEASES,
    FACT_WAITED,
    FACT_MISSED,
    FACT_HELD, /* seconds in which the job held GPUs */
    FACT_COUNT
};

struct lease_facts {
    bool known; /* the job has ended */
    double values[FACT_COUNT];
};

/* The GPUs of each job from `at_s` on. */
struct lease_layout {
    int64_t at_s;
    int *gpus; /* one number for each job */
};

/* A lease round that had jobs to choose from. */
struct lease_line {
    int64_t at_s;
    int64_t objective; /* value of enum lease_objective */
    int64_t method;    /* value of enum lease_method, -1 if the result does not say */
    int64_t entries;
    int64_t granted_gpus;
};

struct lease_record {
    size_t job_count;
    struct lease_facts *jobs; /* in the order of the trace file */
    struct lease_layout *layouts;
    size_t layout_count;
    size_t layout_capacity;
    struct lease_line *lines;
    size_t line_count;
    size_t line_capacity;
};

void lease_record_init(struct lease_record *self, size_t job_count);
void lease_record_clear(struct lease_record *self);

/* Adds a layout in which no job holds a GPU, and returns its counts for the caller to fill in. */
int *lease_record_add_layout(struct lease_record *self, int64_t at_s);
void lease_record_add_line(struct lease_record *self, const struct lease_line *line);

/* Reads jobs.csv, promises.csv, leases.csv and rounds.csv of `folder`. Jobs are called "job-N" by
 * their place in the trace. The test fails if a file cannot be read. */
void lease_record_read(struct lease_record *self, const char *folder);

/* Compares `self` with `expected`: the jobs whose end `expected` knows, and the layouts and lease
 * rounds before `until_s`. Returns false, with a text in `difference`, at the first difference. */
bool lease_record_agrees(const struct lease_record *self, const struct lease_record *expected,
                         int64_t until_s, char *difference, size_t size);

/* Prints a line for each job. */
void lease_record_print(const struct lease_record *self);

#endif

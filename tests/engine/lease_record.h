/* lease_record.h - what a run of chronus leaves: what became of each job, which jobs held GPUs
 * when, and how lease rounds went. One form for the result files of the engine and for what the
 * oracle tells. */
#ifndef TESTS_LEASE_RECORD_H
#define TESTS_LEASE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The facts of a job. Times are seconds; 2^63 is the deadline of a job without one. */
enum lease_fact {
    FACT_RETIRED_AT,
    FACT_START_TIME,
    FACT_END_TIME,
    FACT_DEADLINE,
    FACT_BEST_EFFORT,
    FACT_CLASS, /* an enum lease_class */
    FACT_ESTIMATED,
    FACT_PROMISED,
    FACT_STARTS,
    FACT_LEASES,
    FACT_WAITED,
    FACT_MISSED,
    FACT_HELD, /* seconds for which it held GPUs */
    FACT_COUNT
};

struct lease_facts {
    bool known; /* it has ended */
    double values[FACT_COUNT];
};

/* From `at_s` on jobs hold these GPUs. */
struct lease_layout {
    int64_t at_s;
    int *gpus; /* one a job */
};

/* A lease round with jobs to choose from. */
struct lease_line {
    int64_t at_s;
    int64_t objective; /* an enum lease_objective */
    int64_t method;    /* an enum lease_method, -1 if none is said */
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

/* Adds a layout in which no job holds anything yet; the counts are for the caller to fill in. */
int *lease_record_add_layout(struct lease_record *self, int64_t at_s);
void lease_record_add_line(struct lease_record *self, const struct lease_line *line);

/* Reads jobs.csv, promises.csv, leases.csv and rounds.csv of `folder`; jobs are called "job-N" by
 * their place in the trace. The test fails if they cannot be read. */
void lease_record_read(struct lease_record *self, const char *folder);

/* Holds the jobs that `expected` knows the end of, and what it says up to, but without, `until_s`,
 * against `self`. Returns false if something differs; what it is, and where, is put into
 * `difference`. */
bool lease_record_agrees(const struct lease_record *self, const struct lease_record *expected,
                         int64_t until_s, char *difference, size_t size);

/* Prints a line for each job. */
void lease_record_print(const struct lease_record *self);

#endif

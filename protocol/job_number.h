/* job_number.h - the number of a job on the wire, which no other job ever gets.
 *
 * Each run on a real cluster has an id of 31 bits, not 0, drawn at random. The upper half of a
 * job's number is the id of its run, the lower half the row of the job in that run. Simulated runs
 * have id 0, so that the numbers of their jobs are the rows. */
#ifndef PROTOCOL_JOB_NUMBER_H
#define PROTOCOL_JOB_NUMBER_H

#include <stdint.h>

#define RUN_ID_MAX INT32_MAX

/* Size of a job's name with its NUL. */
#define JOB_NAME_BYTES 20

uint64_t job_number_make(uint32_t run, uint32_t row);
uint32_t job_number_run(uint64_t number);
uint32_t job_number_row(uint64_t number);

/* The id of a new run: 1 .. RUN_ID_MAX, from the kernel's random numbers. */
uint32_t job_number_draw_run(void);

/* The name of the job's folders, logs and locks: "3fa2c1-7", the run in hexadecimal and the
 * row, or "7" if the run is 0. */
struct job_name {
    char text[JOB_NAME_BYTES];
};

struct job_name job_number_name(uint64_t number);

#endif

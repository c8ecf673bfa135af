/* job_number.c - see job_number.h. */
#include "protocol/job_number.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/random.h>

#define ROW_BITS 32

uint64_t job_number_make(uint32_t run, uint32_t row)
{
    assert(run <= RUN_ID_MAX);
    return (uint64_t)run << ROW_BITS | row;
}

uint32_t job_number_run(uint64_t number)
{
    return (uint32_t)(number >> ROW_BITS);
}

uint32_t job_number_row(uint64_t number)
{
    return (uint32_t)number;
}

uint32_t job_number_draw_run(void)
{
    uint32_t run = 0;

    while (run == 0) {
        const ssize_t got = getrandom(&run, sizeof(run), 0);

        assert(got == (ssize_t)sizeof(run) || (got < 0 && errno == EINTR));
        run = got == (ssize_t)sizeof(run) ? run & RUN_ID_MAX : 0;
    }
    return run;
}

struct job_name job_number_name(uint64_t number)
{
    const uint32_t run = job_number_run(number);
    const uint32_t row = job_number_row(number);
    struct job_name name;

    if (run == 0)
        (void)snprintf(name.text, sizeof(name.text), "%" PRIu32, row);
    else
        (void)snprintf(name.text, sizeof(name.text), "%" PRIx32 "-%" PRIu32, run, row);
    return name;
}

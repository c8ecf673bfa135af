/* verb_process.c - see verb_process.h. */
#include "tools/verb_process.h"

#include "common/descriptors.h"
#include "common/output.h"
#include "common/unicode.h"

#include <stdio.h>

void verb_process_begin(void)
{
    descriptors_open_standard();
    unicode_begin();
}

int verb_process_end(int status)
{
    struct error error;

    if (output_check_stdout(&error) == 0)
        return status;
    (void)fprintf(stderr, "rubato: %s\n", error.text);
    return status == 0 ? 1 : status;
}

/* field.c - see field.h. */
#include "tools/sweep/field.h"

#include "common/number.h"
#include "tools/trace_tools/trace_file.h"

#include <string.h>

void field_write(const struct field *self, output_t *output)
{
    char text[NUMBER_TEXT_BYTES];

    switch (self->kind) {
    case FIELD_NONE:
        break;
    case FIELD_TEXT:
        trace_file_cell(output, ',', self->text, strlen(self->text));
        break;
    case FIELD_WHOLE:
        output_whole(output, self->whole);
        break;
    case FIELD_REAL:
        output_text(output, number_print_real(self->real, text));
        break;
    }
}

/* json_path.c - see json_path.h. */
#include "scheduler/report/json_path.h"

#include "common/input.h"
#include "common/memory.h"

#include <stdlib.h>
#include <string.h>

json_t *json_path(const char *path)
{
    json_t *json = path ? json_string(path) : json_null();
    const size_t size = path ? strlen(path) + 1 : 0;
    char *shown;

    if (json)
        return json;
    shown = xmalloc(size);
    (void)input_printable(shown, size, path, size - 1);
    json = json_string(shown);
    free(shown);
    return json;
}

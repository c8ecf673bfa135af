/* operand.c - see operand.h. */
#include "tools/operand.h"

#include "common/data_file.h"
#include "common/number.h"

#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#define SLOT_MAX 1000000

static bool is_file(const char *folder, const char *name)
{
    return access(data_file(folder, name), F_OK) == 0;
}

/* Sets the slot or the GPU type that `word` names. False if `word` names neither. */
static bool sets(const char *word, struct simulation *simulation)
{
    int64_t slot_s;

    if (number_parse_whole(word, strlen(word), 0, SLOT_MAX, &slot_s) == NUMBER_OK) {
        simulation->slot_s = slot_s;
        return true;
    }
    if (strchr(word, '/') || access(word, F_OK) == 0 || !is_file(DATA_THROUGHPUTS, word))
        return false;
    simulation->gpu_type = word;
    return true;
}

/* The @ between a trace and a cluster that both exist, else the last @, so that an error names the
 * missing file. NULL if there is no @. */
static char *find_cluster(char *operand)
{
    for (char *at = strrchr(operand, '@'); at; at = memrchr(operand, '@', (size_t)(at - operand))) {
        bool found;

        *at = '\0';
        found = is_file(DATA_TRACES, operand) && is_file(DATA_CLUSTERS, at + 1);
        *at = '@';
        if (found)
            return at;
    }
    return strrchr(operand, '@');
}

/* Refuses a name that is no cluster and looks like no path. A path that does not exist is left to
 * the reader of clusters. */
static int check_cluster(const char *name, struct error *error)
{
    size_t length;

    if (is_file(DATA_CLUSTERS, name) || strpbrk(name, "./"))
        return 0;
    error_set(error, "\"%s\" is no cluster, no slot from 0 to %d and no GPU type", name, SLOT_MAX);
    length = strlen(error->text);
    data_file_suggest(DATA_CLUSTERS, name, error);
    if (!error->text[length])
        data_file_suggest(DATA_THROUGHPUTS, name, error);
    return -1;
}

int operand_read(char *operand, struct simulation *simulation, struct error *error)
{
    char *at;

    while (!is_file(DATA_TRACES, operand) && (at = strrchr(operand, '@')) &&
           sets(at + 1, simulation))
        *at = '\0';
    at = is_file(DATA_TRACES, operand) ? NULL : find_cluster(operand);
    if (at) {
        if (at == operand || !at[1])
            return error_set(error, "%s: expected a trace before and a cluster after the @",
                             operand);
        if (check_cluster(at + 1, error) < 0)
            return -1;
        *at = '\0';
        simulation->cluster = at + 1;
    }
    simulation->trace = operand;
    simulation_find_inputs(simulation);
    return 0;
}

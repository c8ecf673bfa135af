/* input_files.c - see input_files.h. */
#include "scheduler/run/input_files.h"

#include "common/input.h"
#include "common/memory.h"

#include <string.h>
#include <sys/stat.h>

static bool is_file(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

void input_files_of_policy(struct inputs *inputs)
{
    const char *command = inputs->setting.policy->command;
    char *rest = NULL;

    if (!command)
        return;
    inputs->command = xstrdup(command);
    for (char *word = strtok_r(inputs->command, " ", &rest);
         word && inputs->program_count < INPUTS_PROGRAMS_MAX; word = strtok_r(NULL, " ", &rest)) {
        if (!is_file(word))
            continue;
        input_skim(word);
        inputs->programs[inputs->program_count++] = word;
    }
}

struct files_read input_files_list(const struct inputs *inputs, const struct simulation *simulation)
{
    struct files_read files = {.count = 0};

    files_read_add(&files, FILE_OF_TRACE, simulation->trace);
    files_read_add(&files, FILE_OF_CLUSTER, simulation->cluster);
    for (size_t i = 0; i < inputs->table_count; i++)
        files_read_add(&files, FILE_OF_THROUGHPUTS, throughput_source(inputs->tables[i]));
    if (inputs->unasked)
        files_read_add(&files, FILE_OF_THROUGHPUTS, throughput_source(inputs->unasked));
    files_read_add(&files, FILE_OF_FAULTS, simulation->world ? simulation->world->faults : NULL);
    for (size_t i = 0; i < inputs->program_count; i++)
        files_read_add(&files, FILE_OF_POLICY, inputs->programs[i]);
    return files;
}

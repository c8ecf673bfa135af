/* replay.c - runs every file of some folders through an entry, so that what a fuzzer once found, or
 * starts from, is tried again by every build, also without libFuzzer:
 *
 *     fuzz_replay ENTRY FOLDER... [ENTRY FOLDER...]...
 *
 * Each file is also tried cut short: in a soak (RUBATO_SOAK is set) to each length, otherwise to
 * some, which ones its size says. */
#include "entries.h"

#include <assert.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Of longer files only the beginning is cut, which is where they differ. */
#define CUT_BYTES_MAX 300
#define CUT_STEP      8

static entry_fn *entry;
static size_t files;

static entry_fn *find_entry(const char *name)
{
    static const struct {
        const char *name;
        entry_fn *entry;
    } entries[] = {
        {"trace", entry_trace},
        {"throughput", entry_throughput},
        {"cluster_spec", entry_cluster_spec},
        {"faults", entry_faults},
        {"import", entry_import},
        {"config", entry_config},
        {"messages", entry_messages},
        {"stream", entry_stream},
        {"keys", entry_keys},
        {"commands", entry_commands},
        {"record", entry_record},
        {"step", entry_step},
        {"jobs", entry_jobs},
        {"log", entry_log},
        {"results", entry_results},
        {"sweep", entry_sweep},
    };

    for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++)
        if (!strcmp(entries[i].name, name))
            return entries[i].entry;
    return NULL;
}

static int replay(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    const size_t size = (size_t)status->st_size;
    const size_t step = getenv("RUBATO_SOAK") ? 1 : CUT_STEP;
    uint8_t *bytes;
    FILE *file;

    (void)place;
    if (kind != FTW_F)
        return 0;
    bytes = malloc(size + 1);
    file = fopen(path, "rbe");
    assert(bytes && file);
    assert(fread(bytes, 1, size, file) == size);
    (void)fclose(file);
    entry(bytes, size);
    for (size_t cut = size % step; cut < size && cut < CUT_BYTES_MAX; cut += step)
        entry(bytes, cut);
    free(bytes);
    files++;
    return 0;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const size_t before = files;

        if (find_entry(argv[i])) {
            entry = find_entry(argv[i]);
            continue;
        }
        if (!entry || nftw(argv[i], replay, 16, FTW_PHYS) != 0 || files == before) {
            (void)fprintf(stderr, "fuzz_replay: %s: neither an entry nor a folder of files\n",
                          argv[i]);
            return 2;
        }
    }
    printf("%zu files\n", files);
    return files > 0 ? 0 : 2;
}

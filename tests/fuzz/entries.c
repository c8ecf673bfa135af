/* entries.c - see entries.h. */
#include "entries.h"

#include "common/config.h"
#include "common/error.h"
#include "common/input.h"
#include "common/number.h"
#include "scheduler/simulate/fault_file.h"
#include "scheduler/state/cluster_spec.h"
#include "scheduler/state/levels.h"
#include "scheduler/state/scaling.h"
#include "scheduler/state/throughput.h"
#include "scheduler/state/trace.h"

#include <assert.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A folder in memory, in which throughput tables are looked for; removed at exit. */
static char folder[64];

static void in_folder(char *path, size_t size, const char *name)
{
    const int length = snprintf(path, size, "%s/%s", folder, name);

    assert(length > 0 && (size_t)length < size);
}

static void write_file(const char *name, const void *bytes, size_t size)
{
    char path[128];
    FILE *file;

    in_folder(path, sizeof(path), name);
    file = fopen(path, "we");
    assert(file);
    assert(fwrite(bytes, 1, size, file) == size);
    assert(fclose(file) == 0);
}

static void remove_folder(void)
{
    static const char *const names[] = {"own.csv", "usual.csv", "published/model.csv", "published"};
    char path[128];

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        in_folder(path, sizeof(path), names[i]);
        (void)remove(path);
    }
    (void)rmdir(folder);
}

static void prepare(void)
{
    static const char table[] = "model,global_batch_size,gpus,iterations_per_s\n"
                                "vgg16,128,1,2.5\nvgg16,128,2,4.5\nvgg16,128,4,\n"
                                "resnet50,128,1,4\nslow,128,1,0.001\n";
    char path[128];

    if (folder[0])
        return;
    (void)snprintf(folder, sizeof(folder), "%s/rubato-fuzz-XXXXXX",
                   access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    assert(mkdtemp(folder));
    (void)atexit(remove_folder);
    in_folder(path, sizeof(path), "published");
    assert(mkdir(path, 0700) == 0);
    write_file("usual.csv", table, strlen(table));
    /* Stays loaded, so that not every compressed input loads it again. */
    (void)dlopen("libarchive.so.13", RTLD_NOW | RTLD_LOCAL);
}

/* The bytes as a file without a name; the caller closes it. */
static int open_memory(const uint8_t *bytes, size_t size, char *path, size_t path_size)
{
    const int fd = memfd_create("input", MFD_CLOEXEC);

    assert(fd >= 0);
    assert(write(fd, bytes, size) == (ssize_t)size);
    assert(lseek(fd, 0, SEEK_SET) == 0);
    (void)snprintf(path, path_size, "/proc/self/fd/%d", fd);
    return fd;
}

/* A sentence that starts with the path, all of which may be shown. */
static void check_error(const struct error *error, const char *path)
{
    const size_t length = strlen(error->text);
    char shown[sizeof(error->text)];

    assert(!strncmp(error->text, path, strlen(path)));
    assert(length > strlen(path) + 2);
    /* A sentence that was cut may end within a character. */
    if (length + 1 == sizeof(error->text))
        return;
    assert(input_printable(shown, sizeof(shown), error->text, length) == length);
    assert(!strcmp(shown, error->text));
}

static void check_job(const struct submission *job, const struct submission *before)
{
    assert(job->submit_s >= 0 && job->submit_s <= TIME_MAX_S);
    assert(!before || before->submit_s <= job->submit_s);
    assert(job->best_effort ? job->deadline_s == DEADLINE_NONE_S
                            : job->deadline_s >= job->submit_s && job->deadline_s <= TIME_MAX_S);
    assert(job->iterations >= 1 && job->iterations <= ITERATIONS_MAX);
    assert(job->batch_size >= 1 && job->batch_size <= BATCH_SIZE_MAX);
    assert(job->level_count <= LEVELS_MAX && (job->best_effort || job->level_count > 0));
    assert(job->best_effort || job->levels[0].deadline_s == job->deadline_s);
    for (size_t i = 0; i < job->level_count; i++) {
        assert(job->levels[i].deadline_s >= job->submit_s);
        assert(job->levels[i].deadline_s <= TIME_MAX_S);
        assert(i == 0 || job->levels[i].deadline_s > job->levels[i - 1].deadline_s);
        assert(job->levels[i].value >= 0 && job->levels[i].value <= LEVEL_VALUE_MAX);
    }
    assert(job->id[0] && !strchr(job->id, '/') && !strstr(job->id, ".."));
    assert(job->model[0]);
}

static void read_trace(const char *path, const struct trace_rules *rules)
{
    struct error error;
    submissions_t *jobs = trace_read(path, rules, &error);

    if (!jobs) {
        check_error(&error, path);
        return;
    }
    assert(submissions_count(jobs) > 0);
    for (size_t i = 0; i < submissions_count(jobs); i++) {
        check_job(submissions_at(jobs, i), i > 0 ? submissions_at(jobs, i - 1) : NULL);
        assert(!rules->throughputs || submissions_at(jobs, i)->throughput);
    }
    submissions_destroy(&jobs);
}

void entry_trace(const uint8_t *bytes, size_t size)
{
    static throughput_table_t *table;
    struct trace_rules rules = {.throughputs = NULL};
    struct error error;
    char path[64];
    int fd;

    prepare();
    if (!table)
        table = throughput_read(folder, "usual", &error);
    assert(table);
    for (int with_table = 0; with_table <= 1; with_table++) {
        fd = open_memory(bytes, size, path, sizeof(path));
        rules.throughputs = with_table ? table : NULL;
        read_trace(path, &rules);
        (void)close(fd);
    }
}

static void check_row(const struct throughput_row *row)
{
    struct scaling scaling;
    struct error error;

    assert(throughput_is_model_name(row->model, strlen(row->model)));
    assert(row->batch_size >= 1 && row->batch_size <= BATCH_SIZE_MAX);
    assert(row->level_count >= 1 && row->level_count <= THROUGHPUT_LEVELS_MAX);
    for (int i = 0; i < row->level_count; i++) {
        assert(row->gpus[i] >= 1 && row->gpus[i] <= THROUGHPUT_GPUS_MAX);
        assert(i == 0 || row->gpus[i] > row->gpus[i - 1]);
        assert(isnan(row->iters_per_s[i]) || row->iters_per_s[i] == 0 ||
               (row->iters_per_s[i] >= 1e-6 && row->iters_per_s[i] <= 1e9));
    }
    (void)scaling_init(&scaling, row, 64, 8, &error);
}

static void read_table(const char *gpu_type, const char *file)
{
    struct error error;
    throughput_table_t *table = throughput_read(folder, gpu_type, &error);
    char path[128];

    in_folder(path, sizeof(path), file);
    if (!table) {
        check_error(&error, path);
        return;
    }
    assert(throughput_count(table) > 0);
    for (size_t i = 0; i < throughput_count(table); i++)
        check_row(throughput_row_at(table, i));
    throughput_destroy(&table);
}

void entry_throughput(const uint8_t *bytes, size_t size)
{
    prepare();
    write_file("own.csv", bytes, size);
    read_table("own", "own.csv");
    write_file("published/model.csv", bytes, size);
    read_table("published", "published/model.csv");
}

void entry_cluster_spec(const uint8_t *bytes, size_t size)
{
    struct cluster_spec spec;
    struct error error;
    char path[64];
    int fd;

    prepare();
    fd = open_memory(bytes, size, path, sizeof(path));
    if (cluster_spec_read(path, &spec, &error) < 0) {
        check_error(&error, path);
    } else {
        assert(spec.pool_count >= 1 && spec.pool_count <= CLUSTER_POOLS_MAX);
        for (int i = 0; i < spec.pool_count; i++) {
            assert(spec.pools[i].switches >= 1 && spec.pools[i].nodes_per_switch >= 1);
            assert(spec.pools[i].gpus_per_node >= 1);
            assert(spec.pools[i].gpus_per_node <= CLUSTER_GPUS_PER_NODE_MAX);
        }
        assert(cluster_spec_nodes(&spec) <= CLUSTER_NODES_MAX);
        assert(cluster_spec_gpus(&spec) <= CLUSTER_GPUS_MAX);
    }
    (void)close(fd);
}

#define FAULTY_NODES 5

static void check_faults(const struct fault_list *faults)
{
    bool gone[FAULTY_NODES] = {false};

    for (size_t i = 0; i < faults->count; i++) {
        const struct fault *fault = &faults->items[i];

        assert(fault->at_s >= (i > 0 ? faults->items[i - 1].at_s : 0) && fault->at_s <= TIME_MAX_S);
        assert(fault->node >= 0 && fault->node < FAULTY_NODES);
        if (fault->is_back) { /* the node may be lost or up when its reservation ends */
            assert(!fault->gone);
            continue;
        }
        assert(fault->gone != gone[fault->node]);
        gone[fault->node] = fault->gone;
    }
    for (size_t i = 0; i < faults->reserved_count; i++) {
        const struct reserved_time *reserved = &faults->reserved[i];

        assert(reserved->from_s >= (i > 0 ? faults->reserved[i - 1].from_s : 0));
        assert(reserved->to_s > reserved->from_s && reserved->to_s <= TIME_MAX_S);
        assert(reserved->node >= 0 && reserved->node < FAULTY_NODES);
    }
}

void entry_faults(const uint8_t *bytes, size_t size)
{
    struct fault_list faults;
    struct error error;
    char path[64];
    int fd;

    prepare();
    fd = open_memory(bytes, size, path, sizeof(path));
    if (fault_file_read(path, FAULTY_NODES, &faults, &error) < 0) {
        check_error(&error, path);
        assert(!faults.items);
    } else {
        check_faults(&faults);
        fault_list_free(&faults);
    }
    (void)close(fd);
}

/* The settings of a program, by kind. */
enum { KEY_TEXT, KEY_WHOLE, KEY_REAL, KEY_COUNT };

static int set(void *context, size_t key, const char *value, int line, struct error *error)
{
    bool *seen = context;
    int64_t whole;
    double real;

    assert(key < KEY_COUNT);
    assert(!seen[key]);
    assert(line > 0);
    seen[key] = true;
    assert(input_valid_utf8(value, strlen(value)) == strlen(value));
    if (key == KEY_WHOLE &&
        number_parse_whole(value, strlen(value), 1, 1000000, &whole) != NUMBER_OK)
        return error_set(error, "scheduling_slot: expected a number, found \"%s\"", value);
    if (key == KEY_REAL && number_parse_real(value, strlen(value), 0, 1, &real) != NUMBER_OK)
        return error_set(error, "share: expected a number, found \"%s\"", value);
    return 0;
}

void entry_config(const uint8_t *bytes, size_t size)
{
    static const char *const names[KEY_COUNT] = {"schedule", "scheduling_slot", "share"};
    bool seen[KEY_COUNT] = {false};
    struct error error;
    char path[64];
    int fd;

    prepare();
    fd = open_memory(bytes, size, path, sizeof(path));
    assert(fchmod(fd, 0600) == 0);
    if (config_read(path, names, KEY_COUNT, set, seen, &error) < 0)
        check_error(&error, path);
    (void)close(fd);
}

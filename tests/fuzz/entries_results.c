/* entries_results.c - the result folder and the trace of which `rubato report` makes a page; see
 * entries.h.
 *
 * The bytes are files, each after a line "== NAME". A file that they leave out is the one of a run
 * that is sound. */
#include "entries.h"

#include "tools/report/document.h"
#include "tools/report/results.h"
#include "tools/show/gantt.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MARK "== "

static const struct {
    const char *name;
    const char *sound;
} files[] = {
    {"trace.csv", "job_id,submit_time,iteration,model_name,ddl,batch_size,num_gpu,best_effort\n"
                  "a,0,2000,vgg16,700,64,1,0\nb,20,1500,resnet50,4000,128,2,0\n"
                  "c,30,300,bert,0,64,1,1\n"},
    {"summary.json", "{\"schema_version\": 1, \"policy\": \"rubato\", \"rules\": \"reference\", "
                     "\"trace\": \"trace.csv\", \"nodes\": 2, \"gpus\": 4, \"gpu_type\": "
                     "\"A100\", \"slot_s\": 60, \"promises\": true}\n"},
    {"jobs.csv",
     "retired_at,job_id,gpus_at_end,submit_time,start_time,end_time,deadline,best_effort\n"
     "120,c,2,30,60,101,9223372036854775807,1\n400,a,1,0,0,400,700,0\n"
     "475,b,1,20,60,475,4000,0\n"},
    {"outcomes.csv", "decided_at,job_id,verdict,reason,promised,outcome\n"
                     "0,a,promised,fits,700,on-time\n60,b,promised,fits,4000,on-time\n"
                     "60,c,best-effort,no-deadline,,done\n"},
    {"work.csv", "job_id,measure,asked,credited,gpu_seconds\nc,iterations,300,300,120\n"
                 "a,iterations,2000,2000.0000000000002,400\nb,iterations,1500,1500,415\n"},
    {"rounds.csv",
     "time,layout\n0,0@0x1\n60,0@0x1 1@1x1 2@2x2\n120,0@0x1 1@1x1\n400,1@1x1\n475,\n"},
    {"timeline.csv",
     "time,job_id,pool,gpus,reason\n0,a,A100,1,start\n60,b,A100,1,start\n"
     "60,c,A100,2,start\n120,c,A100,0,done\n400,a,A100,0,done\n475,b,A100,0,done\n"},
    {"cluster.csv", "time,gpus_up,gpus_used,jobs_running,jobs_waiting,efficiency\n0,4,1,1,0,0.25\n"
                    "60,4,4,3,0,0.85831381\n120,4,2,2,0,0.5\n400,4,1,1,0,0.25\n475,4,0,0,0,0\n"},
};

#define FILE_COUNT (sizeof(files) / sizeof(files[0]))

/* In memory; removed at exit. */
static char folder[64];

static void in_folder(const char *name, char *path, size_t size)
{
    (void)snprintf(path, size, "%s/%s", folder, name);
}

static void remove_folder(void)
{
    char path[128];

    for (size_t i = 0; i < FILE_COUNT; i++) {
        in_folder(files[i].name, path, sizeof(path));
        (void)remove(path);
    }
    (void)rmdir(folder);
}

static void prepare(void)
{
    if (folder[0])
        return;
    (void)snprintf(folder, sizeof(folder), "%s/rubato-results-XXXXXX",
                   access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    assert(mkdtemp(folder));
    (void)atexit(remove_folder);
}

static void write_file(const char *name, const char *bytes, size_t size)
{
    char path[128];
    FILE *file;

    in_folder(name, path, sizeof(path));
    file = fopen(path, "we");
    assert(file);
    assert(fwrite(bytes, 1, size, file) == size);
    assert(fclose(file) == 0);
}

/* Where the next line that begins with the mark is; `end` without one. */
static const char *find_mark(const char *at, const char *end)
{
    while (at < end && (size_t)(end - at) >= strlen(MARK) && memcmp(at, MARK, strlen(MARK)) != 0) {
        at = memchr(at, '\n', (size_t)(end - at));
        at = at ? at + 1 : end;
    }
    return at && (size_t)(end - at) >= strlen(MARK) ? at : end;
}

/* Writes what follows the mark at `at`, if that names a file; returns the next mark. */
static const char *write_part(const char *at, const char *end)
{
    const char *name = at + strlen(MARK);
    const char *line = memchr(name, '\n', (size_t)(end - name));
    const char *body = line ? line + 1 : end;
    const char *next = find_mark(body, end);

    for (size_t i = 0; i < FILE_COUNT && line; i++)
        if ((size_t)(line - name) == strlen(files[i].name) &&
            !memcmp(name, files[i].name, strlen(files[i].name)))
            write_file(files[i].name, body, (size_t)(next - body));
    return next;
}

/* What may not be shown in it, options_fail leaves out. */
static void check_sentence(const struct error *error)
{
    assert(!strncmp(error->text, folder, strlen(folder)));
    assert(strlen(error->text) > strlen(folder) + 2);
}

static void draw(struct results *run)
{
    FILE *nowhere = fopen("/dev/null", "we");
    const struct look look = {.out = nowhere, .unicode = true, .columns = 80};
    struct error error;
    output_t *out = output_new("/dev/null", &error);

    assert(nowhere && out);
    document_write(run, 1, out);
    assert(output_commit(&out, &error) == 0);
    gantt_print(run, 40, &look);
    (void)fclose(nowhere);
}

void entry_results(const uint8_t *bytes, size_t size)
{
    const char *text = (const char *)bytes;
    struct results run;
    struct error error;
    char trace[128];

    prepare();
    for (size_t i = 0; i < FILE_COUNT; i++)
        write_file(files[i].name, files[i].sound, strlen(files[i].sound));
    for (const char *at = find_mark(text, text + size); at < text + size;)
        at = write_part(at, text + size);
    in_folder("trace.csv", trace, sizeof(trace));
    if (results_read(&run, folder, trace, &error) < 0)
        check_sentence(&error);
    else
        draw(&run);
    results_close(&run);
}

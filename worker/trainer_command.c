/* trainer_command.c - see trainer_command.h. */
#include "worker/trainer_command.h"

#include "common/executable.h"
#include "common/memory.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ARGUMENTS_MAX 40

/* The text that all arguments of a trainer are kept in. */
#define ARGUMENT_BYTES ((size_t)256 * 1024)

struct trainer_command {
    struct trainer_command_setting setting;
    char *argv[ARGUMENTS_MAX];
    size_t count;
    char text[ARGUMENT_BYTES];
    size_t used;
};

/* ---- the program ---- */

/* The path of the trainer in the folder of this very program; -1 if the folder is not known. */
static int find_beside(char *path, size_t size)
{
    static const char beside[] = "/trainer";
    const ssize_t length = readlink("/proc/self/exe", path, size - sizeof(beside));
    char *slash;

    if (length <= 0)
        return -1;
    path[length] = '\0';
    slash = strrchr(path, '/');
    memcpy(slash ? slash : path, beside, sizeof(beside));
    return 0;
}

int trainer_program_find(const char *named, char *path, size_t size, struct error *error)
{
    struct error why;

    if (named)
        (void)snprintf(path, size, "%s", named);
    else if (find_beside(path, size) < 0)
        return error_set(error, "--trainer is missing: this program does not know its folder");
    return executable_check(path, &why) == 0
               ? 0
               : error_set(error, "%s; --trainer=FILE says where the trainer is", why.text);
}

/* ---- its arguments ---- */

trainer_command_t *trainer_command_new(const struct trainer_command_setting *setting)
{
    trainer_command_t *self = xcalloc(1, sizeof(*self));

    self->setting = *setting;
    return self;
}

void trainer_command_destroy(trainer_command_t **self)
{
    free(*self);
    *self = NULL;
}

void trainer_command_set_visible(trainer_command_t *self, const char *visible)
{
    self->setting.visible = visible;
}

/* Appends "--name=value". */
static void add_text(trainer_command_t *self, const char *name, const char *value)
{
    char *const place = self->text + self->used;
    const size_t left = sizeof(self->text) - self->used;
    const int length = snprintf(place, left, "--%s=%s", name, value);

    assert(length > 0 && (size_t)length < left);
    assert(self->count + 1 < ARGUMENTS_MAX);
    self->argv[self->count++] = place;
    self->argv[self->count] = NULL;
    self->used += (size_t)length + 1;
}

static void add_number(trainer_command_t *self, const char *name, double value)
{
    char text[64];

    (void)snprintf(text, sizeof(text), "%.15g", value);
    add_text(self, name, text);
}

char *const *trainer_command_arguments(trainer_command_t *self, int32_t gpu)
{
    const struct worker_settings *settings = self->setting.settings;
    const struct {
        const char *name;
        const char *value;
    } texts[] = {
        {"worker", self->setting.endpoint}, {"node", settings->name},
        {"visible", self->setting.visible}, {"run-dir", settings->run_dir},
        {"workload", settings->workload},   {"program", settings->program},
        {"python", settings->python},       {"faults", settings->faults},
    };
    const struct {
        const char *name;
        double value;
    } numbers[] = {
        {"gpu", gpu},
        {"grace", settings->grace_s},
        {"stable-after", settings->stable_after_s},
        {"checkpoint-interval", (double)settings->checkpoint_every_s},
        {"log-limit", (double)settings->log_mib},
    };

    self->used = 0;
    self->count = 0;
    self->argv[self->count++] = (char *)(uintptr_t)self->setting.program;
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
        if (texts[i].value)
            add_text(self, texts[i].name, texts[i].value);
    for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
        add_number(self, numbers[i].name, numbers[i].value);
    if (self->setting.lock > 0)
        add_number(self, "node-lock", self->setting.lock);
    return self->argv;
}

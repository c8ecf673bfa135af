/* profiles.c - `rubato profiles`: the rates of models that no throughput table has, who stated
 * each, and whose jobs are planned by them. */
#include "tools/service/answer.h"

#include "common/input.h"
#include "common/plural.h"
#include "tools/service/call.h"
#include "tools/service/table.h"
#include "tools/verbs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const kinds[] = {"measured", "claimed", NULL};

static const struct member profiles_listed[] = {
    {"MODEL", "model", MEMBER_TEXT},   {"BATCH", "batch_size", MEMBER_WHOLE},
    {"SERVES", "serves", MEMBER_TEXT}, {"KIND", "kind", MEMBER_TEXT},
    {"BY", "by", MEMBER_TEXT},         {"AT", "at", MEMBER_TIME},
    {"USED", "standing", MEMBER_TEXT}, {"RATES", "rates", MEMBER_WORDS},
    {NULL, NULL, MEMBER_TEXT},
};

struct asked {
    struct call call;
    int64_t batch_size;
    const char *user;
    const char *kind;
    bool history;
    bool remove;
    int64_t after;
    int64_t limit;
};

/* ---- the list ---- */

static void add_line(json_t *lines, const json_t *profile, const json_t *said, const char *standing)
{
    const json_t *owner = json_object_get(profile, "owner");
    json_t *line = json_copy((json_t *)(uintptr_t)profile);

    json_object_update(line, (json_t *)(uintptr_t)said);
    json_object_set_new(line, "serves",
                        json_is_string(owner) ? json_incref((json_t *)(uintptr_t)owner)
                                              : json_string("all users"));
    json_object_set_new(line, "standing", json_string(standing));
    json_array_append_new(lines, line);
}

static const char *standing_of(const json_t *profile)
{
    if (json_is_null(json_object_get(profile, "rates")))
        return "removed";
    return json_is_true(json_object_get(profile, "used")) ? "yes" : "no";
}

/* A new array of lines: one for each profile, and one for each earlier statement of the profile. */
static json_t *lines_of(const json_t *profiles)
{
    json_t *lines = json_array();
    const json_t *profile;
    const json_t *said;
    size_t i;
    size_t k;

    json_array_foreach(profiles, i, profile)
    {
        if (!json_is_object(profile))
            continue;
        add_line(lines, profile, profile, standing_of(profile));
        json_array_foreach(json_object_get(profile, "past"), k, said)
        {
            add_line(lines, profile, said, "before");
        }
    }
    return lines;
}

static int show(const struct call_request *request, const struct answer *answer,
                struct error *error)
{
    const struct page page = page_on_stdout(request->verb);
    struct fields fields = fields_of(request->verb, answer->object);
    const json_t *profiles = fields_list(&fields, "profiles");
    const int64_t next = fields_has(&fields, "next") ? fields_whole(&fields, "next") : 0;
    json_t *lines = lines_of(profiles);
    const int status =
        fields_close(&fields, error) < 0 ? -1 : table_print(&page, profiles_listed, lines, error);

    json_decref(lines);
    if (status == 0 && next > 0)
        (void)fprintf(stderr, "there are more; --after=%" PRId64 " goes on\n", next);
    return status;
}

/* ---- removal ---- */

static void print_text(struct fields *fields, const char *name)
{
    const char *text = fields_text(fields, name);
    char shown[256];

    (void)input_printable(shown, sizeof(shown), text, strlen(text));
    printf("%s", shown);
}

static int print_removed(const char *verb, const json_t *profile, struct error *error)
{
    struct fields fields = fields_of(verb, profile);

    print_text(&fields, "model");
    printf(" at batch size %" PRId64 ", ", fields_whole(&fields, "batch_size"));
    print_text(&fields, "kind");
    printf(", of ");
    if (fields_has(&fields, "owner"))
        print_text(&fields, "owner");
    else
        printf("all users");
    printf(": removed\n");
    return fields_close(&fields, error);
}

static int show_removed(const struct call_request *request, const struct answer *answer,
                        struct error *error)
{
    struct fields fields = fields_of(request->verb, answer->object);
    const json_t *removed = fields_list(&fields, "removed");

    for (size_t i = 0; i < json_array_size(removed); i++)
        if (print_removed(request->verb, json_array_get(removed, i), error) < 0)
            return -1;
    return fields_close(&fields, error);
}

/* ---- the verb ---- */

/* The document of the request. NULL with `error`. */
static json_t *make_document(const struct asked *asked, struct error *error)
{
    json_t *document = json_pack("{s:I}", "batch_size", (json_int_t)asked->batch_size);

    if (asked->user &&
        json_object_set_new(document, "user", call_text("--user", asked->user, error)) < 0) {
        json_decref(document);
        return NULL;
    }
    if (asked->kind)
        json_object_set_new(document, "kind", json_string(asked->kind));
    if (asked->remove)
        return document;
    json_object_set_new(document, "history", json_boolean(asked->history));
    json_object_set_new(document, "after", json_integer(asked->after));
    json_object_set_new(document, "limit", json_integer(asked->limit));
    return document;
}

static int ask(const struct command *command, const struct asked *asked,
               const struct operands *models)
{
    struct call_request request = {.verb = asked->remove ? "forget" : "profiles",
                                   .show = asked->remove ? show_removed : show,
                                   .is_order = asked->remove};
    struct error error;

    if (asked->remove && models->count == 0)
        (void)error_set(&error, "--remove: expected the model whose profiles are to be removed");
    else
        request.document = make_document(asked, &error);
    if (!request.document)
        return options_fail(command, &error);
    return models->count == 0 ? call_once(&asked->call, command, &request)
                              : call_each(&asked->call, command, &request, models, "model", false);
}

int verb_profiles(int argc, char **argv)
{
    struct asked asked = {.call = CALL_DEFAULT, .limit = 1000};
    const struct option_spec options[] = {
        OPTION_WHOLE("batch-size", "SAMPLES", &asked.batch_size, 0, 100000000,
                     "only profiles at this global batch size, 0 for all"),
        OPTION_TEXT("user", "USER", &asked.user,
                    "only profiles that serve this user's jobs and no others"),
        OPTION_CHOICE("kind", "KIND", &asked.kind, kinds, "only measured or only claimed ones"),
        OPTION_SWITCH("history", &asked.history,
                      "also profiles that were removed, and what each said before"),
        OPTION_SWITCH(
            "remove", &asked.remove,
            "remove the profiles of MODEL: one's own, an operator's those that serve all, "
            "or with --user that user's"),
        OPTION_WHOLE("after", "COUNT", &asked.after, 0, INT32_MAX, "leave out so many"),
        OPTION_WHOLE("limit", "COUNT", &asked.limit, 1, 1000, "at most so many"),
        OPTIONS_OF_CALL(&asked.call),
        OPTION_END,
    };
    const struct command command = {
        .name = "rubato profiles",
        .summary = "List how fast models train that no throughput table knows",
        .operands = "[MODEL...]",
        .text = "A profile serves the jobs of the user who measured or learnt it; an operator's "
                "serves those of all. Of the profiles that serve a job a measured one is used "
                "before a claimed one, then the user's own before that of all. Jobs that were "
                "submitted keep the rates that they were promised by.",
        .options = options,
    };
    struct operands models = {NULL, 0};
    int status;

    if (call_parse(&asked.call, &command, argc, argv, &models, &status) == 0)
        status = ask(&command, &asked, &models);
    free(models.items);
    return status;
}

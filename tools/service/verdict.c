/* verdict.c - see verdict.h. */
#include "tools/service/verdict.h"

#include "common/input.h"
#include "tools/service/answer.h"
#include "tools/service/moment.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#define SENTENCE_BYTES 512

struct verdict {
    int64_t job; /* 0 for one that was not taken */
    const char *word;
    char why[SENTENCE_BYTES];
    int64_t promised_until;
    bool has_earliest;
    int64_t earliest;
};

static void read_why(struct fields *fields, char *why, size_t size)
{
    const char *name = fields_has(fields, "sentence") ? "sentence" : "reason";
    const char *text = fields_has(fields, name) ? fields_text(fields, name) : "";

    (void)input_printable(why, size, text, strlen(text));
}

static struct verdict read_verdict(struct fields *fields)
{
    struct verdict verdict = {.word = fields_text(fields, "verdict"),
                              .promised_until = fields_time(fields, "promised_until")};

    if (fields_has(fields, "job"))
        verdict.job = fields_whole(fields, "job");
    read_why(fields, verdict.why, sizeof(verdict.why));
    verdict.has_earliest = json_object_get(fields->object, "earliest") != NULL;
    if (verdict.has_earliest)
        verdict.earliest = fields_time(fields, "earliest");
    return verdict;
}

static void print_moment(int64_t moment_s)
{
    const int64_t left_s = moment_s - (int64_t)time(NULL);
    char moment[MOMENT_BYTES];
    char duration[DURATION_BYTES];

    printf("%s", moment_print(moment_s, moment));
    if (left_s > 0)
        printf(" (in %s)", duration_print(left_s, duration));
}

static void print_earliest(const struct verdict *verdict)
{
    if (!verdict->has_earliest)
        return;
    if (verdict->earliest == TIME_NONE) {
        printf("; no deadline can be promised");
        return;
    }
    printf("; the earliest deadline that can be promised is ");
    print_moment(verdict->earliest);
}

static void print_verdict(const struct verdict *verdict)
{
    if (verdict->job > 0)
        printf("job %" PRId64 ": ", verdict->job);
    if (!strcmp(verdict->word, "promised") && verdict->promised_until != TIME_NONE) {
        printf("promised until ");
        print_moment(verdict->promised_until);
    } else {
        char word[SENTENCE_BYTES];

        (void)input_printable(word, sizeof(word), verdict->word, strlen(verdict->word));
        printf("%s%s%s", strcmp(word, "best-effort") != 0 ? word : "best effort",
               *verdict->why ? ": " : "", verdict->why);
        print_earliest(verdict);
    }
    printf("\n");
}

int verdict_show(const struct request *request, const struct answer *answer, struct error *error)
{
    struct fields fields = fields_of(request->verb, answer->object);
    const struct verdict verdict = read_verdict(&fields);

    if (fields_close(&fields, error) < 0)
        return -1;
    print_verdict(&verdict);
    return 0;
}

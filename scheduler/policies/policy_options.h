/* policy_options.h - the options of a policy: a table beside the policy says what each is called,
 * which values it takes, and where in a struct of the policy's own its value lies. Command lines,
 * config files, records, states and results walk the table.
 *
 *   struct srtf_options {
 *       int64_t patience_s;
 *   };
 *
 *   static const struct policy_option items[] = {
 *       {POLICY_OPTION(struct srtf_options, patience_s, "patience", "SECONDS", 0, 1000000,
 *                      "srtf: how long a job waits before it may interrupt another")},
 *       POLICY_OPTIONS_END};
 *
 *   static const struct policy_options options = {
 *       .items = items, .usual = &(const struct srtf_options){0}, .size = sizeof(struct
 * srtf_options)};
 */
#ifndef POLICIES_POLICY_OPTIONS_H
#define POLICIES_POLICY_OPTIONS_H

#include "common/error.h"
#include "common/options.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether records and states have the value. */
enum option_record {
    RECORD_UNUSUAL, /* if the value is not the usual one */
    RECORD_ALWAYS,
    RECORD_QUOTED, /* always, in double quotes */
    RECORD_NEVER,
};

struct policy_option {
    struct option_spec spec; /* with "-" between the words of its name, and without `value` */
    size_t offset;           /* of the value in the struct of the policy */
    enum option_record record;
    const char *record_key; /* NULL: the name */
    const char *of_service; /* the usual value in a service with a new state, which goes on with the
                               value of the state; NULL: no other than anywhere */
};

struct policy_setting;

struct policy_options {
    const struct policy_option *items; /* ended with POLICY_OPTIONS_END */
    const void *usual;                 /* the struct with the values unless others are given */
    size_t size;                       /* of the struct */
    const char *record_word;           /* before them in records; NULL: "options" */
    bool passed_over; /* a run of other policies takes them too, without effect, as the command line
                         of the artifact does; otherwise such a run is refused */

    /* Completes values that are given in a run with that setting, whose `options` mean nothing yet.
     * -1 with `error` if the run cannot have them. NULL where there is nothing to do. */
    int (*settle)(void *values, const struct policy_setting *setting, struct error *error);
};

#define POLICY_OPTION_KIND(type, member, of_text)                                                  \
    _Generic(((type *)0)->member,                                                                  \
        bool: OPTION_KIND_SWITCH,                                                                  \
        int64_t: OPTION_KIND_WHOLE,                                                                \
        double: OPTION_KIND_REAL,                                                                  \
        const char *: (of_text),                                                                   \
        default: OPTION_KIND_ENUM)

/* A bool, int64_t, double or const char * in `member` of `type`. */
#define POLICY_OPTION(type, member, name, unit, min, max, help)                                    \
    .spec = {POLICY_OPTION_KIND(type, member, OPTION_KIND_TEXT),                                   \
             name,                                                                                 \
             unit,                                                                                 \
             NULL,                                                                                 \
             min,                                                                                  \
             max,                                                                                  \
             NULL,                                                                                 \
             help,                                                                                 \
             0},                                                                                   \
    .offset = offsetof(type, member)

/* One of `choices`, ended with NULL: a const char *, or an enumeration in their order. */
#define POLICY_CHOICE(type, member, name, unit, choices, help)                                     \
    .spec = {POLICY_OPTION_KIND(type, member, OPTION_KIND_CHOICE),                                 \
             name,                                                                                 \
             unit,                                                                                 \
             NULL,                                                                                 \
             0,                                                                                    \
             0,                                                                                    \
             choices,                                                                              \
             help,                                                                                 \
             0},                                                                                   \
    .offset = offsetof(type, member)

#define POLICY_OPTIONS_END                                                                         \
    {                                                                                              \
        .spec = OPTION_END                                                                         \
    }

/* The option as one of a command line, its value being that of `values`. */
struct option_spec policy_option_at(const struct policy_option *self, const void *values);

/* Whether `values` have the usual value of the option. */
bool policy_option_is_usual(const struct policy_options *self, const struct policy_option *option,
                            const void *values);

/* How records call the option. */
const char *policy_option_key(const struct policy_option *self);

/* A copy of `values`, or of the usual ones if that is NULL, which the caller frees. */
void *policy_options_copy(const struct policy_options *self, const void *values);

#endif

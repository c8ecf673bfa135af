/* policy_values.h - the options of all policies of the catalogue, and their values in a run.
 *
 * An option that several policies have is one option, with one value for all of them. */
#ifndef RUN_POLICY_VALUES_H
#define RUN_POLICY_VALUES_H

#include "common/error.h"
#include "common/options.h"
#include "scheduler/policies/policy.h"

#include <jansson.h>

typedef struct policy_values policy_values_t;

/* All options at their defaults. Words of names are separated by `separator`, '-' or '_'. */
policy_values_t *policy_values_new(char separator) __attribute__((returns_nonnull));

/* As policy_values_new, with the defaults of a service. */
policy_values_t *policy_values_new_of_service(char separator) __attribute__((returns_nonnull));
void policy_values_destroy(policy_values_t **self);

/* Each option once, ended with OPTION_END, or those of `policy` alone; parsing them sets the
 * values. policy_values_join: `own`, the options of a command, with the tables that it refers to.
 * Both are lent. */
const struct option_spec *policy_values_table(policy_values_t *self);
const struct option_spec *policy_values_table_of(policy_values_t *self,
                                                 const struct policy *policy);
const struct option_spec *policy_values_join(policy_values_t *self, const struct option_spec own[]);

#define OPTIONS_OF_POLICIES(values) OPTION_TABLE(policy_values_table(values))

/* Whether `option` belongs to these options. */
bool policy_values_have(const policy_values_t *self, const struct option_spec *option);

/* Sets the option `name` to the value in `text`, which outlives it; both are valid. */
void policy_values_set(policy_values_t *self, const char *name, const char *text);

/* The first option after `option`, from the beginning with NULL, that differs from its default;
 * NULL if there is none. */
const struct option_spec *policy_values_next(const policy_values_t *self,
                                             const struct option_spec *option);

/* -1, with `error` that names the option, if an option differs from its default and no policy in
 * `policies` has it. */
int policy_values_check(const policy_values_t *self, const struct policy *const policies[],
                        size_t count, struct error *error);

/* Says on stderr, after the name of `program`, which policies ignore all options that differ from
 * the default, except for options that every run takes. */
void policy_values_note(const policy_values_t *self, const struct policy *const policies[],
                        size_t count, const char *program);

/* -1, with `error`, if one of the policies does not support the admission `asked`. */
int policies_check_admission(const char *asked, const struct policy *const policies[], size_t count,
                             struct error *error);

/* The values for `policy`, in a struct of its own that the caller frees; defaults if `self` is
 * NULL, and NULL for a policy without options. */
void *policy_values_copy(const policy_values_t *self, const struct policy *policy);

/* The `values` that differ from the default, by name with "_" between words; NULL if none does. The
 * caller owns the object. */
json_t *policy_values_json(const struct policy_options *options, const void *values);

#endif

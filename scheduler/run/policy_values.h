/* policy_values.h - the options of all policies of the catalogue, and the values that a run gives
 * them.
 *
 * An option that several policies have is one option: its value is given to each of them. */
#ifndef RUN_POLICY_VALUES_H
#define RUN_POLICY_VALUES_H

#include "common/error.h"
#include "common/options.h"
#include "scheduler/policies/policy.h"

#include <jansson.h>

typedef struct policy_values policy_values_t;

/* All of them as usual. In names there is `separator` between words, '-' or '_'. */
policy_values_t *policy_values_new(char separator) __attribute__((returns_nonnull));

/* The same, those of a service being the usual ones. */
policy_values_t *policy_values_new_of_service(char separator) __attribute__((returns_nonnull));
void policy_values_destroy(policy_values_t **self);

/* Each option once, ended with OPTION_END, or those of `policy` alone; parsing them gives values.
 * Lent, as what policy_values_join returns: `own`, the options of a command, with the tables that
 * it refers to. */
const struct option_spec *policy_values_table(policy_values_t *self);
const struct option_spec *policy_values_table_of(policy_values_t *self,
                                                 const struct policy *policy);
const struct option_spec *policy_values_join(policy_values_t *self, const struct option_spec own[]);

#define OPTIONS_OF_POLICIES(values) OPTION_TABLE(policy_values_table(values))

/* Whether the option is one of them. */
bool policy_values_have(const policy_values_t *self, const struct option_spec *option);

/* Gives the option called `name` the value that `text`, which outlives it, says: both are good. */
void policy_values_set(policy_values_t *self, const char *name, const char *text);

/* The first option after `option`, from the beginning with NULL, that has another value than the
 * usual one; NULL if there is none. */
const struct option_spec *policy_values_next(const policy_values_t *self,
                                             const struct option_spec *option);

/* -1, with `error` that names the option, if one has a value other than the usual one and none of
 * the policies has it. */
int policy_values_check(const policy_values_t *self, const struct policy *const policies[],
                        size_t count, struct error *error);

/* Says on stderr, after the name of `program`, which of the policies have no option that is not as
 * usual, but for options that every run takes. */
void policy_values_note(const policy_values_t *self, const struct policy *const policies[],
                        size_t count, const char *program);

/* -1, with `error`, if one of the policies cannot have the admission called `asked`. */
int policies_check_admission(const char *asked, const struct policy *const policies[], size_t count,
                             struct error *error);

/* The values for `policy`, in a struct of its own that the caller frees; the usual ones if `self`
 * is NULL, and NULL for a policy without options. */
void *policy_values_copy(const policy_values_t *self, const struct policy *policy);

/* Those of `values` that are not the usual ones, by name with "_" between words; NULL if all are.
 * The caller owns the object. */
json_t *policy_values_json(const struct policy_options *options, const void *values);

#endif

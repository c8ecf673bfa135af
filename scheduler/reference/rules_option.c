/* rules_option.c - the option --rules: the quirks that a run puts right. See quirks.h. */
#include "scheduler/reference/quirks.h"

#include "common/input.h"
#include "common/memory.h"

#include <stdio.h>
#include <string.h>

/* A word of a list. */
struct word {
    const char *text;
    size_t length;
};

/* The first word of `list`, up to the first `separator` or the end. */
static struct word first_word(const char *list, char separator)
{
    const char *end = strchr(list, separator);

    return (struct word){list, end ? (size_t)(end - list) : strlen(list)};
}

static bool is_word(const struct word *word, const char *text)
{
    return strlen(text) == word->length && !memcmp(word->text, text, word->length);
}

static bool lists(const char *list, char separator, const char *text)
{
    struct word word = first_word(list, separator);

    while (!is_word(&word, text) && word.text[word.length])
        word = first_word(word.text + word.length + 1, separator);
    return is_word(&word, text);
}

bool quirk_is_of(const struct quirk *quirk, const char *policy)
{
    return lists(quirk->policies, ' ', policy);
}

static bool is_of_any(const struct quirk *quirk, const struct policy *const policies[],
                      size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (quirk_is_of(quirk, policies[i]->name))
            return true;
    return false;
}

static const struct quirk *find_quirk(const struct word *tag)
{
    const struct quirk *quirk;

    for (size_t i = 0; (quirk = quirk_at(i)); i++)
        if (quirk->clean && is_word(tag, quirk->tag))
            return quirk;
    return NULL;
}

/* Appends to `text`, as far as there is room. */
static void append(char *text, size_t size, const char *separator, const char *more)
{
    const size_t used = strlen(text);

    (void)snprintf(text + used, size - used, "%s%s", used > 0 ? separator : "", more);
}

static int complain(const struct word *word, const struct policy *const policies[], size_t count,
                    struct error *error)
{
    const struct quirk *quirk;
    char found[64] = "";
    char names[200] = "";
    char tags[800] = "";

    (void)input_printable(found, sizeof(found), word->text, word->length);
    for (size_t i = 0; i < count; i++)
        append(names, sizeof(names), ", ", policies[i]->name);
    for (size_t i = 0; (quirk = quirk_at(i)); i++)
        if (quirk->clean && is_of_any(quirk, policies, count))
            append(tags, sizeof(tags), ", ", quirk->tag);
    if (!*tags)
        return error_set(error,
                         "--rules: expected " RULES_REFERENCE ", as %s has no quirk that "
                         "can be put right, found \"%s\"",
                         names, found);
    return error_set(error,
                     "--rules: expected " RULES_REFERENCE ", " RULES_CLEAN
                     " or quirks of %s (%s), found \"%s\"",
                     names, tags, found);
}

static bool is_reference(const char *rules)
{
    return !rules || !strcmp(rules, RULES_REFERENCE);
}

int rules_check(const char *rules, const struct policy *const policies[], size_t count,
                struct error *error)
{
    if (is_reference(rules) || !strcmp(rules, RULES_CLEAN))
        return 0;
    for (const char *at = rules;; at++) {
        const struct word word = first_word(at, ',');
        const struct quirk *quirk = find_quirk(&word);

        if (!quirk || !is_of_any(quirk, policies, count))
            return complain(&word, policies, count, error);
        at += word.length;
        if (!*at)
            return 0;
    }
}

static bool is_cleaned(const struct quirk *quirk, const char *rules, const struct policy *policy)
{
    if (is_reference(rules) || !quirk->clean || !quirk_is_of(quirk, policy->name))
        return false;
    return strcmp(rules, RULES_CLEAN) != 0 ? lists(rules, ',', quirk->tag) : quirk->defect;
}

char *rules_for(const char *rules, const struct policy *policy)
{
    const size_t size = rules ? strlen(rules) + sizeof(RULES_REFERENCE) : sizeof(RULES_REFERENCE);
    const struct quirk *quirk;
    char *text;

    if (is_reference(rules) || !strcmp(rules, RULES_CLEAN))
        return xstrdup(rules ? rules : RULES_REFERENCE);
    text = xcalloc(1, size);
    for (size_t i = 0; (quirk = quirk_at(i)); i++)
        if (is_cleaned(quirk, rules, policy))
            append(text, size, ",", quirk->tag);
    if (!*text)
        append(text, size, "", RULES_REFERENCE);
    return text;
}

const char *rules_unpaid(const char *rules, const struct policy *policy)
{
    const struct quirk *quirk;

    for (size_t i = 0; (quirk = quirk_at(i)); i++)
        if (quirk_is_unpaid(quirk) && quirk_is_of(quirk, policy->name) &&
            !is_cleaned(quirk, rules, policy))
            return quirk->tag;
    return NULL;
}

int policy_with_rules(const struct policy *policy, const char *rules, struct variant *out,
                      struct error *error)
{
    const struct quirk *quirk;

    if (rules_check(rules, &policy, 1, error) < 0)
        return -1;
    out->policy = *policy;
    if (policy->rules) {
        out->rules = *(const struct reference_rules *)policy->rules;
        out->policy.rules = &out->rules;
    }
    for (size_t i = 0; (quirk = quirk_at(i)); i++)
        if (is_cleaned(quirk, rules, policy))
            quirk->clean(out);
    return 0;
}

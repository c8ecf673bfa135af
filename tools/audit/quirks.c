/* quirks.c - see quirks.h. */
#include "tools/audit/quirks.h"

#include <stddef.h>
#include <string.h>

/* audit_quirk takes the first row whose quirk the rules of the run leave in place. */
static const struct {
    const char *policy;
    const char *check;
    const char *tag;
    bool stays; /* the rules "clean" leave the quirk in place */
} quirks[] = {
    {"ef-accessctrl", "promise-broken", "EF-Q45", true},
    {"ef-accessctrl", "work-uncredited", "EF-Q14", false},
    {"ef-accessctrl", "work-overcredited", "EF-Q41", false},
    {"ef", "work-uncredited", "EF-Q14", false},
    {"ef", "work-overcredited", "EF-Q41", false},
    {"edf-accessctrl", "promise-broken", "EF-Q45", true},
    {"edf-accessctrl", "work-uncredited", "EF-Q39", true},
    {"edf-accessctrl", "work-not-done", "EF-Q39", true},
    {"edf-accessctrl", "end-mismatch", "EF-Q39", true},
    {"gandiva", "work-overcredited", "GA-Q7", false},
    {"gandiva", "work-uncredited", "GA-Q7", false},
    {"gandiva", "work-not-done", "GA-Q7", false},
    {"gandiva", "end-mismatch", "GA-Q7", false},
    {"gandiva", "gpu-seconds-mismatch", "GA-Q7", false},
    {"gandiva", "size-mismatch", "GA-Q7", false},
    {"dlas-gpu", "work-uncredited", "TI-Q2", false},
    {"dlas-gpu", "work-uncredited", "TI-Q1", false},
    {"dlas-gpu", "after-retirement", "TI-Q4", false},
    {"dlas-gpu", "after-retirement", "TI-Q2", false},
    {"dlas-gpu", "after-retirement", "TI-Q1", false},
    {"dlas-gpu", "end-mismatch", "TI-Q4", false},
    {"dlas-gpu", "end-mismatch", "TI-Q11", false},
    {"dlas-gpu", "work-not-done", "TI-Q11", false},
    {"dlas-gpu", "never-fits", "TI-Q9", false},
    {"themis", "work-overcredited", "TH-Q6", true},
    {"chronus", "work-overcredited", "CH-Q1", false},
    {"chronus", "work-not-done", "CH-Q1", false},
    {"chronus", "end-mismatch", "CH-Q1", false},
    {"chronus", "best-effort-mismatch", "CH-Q9", false},
};

static bool lists(const char *rules, const char *tag)
{
    const size_t length = strlen(tag);

    for (const char *at = rules; *at; at += strcspn(at, ","), at += *at == ',')
        if (strcspn(at, ",") == length && !strncmp(at, tag, length))
            return true;
    return false;
}

const char *audit_quirk(const char *policy, const char *rules, const char *check)
{
    const bool clean = !strcmp(rules, "clean");

    for (size_t i = 0; i < sizeof(quirks) / sizeof(quirks[0]); i++)
        if (!strcmp(quirks[i].policy, policy) && !strcmp(quirks[i].check, check) &&
            (!clean || quirks[i].stays) && !lists(rules, quirks[i].tag))
            return quirks[i].tag;
    return NULL;
}

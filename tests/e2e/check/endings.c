/* endings.c - I12: the test's own record of what it sent to whom, and of how each process
 * ended, side by side; and what a program says when it finds a mistake of its own. */
#include "tests/e2e/check/rules.h"
#include "tests/e2e/check/table.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static const char *const last_words[] = {
    "Assertion `",
    ": assertion",
    "AddressSanitizer",
    "LeakSanitizer",
    "UndefinedBehaviorSanitizer",
    "runtime error: ",
    "stack smashing detected",
    "buffer overflow detected",
    "free(): ",
    "malloc(): ",
    "double free",
};

/* Signals that no process sends: a process brings them upon itself. */
static bool is_crash(int64_t signal_number)
{
    return signal_number == SIGSEGV || signal_number == SIGABRT || signal_number == SIGBUS ||
           signal_number == SIGFPE || signal_number == SIGILL || signal_number == SIGSYS ||
           signal_number == SIGTRAP;
}

/* The signal that ended a process, 0 if none did: "signal 9", or the status that a shell makes of
 * it. */
static int64_t signal_of(const struct log_line *line)
{
    const char *text = log_line_text(line, "status");
    const int64_t status = log_line_whole(line, "status", 0);

    if (text && strncmp(text, "signal ", strlen("signal ")) == 0)
        return strtoll(text + strlen("signal "), NULL, 10);
    return status > 128 ? status - 128 : 0;
}

static void on_end(const struct log_line *line, bool seen_by_test, const struct note *sent,
                   findings_t *findings)
{
    const int64_t by = signal_of(line);

    if (is_crash(by) && sent->value != by)
        findings_add(findings, "I12", line, "ended by signal %" PRId64 ", a crash", by);
    else if (by > 0 && !sent->line && seen_by_test)
        findings_add(findings, "I12", line, "ended by signal %" PRId64 ", which nobody sent", by);
}

void rule_endings(const struct run *run, findings_t *findings)
{
    table_t *sent = table_new(); /* the last signal to each process */

    for (size_t i = 0; i < run->logs->line_count; i++) {
        const struct log_line *line = &run->logs->lines[i];
        const int64_t pid = log_line_whole(line, "pid", -1);
        struct note *entry = table_at(sent, "%" PRId64, pid);

        if (log_line_is(line, "harness", "signal")) {
            entry->line = line;
            entry->value = log_line_whole(line, "signal", 0);
        }
        if (log_line_is(line, "harness", "ended"))
            on_end(line, true, entry, findings);
        if (log_line_is(line, "worker", "trainer-exited"))
            on_end(line, false, entry, findings);
    }
    table_destroy(&sent);
    for (size_t i = 0; i < run->logs->other_count; i++)
        for (size_t j = 0; j < sizeof(last_words) / sizeof(last_words[0]); j++)
            if (strstr(run->logs->others[i].text, last_words[j])) {
                const struct log_line at = {.file = run->logs->others[i].file,
                                            .number = run->logs->others[i].number};

                findings_add(findings, "I12", &at, "%s", run->logs->others[i].text);
                break;
            }
}

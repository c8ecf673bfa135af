/* check.c - see check.h. */
#include "tools/audit/check.h"

#include "tools/audit/quirks.h"

#include <stdarg.h>
#include <stdio.h>

void audit_report(const struct audit *self, const char *check, int64_t at_s, const char *job,
                  const char *format, ...)
{
    const struct audit_summary *summary = &self->given->summary;
    char text[512];
    struct finding finding = {.check = check,
                              .tag = audit_quirk(summary->policy, summary->rules, check),
                              .at_s = at_s,
                              .job = (char *)job,
                              .text = text};
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    findings_add(self->findings, &finding);
}

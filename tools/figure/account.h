/* account.h - the texts of a figure: its title, its caption, and why measured values differ from
 * the published ones.
 *
 * Where generated jobs replace those of a public trace, all texts say so, and no published value is
 * shown beside a measured one. */
#ifndef FIGURE_ACCOUNT_H
#define FIGURE_ACCOUNT_H

#include "common/output.h"
#include "tools/figure/measured.h"

#define ACCOUNT_BYTES 160

struct account {
    const struct experiment *experiment;
    const struct figure_setting *setting;
    const struct measured *measured;
    const figure_runs_t *runs; /* NULL of a figure of overheads */
    char title[ACCOUNT_BYTES];
    char intervals[64]; /* meaning of the intervals */
};

void account_of(struct account *self, const struct experiment *experiment,
                const struct figure_setting *setting, const struct measured *measured,
                const figure_runs_t *runs);

/* The value published for the jobs that ran; NaN for none. */
double account_published(const struct account *self, size_t series, size_t setting);

/* The legend's label of published values: of the same jobs, or of other ones. */
const char *account_published_label(const struct account *self);

void account_write_caption(const struct account *self, output_t *out);

/* Prints measured values that differ from the published ones, with causes, and other remarks for
 * readers of the figure. */
void account_print(const struct account *self, const char *stem);

#endif

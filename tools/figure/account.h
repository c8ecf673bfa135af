/* account.h - the texts of a figure: its title, its caption, and the reasons why measured values
 * differ from published values.
 *
 * If generated jobs replace the jobs of a public trace, all texts say so, and the figure shows no
 * published values. */
#ifndef FIGURE_ACCOUNT_H
#define FIGURE_ACCOUNT_H

#include "common/output.h"
#include "tools/figure/measured.h"

#define ACCOUNT_BYTES 160

struct account {
    const struct experiment *experiment;
    const struct figure_setting *setting;
    const struct measured *measured;
    const figure_runs_t *runs; /* NULL for a figure of overheads */
    char title[ACCOUNT_BYTES];
    char intervals[64]; /* meaning of the intervals */
};

void account_of(struct account *self, const struct experiment *experiment,
                const struct figure_setting *setting, const struct measured *measured,
                const figure_runs_t *runs);

/* The value published for the jobs that ran; NaN if none was published. */
double account_published(const struct account *self, size_t series, size_t setting);

/* The legend's label of published values, which says whether they are for the jobs that ran or for
 * other jobs. */
const char *account_published_label(const struct account *self);

void account_write_caption(const struct account *self, output_t *out);

/* Prints the measured values that differ from published values, with causes, and other remarks for
 * readers of the figure. */
void account_print(const struct account *self, const char *stem);

#endif

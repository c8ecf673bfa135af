/* account.h - what a figure says of itself: its title, its caption, and why what is measured is not
 * what was published.
 *
 * Where generated jobs stand for those of a public trace, all of these say so, and no published
 * value stands beside what is measured. */
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
    char intervals[64]; /* what they are */
};

void account_of(struct account *self, const struct experiment *experiment,
                const struct figure_setting *setting, const struct measured *measured,
                const figure_runs_t *runs);

/* The value published for the jobs that ran; NaN for none. */
double account_published(const struct account *self, size_t series, size_t setting);

/* Of published values, for the legend: of the same jobs or not. */
const char *account_published_label(const struct account *self);

void account_write_caption(const struct account *self, output_t *out);

/* Prints the values that are not those published, with causes, and what else a reader of the figure
 * must know. */
void account_print(const struct account *self, const char *stem);

#endif

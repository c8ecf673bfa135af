/* look_options.h - the options of pictures. */
#ifndef FIGURE_LOOK_OPTIONS_H
#define FIGURE_LOOK_OPTIONS_H

#include "common/options.h"
#include "tools/figure/chart.h"

/* clang-format off */
#define OPTIONS_OF_LOOK(look)                                                                      \
    OPTION_REAL("width", "POINTS", &(look)->width_pt, 150, 2000,                                   \
                "width of pictures, 72 points an inch: 240 for the column of a paper; below 480 "  \
                "texts are smaller and the legend is above"),                                      \
    OPTION_TEXT("font", "NAME", &(look)->font, "font family of their texts"),                      \
    OPTION_REAL("font-size", "POINTS", &(look)->font_pt, 0, 72,                                    \
                "its size; 0: 12, or 8 of a picture narrower than 480 points"),                    \
    OPTION_SWITCH("no-title", &(look)->untitled,                                                   \
                  "leave out the title: the caption has it")
/* clang-format on */

#endif

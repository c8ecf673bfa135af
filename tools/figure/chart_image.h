/* chart_image.h - a picture that cairo draws, as an SVG, PNG or PDF file.
 *
 * No date is written. The texts of an SVG are texts in it, which the program that shows it sets:
 * they can be searched, and its bytes do not depend on fonts. */
#ifndef FIGURE_CHART_IMAGE_H
#define FIGURE_CHART_IMAGE_H

#include "common/output.h"

#include <cairo.h>
#include <stddef.h>

enum image_format {
    IMAGE_SVG,
    IMAGE_PNG,
    IMAGE_PDF,
    IMAGE_FILES,  /* so many formats are those of files */
    IMAGE_INLINE, /* an SVG that stands in an HTML page, which may have several */
};

struct image_bytes {
    char *items;
    size_t count;
    size_t room;
};

struct image {
    enum image_format format;
    struct image_bytes file;
    struct image_bytes texts; /* of an SVG, as its elements */
    cairo_t *cairo;
    const char *font;
    double font_pt;
};

/* Whether the machine has the font family; -1 with `error` if not. */
int image_check_font(const char *font, struct error *error);

/* The part of a text that stands left of its place. */
#define ALIGN_LEFT   0.0
#define ALIGN_CENTRE 0.5
#define ALIGN_RIGHT  1.0

/* A white page of this size, in points, to draw on, with texts of the font, which is lent;
 * image_write ends it. */
cairo_t *image_open(struct image *self, enum image_format format, double width, double height,
                    const char *font, double font_pt);

/* Black, at a point of what image_open has given, turned as that is. */
void image_text(cairo_t *cairo, double x, double y, double align, const char *text);

/* Puts the whole file into `out` and frees what `self` has. -1, with `error`, if it cannot be
 * drawn. */
int image_write(struct image *self, output_t *out, struct error *error);

/* How names of such files end: "svg". */
const char *image_ending(enum image_format format);

/* Gives back what cairo and the font library keep for the whole process; nothing is drawn after. */
void image_close(void);

#endif

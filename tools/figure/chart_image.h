/* chart_image.h - a picture that cairo draws, as an SVG, PNG or PDF file.
 *
 * No date is written. Texts stay text elements in an SVG, laid out by the viewer: they can be
 * searched, and the bytes do not depend on fonts. */
#ifndef FIGURE_CHART_IMAGE_H
#define FIGURE_CHART_IMAGE_H

#include "common/output.h"

#include <cairo.h>
#include <stddef.h>

enum image_format {
    IMAGE_SVG,
    IMAGE_PNG,
    IMAGE_PDF,
    IMAGE_FILES,  /* number of formats with files of their own */
    IMAGE_INLINE, /* an SVG in an HTML page, which may have several */
};

struct image_bytes {
    char *items;
    size_t count;
    size_t room;
};

struct image {
    enum image_format format;
    struct image_bytes file;
    struct image_bytes texts; /* the text elements of an SVG */
    cairo_t *cairo;
    const char *font;
    double font_pt;
};

/* Checks that the machine has the font family. Returns -1 with `error` if not. */
int image_check_font(const char *font, struct error *error);

/* The alignment of a text: the share of its width to the left of its position. */
#define ALIGN_LEFT   0.0
#define ALIGN_CENTRE 0.5
#define ALIGN_RIGHT  1.0

/* Opens a white page, `width` by `height` points, to draw on. Texts are in the font `font`, which
 * is lent. image_write ends the picture. */
cairo_t *image_open(struct image *self, enum image_format format, double width, double height,
                    const char *font, double font_pt);

/* Draws a black text at a point of the page that image_open returned, with its current rotation. */
void image_text(cairo_t *cairo, double x, double y, double align, const char *text);

/* Writes the whole file to `out` and frees the picture. Returns -1, with `error`, if drawing
 * fails. */
int image_write(struct image *self, output_t *out, struct error *error);

/* The ending of file names of a format, such as "svg". */
const char *image_ending(enum image_format format);

/* Frees the caches of cairo and the font library; no drawing may follow. */
void image_close(void);

#endif

/* chart_image.c - see chart_image.h. */
#include "tools/figure/chart_image.h"

#include "common/memory.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <fontconfig/fontconfig.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* A PNG is PNG_WIDTH pixels wide, about 300 an inch in the column of a paper, and has at least
 * PNG_SCALE pixels for each point. */
#define PNG_WIDTH 1000.0
#define PNG_SCALE 2.0

static const char *const endings[] = {
    [IMAGE_SVG] = "svg", [IMAGE_PNG] = "png", [IMAGE_PDF] = "pdf", [IMAGE_INLINE] = "svg"};

/* The key under which a cairo surface has its image, if texts stay text elements. */
static const cairo_user_data_key_t image_of_texts;

static void add_bytes(struct image_bytes *self, const char *bytes, size_t count)
{
    if (self->count + count > self->room) {
        self->room = 2 * (self->count + count);
        self->items = xrealloc(self->items, self->room);
    }
    memcpy(self->items + self->count, bytes, count);
    self->count += count;
}

static cairo_status_t take_bytes(void *closure, const unsigned char *bytes, unsigned length)
{
    add_bytes(closure, (const char *)bytes, length);
    return CAIRO_STATUS_SUCCESS;
}

/* ---- texts ---- */

static void add_escaped(struct image_bytes *self, const char *text)
{
    for (; *text; text++)
        if (*text == '<')
            add_bytes(self, "&lt;", 4);
        else if (*text == '&')
            add_bytes(self, "&amp;", 5);
        else if (*text == '"')
            add_bytes(self, "&quot;", 6);
        else
            add_bytes(self, text, 1);
}

static void add_text(struct image *self, double x, double y, double align, const char *text)
{
    cairo_matrix_t matrix;
    const char *anchor = align == ALIGN_LEFT ? "start" : align == ALIGN_CENTRE ? "middle" : "end";
    char head[256];
    int length;

    cairo_get_matrix(self->cairo, &matrix);
    cairo_user_to_device(self->cairo, &x, &y);
    length = snprintf(head, sizeof(head), "<text transform=\"translate(%.2f %.2f)", x, y);
    if (matrix.yx < 0)
        length += snprintf(head + length, sizeof(head) - (size_t)length, " rotate(%.0f)",
                           atan2(matrix.yx, matrix.xx) * 180 / M_PI);
    length +=
        snprintf(head + length, sizeof(head) - (size_t)length, "\" text-anchor=\"%s\">", anchor);
    add_bytes(&self->texts, head, (size_t)length);
    add_escaped(&self->texts, text);
    add_bytes(&self->texts, "</text>\n", 8);
}

void image_text(cairo_t *cairo, double x, double y, double align, const char *text)
{
    struct image *image = cairo_surface_get_user_data(cairo_get_target(cairo), &image_of_texts);
    cairo_text_extents_t extents;

    if (image) {
        add_text(image, x, y, align, text);
        return;
    }
    cairo_text_extents(cairo, text, &extents);
    cairo_move_to(cairo, x - extents.x_advance * align, y);
    cairo_show_text(cairo, text);
}

/* ---- files ---- */

static double png_scale(double width)
{
    return fmax(PNG_SCALE, PNG_WIDTH / width);
}

static cairo_surface_t *surface_new(struct image *self, double width, double height)
{
    cairo_surface_t *surface;

    switch (self->format) {
    case IMAGE_SVG:
    case IMAGE_INLINE:
        surface = cairo_svg_surface_create_for_stream(take_bytes, &self->file, width, height);
        (void)cairo_surface_set_user_data(surface, &image_of_texts, self, NULL);
        return surface;
    case IMAGE_PNG:
        return cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)ceil(width * png_scale(width)),
                                          (int)ceil(height * png_scale(width)));
    default:
        surface = cairo_pdf_surface_create_for_stream(take_bytes, &self->file, width, height);
        cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE,
                                       "2000-01-01T00:00:00Z");
        return surface;
    }
}

cairo_t *image_open(struct image *self, enum image_format format, double width, double height,
                    const char *font, double font_pt)
{
    cairo_surface_t *surface;

    *self = (struct image){.format = format, .font = font, .font_pt = font_pt};
    surface = surface_new(self, width, height);
    self->cairo = cairo_create(surface);
    cairo_surface_destroy(surface); /* the cairo context keeps the surface alive */
    if (format == IMAGE_PNG)
        cairo_scale(self->cairo, png_scale(width), png_scale(width));
    cairo_set_source_rgb(self->cairo, 1, 1, 1);
    cairo_paint(self->cairo);
    cairo_set_source_rgb(self->cairo, 0, 0, 0);
    cairo_select_font_face(self->cairo, font, CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(self->cairo, font_pt);
    return self->cairo;
}

/* Ends the drawing: afterwards `file` has all bytes. */
static int finish(struct image *self, struct error *error)
{
    cairo_surface_t *surface = cairo_surface_reference(cairo_get_target(self->cairo));
    cairo_status_t status = cairo_status(self->cairo);

    cairo_destroy(self->cairo);
    if (status == CAIRO_STATUS_SUCCESS && self->format == IMAGE_PNG)
        status = cairo_surface_write_to_png_stream(surface, take_bytes, &self->file);
    cairo_surface_finish(surface);
    if (status == CAIRO_STATUS_SUCCESS)
        status = cairo_surface_status(surface);
    cairo_surface_destroy(surface);
    if (status == CAIRO_STATUS_SUCCESS)
        return 0;
    return error_set(error, "no %s can be drawn: %s", endings[self->format],
                     cairo_status_to_string(status));
}

/* Writes the SVG up to the name of its outermost group, and returns the rest of the text. Cairo
 * numbers that group by the surfaces of a process; a file always gets the same name for the group.
 * A picture inside a page gets no prolog, and no name, which two pictures could share. */
static const char *write_svg_begin(const struct image *self, output_t *out)
{
    static const char before[] = "<g id=\"surface";
    const char *at = self->file.items;
    const char *group = memmem(at, self->file.count, before, sizeof(before) - 1);
    const char *rest = group ? group + sizeof(before) - 1 : NULL;

    if (self->format == IMAGE_INLINE)
        at = memmem(at, self->file.count, "<svg", 4);
    if (!group)
        return at;
    rest += strspn(rest, "0123456789");
    if (self->format == IMAGE_INLINE) {
        output_bytes(out, at, (size_t)(group - at));
        output_text(out, "<g");
        return rest + 1; /* skips the quotation mark */
    }
    output_bytes(out, at, (size_t)(group - at) + sizeof(before) - 1);
    return rest;
}

/* Writes the drawing, with the text elements at its end. */
static void write_svg(const struct image *self, output_t *out)
{
    static const char last[] = "</svg>";
    struct image_bytes font = {.items = NULL};
    const char *end = self->file.items + self->file.count;
    const char *at = write_svg_begin(self, out);
    const char *close = memmem(at, (size_t)(end - at), last, sizeof(last) - 1);

    output_bytes(out, at, (size_t)((close ? close : end) - at));
    add_escaped(&font, self->font);
    output_text(out, "<g font-family=\"");
    output_bytes(out, font.items, font.count);
    output_format(out, ", sans-serif\" font-size=\"%g\">\n", self->font_pt);
    free(font.items);
    output_bytes(out, self->texts.items, self->texts.count);
    output_text(out, "</g>\n</svg>\n");
}

int image_write(struct image *self, output_t *out, struct error *error)
{
    const int status = finish(self, error);

    if (status == 0 && (self->format == IMAGE_SVG || self->format == IMAGE_INLINE))
        write_svg(self, out);
    else if (status == 0)
        output_bytes(out, self->file.items, self->file.count);
    free(self->file.items);
    free(self->texts.items);
    return status;
}

static bool is_generic(const char *font)
{
    return !strcasecmp(font, "sans-serif") || !strcasecmp(font, "serif") ||
           !strcasecmp(font, "monospace");
}

int image_check_font(const char *font, struct error *error)
{
    FcPattern *pattern = FcPatternCreate();
    FcPattern *found;
    FcResult result;
    FcChar8 *family = NULL;
    bool same = is_generic(font);

    (void)FcPatternAddString(pattern, FC_FAMILY, (const FcChar8 *)font);
    (void)FcConfigSubstitute(NULL, pattern, FcMatchPattern);
    FcDefaultSubstitute(pattern);
    found = FcFontMatch(NULL, pattern, &result);
    for (int i = 0;
         found && !same && FcPatternGetString(found, FC_FAMILY, i, &family) == FcResultMatch; i++)
        same = !strcasecmp((const char *)family, font);
    if (found)
        FcPatternDestroy(found);
    FcPatternDestroy(pattern);
    if (same)
        return 0;
    image_close(); /* for an image on which nothing is drawn */
    return error_set(error,
                     "--font: there is no font family \"%s\" here; `fc-list : family` lists "
                     "those that there are",
                     font);
}

const char *image_ending(enum image_format format)
{
    return endings[format];
}

void image_close(void)
{
    cairo_debug_reset_static_data();
    FcFini();
}

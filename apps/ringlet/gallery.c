#include "gallery.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "console.h"
#include "picture_file.h"

enum { GAP = 4, LETTERS = 10 /* dots from one line of text to the next */, LETTER = 6 /* and letter */ };

rlt_status gallery_begin(gallery *g, int count) {
    g->columns = g->columns < 1 ? 1 : g->columns;
    g->rows = (count + g->columns - 1) / g->columns;
    g->page = picture_page(g->columns * (g->size + GAP) - GAP, g->rows * (g->size + GAP) - GAP);
    if (g->page)
        return RLT_OK;
    return console_fail(RLT_BAD_INPUT,
                        "a sheet of %d pictures of %d pixels is too large; take fewer, or smaller ones",
                        count, g->size);
}

static void place(const gallery *g, int index, int *x, int *y) {
    *x = index % g->columns * (g->size + GAP);
    *y = index / g->columns * (g->size + GAP);
}

/* Bytes of the text's next line that fit into `room` letters: up to the last blank, where it has one. */
static size_t fitting(const char *text, size_t room) {
    size_t length = strcspn(text, "\n"), end = room;
    if (length <= room)
        return length;
    while (end > 0 && text[end] != ' ')
        end--;
    return end > 0 ? end : room;
}

/* How many bytes of the text the next line takes, and the blank or end of line after it. */
static size_t line_of(const char *text, size_t room, size_t *after) {
    size_t kept = fitting(text, room);
    *after = kept + (text[kept] == '\n' || text[kept] == ' ');
    return kept;
}

/* Lines that the text takes, and that fit into a picture. */
static int lines_of(const char *text, size_t room, int most) {
    int lines = 0;
    for (size_t after; *text != 0 && lines < most; text += after, lines++)
        (void)line_of(text, room, &after);
    return lines;
}

/* Lines at the bottom, where no hair is, as large as pictures of this size allow; long ones continue in the
 * next. */
static rlt_status put_text(gallery *g, int index, const char *text, rlt_messages *messages) {
    int x, y, dot = g->size / 240 > 0 ? g->size / 240 : 1;
    rlt_status status = RLT_OK;
    char one[96];
    size_t room = (size_t)(g->size / dot - 4 * LETTER > LETTER ? (g->size / dot - 4 * LETTER) / LETTER : 1);
    room = room < sizeof one - 1 ? room : sizeof one - 1;
    int lines = lines_of(text, room, (g->size / dot - 2) / LETTERS);
    place(g, index, &x, &y);
    y += g->size - (lines * LETTERS + 1) * dot;
    for (int line = 0; line < lines && status == RLT_OK; line++) {
        size_t after, kept = line_of(text, room, &after);
        for (size_t i = 0; i < kept; i++) /* the letters that there are */
            one[i] = (char)tolower((unsigned char)text[i]);
        one[kept] = 0;
        status = rlt_image_label(g->page, one, x + 2 * dot, y + line * LETTERS * dot, dot, messages);
        text += after;
    }
    return status;
}

rlt_status gallery_skip(gallery *g, int index, const char *text, rlt_messages *messages) {
    return put_text(g, index, text, messages);
}

rlt_status gallery_add(gallery *g, int index, const rlt_scene *scene, const rlt_frame_view *view,
                       const char *text, rlt_messages *messages) {
    studio own = {.preview = 1, .still = 1, .no_blur = 1};
    rlt_image *image = NULL;
    int x, y;
    studio_defaults(&own, scene, rlt_scene_frames_per_second(scene));
    own.def.width = own.def.height = g->size;
    if (g->hairs > 0 && own.fill_def.hairs == 0)
        own.fill_def.hairs = g->hairs;
    if (g->margin > 0.0)
        own.def.camera.margin *= g->margin;
    if (g->has_camera) {
        own.def.camera = g->camera;
        own.fitted = 1;
    }
    rlt_status status = studio_open(&own, g->threads, messages);
    if (status == RLT_OK)
        status = studio_shot(&own, view, NULL, messages, &image);
    if (status == RLT_OK) {
        g->camera = own.def.camera;
        g->has_camera = 1;
        place(g, index, &x, &y);
        rlt_image_paste(g->page, image, x, y);
        status = put_text(g, index, text, messages);
    }
    rlt_image_destroy(image);
    studio_close(&own);
    return status;
}

rlt_status gallery_end(gallery *g, const char *path, rlt_messages *messages) {
    rlt_status status = path && g->page ? rlt_image_write_png(g->page, path, 0, messages) : RLT_OK;
    rlt_image_destroy(g->page);
    g->page = NULL;
    return status;
}

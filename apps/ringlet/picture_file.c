#include "picture_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "console.h"
#include "outfile.h"

static int has_ending(const char *text, const char *ending) {
    size_t length = strlen(text), wanted = strlen(ending);
    return length > wanted && strcasecmp(text + length - wanted, ending) == 0;
}

/* Reports before time is spent that there is no place for pictures: the nearest folder above that exists must
 * be one, and take files. */
static rlt_status check_folder(const char *name) {
    char folder[1024];
    struct stat found;
    snprintf(folder, sizeof folder, "%s", name);
    for (;;) {
        char *slash = strrchr(folder, '/');
        if (!slash)
            snprintf(folder, sizeof folder, ".");
        else if (slash == folder)
            slash[1] = 0;
        else
            *slash = 0;
        if (stat(folder, &found) == 0 || !slash || slash == folder)
            break;
        if (errno != ENOENT) { /* a file on the path, or a folder that cannot be read */
            return console_fail(RLT_FAILED, "-o %s: cannot write: %s", name, strerror(errno));
        }
    }
    errno = S_ISDIR(found.st_mode) ? 0 : ENOTDIR;
    if (errno == 0 && access(folder, W_OK | X_OK) == 0)
        return RLT_OK;
    return console_fail(RLT_FAILED, "-o %s: cannot write: %s", name, strerror(errno));
}

/* The same of a movie, and whether there is such a codec: opened and thrown away. */
static rlt_status try_movie(const picture_file *f) {
    rlt_messages *messages = rlt_messages_create();
    rlt_movie *movie = NULL;
    rlt_status status = rlt_movie_open(f->name, 64, 64, f->frames_per_second, f->codec, messages, &movie);
    rlt_movie_abandon(movie);
    console_messages(messages, 0);
    rlt_messages_destroy(messages);
    return status;
}

/* Numbered pictures are locked as one output however many digits are asked for: frame 1000 has the same name
 * with three as with four. */
static rlt_status lock_name(picture_file *f) {
    const char *run = strchr(f->name, '#'), *dot = strrchr(f->name, '.');
    if (f->as_pictures)
        snprintf(f->last, sizeof f->last, "%.*s.#.png", (int)(dot - f->name), f->name);
    else if (run)
        snprintf(f->last, sizeof f->last, "%.*s#%s", (int)(run - f->name), f->name, run + strspn(run, "#"));
    else
        snprintf(f->last, sizeof f->last, "%s", f->name);
    rlt_status status = outfile_lock(f->last, &f->lock);
    f->last[0] = 0;
    return status;
}

rlt_status picture_file_open(picture_file *f, const char *name, const char *codec, double frames_per_second) {
    memset(f, 0, sizeof *f);
    f->name = name;
    f->codec = codec;
    f->frames_per_second = frames_per_second;
    f->is_movie = rlt_movie_is_name(name);
    f->is_exr = has_ending(name, ".exr");
    f->is_numbered = strchr(name, '#') != NULL;
    if (strlen(name) > 1000)
        return console_fail(RLT_BAD_INPUT, "-o: the name is too long; choose a shorter one");
    if (!f->is_movie && !f->is_exr && !has_ending(name, ".png"))
        return console_fail(RLT_BAD_INPUT,
                            "-o %s: the name must end in .png, .exr, .mp4, .mkv, .mov, .webm or .gif", name);
    if (codec && !f->is_movie)
        return console_fail(RLT_BAD_INPUT, "--codec %s: is for movies, and %s is not one", codec, name);
    if (f->is_movie && !rlt_movie_available()) {
        f->as_pictures = 1;
        console_line(
            "warning: %s: this Ringlet was built without libav*: pictures are written instead, one a frame",
            name);
    }
    if (f->is_exr && !rlt_image_exr_available())
        return console_fail(RLT_BAD_INPUT,
                            "-o %s: this Ringlet was built without OpenEXR; write .png instead", name);
    rlt_status status = check_folder(name);
    if (status == RLT_OK)
        status = lock_name(f);
    return status == RLT_OK && f->is_movie && !f->as_pictures ? try_movie(f) : status;
}

int picture_file_takes_many(const picture_file *f) {
    return f->is_movie || f->is_numbered || f->sheet > 0;
}

/* The run of # becomes the frame number; a movie's pictures are numbered before its ending. */
static void frame_name(picture_file *f, int frame) {
    const char *run = strchr(f->name, '#');
    if (f->as_pictures) {
        const char *dot = strrchr(f->name, '.');
        snprintf(f->last, sizeof f->last, "%.*s.%04d.png", (int)(dot - f->name), f->name, frame);
    } else if (run) {
        int digits = (int)strspn(run, "#");
        snprintf(f->last, sizeof f->last, "%.*s%0*d%s", (int)(run - f->name), f->name, digits, frame,
                 run + digits);
    } else {
        snprintf(f->last, sizeof f->last, "%s", f->name);
    }
}

rlt_status picture_file_check_name(const picture_file *f, int force) {
    return f->is_numbered || f->as_pictures ? RLT_OK : outfile_check_new(f->name, force);
}

rlt_status picture_file_check(picture_file *f, const rlt_inputs *inputs, int first, int last, int step,
                              int force, rlt_messages *messages) {
    rlt_status status = RLT_OK;
    for (int frame = first; frame <= last && status == RLT_OK; frame += step) {
        frame_name(f, frame);
        status = rlt_inputs_check(inputs, f->last, messages);
        if (status == RLT_OK)
            status = outfile_check_new(f->last, force);
        if (!f->is_numbered && !f->as_pictures)
            break;
    }
    f->last[0] = 0;
    return status;
}

static rlt_status add_to_movie(picture_file *f, const rlt_image *image, rlt_messages *messages) {
    rlt_status status = RLT_OK;
    if (!f->movie)
        status = rlt_movie_open(f->name, image->width, image->height, f->frames_per_second, f->codec,
                                messages, &f->movie);
    if (status == RLT_OK && !f->bytes)
        f->bytes = malloc(3 * (size_t)image->width * (size_t)image->height);
    if (status == RLT_OK && !f->bytes) {
        console_error("out of memory");
        status = RLT_FAILED;
    }
    if (status == RLT_OK) {
        rlt_image_bytes(image, 3, f->bytes);
        status = rlt_movie_add(f->movie, f->bytes, messages);
    }
    return status;
}

enum { SHEET_GAP = 4 }; /* pixels */

rlt_image *picture_page(int width, int height) {
    rlt_image *page = rlt_image_create(width, height);
    for (int c = 0; page && c < 6; c++)
        page->background[c / 3][c % 3] = 0.022f;
    return page;
}

static int sheet_columns(const picture_file *f) {
    int columns = 1;
    while (columns * columns < f->sheet)
        columns++;
    return columns;
}

/* Rows from the left, each picture with the number of its frame. */
static rlt_status add_to_sheet(picture_file *f, const rlt_image *image, int frame, rlt_messages *messages) {
    int columns = sheet_columns(f), rows = (f->sheet + columns - 1) / columns;
    int across = image->width + SHEET_GAP, down = image->height + SHEET_GAP;
    if (!f->page)
        f->page = picture_page(columns * across - SHEET_GAP, rows * down - SHEET_GAP);
    if (!f->page)
        return console_fail(RLT_BAD_INPUT,
                            "-o %s: %d pictures of %d x %d are more than one can hold; take fewer frames, or "
                            "a smaller --size",
                            f->name, f->sheet, image->width, image->height);
    int x = f->placed % columns * across, y = f->placed / columns * down;
    char text[24];
    f->placed++;
    rlt_image_paste(f->page, image, x, y);
    snprintf(text, sizeof text, "%d", frame);
    int size = image->height / 240 > 0 ? image->height / 240 : 1;
    return rlt_image_label(f->page, text, x + 2 * size, y + 2 * size, size, messages);
}

rlt_status picture_file_add(picture_file *f, const rlt_image *image, int frame, rlt_messages *messages) {
    frame_name(f, frame);
    if (f->is_movie && !f->as_pictures)
        return add_to_movie(f, image, messages);
    if (f->sheet > 0)
        return add_to_sheet(f, image, frame, messages);
    return f->is_exr ? rlt_image_write_exr(image, f->last, messages)
                     : rlt_image_write_png(image, f->last, 0, messages);
}

rlt_status picture_file_close(picture_file *f, rlt_messages *messages) {
    rlt_status status = rlt_movie_close(f->movie, messages);
    if (f->page)
        status = rlt_image_write_png(f->page, f->name, 0, messages);
    rlt_image_destroy(f->page);
    f->page = NULL;
    free(f->bytes);
    rlt_lock_release(f->lock);
    f->lock = NULL;
    f->movie = NULL;
    f->bytes = NULL;
    return status;
}

#include "report/page.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "console.h"
#include "folder.h"
#include "list.h"
#include "outfile.h"

#define PICTURE_SIZE  400 /* pixels; three of them keep the page below 2 MB */
#define PICTURE_HAIRS 10000

rlt_status page_open(page *p, const char *folder, const char *name) {
    if (!folder_make(folder))
        return console_fail(RLT_FAILED, "%s: cannot make this folder: %s", folder, strerror(errno));
    p->path = folder_join(folder, name);
    if (p->path == NULL)
        return console_fail(RLT_FAILED, "out of memory");
    if (access(folder, W_OK) != 0)
        return console_fail(RLT_FAILED, "%s: cannot be written: %s", p->path, strerror(errno));
    p->first = 1;
    return outfile_lock(p->path, &p->lock);
}

void page_close(page *p) {
    for (int i = 0; i < p->value_count; i++) {
        free(p->values[i].key);
        free(p->values[i].text);
    }
    free(p->values);
    for (int i = 0; i < p->picture_count; i++)
        free(p->pictures[i].bytes);
    history_free(&p->history);
    studio_close(&p->studio);
    rlt_lock_release(p->lock);
    free(p->path);
    memset(p, 0, sizeof *p);
}

/* Remembers that the page will not be whole, and says so the first time. */
static void lose(page *p, const char *why) {
    if (!p->failed)
        console_line("warning: %s: the report will be incomplete: %s; the run continues", p->path, why);
    p->failed = 1;
}

/* "hair.bend.stiffness" in section 1 is "hair[1].bend.stiffness" where there are several. */
static void section_key(char *text, size_t size, const char *key, int section, int several) {
    const char *dot = strchr(key, '.');
    if (several && dot != NULL)
        snprintf(text, size, "%.*s[%d]%s", (int)(dot - key), key, section, dot);
    else
        snprintf(text, size, "%s", key);
}

static int add_value(page *p, const rlt_schema_entry *entry, const char *key, const char *text,
                     int is_default) {
    if (!list_reserve(&p->values, p->value_count, &p->value_capacity, sizeof *p->values))
        return 0;
    page_value *value = &p->values[p->value_count];
    *value = (page_value){strdup(key), strdup(text), entry->unit, entry->help, is_default};
    if (value->key == NULL || value->text == NULL) {
        free(value->key);
        free(value->text);
        return 0;
    }
    p->value_count++;
    return 1;
}

static int add_values(page *p, const rlt_scene *scene) {
    rlt_schema_entry entry = {.size = sizeof entry};
    char text[1024], key[200], more[8];
    for (int i = 0; rlt_schema_get(i, &entry); i++) {
        int is_default = 0, several = rlt_scene_value(scene, i, 1, more, sizeof more, NULL);
        for (int s = 0; rlt_scene_value(scene, i, s, text, sizeof text, &is_default); s++) {
            section_key(key, sizeof key, entry.key, s, several);
            if (!add_value(p, &entry, key, text, is_default))
                return 0;
        }
    }
    return 1;
}

rlt_status page_begin(const run_start *start, rlt_messages *messages, void *context) {
    page *p = context;
    (void)messages;
    p->first = start->first;
    p->last = start->last;
    history_begin(&p->history, start->statistics);
    studio_defaults(&p->studio, start->scene, rlt_scene_frames_per_second(start->scene));
    p->studio.preview = 1;
    p->studio.def.width = p->studio.def.height = PICTURE_SIZE;
    if (p->studio.fill_def.hairs == 0)
        p->studio.fill_def.hairs = PICTURE_HAIRS;
    if (!add_values(p, start->scene))
        lose(p, "out of memory");
    return RLT_OK;
}

rlt_status page_step(const rlt_frame_view *view, const rlt_statistics *statistics, double seconds,
                     void *context) {
    page *p = context;
    if (!history_add(&p->history, view, statistics, seconds))
        lose(p, "out of memory");
    return RLT_OK;
}

/* Reads a whole file; 0 where that fails. */
static int read_bytes(const char *path, page_picture *picture) {
    FILE *file = fopen(path, "rb");
    long size = -1;
    if (file != NULL && fseek(file, 0, SEEK_END) == 0)
        size = ftell(file);
    if (size > 0 && fseek(file, 0, SEEK_SET) == 0) {
        picture->bytes = malloc((size_t)size);
        picture->size = picture->bytes != NULL ? fread(picture->bytes, 1, (size_t)size, file) : 0;
    }
    if (file != NULL)
        fclose(file);
    return size > 0 && picture->size == (size_t)size;
}

/* Where pictures stand for a moment; free it. */
static char *picture_path(const page *p) {
    size_t size = strlen(p->path) + 16;
    char *path = malloc(size);
    if (path != NULL)
        snprintf(path, size, "%s.picture.png", p->path);
    return path;
}

/* Takes the picture from the disk into the page. */
static rlt_status keep_picture(page *p, const char *path, page_picture picture) {
    rlt_status status = RLT_OK;
    if (!read_bytes(path, &picture)) {
        lose(p, "a picture cannot be read back");
        free(picture.bytes);
        status = RLT_FAILED;
    } else {
        p->pictures[p->picture_count++] = picture;
    }
    remove(path);
    return status;
}

/* Writes and keeps a picture. */
static rlt_status add_image(page *p, const rlt_image *image, int frame, rlt_messages *messages) {
    char *path = picture_path(p);
    rlt_status status = path != NULL ? RLT_OK : RLT_FAILED;
    if (status == RLT_OK && p->picture_count < PAGE_PICTURES) {
        status = rlt_image_write_png(image, path, 0, messages);
        if (status == RLT_OK)
            status = keep_picture(
                p, path, (page_picture){.frame = frame, .width = image->width, .height = image->height});
    }
    free(path);
    return status;
}

/* A picture that failed: why, from the messages of its making. */
static void lose_picture(page *p, rlt_status status, const rlt_messages *messages) {
    int count = rlt_messages_count(messages);
    if (status != RLT_OK)
        lose(p, count > 0 ? rlt_messages_text(messages, count - 1) : "out of memory");
}

void page_add_image(page *p, const rlt_image *image, int frame) {
    rlt_messages *messages = rlt_messages_create();
    lose_picture(p, add_image(p, image, frame, messages), messages);
    rlt_messages_destroy(messages);
}

static rlt_status take_picture(page *p, const rlt_frame_view *view, rlt_messages *messages) {
    double begun = console_seconds();
    rlt_image *image = NULL;
    rlt_status status = RLT_OK;
    if (p->studio.render == NULL)
        status = studio_open(&p->studio, p->threads, messages);
    if (status == RLT_OK)
        status = studio_shot(&p->studio, view, NULL, messages, &image);
    if (status == RLT_OK)
        status = add_image(p, image, view->frame, messages);
    rlt_image_destroy(image);
    p->seconds_pictures += console_seconds() - begun;
    return status;
}

static int has_picture(const page *p, int frame) {
    return p->picture_count > 0 && p->pictures[p->picture_count - 1].frame == frame;
}

int page_wants(const page *p, int frame) {
    int middle = p->first + (p->last - p->first) / 2;
    return (frame == p->first || frame == middle || frame == p->last) && p->picture_count < PAGE_PICTURES &&
           !has_picture(p, frame);
}

static void add_picture(page *p, const rlt_frame_view *view) {
    rlt_messages *messages = rlt_messages_create();
    lose_picture(p, take_picture(p, view, messages), messages);
    rlt_messages_destroy(messages);
}

rlt_status page_frame(const rlt_frame_view *view, rlt_messages *messages, void *context) {
    page *p = context;
    (void)messages;
    if (page_wants(p, view->frame))
        add_picture(p, view);
    return RLT_OK;
}

/* The last good frame of a run that did not come to its end. */
void page_end(const rlt_frame_view *view, void *context) {
    page *p = context;
    if (p->picture_count < PAGE_PICTURES && !has_picture(p, view->frame))
        add_picture(p, view);
}

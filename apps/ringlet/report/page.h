/* The report of a run as one HTML page that needs no other file: pictures, charts over the frames, the
 * scene's values, health and times. */
#ifndef RINGLET_APP_PAGE_H
#define RINGLET_APP_PAGE_H

#include "report/history.h"
#include "run.h"
#include "studio.h"

#define PAGE_PICTURES 4

typedef struct page_value {
    char *key;  /* "hair[1].bend.stiffness" */
    char *text; /* as in a scene file */
    const char *unit, *help;
    int is_default;
} page_value;

typedef struct page_picture {
    unsigned char *bytes; /* of a PNG file */
    size_t size;
    int frame;
    int width, height;
} page_picture;

typedef struct page {
    char *path;      /* of the page */
    int first, last; /* frames that pictures are taken of, and one between; last < first: not yet known */
    history history;
    page_value *values;
    int value_count, value_capacity;
    page_picture pictures[PAGE_PICTURES];
    int picture_count;
    int failed;              /* something of it could not be made; the run continues */
    double seconds_pictures; /* wall */
    int threads;             /* for pictures; 0 = one per core */
    rlt_lock *lock;          /* on the page: two runs do not share a folder for reports */
    studio studio;           /* takes them */
} page;

/* Starts all zero. Makes the folder, locks the page, and finds out whether it can be written there. */
rlt_status page_open(page *p, const char *folder, const char *name);
void page_close(page *p);

/* The watchers of a run (see run.h), with the page as context. They never stop it: what cannot be made for
 * the page is a warning, and `failed` says so at the end. */
rlt_status page_begin(const run_start *start, rlt_messages *messages, void *context);
rlt_status page_step(const rlt_frame_view *view, const rlt_statistics *statistics, double seconds,
                     void *context);
rlt_status page_frame(const rlt_frame_view *view, rlt_messages *messages, void *context);
void page_end(const rlt_frame_view *view, void *context);

/* 1 where a picture of this frame is still missing. */
int page_wants(const page *p, int frame);

/* Adds a picture that was made elsewhere. */
void page_add_image(page *p, const rlt_image *image, int frame);

/* Writes the page; RLT_FAILED also where something had failed before. */
rlt_status page_write(const page *p, const run_settings *settings, const run_result *result,
                      const rlt_messages *messages);

#endif

/* Where pictures go: one file, numbered files, or a movie. */
#ifndef RINGLET_APP_PICTURE_FILE_H
#define RINGLET_APP_PICTURE_FILE_H

#include "ringlet/ringlet.h"

typedef struct picture_file {
    const char *name; /* as given: a.png, a.####.png, a.exr, a.mp4 */
    const char *codec;
    double frames_per_second;
    int is_movie, is_exr, is_numbered;
    int as_pictures; /* a movie that becomes numbered pictures, for want of libav */
    rlt_lock *lock;  /* on the name, with one # for any run of them */
    rlt_movie *movie;
    uint8_t *bytes;  /* of one picture */
    int sheet;       /* pictures that one file shows side by side; 0: it shows one */
    int placed;      /* of them */
    rlt_image *page; /* where they are placed */
    char last[1100]; /* name of the file written last */
} picture_file;

/* Checks the name's ending, the codec and the folder, and locks the name until the close. RLT_BAD_INPUT or
 * RLT_FAILED, with a line printed, where nothing can be written. */
rlt_status picture_file_open(picture_file *f, const char *name, const char *codec, double frames_per_second);

/* 1 where more than one picture can go there. */
int picture_file_takes_many(const picture_file *f);

/* RLT_BAD_INPUT where the one file exists, unless `force`: known before the frames are. */
rlt_status picture_file_check_name(const picture_file *f, int force);

/* RLT_BAD_INPUT where a picture of these frames would replace one of the files that are read. */
rlt_status picture_file_check(picture_file *f, const rlt_inputs *inputs, int first, int last, int step,
                              int force, rlt_messages *messages);

/* A page for many pictures, dark grey between them and where a row has none. NULL when out of memory. */
rlt_image *picture_page(int width, int height);

rlt_status picture_file_add(picture_file *f, const rlt_image *image, int frame, rlt_messages *messages);

/* Finishes a movie with what was added. Harmless where opening failed or on a zeroed one. */
rlt_status picture_file_close(picture_file *f, rlt_messages *messages);

#endif

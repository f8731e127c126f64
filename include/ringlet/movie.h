/* Movies: pictures one after another into a video file. */
#ifndef RINGLET_MOVIE_H
#define RINGLET_MOVIE_H

#include <stddef.h>
#include <stdint.h>

#include "ringlet/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rlt_movie rlt_movie;

/* 1 where the library was built with libav*. */
int rlt_movie_available(void);

/* 1 where the name ends like a movie's: .mp4, .mkv, .mov, .webm, .gif. */
int rlt_movie_is_name(const char *path);

/* Opens a movie for the pictures to come. The name's ending says which kind of file; `codec` is a name such
 * as "h264" or "vp9", or NULL for what suits the file best. The file appears under its name only when closed.
 * RLT_BAD_INPUT for an unknown ending or codec (the message lists what there is), and where built without
 * libav*; RLT_FAILED where it cannot be written. */
rlt_status rlt_movie_open(const char *path, int width, int height, double frames_per_second,
                          const char *codec, rlt_messages *messages, rlt_movie **movie);

/* Adds a picture: sRGB, rows from the top. */
rlt_status rlt_movie_add(rlt_movie *movie, const uint8_t *rgb /* [height][width][3] */,
                         rlt_messages *messages);

/* Finishes the file and frees the movie, also on failure; without a picture there is no file. */
rlt_status rlt_movie_close(rlt_movie *movie, rlt_messages *messages);

/* Throws away what was written and frees the movie. */
void rlt_movie_abandon(rlt_movie *movie);

/* "libx264": the encoder that is used. */
const char *rlt_movie_encoder(const rlt_movie *movie);

#ifdef __cplusplus
}
#endif

#endif

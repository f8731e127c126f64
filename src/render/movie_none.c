/* Instead of movie_av.c where there is no libav*. */
#include "base/messages.h"
#include "ringlet/movie.h"

int rlt_movie_available(void) {
    return 0;
}

rlt_status rlt_movie_open(const char *path, int width, int height, double frames_per_second,
                          const char *codec, rlt_messages *messages, rlt_movie **movie) {
    (void)width;
    (void)height;
    (void)frames_per_second;
    (void)codec;
    *movie = NULL;
    return rlti_refuse(
        messages,
        "%s: this Ringlet was built without libav* and makes no movies; write pictures instead "
        "(.png)",
        path);
}

rlt_status rlt_movie_add(rlt_movie *movie, const uint8_t *rgb, rlt_messages *messages) {
    (void)movie;
    (void)rgb;
    return rlti_refuse(messages, "rlt_movie_add: there is no movie");
}

rlt_status rlt_movie_close(rlt_movie *movie, rlt_messages *messages) {
    (void)movie;
    (void)messages;
    return RLT_OK;
}

void rlt_movie_abandon(rlt_movie *movie) {
    (void)movie;
}

const char *rlt_movie_encoder(const rlt_movie *movie) {
    (void)movie;
    return "";
}

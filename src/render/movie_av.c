/* Movies by libavcodec and libavformat. Encoders run on one thread and without their version's name in the
 * file, so that the same pictures give the same bytes with the same libraries. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/opt.h>
#include <libswscale/swscale.h>

#include "base/memory.h"
#include "base/messages.h"
#include "io/output.h"
#include "ringlet/movie.h"

#define PIXELS_MAX 16384
#define SUFFIX     ".tmp"
#define IO_BUFFER  (64 * 1024)

struct rlt_movie {
    char *path;
    rlti_stream file;          /* the temporary one beside it */
    int width, height;         /* of the pictures; the movie's are even, as most encoders want */
    AVFormatContext *format;   /* the file */
    AVStream *stream;          /* its only one */
    AVCodecContext *encoder;   /* NULL until one could be opened */
    struct SwsContext *scaler; /* from RGB to what the encoder takes */
    AVFrame *rgb, *frame;      /* a picture before and after that */
    AVPacket *packet;
    long long count; /* pictures added */
};

/* Codecs to try, in this order, and to name when a codec is unknown. */
static const char *const known_codecs[] = {"h264",   "hevc",  "vp9",  "vp8", "mpeg4",
                                           "prores", "mjpeg", "ffv1", "gif"};
#define CODEC_COUNT ((int)(sizeof known_codecs / sizeof known_codecs[0]))

int rlt_movie_available(void) {
    return 1;
}

static rlt_status fail_av(rlt_messages *messages, const char *path, const char *what, int error) {
    char reason[AV_ERROR_MAX_STRING_SIZE] = "";
    av_strerror(error, reason, sizeof reason);
    return rlti_fail(messages, RLT_FAILED, "%s: %s: %s", path, what, reason);
}

/* The encoder of a codec ("h264"), or of its own name ("libx264"); NULL where there is none for the file. */
static const AVCodec *find_encoder(const char *name, const AVOutputFormat *format) {
    const AVCodec *codec = NULL;
    /* hardware encoders have the same id and fail where there is no such hardware */
    if (strcmp(name, "h264") == 0)
        codec = avcodec_find_encoder_by_name("libx264");
    else if (strcmp(name, "prores") == 0)
        codec = avcodec_find_encoder_by_name("prores_ks");
    const AVCodecDescriptor *descriptor = avcodec_descriptor_get_by_name(name);
    if (codec == NULL && descriptor != NULL)
        codec = avcodec_find_encoder(descriptor->id);
    if (codec == NULL)
        codec = avcodec_find_encoder_by_name(name);
    if (codec == NULL || codec->type != AVMEDIA_TYPE_VIDEO)
        return NULL;
    return avformat_query_codec(format, codec->id, FF_COMPLIANCE_NORMAL) == 1 ? codec : NULL;
}

static rlt_status unknown_codec(const char *path, const char *name, const AVOutputFormat *format,
                                rlt_messages *messages) {
    char list[200] = "";
    for (int i = 0; i < CODEC_COUNT; i++) {
        size_t used = strlen(list);
        if (find_encoder(known_codecs[i], format) != NULL)
            snprintf(list + used, sizeof list - used, "%s%s", used > 0 ? ", " : "", known_codecs[i]);
    }
    return rlti_refuse(messages, "%s: codec %.40s: not available for this kind of file; available are: %s",
                       path, name, list[0] != '\0' ? list : "none");
}

/* The first of our choice that the encoder takes. */
static enum AVPixelFormat choose_pixels(const AVCodec *codec) {
    static const enum AVPixelFormat wanted[] = {AV_PIX_FMT_YUV420P, AV_PIX_FMT_YUVJ420P, AV_PIX_FMT_YUV422P10,
                                                AV_PIX_FMT_YUV444P, AV_PIX_FMT_RGB8};
    if (codec->pix_fmts == NULL)
        return AV_PIX_FMT_YUV420P;
    for (size_t w = 0; w < sizeof wanted / sizeof wanted[0]; w++)
        for (const enum AVPixelFormat *f = codec->pix_fmts; *f != AV_PIX_FMT_NONE; f++)
            if (*f == wanted[w])
                return *f;
    return codec->pix_fmts[0];
}

/* Options by name; one that an encoder does not have is no loss. */
static void set_quality(AVCodecContext *encoder, const AVCodec *codec) {
    if (strcmp(codec->name, "libx264") == 0) {
        av_opt_set(encoder->priv_data, "preset", "medium", 0);
        av_opt_set(encoder->priv_data, "crf", "18", 0);
    } else if (strncmp(codec->name, "libvpx", 6) == 0) {
        av_opt_set(encoder->priv_data, "crf", "24", 0);
        av_opt_set(encoder->priv_data, "deadline", "good", 0);
        av_opt_set(encoder->priv_data, "cpu-used", "4", 0);
        encoder->bit_rate = 0;
    } else if (codec->id == AV_CODEC_ID_MPEG4 || codec->id == AV_CODEC_ID_MJPEG) {
        encoder->flags |= AV_CODEC_FLAG_QSCALE;
        encoder->global_quality = 3 * FF_QP2LAMBDA;
    }
}

static AVCodecContext *make_encoder(const rlt_movie *movie, const AVCodec *codec, AVRational rate) {
    AVCodecContext *encoder = avcodec_alloc_context3(codec);
    if (encoder == NULL)
        return NULL;
    encoder->width = movie->width + movie->width % 2;
    encoder->height = movie->height + movie->height % 2;
    encoder->time_base = av_inv_q(rate);
    encoder->framerate = rate;
    encoder->pix_fmt = choose_pixels(codec);
    encoder->gop_size = 24;
    encoder->thread_count = 1;
    encoder->flags |= AV_CODEC_FLAG_BITEXACT;
    if (movie->format->oformat->flags & AVFMT_GLOBALHEADER)
        encoder->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
    encoder->log_level_offset = 100; /* the library never prints */
    if (codec->id != AV_CODEC_ID_GIF) {
        int full = encoder->pix_fmt == AV_PIX_FMT_YUVJ420P;
        encoder->color_range = full ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG;
        encoder->colorspace = full ? AVCOL_SPC_BT470BG : AVCOL_SPC_BT709;
        encoder->color_primaries = AVCOL_PRI_BT709;
        encoder->color_trc = AVCOL_TRC_IEC61966_2_1;
    }
    set_quality(encoder, codec);
    return encoder;
}

/* Opens the codec asked for, or without one the first that works. */
static rlt_status open_encoder(rlt_movie *movie, const char *name, AVRational rate, rlt_messages *messages) {
    const AVOutputFormat *format = movie->format->oformat;
    int error = 0, tried = 0;
    int is_gif = strcmp(format->name, "gif") == 0;
    for (int i = 0; i < (name != NULL ? 1 : CODEC_COUNT) && movie->encoder == NULL; i++) {
        const char *candidate = name != NULL ? name : known_codecs[i];
        const AVCodec *codec =
            is_gif && name == NULL ? find_encoder("gif", format) : find_encoder(candidate, format);
        if (codec == NULL)
            continue;
        tried = 1;
        movie->encoder = make_encoder(movie, codec, rate);
        if (movie->encoder == NULL)
            return rlti_out_of_memory(messages);
        error = avcodec_open2(movie->encoder, codec, NULL);
        if (error < 0)
            avcodec_free_context(&movie->encoder);
    }
    if (movie->encoder != NULL)
        return RLT_OK;
    if (!tried)
        return unknown_codec(movie->path, name != NULL ? name : "any", format, messages);
    return fail_av(messages, movie->path, "no encoder would start", error);
}

static AVFrame *make_frame(enum AVPixelFormat pixels, int width, int height) {
    AVFrame *frame = av_frame_alloc();
    if (frame == NULL)
        return NULL;
    frame->format = pixels;
    frame->width = width;
    frame->height = height;
    if (av_frame_get_buffer(frame, 0) < 0)
        av_frame_free(&frame);
    return frame;
}

/* Exact rounding and the colours of BT.709 (full range BT.601 for JPEG). */
static rlt_status open_scaler(rlt_movie *movie, rlt_messages *messages) {
    const AVCodecContext *e = movie->encoder;
    movie->rgb = make_frame(AV_PIX_FMT_RGB24, e->width, e->height);
    movie->frame = make_frame(e->pix_fmt, e->width, e->height);
    movie->packet = av_packet_alloc();
    movie->scaler =
        sws_getContext(e->width, e->height, AV_PIX_FMT_RGB24, e->width, e->height, e->pix_fmt,
                       SWS_BICUBIC | SWS_ACCURATE_RND | SWS_BITEXACT | SWS_FULL_CHR_H_INP, NULL, NULL, NULL);
    if (movie->rgb == NULL || movie->frame == NULL || movie->packet == NULL || movie->scaler == NULL)
        return rlti_out_of_memory(messages);
    int full = e->pix_fmt == AV_PIX_FMT_YUVJ420P;
    const int *table = sws_getCoefficients(full ? SWS_CS_ITU601 : SWS_CS_ITU709);
    (void)sws_setColorspaceDetails(movie->scaler, table, 1, table, full, 0, 1 << 16, 1 << 16);
    movie->frame->color_range = e->color_range;
    movie->frame->colorspace = e->colorspace;
    return RLT_OK;
}

/* ---- the file ---- */

#if LIBAVFORMAT_VERSION_MAJOR >= 61
typedef const uint8_t written_bytes;
#else
typedef uint8_t written_bytes;
#endif

/* Called by libavformat; it goes back to fill in what is known at the end. */
static int write_file(void *opaque, written_bytes *bytes, int size) {
    rlti_stream *file = opaque;
    for (int done = 0; done < size;) {
        ssize_t written = write(file->file, bytes + done, (size_t)(size - done));
        if (written > 0)
            done += (int)written;
        else if (written == 0 || errno != EINTR)
            return AVERROR(written == 0 ? ENOSPC : errno);
    }
    return size;
}

static int64_t seek_file(void *opaque, int64_t offset, int whence) {
    const rlti_stream *file = opaque;
    struct stat found;
    if (whence & AVSEEK_SIZE)
        return fstat(file->file, &found) == 0 ? (int64_t)found.st_size : AVERROR(errno);
    off_t at = lseek(file->file, (off_t)offset, whence & ~AVSEEK_FORCE);
    return at >= 0 ? (int64_t)at : AVERROR(errno);
}

static void free_io(rlt_movie *movie) {
    AVIOContext *io = movie->format != NULL ? movie->format->pb : NULL;
    if (io == NULL)
        return;
    av_freep(&io->buffer);
    avio_context_free(&movie->format->pb);
}

static rlt_status open_io(rlt_movie *movie, rlt_messages *messages) {
    rlt_status status = rlti_stream_open(&movie->file, movie->path, SUFFIX, 1, messages);
    if (status != RLT_OK)
        return status;
    uint8_t *buffer = av_malloc(IO_BUFFER);
    movie->format->pb =
        buffer != NULL ? avio_alloc_context(buffer, IO_BUFFER, 1, &movie->file, NULL, write_file, seek_file)
                       : NULL;
    if (movie->format->pb == NULL) {
        av_free(buffer);
        return rlti_out_of_memory(messages);
    }
    movie->format->flags |= AVFMT_FLAG_CUSTOM_IO;
    return RLT_OK;
}

static rlt_status open_file(rlt_movie *movie, rlt_messages *messages) {
    movie->stream = avformat_new_stream(movie->format, NULL);
    if (movie->stream == NULL)
        return rlti_out_of_memory(messages);
    movie->stream->time_base = movie->encoder->time_base;
    movie->stream->avg_frame_rate = movie->encoder->framerate;
    int error = avcodec_parameters_from_context(movie->stream->codecpar, movie->encoder);
    if (error < 0)
        return fail_av(messages, movie->path, "cannot write", error);
    rlt_status status = open_io(movie, messages);
    if (status != RLT_OK)
        return status;
    movie->format->flags |= AVFMT_FLAG_BITEXACT;
    error = avformat_write_header(movie->format, NULL);
    return error < 0 ? fail_av(messages, movie->path, "cannot write", error) : RLT_OK;
}

static void free_movie(rlt_movie *movie) {
    if (movie == NULL)
        return;
    free_io(movie);
    rlti_stream_discard(&movie->file);
    av_packet_free(&movie->packet);
    av_frame_free(&movie->rgb);
    av_frame_free(&movie->frame);
    sws_freeContext(movie->scaler);
    avcodec_free_context(&movie->encoder);
    avformat_free_context(movie->format);
    RLTI_FREE(movie->path, movie);
}

static rlt_status check_arguments(const char *path, int width, int height, double frames_per_second,
                                  rlt_messages *messages) {
    if (width < 2 || width > PIXELS_MAX || height < 2 || height > PIXELS_MAX)
        return rlti_refuse(messages, "%s: a movie of %d x %d pixels: must be 2 to %d each", path, width,
                           height, PIXELS_MAX);
    if (!(frames_per_second >= 0.01 && frames_per_second <= 1000.0))
        return rlti_refuse(messages, "%s: frames per second must be 0.01 to 1000", path);
    if (!rlt_movie_is_name(path))
        return rlti_refuse(messages, "%s: the name of a movie ends in .mp4, .mkv, .mov, .webm or .gif", path);
    return rlti_output_prepare(path, messages);
}

static rlt_status open_parts(rlt_movie *movie, double frames_per_second, const char *codec,
                             rlt_messages *messages) {
    /* the target's name decides, not the temporary one's */
    const AVOutputFormat *format = av_guess_format(NULL, movie->path, NULL);
    if (format == NULL)
        return rlti_refuse(messages, "%s: this build of libavformat cannot write such files", movie->path);
    int error = avformat_alloc_output_context2(&movie->format, format, NULL, movie->path);
    if (error < 0)
        return fail_av(messages, movie->path, "cannot write", error);
    rlt_status status = open_encoder(movie, codec, av_d2q(frames_per_second, 1001000), messages);
    if (status == RLT_OK)
        status = open_scaler(movie, messages);
    if (status == RLT_OK)
        status = open_file(movie, messages);
    return status;
}

rlt_status rlt_movie_open(const char *path, int width, int height, double frames_per_second,
                          const char *codec, rlt_messages *messages, rlt_movie **movie) {
    *movie = NULL;
    rlt_status status = check_arguments(path, width, height, frames_per_second, messages);
    if (status != RLT_OK)
        return status;
    rlt_movie *m = RLTI_NEW(rlt_movie, 1);
    if (m == NULL)
        return rlti_out_of_memory(messages);
    m->path = rlti_text_copy(path);
    m->width = width;
    m->height = height;
    status =
        m->path != NULL ? open_parts(m, frames_per_second, codec, messages) : rlti_out_of_memory(messages);
    if (status == RLT_OK)
        *movie = m;
    else
        free_movie(m);
    return status;
}

/* Hands a picture (NULL: the end) to the encoder and writes what comes out. */
static int encode(rlt_movie *movie, const AVFrame *frame) {
    int error = avcodec_send_frame(movie->encoder, frame);
    while (error >= 0) {
        error = avcodec_receive_packet(movie->encoder, movie->packet);
        if (error == AVERROR(EAGAIN) || error == AVERROR_EOF)
            return 0;
        if (error >= 0) {
            av_packet_rescale_ts(movie->packet, movie->encoder->time_base, movie->stream->time_base);
            movie->packet->stream_index = movie->stream->index;
            /* one picture long: the last one would have no end otherwise */
            if (movie->packet->duration == 0)
                movie->packet->duration =
                    av_rescale_q(1, movie->encoder->time_base, movie->stream->time_base);
            error = av_interleaved_write_frame(movie->format, movie->packet);
        }
    }
    return error;
}

/* Copies a picture; an odd edge is repeated. */
static void fill_frame(rlt_movie *movie, const uint8_t *rgb) {
    size_t row_bytes = 3 * (size_t)movie->width;
    for (int y = 0; y < movie->rgb->height; y++) {
        const uint8_t *from = rgb + (size_t)(y < movie->height ? y : movie->height - 1) * row_bytes;
        uint8_t *to = movie->rgb->data[0] + (ptrdiff_t)y * movie->rgb->linesize[0];
        memcpy(to, from, row_bytes);
        if (movie->rgb->width > movie->width)
            memcpy(to + row_bytes, from + row_bytes - 3, 3);
    }
}

rlt_status rlt_movie_add(rlt_movie *movie, const uint8_t *rgb, rlt_messages *messages) {
    int error = av_frame_make_writable(movie->frame);
    if (error >= 0) {
        fill_frame(movie, rgb);
        sws_scale(movie->scaler, (const uint8_t *const *)movie->rgb->data, movie->rgb->linesize, 0,
                  movie->rgb->height, movie->frame->data, movie->frame->linesize);
        movie->frame->pts = movie->count;
        movie->frame->quality = movie->encoder->global_quality;
        error = encode(movie, movie->frame);
    }
    if (error < 0)
        return fail_av(messages, movie->path, "cannot write", error);
    movie->count++;
    return RLT_OK;
}

rlt_status rlt_movie_close(rlt_movie *movie, rlt_messages *messages) {
    rlt_status status = RLT_OK;
    if (movie == NULL)
        return RLT_OK;
    if (movie->count > 0) {
        int error = encode(movie, NULL);
        if (error >= 0)
            error = av_write_trailer(movie->format);
        avio_flush(movie->format->pb);
        error = error < 0 ? error : movie->format->pb->error;
        status = error < 0 ? fail_av(messages, movie->path, "cannot write", error)
                           : rlti_stream_publish(&movie->file, messages);
    }
    free_movie(movie);
    return status;
}

void rlt_movie_abandon(rlt_movie *movie) {
    free_movie(movie);
}

const char *rlt_movie_encoder(const rlt_movie *movie) {
    return movie != NULL ? movie->encoder->codec->name : "";
}

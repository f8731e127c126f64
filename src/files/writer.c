/* rlt_writer: simulated frames to a sink of any format. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/messages.h"
#include "base/sized.h"
#include "files/convert.h"
#include "files/writer_data.h"
#include "io/frame_check.h"

static void destroy(rlt_writer *writer) {
    for (int k = 0; writer->stages != NULL && k < writer->source_count; k++)
        rlti_stage_close(writer->stages[k]);
    rlti_free(writer->stages);
    rlti_array_clear(&writer->value);
    RLTI_FREE(writer->title, writer->first, writer->triangles, writer->own, writer->widths, writer->sources,
              writer->carried, writer->vectors, writer->more, writer);
}

void rlt_writer_abandon(rlt_writer *writer) {
    if (writer == NULL)
        return;
    rlti_sink_abandon(writer->sink);
    destroy(writer);
}

void rlt_writer_leave(rlt_writer *writer) {
    if (writer == NULL)
        return;
    rlti_sink_leave(writer->sink);
    destroy(writer);
}

int rlt_writer_frames(const rlt_writer *writer, int *first, int *last) {
    *first = writer->first_frame;
    *last = writer->last_frame;
    return writer->frame_count;
}

const char *rlti_writer_title(const rlt_writer_def *def) {
    return def->title != NULL && def->title[0] != '\0' ? def->title : "Hair simulated with Ringlet";
}

rlt_status rlti_writer_create(const char *path, const rlt_writer_def *def, int resumes,
                              rlt_messages *messages, rlt_writer **writer) {
    *writer = NULL;
    rlt_status status = rlti_output_prepare(path, messages);
    if (status != RLT_OK)
        return status;
    if (!(def->frames_per_second > 0.0) || !isfinite(def->frames_per_second))
        return rlti_refuse(messages, "%s: frames per second must be > 0", path);
    if (!(def->metres_per_unit > 0.0) || !isfinite(def->metres_per_unit))
        return rlti_refuse(messages, "%s: metres per unit must be > 0", path);
    rlt_writer *made = RLTI_NEW(rlt_writer, 1);
    char *copy = rlti_text_copy(rlti_writer_title(def));
    if (made == NULL || copy == NULL) {
        RLTI_FREE(made, copy);
        return rlti_out_of_memory(messages);
    }
    made->marked.mark = rlti_writer_mark;
    made->title = copy;
    made->def = *def;
    made->def.title = copy;
    rlti_sink_def first = {.codes_per_second = def->frames_per_second,
                           .frames_per_second = def->frames_per_second,
                           .metres_per_unit = def->metres_per_unit,
                           .up_axis = 'Y',
                           .last_time = -1.0, /* not known yet */
                           .title = copy,
                           .lock = def->lock,
                           .resumes = resumes};
    status = rlti_sink_open(path, &first, messages, &made->sink);
    if (status == RLT_OK && def->physics != NULL &&
        (!rlti_sink_is_usd(made->sink) || def->mode == RLT_WRITE_OVER)) {
        rlti_sink_abandon(made->sink);
        status =
            rlti_refuse(messages, "%s: physics of curves is written to USD files that stand alone", path);
    }
    if (status != RLT_OK) {
        destroy(made);
        return status;
    }
    *writer = made;
    return RLT_OK;
}

rlt_status rlt_writer_open(const char *path, const rlt_writer_def *def, rlt_messages *messages,
                           rlt_writer **writer) {
    rlt_writer_def own = {0};
    *writer = NULL;
    if (RLTI_READ(rlt_writer_def, &own, def, messages) != RLT_OK)
        return RLT_BAD_INPUT;
    return rlti_writer_create(path, &own, 0, messages, writer);
}

/* ---- the first frame: what never changes ---- */

/* Strands that no source has. */
static int list_own(rlt_writer *writer, const rlt_frame_view *view) {
    writer->own = RLTI_NEW(int, view->strand_count);
    if (writer->own == NULL)
        return 0;
    int strand = 0;
    for (int k = 0; k <= view->source_count; k++) {
        int end = k < view->source_count ? view->sources[k]->first_strand : view->strand_count;
        for (; strand < end; strand++) {
            writer->own[writer->own_count++] = strand;
            writer->own_points += view->first[strand + 1] - view->first[strand];
        }
        if (k < view->source_count)
            strand = end + view->sources[k]->strand_count;
    }
    writer->widths = RLTI_NEW(double, writer->own_points);
    return writer->widths != NULL;
}

/* Over or beside its source only where all hair is from one file. */
static rlt_status choose_layout(rlt_writer *writer, const rlt_frame_view *view, rlt_messages *messages) {
    int one_file = view->source_count > 0 && writer->own_count == 0;
    for (int k = 1; k < view->source_count; k++)
        one_file &= strcmp(view->sources[k]->file, view->sources[0]->file) == 0;
    int is_usd = rlti_sink_is_usd(writer->sink);
    int can_stand_on = one_file && is_usd && strncmp(view->sources[0]->format, "usd", 3) == 0;
    if (writer->def.physics != NULL && view->rest == NULL)
        return rlti_refuse(messages, "%s: physics of curves needs their rest shape", writer->sink->path);
    if (writer->def.mode == RLT_WRITE_OVER && !can_stand_on)
        return rlti_refuse(messages,
                           "%s: cannot be a layer over a source: that needs a USD file, and hair that is all "
                           "from one USD file; write it standalone",
                           writer->sink->path);
    int stands_alone = writer->def.mode == RLT_WRITE_STANDALONE || writer->def.physics != NULL;
    writer->layout = can_stand_on && !stands_alone ? RLTI_LAYOUT_OVER
                     : one_file                    ? RLTI_LAYOUT_SOURCE
                                                   : RLTI_LAYOUT_OWN;
    return RLT_OK;
}

static rlt_status remember(rlt_writer *writer, const rlt_frame_view *view, rlt_messages *messages) {
    int largest = view->point_count > view->vertex_count ? view->point_count : view->vertex_count;
    for (int k = 0; k < view->source_count; k++)
        largest = view->sources[k]->point_count > largest ? view->sources[k]->point_count : largest;
    writer->source_count = view->source_count;
    if (!RLTI_ALLOCATE(RLTI_ITEMS(writer->first, (size_t)view->strand_count + 1),
                       RLTI_ITEMS(writer->triangles, 3 * (size_t)view->triangle_count),
                       RLTI_ITEMS(writer->vectors, 3 * (size_t)largest),
                       RLTI_ITEMS(writer->more, 3 * (size_t)(view->source_count > 0 ? largest : 0)),
                       RLTI_ITEMS(writer->sources, view->source_count),
                       RLTI_ITEMS(writer->stages, view->source_count)) ||
        !list_own(writer, view))
        return rlti_out_of_memory(messages);
    if (view->strand_count > 0)
        memcpy(writer->first, view->first, ((size_t)view->strand_count + 1) * sizeof(int));
    if (view->triangle_count > 0)
        memcpy(writer->triangles, view->triangles, 3 * (size_t)view->triangle_count * sizeof(int));
    writer->strand_count = view->strand_count;
    writer->point_count = view->point_count;
    writer->vertex_count = view->vertex_count;
    writer->triangle_count = view->triangle_count;
    writer->has_velocities = view->velocities != NULL && !writer->def.no_velocities;
    return choose_layout(writer, view, messages);
}

/* ---- every frame ---- */

static rlt_status check_next_frame(const rlt_writer *writer, const rlt_frame_view *view,
                                   rlt_messages *messages) {
    const char *path = writer->sink->path;
    if (view->frame <= writer->last_frame)
        return rlti_refuse(messages, "%s: frame %d comes after frame %d: frames must increase", path,
                           view->frame, writer->last_frame);
    int same = view->strand_count == writer->strand_count && view->point_count == writer->point_count &&
               view->vertex_count == writer->vertex_count && view->triangle_count == writer->triangle_count &&
               view->source_count == writer->source_count &&
               (view->velocities != NULL || !writer->has_velocities);
    if (same && view->strand_count > 0)
        same = memcmp(view->first, writer->first, ((size_t)view->strand_count + 1) * sizeof(int)) == 0;
    if (same && view->triangle_count > 0)
        same =
            memcmp(view->triangles, writer->triangles, 3 * (size_t)view->triangle_count * sizeof(int)) == 0;
    if (same)
        return RLT_OK;
    return rlti_refuse(messages, "%s: frame %d: strands or triangles differ from the first frame's", path,
                       view->frame);
}

/* The time code of a frame: its number, or over a source the code that the file has there. */
static double time_of(const rlt_writer *writer, const rlt_frame_view *view) {
    return writer->layout == RLTI_LAYOUT_OVER ? rlti_snap_time(view->sources[0]->time_code)
                                              : (double)view->frame;
}

/* Vectors minus the shift (NULL: none), in single precision. */
static void put_vectors(const double *from, int count, const double *shift, float *to) {
    static const double none[3] = {0.0, 0.0, 0.0};
    const double *minus = shift != NULL ? shift : none;
    for (size_t i = 0; i < 3 * (size_t)count; i++)
        to[i] = (float)(from[i] - minus[i % 3]);
}

/* The points of the strands of no source. */
static void gather_own(rlt_writer *writer, const double *from, const double *shift) {
    float *to = writer->vectors;
    for (int k = 0; k < writer->own_count; k++) {
        int first = writer->first[writer->own[k]], count = writer->first[writer->own[k] + 1] - first;
        put_vectors(from + 3 * (size_t)first, count, shift, to);
        to += 3 * (size_t)count;
    }
}

static rlt_status add_own(rlt_writer *writer, const rlt_frame_view *view, double time,
                          rlt_messages *messages) {
    float extent[6];
    for (int k = 0, i = 0; k < writer->own_count; k++)
        for (int p = writer->first[writer->own[k]]; p < writer->first[writer->own[k] + 1]; p++)
            writer->widths[i++] = view->widths[p];
    gather_own(writer, view->points, writer->shift);
    rlti_writer_extent(writer->vectors, writer->own_points, writer->widths, 0.0, extent);
    rlt_status status = rlti_writer_write_vectors(writer, writer->hair.points, time, writer->vectors,
                                                  writer->own_points, messages);
    if (status == RLT_OK && writer->hair.velocities >= 0) {
        gather_own(writer, view->velocities, NULL);
        status = rlti_writer_write_vectors(writer, writer->hair.velocities, time, writer->vectors,
                                           writer->own_points, messages);
    }
    if (status == RLT_OK)
        status = rlti_writer_write_vectors(writer, writer->hair.extent, time, extent, 2, messages);
    return status;
}

static rlt_status add_body(rlt_writer *writer, const rlt_frame_view *view, double time,
                           rlt_messages *messages) {
    float extent[6];
    put_vectors(view->vertices, view->vertex_count, writer->shift, writer->vectors);
    rlti_writer_extent(writer->vectors, view->vertex_count, NULL, 0.0, extent);
    rlt_status status = rlti_writer_write_vectors(writer, writer->body.points, time, writer->vectors,
                                                  view->vertex_count, messages);
    if (status == RLT_OK)
        status = rlti_writer_write_vectors(writer, writer->body.extent, time, extent, 2, messages);
    return status;
}

static rlt_status add_samples(rlt_writer *writer, const rlt_frame_view *view, double time,
                              rlt_messages *messages) {
    if (writer->def.unreal == RLT_UNREAL_GROOM)
        time = (double)NAN; /* a groom has no time */
    rlt_status status = RLT_OK;
    if (writer->hair.points >= 0)
        status = add_own(writer, view, time, messages);
    if (status == RLT_OK && writer->source_count > 0)
        status = rlti_writer_add_sources(writer, view, time, messages);
    if (status == RLT_OK && writer->body.points >= 0)
        status = add_body(writer, view, time, messages);
    return status;
}

rlt_status rlti_writer_begin(rlt_writer *writer, const rlt_frame_view *view, int writes,
                             rlt_messages *messages) {
    rlti_sink_def def;
    char *over = NULL;
    rlt_status status = remember(writer, view, messages);
    if (status == RLT_OK)
        status = rlti_writer_open_sources(writer, view, messages);
    if (status == RLT_OK)
        status = rlti_writer_define(writer, view, &def, &over, messages);
    if (status == RLT_OK)
        status = rlti_sink_redefine(writer->sink, &def, messages);
    rlti_free(over);
    if (status == RLT_OK)
        status = rlti_writer_declare(writer, view, writes, messages);
    return status;
}

rlt_status rlt_writer_add(rlt_writer *writer, const rlt_frame_view *view, rlt_messages *messages) {
    const char *path = writer->sink->path;
    rlt_frame_view own = {0};
    if (RLTI_READ(rlt_frame_view, &own, view, messages) != RLT_OK)
        return RLT_BAD_INPUT;
    view = &own;
    if (writer->sink->failed)
        return rlti_fail(messages, RLT_FAILED, "%s: frame %d: an earlier frame could not be written", path,
                         view->frame);
    int is_first = writer->frame_count == 0;
    /* all is checked before anything is written, so that a bad frame leaves the frames before it intact */
    rlt_status status = rlti_frame_check(path, view, messages);
    if (status == RLT_OK && !is_first)
        status = check_next_frame(writer, view, messages);
    if (status != RLT_OK)
        return status;
    if (!is_first && writer->def.unreal == RLT_UNREAL_GROOM)
        return RLT_OK;
    if (is_first)
        status = rlt_inputs_check(view->inputs, path, messages);
    if (is_first && status == RLT_OK)
        status = rlti_writer_begin(writer, view, 1, messages);
    double time = status == RLT_OK ? time_of(writer, view) : 0.0;
    if (status == RLT_OK && !is_first && time <= writer->last_time)
        status = rlti_refuse(messages, "%s: frame %d: its time in the source, %g, is not later", path,
                             view->frame, time);
    if (status == RLT_OK)
        status = add_samples(writer, view, time, messages);
    if (status != RLT_OK) {
        writer->sink->failed = 1;
        return status;
    }
    if (is_first) {
        writer->first_frame = view->frame;
        writer->first_time = time;
    }
    writer->last_frame = view->frame;
    writer->last_time = time;
    writer->frame_count++;
    return RLT_OK;
}

/* ---- closing ---- */

/* Describes the frames so far, before they become a file. */
static rlt_status complete(rlt_writer *writer, rlt_messages *messages) {
    if (!writer->sink->failed && writer->frame_count == 0)
        return rlti_refuse(messages, "%s: not written: no frame was added", writer->sink->path);
    if (writer->def.fingerprint != 0)
        rlti_sink_fingerprint(writer->sink, rlti_writer_fingerprint(&writer->def, writer->first_frame,
                                                                    writer->last_frame, writer->frame_count));
    if (writer->def.unreal != RLT_UNREAL_GROOM)
        rlti_sink_range(writer->sink, writer->first_time, writer->last_time);
    return RLT_OK;
}

rlt_status rlt_writer_publish(rlt_writer *writer, rlt_messages *messages) {
    rlt_status status = complete(writer, messages);
    return status == RLT_OK ? rlti_sink_publish(writer->sink, messages) : status;
}

rlt_status rlt_writer_close(rlt_writer *writer, rlt_messages *messages) {
    if (writer == NULL)
        return RLT_OK;
    rlt_status status = complete(writer, messages);
    if (status == RLT_OK)
        status = rlti_sink_close(writer->sink, messages);
    else
        rlti_sink_abandon(writer->sink);
    destroy(writer);
    return status;
}

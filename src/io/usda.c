/* rlt_writer: a standalone .usda file of hair and body; docs/design/output.md says why it looks as it does.
 */
#include "ringlet/write.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/messages.h"
#include "base/number.h"
#include "io/frame_check.h"
#include "io/usda_data.h"

const rlti_usda_text rlti_usda_texts[PART_COUNT] = {
    [PART_HAIR] = {".part-hair", "    def BasisCurves \"Hair\"\n    {\n", ""},
    [PART_POINTS] = {".part-points", "        point3f[] points.timeSamples = {\n", "        }\n"},
    [PART_VELOCITIES] = {".part-velocities", "        vector3f[] velocities.timeSamples = {\n",
                         "        }\n"},
    [PART_EXTENT] = {".part-extent", "        float3[] extent.timeSamples = {\n", "        }\n    }\n"},
    [PART_BODY] = {".part-body", "    def Mesh \"Body\"\n    {\n", ""},
    [PART_BODY_POINTS] = {".part-body-points", "        point3f[] points.timeSamples = {\n", "        }\n"},
    [PART_BODY_EXTENT] = {".part-body-extent", "        float3[] extent.timeSamples = {\n",
                          "        }\n    }\n"},
};

/* Beyond this distance [unit] a float resolves less than 1e-3 units: points are written relative to a shift.
 */
#define FAR_FROM_ORIGIN 1e4

static char *duplicate(const char *text) {
    size_t size = strlen(text) + 1;
    char *copy = rlti_allocate(size, 1);
    if (copy != NULL)
        memcpy(copy, text, size);
    return copy;
}

static void destroy(rlt_writer *writer) {
    rlti_free(writer->path);
    rlti_free(writer->title);
    rlti_free(writer->first);
    rlti_free(writer->triangles);
    rlti_free(writer->scratch);
    rlti_free(writer);
}

void rlt_writer_abandon(rlt_writer *writer) {
    if (writer == NULL)
        return;
    for (int p = 0; p < PART_COUNT; p++)
        rlti_stream_discard(&writer->parts[p]);
    destroy(writer);
}

void rlt_writer_leave(rlt_writer *writer) {
    if (writer == NULL)
        return;
    for (int p = 0; p < PART_COUNT; p++)
        rlti_stream_leave(&writer->parts[p]);
    destroy(writer);
}

int rlt_writer_frames(const rlt_writer *writer, int *first, int *last) {
    *first = writer->first_frame;
    *last = writer->last_frame;
    return writer->frame_count;
}

rlt_status rlti_usda_create(const char *path, const rlt_writer_def *def, rlt_messages *messages,
                            rlt_writer **writer) {
    *writer = NULL;
    rlt_status status = rlti_output_prepare(path, messages);
    if (status != RLT_OK)
        return status;
    if (!(def->frames_per_second > 0.0) || !isfinite(def->frames_per_second))
        return rlti_fail(messages, RLT_BAD_INPUT, "%s: frames per second must be > 0", path);
    if (!(def->metres_per_unit > 0.0) || !isfinite(def->metres_per_unit))
        return rlti_fail(messages, RLT_BAD_INPUT, "%s: metres per unit must be > 0", path);

    rlt_writer *made = RLTI_NEW(rlt_writer, 1);
    if (made == NULL)
        return rlti_out_of_memory(messages);
    made->frames_per_second = def->frames_per_second;
    made->metres_per_unit = def->metres_per_unit;
    made->path = duplicate(path);
    made->title = duplicate(def->title != NULL ? def->title : "Hair simulated with Ringlet");
    if (made->path == NULL || made->title == NULL) {
        destroy(made);
        return rlti_out_of_memory(messages);
    }
    *writer = made;
    return RLT_OK;
}

rlt_status rlt_writer_open(const char *path, const rlt_writer_def *def, rlt_messages *messages,
                           rlt_writer **writer) {
    rlt_writer *made = NULL;
    *writer = NULL;
    rlt_status status = rlti_usda_create(path, def, messages, &made);
    /* one part now, so that a directory without permission is told before hours of simulation */
    if (status == RLT_OK)
        status = rlti_stream_open(&made->parts[PART_HAIR], path, rlti_usda_texts[PART_HAIR].suffix,
                                  RLTI_USDA_BUFFER, messages);
    if (status != RLT_OK) {
        rlt_writer_abandon(made);
        return status;
    }
    rlti_stream_text(&made->parts[PART_HAIR], rlti_usda_texts[PART_HAIR].opening);
    *writer = made;
    return RLT_OK;
}

/* ---- arrays as text ---- */

static void write_int(rlti_stream *stream, int value) {
    rlti_stream_take(stream, (size_t)rlti_format_int(value, rlti_stream_room(stream, RLTI_INT_TEXT)));
}

static void write_double(rlti_stream *stream, double value) {
    rlti_stream_take(stream, (size_t)rlti_format_double(value, rlti_stream_room(stream, RLTI_DOUBLE_TEXT)));
}

static void write_ints(rlti_stream *stream, const int *values, int count) {
    rlti_stream_text(stream, "[");
    for (int i = 0; i < count; i++) {
        if (i > 0)
            rlti_stream_text(stream, ", ");
        write_int(stream, values[i]);
    }
    rlti_stream_text(stream, "]");
}

/* "[(x, y, z), ...]" of `count` vectors */
static void write_vectors(rlti_stream *stream, const float *values, int count) {
    rlti_stream_text(stream, "[");
    for (int i = 0; i < count; i++) {
        const float *v = values + 3 * (size_t)i;
        char *text = rlti_stream_room(stream, 3 * RLTI_FLOAT_TEXT + 8);
        char *out = text;
        if (i > 0) {
            *out++ = ',';
            *out++ = ' ';
        }
        *out++ = '(';
        out += rlti_format_float(v[0], out);
        *out++ = ',';
        *out++ = ' ';
        out += rlti_format_float(v[1], out);
        *out++ = ',';
        *out++ = ' ';
        out += rlti_format_float(v[2], out);
        *out++ = ')';
        rlti_stream_take(stream, (size_t)(out - text));
    }
    rlti_stream_text(stream, "]");
}

/* One line "            12: [...]," of a timeSamples block */
static void write_sample(rlti_stream *stream, int frame, const float *values, int count) {
    rlti_stream_text(stream, "            ");
    write_int(stream, frame);
    rlti_stream_text(stream, ": ");
    write_vectors(stream, values, count);
    rlti_stream_text(stream, ",\n");
}

static rlt_status check_next_frame(const rlt_writer *writer, const rlt_frame_view *view,
                                   rlt_messages *messages) {
    if (view->frame <= writer->last_frame)
        return rlti_fail(messages, RLT_BAD_INPUT, "%s: frame %d comes after frame %d: frames must increase",
                         writer->path, view->frame, writer->last_frame);
    int same = view->strand_count == writer->strand_count && view->point_count == writer->point_count &&
               view->vertex_count == writer->vertex_count && view->triangle_count == writer->triangle_count &&
               (view->velocities != NULL) == (writer->has_velocities != 0);
    if (same && view->strand_count > 0)
        same = memcmp(view->first, writer->first, ((size_t)view->strand_count + 1) * sizeof(int)) == 0;
    if (same && view->triangle_count > 0)
        same =
            memcmp(view->triangles, writer->triangles, 3 * (size_t)view->triangle_count * sizeof(int)) == 0;
    if (same)
        return RLT_OK;
    return rlti_fail(messages, RLT_BAD_INPUT,
                     "%s: frame %d: strands or triangles differ from the first frame's", writer->path,
                     view->frame);
}

/* Puts `count` vectors minus the shift (NULL: none) into the scratch, in single precision. */
static void convert(rlt_writer *writer, const double *from, int count, const double *shift) {
    static const double none[3] = {0.0, 0.0, 0.0};
    const double *minus = shift != NULL ? shift : none;
    for (size_t i = 0; i < (size_t)count; i++)
        for (size_t c = 0; c < 3; c++)
            writer->scratch[3 * i + c] = (float)(from[3 * i + c] - minus[c]);
}

/* Box of the vectors in the scratch, each grown by half its width; floats rounded outward. */
static void find_extent(const rlt_writer *writer, int count, const double *widths, float extent[6]) {
    double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL};
    double high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    for (int i = 0; i < count; i++) {
        double half = widths != NULL ? 0.5 * widths[i] : 0.0;
        for (int c = 0; c < 3; c++) {
            double x = (double)writer->scratch[3 * (size_t)i + (size_t)c];
            low[c] = x - half < low[c] ? x - half : low[c];
            high[c] = x + half > high[c] ? x + half : high[c];
        }
    }
    for (int c = 0; c < 3; c++) {
        extent[c] = (float)low[c];
        extent[3 + c] = (float)high[c];
        if ((double)extent[c] > low[c])
            extent[c] = nextafterf(extent[c], -HUGE_VALF);
        if ((double)extent[3 + c] < high[c])
            extent[3 + c] = nextafterf(extent[3 + c], HUGE_VALF);
    }
}

/* ---- the first frame: everything that never changes ---- */

static void grow_box(const double *points, int count, double low[3], double high[3]) {
    for (size_t i = 0; i < 3 * (size_t)count; i++) {
        low[i % 3] = points[i] < low[i % 3] ? points[i] : low[i % 3];
        high[i % 3] = points[i] > high[i % 3] ? points[i] : high[i % 3];
    }
}

static void choose_shift(rlt_writer *writer, const rlt_frame_view *view) {
    double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL};
    double high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    grow_box(view->points, view->strand_count > 0 ? view->point_count : 0, low, high);
    grow_box(view->vertices, view->vertex_count, low, high);
    int is_far = 0;
    for (int c = 0; c < 3; c++)
        is_far |= high[c] > FAR_FROM_ORIGIN || low[c] < -FAR_FROM_ORIGIN;
    for (int c = 0; c < 3; c++) {
        double centre = floor(0.5 * (low[c] + high[c]) + 0.5);
        writer->shift[c] = is_far && isfinite(centre) ? centre : 0.0;
    }
}

rlt_status rlti_usda_remember(rlt_writer *writer, const rlt_frame_view *view, rlt_messages *messages) {
    int largest = view->point_count > view->vertex_count ? view->point_count : view->vertex_count;
    writer->first = RLTI_NEW(int, (size_t)view->strand_count + 1);
    writer->triangles = RLTI_NEW(int, 3 * (size_t)view->triangle_count);
    writer->scratch = RLTI_NEW(float, 3 * (size_t)largest);
    if (writer->first == NULL || writer->triangles == NULL || writer->scratch == NULL)
        return rlti_out_of_memory(messages);
    if (view->strand_count > 0)
        memcpy(writer->first, view->first, ((size_t)view->strand_count + 1) * sizeof(int));
    if (view->triangle_count > 0)
        memcpy(writer->triangles, view->triangles, 3 * (size_t)view->triangle_count * sizeof(int));
    writer->strand_count = view->strand_count;
    writer->point_count = view->point_count;
    writer->vertex_count = view->vertex_count;
    writer->triangle_count = view->triangle_count;
    writer->has_velocities = view->velocities != NULL;
    choose_shift(writer, view);
    return RLT_OK;
}

int rlti_usda_has_part(const rlt_writer *writer, rlti_usda_part part) {
    if (part >= PART_BODY)
        return writer->vertex_count > 0;
    return writer->strand_count > 0 && (part != PART_VELOCITIES || writer->has_velocities);
}

static rlt_status open_parts(rlt_writer *writer, rlt_messages *messages) {
    rlt_status status = RLT_OK;
    if (!rlti_usda_has_part(writer, PART_HAIR))
        rlti_stream_discard(&writer->parts[PART_HAIR]);
    for (int p = PART_POINTS; p < PART_COUNT && status == RLT_OK; p++) {
        if (!rlti_usda_has_part(writer, (rlti_usda_part)p))
            continue;
        status = rlti_stream_open(&writer->parts[p], writer->path, rlti_usda_texts[p].suffix,
                                  RLTI_USDA_BUFFER, messages);
        if (status == RLT_OK)
            rlti_stream_text(&writer->parts[p], rlti_usda_texts[p].opening);
    }
    return status;
}

/* Writes "NAME = [...]" of one value per strand: its index (values NULL) or values[strand]. */
static void write_uniform(rlti_stream *stream, const char *name, const int *values, int count) {
    rlti_stream_text(stream, "        int[] primvars:");
    rlti_stream_text(stream, name);
    rlti_stream_text(stream, " = [");
    for (int i = 0; i < count; i++) {
        if (i > 0)
            rlti_stream_text(stream, ", ");
        write_int(stream, values != NULL ? values[i] : i);
    }
    rlti_stream_text(stream, "] (\n            interpolation = \"uniform\"\n        )\n");
}

static void write_hair(rlt_writer *writer, const rlt_frame_view *view) {
    rlti_stream *stream = &writer->parts[PART_HAIR];
    rlti_stream_text(stream, "        uniform token type = \"cubic\"\n"
                             "        uniform token basis = \"catmullRom\"\n"
                             "        uniform token wrap = \"pinned\"\n"
                             "        int[] curveVertexCounts = [");
    for (int s = 0; s < view->strand_count; s++) {
        if (s > 0)
            rlti_stream_text(stream, ", ");
        write_int(stream, view->first[s + 1] - view->first[s]);
    }
    rlti_stream_text(stream, "]\n        float[] widths = [");
    for (int i = 0; i < view->point_count; i++) {
        if (i > 0)
            rlti_stream_text(stream, ", ");
        int length = rlti_format_float((float)view->widths[i], rlti_stream_room(stream, RLTI_FLOAT_TEXT));
        rlti_stream_take(stream, (size_t)length);
    }
    rlti_stream_text(stream, "] (\n            interpolation = \"vertex\"\n        )\n");
    write_uniform(stream, "hairId", NULL, view->strand_count);
    if (view->hair != NULL)
        write_uniform(stream, "groupId", view->hair, view->strand_count);
    if (view->rest == NULL)
        return;
    convert(writer, view->rest, view->point_count, writer->shift);
    rlti_stream_text(stream, "        point3f[] primvars:rest = ");
    write_vectors(stream, writer->scratch, view->point_count);
    rlti_stream_text(stream, " (\n            interpolation = \"vertex\"\n        )\n");
}

static void write_body(rlt_writer *writer, const rlt_frame_view *view) {
    rlti_stream *stream = &writer->parts[PART_BODY];
    rlti_stream_text(stream, "        uniform token subdivisionScheme = \"none\"\n"
                             "        uniform token orientation = \"rightHanded\"\n"
                             "        int[] faceVertexCounts = [");
    for (int t = 0; t < view->triangle_count; t++)
        rlti_stream_text(stream, t > 0 ? ", 3" : "3");
    rlti_stream_text(stream, "]\n        int[] faceVertexIndices = ");
    write_ints(stream, view->triangles, 3 * view->triangle_count);
    rlti_stream_text(stream, "\n");
}

static rlt_status start(rlt_writer *writer, const rlt_frame_view *view, rlt_messages *messages) {
    rlt_status status = rlti_usda_remember(writer, view, messages);
    if (status == RLT_OK)
        status = open_parts(writer, messages);
    if (status == RLT_OK && view->strand_count > 0)
        write_hair(writer, view);
    if (status == RLT_OK && view->vertex_count > 0)
        write_body(writer, view);
    return status;
}

/* ---- every frame ---- */

static void add_points(rlt_writer *writer, int frame, const double *points, int count, const double *widths,
                       rlti_usda_part points_part, rlti_usda_part extent_part) {
    float extent[6];
    convert(writer, points, count, writer->shift);
    find_extent(writer, count, widths, extent);
    write_sample(&writer->parts[points_part], frame, writer->scratch, count);
    write_sample(&writer->parts[extent_part], frame, extent, 2);
}

static void add_samples(rlt_writer *writer, const rlt_frame_view *view) {
    if (view->strand_count > 0) {
        add_points(writer, view->frame, view->points, view->point_count, view->widths, PART_POINTS,
                   PART_EXTENT);
        if (view->velocities != NULL) {
            convert(writer, view->velocities, view->point_count, NULL);
            write_sample(&writer->parts[PART_VELOCITIES], view->frame, writer->scratch, view->point_count);
        }
    }
    if (view->vertex_count > 0)
        add_points(writer, view->frame, view->vertices, view->vertex_count, NULL, PART_BODY_POINTS,
                   PART_BODY_EXTENT);
}

rlt_status rlt_writer_add(rlt_writer *writer, const rlt_frame_view *view, rlt_messages *messages) {
    if (writer->failed)
        return rlti_fail(messages, RLT_FAILED, "%s: frame %d: an earlier frame could not be written",
                         writer->path, view->frame);
    int is_first = writer->frame_count == 0;
    /* all is checked before anything is written, so that a bad frame leaves the frames before it intact */
    rlt_status status = rlti_frame_check(writer->path, view, messages);
    if (status == RLT_OK && !is_first)
        status = check_next_frame(writer, view, messages);
    if (status != RLT_OK)
        return status;
    if (is_first)
        status = start(writer, view, messages);
    if (status == RLT_OK)
        add_samples(writer, view);
    for (int p = 0; p < PART_COUNT && status == RLT_OK; p++)
        status = rlti_stream_check(&writer->parts[p], messages);
    if (status != RLT_OK) {
        writer->failed = 1;
        return status;
    }
    if (is_first)
        writer->first_frame = view->frame;
    writer->last_frame = view->frame;
    writer->frame_count++;
    return RLT_OK;
}

/* ---- closing ---- */

/* A quoted string; what cannot stand in one line of text is escaped. */
static void write_quoted(rlti_stream *stream, const char *text) {
    static const char hex[] = "0123456789abcdef";
    rlti_stream_text(stream, "\"");
    for (const char *c = text; *c != '\0'; c++) {
        unsigned char byte = (unsigned char)*c;
        if (byte == '"' || byte == '\\') {
            char escaped[2] = {'\\', *c};
            rlti_stream_write(stream, escaped, 2);
        } else if (byte == '\n') {
            rlti_stream_write(stream, "\\n", 2);
        } else if (byte < 0x20) {
            char escaped[4] = {'\\', 'x', hex[byte >> 4], hex[byte & 15]};
            rlti_stream_write(stream, escaped, 4);
        } else {
            rlti_stream_write(stream, c, 1);
        }
    }
    rlti_stream_text(stream, "\"");
}

static void write_number_line(rlti_stream *stream, const char *key, double value) {
    rlti_stream_text(stream, "    ");
    rlti_stream_text(stream, key);
    rlti_stream_text(stream, " = ");
    write_double(stream, value);
    rlti_stream_text(stream, "\n");
}

static void write_header(rlti_stream *stream, const rlt_writer *writer) {
    rlti_stream_text(stream, "#usda 1.0\n(\n    doc = ");
    write_quoted(stream, writer->title);
    rlti_stream_text(stream, "\n    defaultPrim = \"Ringlet\"\n");
    write_number_line(stream, "endTimeCode", writer->last_frame);
    write_number_line(stream, "framesPerSecond", writer->frames_per_second);
    write_number_line(stream, "metersPerUnit", writer->metres_per_unit);
    write_number_line(stream, "startTimeCode", writer->first_frame);
    write_number_line(stream, "timeCodesPerSecond", writer->frames_per_second);
    rlti_stream_text(stream, "    upAxis = \"Y\"\n)\n\ndef Xform \"Ringlet\"\n{\n");
    const double *shift = writer->shift;
    if (shift[0] != 0.0 || shift[1] != 0.0 || shift[2] != 0.0) {
        for (int c = 0; c < 3; c++) {
            rlti_stream_text(stream, c == 0 ? "    double3 xformOp:translate = (" : ", ");
            write_double(stream, shift[c]);
        }
        rlti_stream_text(stream, ")\n    uniform token[] xformOpOrder = [\"xformOp:translate\"]\n\n");
    }
}

/* Joins the parts under the file's own name. Without `keep` each is removed as soon as it is copied, so that
 * the disk never holds two full copies. */
static rlt_status assemble(rlt_writer *writer, int keep, rlt_messages *messages) {
    if (writer->failed)
        return rlti_fail(messages, RLT_FAILED, "%s: not written: a frame could not be written", writer->path);
    if (writer->frame_count == 0)
        return rlti_fail(messages, RLT_BAD_INPUT, "%s: not written: no frame was added", writer->path);
    rlti_stream whole;
    rlt_status status = rlti_stream_open(&whole, writer->path, ".tmp", RLTI_USDA_BUFFER, messages);
    if (status != RLT_OK)
        return status;
    write_header(&whole, writer);
    for (int p = 0; p < PART_COUNT && whole.error == 0; p++) {
        rlti_stream *stream = &writer->parts[p];
        if (stream->name == NULL)
            continue;
        if (p == PART_BODY && writer->strand_count > 0)
            rlti_stream_text(&whole, "\n");
        rlti_stream_append(&whole, stream);
        rlti_stream_text(&whole, rlti_usda_texts[p].closing);
        if (!keep)
            rlti_stream_discard(stream);
    }
    rlti_stream_text(&whole, "}\n");
    return rlti_stream_publish(&whole, messages);
}

rlt_status rlt_writer_publish(rlt_writer *writer, rlt_messages *messages) {
    return assemble(writer, 1, messages);
}

rlt_status rlt_writer_close(rlt_writer *writer, rlt_messages *messages) {
    if (writer == NULL)
        return RLT_OK;
    rlt_status status = assemble(writer, 0, messages);
    rlt_writer_abandon(writer);
    return status;
}

/* A writer that resumes where an earlier run's stopped: docs/design/checkpoint.md. */
#include "base/messages.h"
#include "base/sized.h"
#include "files/writer_data.h"
#include "files/writer_state.h"

/* The one list of fields, for saving and loading. */
static void list_fields(rlti_writer_state *state, rlti_field fields[RLTI_MARKED_FIELDS]) {
    fields[0] = (rlti_field){"writer.frames", 8, 3, state->frames};
    fields[1] = (rlti_field){"writer.options", 8, RLTI_WRITER_OPTIONS, state->options};
    fields[2] = (rlti_field){"writer.times", 8, 2, state->times};
    fields[3] = (rlti_field){"writer.lengths", 8, RLTI_SINK_MARKS, state->lengths};
    fields[4] = (rlti_field){"writer.sums", 8, RLTI_SINK_MARKS, state->sums};
    fields[5] = (rlti_field){"writer.shift", 8, 3, state->shift};
}

/* Options that must be the same for the bytes to be the same. */
static void take_options(const rlt_writer_def *def, int64_t options[RLTI_WRITER_OPTIONS]) {
    options[0] = def->mode;
    options[1] = def->no_velocities != 0;
    options[2] = (int64_t)rlti_writer_extras(def);
    options[3] = def->keep_axis != 0;
}

rlt_status rlti_writer_mark(rlti_marked *self, rlti_field fields[RLTI_MARKED_FIELDS],
                            rlt_messages *messages) {
    rlt_writer *writer = (rlt_writer *)self;
    rlti_writer_state *state = &writer->state;
    rlti_stream_mark marks[RLTI_SINK_MARKS];
    int count = 0;
    if (writer->sink->failed)
        return rlti_fail(messages, RLT_FAILED, "%s: no checkpoint: a frame could not be written",
                         writer->sink->path);
    *state = (rlti_writer_state){.frames = {writer->frame_count, writer->first_frame, writer->last_frame},
                                 .times = {writer->first_time, writer->last_time}};
    list_fields(state, fields);
    take_options(&writer->def, state->options);
    for (int c = 0; c < 3; c++)
        state->shift[c] = writer->shift[c];
    for (int m = 0; m < RLTI_SINK_MARKS; m++)
        state->lengths[m] = -1;
    if (writer->frame_count == 0) /* nothing to resume with */
        return RLT_OK;
    rlt_status status = rlti_sink_marks(writer->sink, marks, &count, messages);
    for (int m = 0; m < count && status == RLT_OK; m++) {
        state->lengths[m] = marks[m].length;
        state->sums[m] = marks[m].sum;
    }
    return status;
}

static rlt_status load_state(const char *checkpoint, rlti_writer_state *state, rlt_messages *messages) {
    rlti_checkpoint *file = NULL;
    rlti_field fields[RLTI_MARKED_FIELDS];
    rlt_status status = rlti_checkpoint_load(checkpoint, messages, &file);
    list_fields(state, fields);
    for (int f = 0; f < RLTI_MARKED_FIELDS && status == RLT_OK; f++)
        status = rlti_checkpoint_get(file, &fields[f], messages);
    rlti_checkpoint_destroy(file);
    return status;
}

static int is_finite(const double *values, int count) {
    for (int i = 0; i < count; i++)
        if (!(values[i] - values[i] == 0.0))
            return 0;
    return 1;
}

/* Could a writer have left this state? */
static int is_sound(const rlti_writer_state *state) {
    int64_t count = state->frames[0], first = state->frames[1], last = state->frames[2];
    if (count < 0 || count > INT32_MAX || first < INT32_MIN || last > INT32_MAX || last < first ||
        (count > 0 && count - 1 > last - first))
        return 0;
    for (int m = 0; m < RLTI_SINK_MARKS; m++)
        if (state->lengths[m] < -1)
            return 0;
    return is_finite(state->shift, 3) && is_finite(state->times, 2);
}

static rlt_status check_options(const char *checkpoint, const rlti_writer_state *state,
                                const rlt_writer_def *def, rlt_messages *messages) {
    int64_t options[RLTI_WRITER_OPTIONS];
    take_options(def, options);
    if ((uint64_t)(state->options[2] ^ options[2]) >> RLTI_LOOK_SHIFT != 0)
        return rlti_refuse(
            messages,
            "%s: the file was begun with another look (hair.fill, hair.look, render), which it "
            "carries; finish it with that one and give pictures another (render --look), or "
            "start over without --resume",
            checkpoint);
    for (int i = 0; i < RLTI_WRITER_OPTIONS; i++)
        if (state->options[i] != options[i])
            return rlti_refuse(messages,
                               "%s: was made with other options of the output (standalone, velocities, "
                               "Unreal, axis, physics)",
                               checkpoint);
    return RLT_OK;
}

/* Everything declared as in the first frame, then on after the marks. */
static rlt_status go_on(rlt_writer *writer, const rlti_writer_state *state, const rlt_frame_view *view,
                        rlt_messages *messages) {
    rlti_stream_mark marks[RLTI_SINK_MARKS];
    int count = 0;
    for (int c = 0; c < 3; c++)
        writer->shift[c] = state->shift[c];
    rlt_status status = rlti_writer_begin(writer, view, 0, messages);
    for (int m = 0; m < RLTI_SINK_MARKS; m++) {
        marks[m] = (rlti_stream_mark){state->lengths[m], state->sums[m]};
        count = state->lengths[m] >= 0 ? m + 1 : count;
    }
    if (status == RLT_OK)
        status = rlti_sink_resume(writer->sink, marks, count, messages);
    writer->frame_count = (int)state->frames[0];
    writer->first_frame = (int)state->frames[1];
    writer->last_frame = (int)state->frames[2];
    writer->first_time = state->times[0];
    writer->last_time = state->times[1];
    return status;
}

rlt_status rlt_writer_resume(const char *path, const rlt_writer_def *def, const char *checkpoint,
                             const rlt_frame_view *view, rlt_messages *messages, rlt_writer **writer) {
    rlti_writer_state state = {0};
    rlt_writer_def own_def = {0};
    rlt_frame_view own_view = {0};
    rlt_writer *made = NULL;
    *writer = NULL;
    if (RLTI_READ(rlt_writer_def, &own_def, def, messages) != RLT_OK ||
        RLTI_READ(rlt_frame_view, &own_view, view, messages) != RLT_OK)
        return RLT_BAD_INPUT;
    rlt_status status = load_state(checkpoint, &state, messages);
    if (status == RLT_OK && !is_sound(&state))
        status = rlti_refuse(messages, "%s: does not fit the file %s", checkpoint, path);
    if (status == RLT_OK)
        status = check_options(checkpoint, &state, &own_def, messages);
    if (status == RLT_OK)
        status = rlti_writer_create(path, &own_def, state.frames[0] > 0, messages, &made);
    if (status == RLT_OK && state.frames[0] > 0)
        status = go_on(made, &state, &own_view, messages);
    if (status != RLT_OK) {
        rlt_writer_leave(made);
        return status;
    }
    *writer = made;
    return RLT_OK;
}

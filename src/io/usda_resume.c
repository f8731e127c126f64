/* A writer that goes on where an earlier run's stopped: docs/design/checkpoint.md. */
#include "base/messages.h"
#include "io/usda_data.h"
#include "io/writer_state.h"

_Static_assert(RLTI_WRITER_PARTS == PART_COUNT, "one mark per part");

void rlti_writer_fields(rlti_writer_state *state, rlti_field fields[RLTI_WRITER_FIELDS]) {
    fields[0] = (rlti_field){"writer.frames", 8, 3, state->frames};
    fields[1] = (rlti_field){"writer.lengths", 8, RLTI_WRITER_PARTS, state->lengths};
    fields[2] = (rlti_field){"writer.tails", 8, RLTI_WRITER_PARTS, state->tails};
    fields[3] = (rlti_field){"writer.shift", 8, 3, state->shift};
}

rlt_status rlti_writer_mark(rlt_writer *writer, rlti_writer_state *state, rlt_messages *messages) {
    if (writer->failed)
        return rlti_fail(messages, RLT_FAILED, "%s: no checkpoint: a frame could not be written",
                         writer->path);
    *state = (rlti_writer_state){.frames = {writer->frame_count, writer->first_frame, writer->last_frame}};
    for (int c = 0; c < 3; c++)
        state->shift[c] = writer->shift[c];
    for (int p = 0; p < PART_COUNT; p++) {
        rlti_stream *stream = &writer->parts[p];
        state->lengths[p] = -1;
        if (stream->name == NULL)
            continue;
        rlti_stream_mark mark = rlti_stream_sync(stream);
        rlt_status status = rlti_stream_check(stream, messages);
        if (status != RLT_OK) {
            writer->failed = 1;
            return status;
        }
        state->lengths[p] = mark.length;
        state->tails[p] = mark.tail;
    }
    return RLT_OK;
}

static rlt_status load_state(const char *checkpoint, rlti_writer_state *state, rlt_messages *messages) {
    rlti_checkpoint *file = NULL;
    rlti_field fields[RLTI_WRITER_FIELDS];
    rlt_status status = rlti_checkpoint_load(checkpoint, messages, &file);
    rlti_writer_fields(state, fields);
    for (int f = 0; f < RLTI_WRITER_FIELDS && status == RLT_OK; f++)
        status = rlti_checkpoint_get(file, &fields[f], messages);
    rlti_checkpoint_destroy(file);
    return status;
}

/* Could a writer have left this state, with the parts that this writer has? */
static int is_sound(const rlt_writer *writer, const rlti_writer_state *state) {
    int64_t count = state->frames[0], first = state->frames[1], last = state->frames[2];
    if (count < 0 || count > INT32_MAX || first < INT32_MIN || last > INT32_MAX || last < first ||
        (count > 0 && count - 1 > last - first))
        return 0;
    for (int p = 0; p < PART_COUNT; p++) {
        int wanted = count > 0 ? rlti_usda_has_part(writer, (rlti_usda_part)p) : p == PART_HAIR;
        if (state->lengths[p] < -1 || (state->lengths[p] >= 0) != (wanted != 0))
            return 0;
    }
    for (int c = 0; c < 3; c++)
        if (!(state->shift[c] - state->shift[c] == 0.0)) /* not finite */
            return 0;
    return 1;
}

static rlt_status reopen_parts(rlt_writer *writer, const rlti_writer_state *state, rlt_messages *messages) {
    rlt_status status = RLT_OK;
    for (int p = 0; p < PART_COUNT && status == RLT_OK; p++) {
        rlti_stream_mark mark = {state->lengths[p], state->tails[p]};
        if (mark.length >= 0)
            status = rlti_stream_reopen(&writer->parts[p], writer->path, rlti_usda_texts[p].suffix,
                                        RLTI_USDA_BUFFER, &mark, messages);
    }
    return status;
}

rlt_status rlt_writer_resume(const char *path, const rlt_writer_def *def, const char *checkpoint,
                             const rlt_frame_view *view, rlt_messages *messages, rlt_writer **writer) {
    rlti_writer_state state;
    rlt_writer *made = NULL;
    *writer = NULL;
    rlt_status status = load_state(checkpoint, &state, messages);
    if (status == RLT_OK)
        status = rlti_usda_create(path, def, messages, &made);
    if (status == RLT_OK && state.frames[0] > 0)
        status = rlti_usda_remember(made, view, messages);
    if (status == RLT_OK && !is_sound(made, &state))
        status = rlti_fail(messages, RLT_BAD_INPUT, "%s: does not fit the file %s", checkpoint, path);
    if (status == RLT_OK)
        status = reopen_parts(made, &state, messages);
    if (status != RLT_OK) {
        rlt_writer_leave(made);
        return status;
    }
    made->frame_count = (int)state.frames[0];
    made->first_frame = (int)state.frames[1];
    made->last_frame = (int)state.frames[2];
    for (int c = 0; c < 3; c++)
        made->shift[c] = state.shift[c];
    *writer = made;
    return RLT_OK;
}

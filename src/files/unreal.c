#include "files/unreal.h"

#include <string.h>

#include "base/memory.h"
#include "base/messages.h"

/* The version of Unreal's groom specification that the names and types are of. */
enum { VERSION_MAJOR = 1, VERSION_MINOR = 5 };

/* 16 bits, as the specification asks; USD, which has no such type, makes it wider. */
static rlt_status add_short(rlti_sink *sink, int prim, const char *name, int value, int writes,
                            rlt_messages *messages) {
    static const rlti_array_type type = {RLTI_INT16, 1, RLTI_ROLE_NONE, 0};
    int16_t narrow = (int16_t)value;
    return rlti_sink_still(sink, prim, name, RLTI_PRIMVAR, type, RLTI_CONSTANT, &narrow, 1, writes, messages);
}

rlt_status rlti_unreal_top(rlti_sink *sink, int prim, int writes, rlt_messages *messages) {
    static const rlti_array_type text = {RLTI_TEXT, 1, RLTI_ROLE_NONE, 0};
    static const char *const tool = "Ringlet";
    rlt_status status = add_short(sink, prim, "groom_version_major", VERSION_MAJOR, writes, messages);
    if (status == RLT_OK)
        status = add_short(sink, prim, "groom_version_minor", VERSION_MINOR, writes, messages);
    if (status == RLT_OK)
        status = rlti_sink_still(sink, prim, "groom_tool", RLTI_PRIMVAR, text, RLTI_CONSTANT, &tool, 1,
                                 writes, messages);
    return status;
}

static int is_in(const char *name, const char *const *list) {
    for (; list != NULL && *list != NULL; list++)
        if (strcmp(*list, name) == 0)
            return 1;
    return 0;
}

/* 0, step, 2 step, ... */
static int *count_up(int count, int step) {
    int *numbers = RLTI_NEW(int, count);
    for (int i = 0; numbers != NULL && i < count; i++)
        numbers[i] = i * step;
    return numbers;
}

rlt_status rlti_unreal_add(rlti_sink *sink, int prim, const rlti_unreal_curves *curves,
                           const char *const *has, int writes, rlt_messages *messages) {
    static const rlti_array_type ints = {RLTI_INT32, 1, RLTI_ROLE_NONE, 1};
    static const rlti_array_type floats = {RLTI_FLOAT, 1, RLTI_ROLE_NONE, 1};
    static const rlti_array_type pairs = {RLTI_FLOAT, 2, RLTI_ROLE_TEXTURE, 1};
    size_t count = (size_t)curves->curve_count;
    int *zeros = count_up(curves->curve_count, 0), *numbers = count_up(curves->curve_count, 1);
    rlt_status status = zeros != NULL && numbers != NULL ? RLT_OK : rlti_out_of_memory(messages);
    if (status == RLT_OK && !is_in("groom_guide", has))
        status = add_short(sink, prim, "groom_guide", curves->is_guide != 0, writes, messages);
    if (status == RLT_OK && !is_in("groom_group_id", has))
        status =
            rlti_sink_still(sink, prim, "groom_group_id", RLTI_PRIMVAR, ints, RLTI_UNIFORM,
                            curves->group_ids != NULL ? curves->group_ids : zeros, count, writes, messages);
    if (status == RLT_OK && !is_in("groom_id", has))
        status = rlti_sink_still(sink, prim, "groom_id", RLTI_PRIMVAR, ints, RLTI_UNIFORM,
                                 curves->ids != NULL ? curves->ids : numbers, count, writes, messages);
    if (status == RLT_OK && !is_in("groom_root_uv", has) && curves->root_uv != NULL)
        status = rlti_sink_still(sink, prim, "groom_root_uv", RLTI_PRIMVAR, pairs, RLTI_UNIFORM,
                                 curves->root_uv, count, writes, messages);
    if (status == RLT_OK && !is_in("groom_width", has) && curves->widths != NULL)
        status = rlti_sink_still(sink, prim, "groom_width", RLTI_PRIMVAR, floats, curves->width_place,
                                 curves->widths, curves->width_count, writes, messages);
    RLTI_FREE(zeros, numbers);
    return status;
}

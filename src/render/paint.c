/* Colours of a body for programs that draw it themselves, and for the tracer. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/messages.h"
#include "base/sized.h"
#include "render/dress.h"
#include "render/hair_scatter.h"
#include "render/trace.h"

/* The face's picture: what it shows of the generated head at rest [unit], and where on the way to the sides
 * of the head it begins and is whole. */
static const float FACE_HALF = 8.0f, FACE_LOW = -11.0f, FACE_FRONT = 3.2f, FACE_WHOLE = 4.2f,
                   CLOTH[3] = {0.15f, 0.165f, 0.185f};

void rlti_paint_colours(const rlt_render_def *def, rlti_f3 scalp[RLT_RENDER_LOOKS_MAX], rlti_f3 *brow) {
    rlti_f3 skin = rlti_f3_of_doubles(def->skin);
    /* the scalp between hairs takes their colour: a real head has more of them */
    for (int i = 0; i < (def->look_count > 0 ? def->look_count : 1); i++) {
        const rlt_render_hair *hair = def->look_count > 0 ? &def->looks[i] : &def->hair;
        rlti_f3 mass = rlti_fibre_albedo(rlti_fibre_absorption(hair), (float)hair->roughness_around);
        scalp[i] = rlti_f3_mix(rlti_f3_scale(0.5f, mass), rlti_f3_scale(0.35f, skin), 0.2f);
        if (i == 0)
            *brow = rlti_f3_mix(rlti_f3_scale(0.35f, mass), rlti_f3_scale(0.12f, skin), 0.5f);
    }
}

rlti_f3 rlti_painted(rlti_f3 skin, rlti_f3 brow, const rlti_makeup *makeup) {
    skin = rlti_f3_mix(rlti_f3_times(makeup->tint, skin), brow, makeup->brow);
    return rlti_f3_mix(skin, rlti_f3_of(CLOTH[0], CLOTH[1], CLOTH[2]), makeup->cloth);
}

static void put(float *to, rlti_f3 colour) {
    to[0] = colour.x;
    to[1] = colour.y;
    to[2] = colour.z;
}

static void paint_face(const rlt_render_paint_buffers *out, rlti_f3 skin, rlti_f3 brow) {
    for (int row = 0; row < out->face_size; row++)
        for (int column = 0; column < out->face_size; column++) {
            float u = (float)column / (float)(out->face_size - 1),
                  v = (float)row / (float)(out->face_size - 1);
            rlti_f3 at = {FACE_HALF * (2.0f * u - 1.0f), FACE_LOW + 2.0f * FACE_HALF * v, 2.0f * FACE_WHOLE};
            rlti_makeup makeup = rlti_dress_at(at, 0);
            rlti_f3 colour = rlti_painted(skin, brow, &makeup);
            size_t pixel = (size_t)row * (size_t)out->face_size + (size_t)column;
            put(out->face + 3 * pixel, rlti_f3_of(colour.x / skin.x, colour.y / skin.y, colour.z / skin.z));
        }
}

static rlti_f3 rest_of(const rlti_dress *dress, int vertex) {
    const float *p = dress->rest + 3 * (size_t)vertex;
    return rlti_f3_of(p[0], p[1], p[2]);
}

static void paint_vertices(const rlt_frame_view *view, const rlti_dress *dress, const float *scalp,
                           const uint8_t *coat, const rlt_render_def *def,
                           const rlt_render_paint_buffers *out) {
    rlti_f3 skin = rlti_f3_of_doubles(def->skin), under[RLT_RENDER_LOOKS_MAX], brow = skin;
    rlti_paint_colours(def, under, &brow);
    for (int v = 0; v < view->vertex_count; v++) {
        rlti_f3 colour = skin, place = {0.0f, 0.0f, 0.0f};
        int is_head = v < dress->rest_count && !dress->is_horse;
        if (v < dress->rest_count && dress->is_horse) {
            rlti_makeup makeup = rlti_dress_at(rest_of(dress, v), 1);
            colour = rlti_painted(skin, brow, &makeup);
        }
        if (is_head) {
            rlti_f3 p = rest_of(dress, v);
            /* behind the face: the face's own paint is in its picture */
            rlti_makeup makeup = rlti_dress_at(rlti_f3_of(p.x, p.y, rlti_min(p.z, FACE_FRONT)), 0);
            makeup.cloth = 0.0f;
            colour = rlti_painted(skin, brow, &makeup);
            float share = rlti_min(1.0f, rlti_max(0.0f, (p.z - FACE_FRONT) / (FACE_WHOLE - FACE_FRONT)));
            place = rlti_f3_of(0.5f + 0.5f * p.x / FACE_HALF, (p.y - FACE_LOW) / (2.0f * FACE_HALF), share);
        }
        out->shirt[v] = is_head ? rlti_dress_shirt(rest_of(dress, v)) : -HUGE_VALF;
        put(out->colours + 3 * (size_t)v, rlti_f3_mix(colour, under[coat[v]], scalp[v]));
        put(out->places + 3 * (size_t)v, place);
    }
    memcpy(out->cloth, CLOTH, sizeof CLOTH);
    paint_face(out, skin, brow);
}

rlt_status rlt_render_paint(const rlt_frame_view *view, const rlt_render_def *def,
                            const rlt_render_paint_buffers *buffers, rlt_messages *messages) {
    rlt_frame_view own = {0};
    rlt_render_def look = rlt_render_defaults();
    rlt_render_paint_buffers out = {0};
    if (RLTI_READ(rlt_frame_view, &own, view, messages) != RLT_OK ||
        RLTI_READ(rlt_render_def, &look, def, messages) != RLT_OK ||
        RLTI_READ(rlt_render_paint_buffers, &out, buffers, messages) != RLT_OK)
        return RLT_BAD_INPUT;
    if (out.colours == NULL || out.places == NULL || out.shirt == NULL || out.cloth == NULL ||
        out.face == NULL || out.face_size < 2)
        return rlti_refuse(
            messages, "rlt_render_paint: a buffer is NULL, or the face's picture has less than 2 pixels");
    size_t count = (size_t)own.vertex_count + 1;
    float *scalp = RLTI_NEW(float, count);
    uint8_t *coat = RLTI_NEW(uint8_t, count);
    rlti_pool *pool = rlti_pool_create(1);
    rlti_dress dress = {0};
    rlt_status status = scalp != NULL && coat != NULL && pool != NULL
                            ? rlti_dress_find(&dress, &own, messages)
                            : rlti_out_of_memory(messages);
    if (status == RLT_OK) {
        if (rlti_find_scalp(&own, look.look_count > 0 ? look.look_count : 1, pool, scalp, coat))
            paint_vertices(&own, &dress, scalp, coat, &look, &out);
        else
            status = rlti_out_of_memory(messages);
    }
    rlti_dress_destroy(&dress);
    rlti_pool_destroy(pool);
    RLTI_FREE(scalp, coat);
    return status;
}

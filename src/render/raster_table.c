/* The tracer's scattering, tabled by the direction of the hair. The camera's angle of view is narrow and the
 * lights are far away, so for one camera light is a function of that direction alone. */
#include "base/memory.h"
#include "base/messages.h"
#include "render/raster.h"

int rlti_raster_table_at(rlti_f3 d) {
    float sum = fabsf(d.x) + fabsf(d.y) + fabsf(d.z), one = sum > 0.0f ? 1.0f / sum : 0.0f;
    float x = d.x * one, y = d.y * one;
    if (d.z < 0.0f) { /* the lower half is folded over the upper */
        float folded = (1.0f - fabsf(y)) * (x < 0.0f ? -1.0f : 1.0f);
        y = (1.0f - fabsf(x)) * (y < 0.0f ? -1.0f : 1.0f);
        x = folded;
    }
    int i = (int)((0.5f + 0.5f * x) * RASTER_TABLE), j = (int)((0.5f + 0.5f * y) * RASTER_TABLE);
    i = i < 0 ? 0 : (i > RASTER_TABLE - 1 ? RASTER_TABLE - 1 : i);
    j = j < 0 ? 0 : (j > RASTER_TABLE - 1 ? RASTER_TABLE - 1 : j);
    return j * RASTER_TABLE + i;
}

/* The direction in the middle of a square. */
static rlti_f3 direction_of(int square) {
    float x = 2.0f * ((float)(square % RASTER_TABLE) + 0.5f) / RASTER_TABLE - 1.0f;
    float y = 2.0f * ((float)(square / RASTER_TABLE) + 0.5f) / RASTER_TABLE - 1.0f;
    float z = 1.0f - fabsf(x) - fabsf(y);
    if (z < 0.0f) {
        float unfolded = (1.0f - fabsf(y)) * (x < 0.0f ? -1.0f : 1.0f);
        y = (1.0f - fabsf(x)) * (y < 0.0f ? -1.0f : 1.0f);
        x = unfolded;
    }
    return rlti_f3_normalize(rlti_f3_of(x, y, z));
}

typedef struct making {
    rlti_raster_table *table;
    const rlti_world *world;
    int across; /* places across a hair */
} making;

/* One row of the squares, for all looks and lights. */
static void make_row(void *context, int row, int worker) {
    const making *m = context;
    const rlti_world *world = m->world;
    (void)worker;
    for (int square = row * RASTER_TABLE; square < (row + 1) * RASTER_TABLE; square++) {
        rlti_f3 tangent = direction_of(square), out = world->lens.back;
        float sine = rlti_f3_dot(tangent, out);
        rlti_f3 front = rlti_f3_madd(out, -sine, tangent);
        front = rlti_f3_dot(front, front) > 1e-8f ? rlti_f3_normalize(front) : rlti_f3_perpendicular(tangent);
        rlti_f3 side = rlti_f3_cross(front, tangent);
        for (int k = 0; k < m->table->looks; k++)
            for (int i = 0; i < m->across; i++) {
                rlti_scatter scatter;
                /* even in the angle at which the hair's surface is met: by its edges most is reflected */
                float angle = RLTI_PI_F * (((float)i + 0.5f) / (float)m->across - 0.5f), h = sinf(angle);
                float weight = 0.5f * RLTI_PI_F / (float)m->across * cosf(angle); /* half of dh */
                rlti_scatter_begin(&world->looks[k].fibre, world->looks[k].absorption, h, sine, &scatter);
                for (int l = 0; l < world->light_count; l++) {
                    rlti_f3 d = world->lights[l].direction, value;
                    rlti_f3 in =
                        rlti_f3_of(rlti_f3_dot(d, tangent), rlti_f3_dot(d, side), rlti_f3_dot(d, front));
                    rlti_scatter_eval(&world->looks[k].fibre, &scatter, in, &value);
                    rlti_f3 *to = &m->table->value[k * m->table->lights + l][square];
                    *to = rlti_f3_madd(*to, weight, rlti_f3_times(value, world->lights[l].colour));
                }
            }
    }
}

rlt_status rlti_raster_table_create(rlti_raster_table *table, const rlti_world *world, int looks, int across,
                                    rlti_pool *pool, rlt_messages *messages) {
    *table = (rlti_raster_table){.looks = looks, .lights = world->light_count};
    size_t lists = (size_t)looks * (size_t)(world->light_count > 0 ? world->light_count : 1);
    table->value = rlti_allocate(lists, sizeof *table->value);
    if (table->value == NULL)
        return rlti_out_of_memory(messages);
    for (int k = 0; k < looks; k++) {
        table->albedo[k] = rlti_fibre_albedo(world->looks[k].absorption, world->looks[k].around);
        table->pass[k] = rlti_forward_at(&world->looks[k].forward, 0.3f);
    }
    making m = {table, world, across};
    if (world->light_count > 0)
        rlti_pool_for(pool, RASTER_TABLE, make_row, &m);
    return RLT_OK;
}

void rlti_raster_table_destroy(rlti_raster_table *table) {
    rlti_free(table->value);
    table->value = NULL;
}

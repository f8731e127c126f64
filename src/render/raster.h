/* The rasteriser: a lit frame in a fraction of a second, for movies while one works. The order of things:
 *
 * - light: optical depth of hair towards each light, swept through the cloud of trace_density.c; where the
 *   body stands before the light (raster_light.c)
 * - table: the scattering model of the tracer for every direction a hair can have, at this camera and these
 *   lights: the mean over the hair's width (raster_table.c)
 * - body: triangles, four samples a pixel (raster_body.c)
 * - hair: shaded vertices, blended as lines with coverage from far to near (raster.c, lines.c)
 *
 * What it leaves out: bounces beyond a mean of them, depth of field, motion blur, the ground. */
#ifndef RLTI_RENDER_RASTER_H
#define RLTI_RENDER_RASTER_H

#include "render/lines.h"
#include "render/trace.h"

/* ---- light ---- */

enum { RASTER_SKY = RLTI_LIGHTS_MAX, RASTER_DEPTHS }; /* the lights, and straight from above */

/* Hairs crossed between each cell of the cloud and each light. */
typedef struct rlti_raster_light {
    const rlti_density *density;
    float *crossed; /* [cells][RASTER_DEPTHS]; the body counts as many hairs. NULL: no hair */
    double *below;  /* [size[2] + 1][size[0] + 1] sums of the sky's in the lowest cells before each corner */
    /* how far towards each light the body reaches, seen from it */
    float *solid[RLTI_LIGHTS_MAX]; /* [side][side] */
    int lights;
    rlti_f3 axes[RLTI_LIGHTS_MAX][3];
    float low[RLTI_LIGHTS_MAX][2], per_unit[RLTI_LIGHTS_MAX];
} rlti_raster_light;

/* `own`: the share of its own cell that a hair stands in the shadow of. */
rlt_status rlti_raster_light_create(rlti_raster_light *light, const rlti_world *world, float own,
                                    rlti_pool *pool, rlt_messages *messages);
void rlti_raster_light_destroy(rlti_raster_light *light);
/* Hairs crossed from p to each light, and to the sky. */
void rlti_raster_crossed(const rlti_raster_light *light, rlti_f3 p, float crossed[RASTER_DEPTHS]);
/* The same for a place of the body, which may be beside or below the hair: how light passes it on its way
 * there; 0 of lights behind it. */
void rlti_raster_crossed_below(const rlti_raster_light *light, const rlti_world *world, rlti_f3 p,
                               rlti_f3 normal, float crossed[RASTER_DEPTHS]);
/* The share of light l that the body lets through at p, which is lifted along `normal` (may be zero). */
float rlti_raster_open(const rlti_raster_light *light, int l, rlti_f3 p, rlti_f3 normal);

/* ---- table ---- */

enum { RASTER_TABLE = 32 }; /* directions along each side of the octahedral map */

typedef struct rlti_raster_table {
    rlti_f3 (*value)[RASTER_TABLE * RASTER_TABLE]; /* [looks * lights] */
    int looks, lights;
    rlti_f3 albedo[RLT_RENDER_LOOKS_MAX]; /* of a mass of such hair */
    rlti_f3 pass[RLT_RENDER_LOOKS_MAX];   /* share of light that comes through one hair */
} rlti_raster_table;

/* `across`: places across a hair that a mean is over. */
rlt_status rlti_raster_table_create(rlti_raster_table *table, const rlti_world *world, int looks, int across,
                                    rlti_pool *pool, rlt_messages *messages);
void rlti_raster_table_destroy(rlti_raster_table *table);
/* The place of a unit direction in the table's squares. */
int rlti_raster_table_at(rlti_f3 direction);

/* ---- hair ---- */

/* The share of light that is left behind so many hairs, each of which lets `pass` through. */
rlti_f3 rlti_raster_fade(float crossed, rlti_f3 pass);
/* Mean light of the surroundings, for rlti_raster_scattered. */
rlti_f3 rlti_raster_around(const rlti_world *world);
/* Light that has been scattered among hairs more than once: it has the colour of a mass of hair. */
rlti_f3 rlti_raster_scattered(const rlti_world *world, rlti_f3 albedo, rlti_f3 around, rlti_f3 tangent,
                              const float crossed[RASTER_DEPTHS]);
/* Hairs differ in pigment: a factor on the light of one. */
rlti_f3 rlti_raster_tint(const rlti_hair_look *look, rlti_f3 albedo, uint32_t hair);

/* ---- body ---- */

/* Draws over the picture, whose samples are pixels. Light comes to it through hair of the table's first
 * look. */
rlt_status rlti_raster_body(const rlti_world *world, const rlti_raster_light *light,
                            const rlti_raster_table *table, rlti_pool *pool, rlti_picture *picture,
                            rlt_messages *messages);

/* ---- all ---- */

rlt_status rlti_raster_frame(const rlti_world *world, int looks, rlti_pool *pool, rlt_image *image,
                             rlt_messages *messages);

#endif

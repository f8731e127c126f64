/* Strands at rest: the groom, whether generated or given in the scene file. */
#ifndef RLTI_GROOM_STRANDS_H
#define RLTI_GROOM_STRANDS_H

#include "body/body.h"
#include "ringlet/source.h"

/* The values an attribute of a groom's file gives to a ramp of its hair section. */
typedef struct rlti_map {
    const rlti_ramp *ramp; /* in the scene */
    int first, count;      /* points of the strands */
    double *values;        /* [count] scaled and shifted */
} rlti_map;

/* The parts of an rlt_source that change from frame to frame. */
typedef struct rlti_source_place {
    double time_code, to_source[16], to_source_rate[16];
} rlti_source_place;

typedef struct rlti_curves rlti_curves; /* groom/import.h */

typedef struct rlti_strands {
    int strand_count;
    int point_count;
    int *first;        /* [strand_count + 1] index of each strand's root point; the last is point_count */
    rlti_vec3 *points; /* [point_count] rest pose, root first */
    rlti_root *roots;  /* [strand_count] */
    int *hair;         /* [strand_count] which hair section of the scene the strand belongs to */

    /* what only files bring */
    double *widths;  /* [point_count] diameter [unit]; 0: as the section says. NULL without files */
    double *minimum; /* [strand_count] for stiffness and mass, segments count as at least this long [unit].
                     * NULL without files */
    int map_count;
    rlti_map *maps;
    int source_count;
    rlt_source *sources;            /* [source_count] */
    const rlt_source **source_list; /* [source_count] the same, one by one: those of a view may grow */
    rlti_source_place *places;      /* [source_count] of rlti_groom_place_sources, until they are shown */
    rlti_curves *curves;            /* [source_count] what they were read from */
    unsigned char *hidden;          /* [strand_count] rlt_frame_view.hidden, or NULL */
} rlti_strands;

/* Makes the strands of every hair section: generated on a region of the body's mesh, hung on the head bone
 * (region none), or the inline strands of the file (root bound to the closest triangle; to the head bone when
 * there is no mesh or the region is none). Reports every problem with its hair section and strand. */
rlt_status rlti_groom_create(const rlti_scene_data *scene, const rlti_body *body, rlt_messages *messages,
                             rlti_strands **strands);
void rlti_groom_destroy(rlti_strands *strands);

/* The size of a hair section. */
typedef struct rlti_groom_size {
    int strands;
    long long points;
} rlti_groom_size;

/* sizes[hair_count]: what rlti_groom_create would make, without growing hair: files are read, and the body is
 * made where hair is given by density, all else is arithmetic. */
rlt_status rlti_groom_count(const rlti_scene_data *scene, rlt_messages *messages, rlti_groom_size *sizes);

/* Length along successive points. */
double rlti_points_length(const rlti_vec3 *points, int count);

/* A ramp at a point of a strand, `position` along it: its own value, or its map's. */
double rlti_strands_value(const rlti_strands *strands, const rlti_ramp *ramp, int point, double position);

/* The same in the middle of the edge from `point` to the next. */
double rlti_strands_edge_value(const rlti_strands *strands, const rlti_ramp *ramp, int point,
                               double position);

/* Reads the sources' transforms, motion and visibility at a frame; the sources have their transforms once
 * they are shown, which cannot fail. */
rlt_status rlti_groom_place_sources(const rlti_strands *strands, int frame, rlt_messages *messages);
void rlti_groom_show_sources(const rlti_strands *strands);

#endif

/* Grooms from files: curves become strands, point by point, and are bound to the body.
 *
 *   import.c         a hair section: which curves, in which order
 *   import_curves.c  the curves of one prim: points, rest shape, what is left out, resampling
 *   import_values.c  attributes under their usual names, one value per point
 *   source_motion.c  curves that are not simulated but move in their file, and visibility that changes
 *   import_physics.c masses, thickness and stiffness of USD's deformable curves
 *   import_bind.c    roots on the body, by uv or closest point, with a report of the distances */
#ifndef RLTI_GROOM_IMPORT_H
#define RLTI_GROOM_IMPORT_H

#include "groom/generate.h"
#include "scene/files.h"

enum { RLTI_IDS_SHOWN = 10 };

/* Curves with one kind of trouble: how many, and the first few by number. */
typedef struct rlti_findings {
    int count;
    int ids[RLTI_IDS_SHOWN];
} rlti_findings;

typedef struct rlti_id_list {
    char text[160];
} rlti_id_list;

void rlti_find(rlti_findings *findings, int id);
/* "3, 7, 12, ..." */
rlti_id_list rlti_list_ids(const rlti_findings *findings);

/* The curves of one prim. */
struct rlti_curves {
    const rlti_scene_data *scene;
    const rlti_hair_data *hair;
    int section;
    const rlti_stage *stage;
    int prim;
    rlti_geometry *geometry;
    double time; /* the file's, at rest */
    int curve_count, point_count;
    int *first;                 /* [curve_count + 1] */
    rlti_vec3 *points;          /* [point_count] rest shape in the scene's space */
    float *own;                 /* [point_count][3] as in the file */
    float *moved, *moved_rate;  /* [point_count][3] rlt_source.moved and moved_velocities, or NULL */
    rlti_vec3 *read[2];         /* [point_count] for working them out */
    unsigned char *is_left_out; /* [curve_count] */
    int strand_count;
    int *curve;          /* [strand_count] */
    int *counts;         /* [strand_count] points of each strand, after resampling */
    double *along;       /* [point_count] of resampled curves: rlt_source */
    double *widths;      /* [point_count] diameter in the scene's units, or NULL */
    double length_scale; /* a length of 1 of the prim in the scene [unit] */
    double *root_uv;     /* [curve_count][2] or NULL */
    double *minimum;     /* [curve_count] rlti_strands.least, or 0 */
};

/* "/groom/hair" */
const char *rlti_curves_path(const rlti_curves *curves);

/* Reads a prim. `curves` is zeroed; close it also after a failure. */
rlt_status rlti_curves_open(const rlti_scene_data *scene, int section, const rlti_stage *stage, int prim,
                            rlt_messages *messages, rlti_curves *curves);
void rlti_curves_close(rlti_curves *curves);

/* Which curves are guides, by the prim's purpose or groom_guide; [curve_count]. */
rlt_status rlti_curves_guides(const rlti_curves *curves, rlt_messages *messages, unsigned char *is_guide);

/* The group of each curve, [curve_count], to be freed; NULL: the file has none. */
rlt_status rlti_curves_groups(const rlti_curves *curves, rlt_messages *messages, double **groups);

/* Leaves out what cannot be simulated and what is not wanted, decides the strands' points, and reports what
 * it did. `take` is [curve_count]: 1 for curves that are wanted. */
rlt_status rlti_curves_choose(rlti_curves *curves, const unsigned char *take, rlt_messages *messages);

/* Strand `index` of those chosen, [counts[index]]; the same for values of its points. */
void rlti_curves_strand(rlti_curves *curves, int index, rlti_vec3 *points);
void rlti_curves_values(const rlti_curves *curves, int index, const double *per_point, double *values);

/* The attribute of this name that rides on the prim, or, where it is one value for all, on a parent; or
 * NULL. */
const rlti_attribute *rlti_curves_attribute(const rlti_curves *curves, const char *name,
                                            const rlti_prim **owner);

/* One number of the attribute per point of the prim. A count that does not fit is RLT_BAD_INPUT. */
rlt_status rlti_curves_per_point(const rlti_curves *curves, const rlti_prim *owner,
                                 const rlti_attribute *attribute, rlt_messages *messages,
                                 double *values /* [point_count * arity] */);

/* Fills widths, root_uv under whichever of their names is there. What does not fit is a warning. */
rlt_status rlti_curves_read_usual(rlti_curves *curves, rlt_messages *messages);

/* Binds the strands' roots: `roots` and `points` are those of the lock, `first` its [strand_count + 1]. */
rlt_status rlti_curves_bind(const rlti_curves *curves, const rlti_body *body, const rlti_mesh_tree *tree,
                            const int *first, const rlti_vec3 *points, rlt_messages *messages,
                            rlti_root *roots);

/* The curves as writers may know them; the strands begin at `first_strand` (source.c). */
void rlti_source_describe(const rlti_curves *curves, int first_strand, rlt_source *source);

/* Curves that no section simulates, where the file moves them, and what it hides (source_motion.c). Prepares
 * the first source of every prim that has such curves; the sources are linked. */
rlt_status rlti_source_motion_prepare(rlti_strands *strands, rlt_messages *messages);
/* Reads a source's points, velocities and visibility at its time_code, where prepared. */
rlt_status rlti_source_motion_read(const rlti_strands *strands, int source, rlt_messages *messages);
/* From the scene's world to the prim's own space at a time of the file (source.c). */
rlt_status rlti_source_inverse(const rlti_curves *curves, double time, rlt_messages *messages, double to[16]);

/* Links the sources that share a prim; a curve that two sections claim is RLT_BAD_INPUT. */
rlt_status rlti_groom_link_sources(const rlti_files *files, rlti_strands *strands, rlt_messages *messages);

/* Fills the lock's maps: every ramp of the section that is an attribute of the curves (maps.c). */
rlt_status rlti_lock_read_maps(const rlti_scene_data *scene, int index, rlt_messages *messages,
                               rlti_lock *lock);
/* The same for the constraints that choose points of the section. */
rlt_status rlti_lock_read_constraint_maps(const rlti_scene_data *scene, int index, rlt_messages *messages,
                                          rlti_lock *lock);

/* 1 where the prim has USD's schema of simulated curves; its masses, thickness and stiffness as maps of the
 * section, which the scene's values count before (import_physics.c). Comes after rlti_lock_read_maps. */
int rlti_curves_have_physics(const rlti_curves *curves);
rlt_status rlti_lock_read_physics(const rlti_scene_data *scene, int index, rlt_messages *messages,
                                  rlti_lock *lock);

/* The strands of section `index`, which has a file. */
rlt_status rlti_import(const rlti_scene_data *scene, const rlti_body *body, const rlti_mesh_tree *tree,
                       int index, rlt_messages *messages, rlti_lock *lock);

#endif

/* The files a scene names: each is opened once, and read with what the scene says about units, axes and
 * times. */
#ifndef RLTI_SCENE_FILES_H
#define RLTI_SCENE_FILES_H

#include "geometry/geometry.h"
#include "scene/scene_data.h"

typedef struct rlti_files rlti_files;

/* The scene must outlive it. NULL when out of memory. */
rlti_files *rlti_files_create(const rlti_scene_data *scene);
void rlti_files_destroy(rlti_files *files);

/* The stage of a file, `name` as the scene has it; it stays open as long as `files`. */
rlt_status rlti_files_open(rlti_files *files, const char *name, rlt_messages *messages,
                           const rlti_stage **stage);

/* Every file that was or will be read; those that are not opened here are to be added. */
rlt_inputs *rlti_files_inputs(rlti_files *files);

/* Adds those that the scene names but does not read now (a collider that is off, a shape that nothing uses):
 * no output may replace them. Call it when all others are open. */
rlt_status rlti_files_protect(rlti_files *files, rlt_messages *messages);

/* Two stages of one file, which was opened by names in two folders. */
int rlti_files_are_one(const rlti_files *files, const rlti_stage *a, const rlti_stage *b);

/* "FOLDER/NAME": where a file of the scene is. */
void rlti_files_path(const rlti_scene_data *scene, const char *name, char *path, size_t size);

/* Units and up axis a file's numbers are taken to have. */
double rlti_files_unit(const rlti_scene_data *scene, const rlti_stage *stage);
char rlti_files_up(const rlti_scene_data *scene, const rlti_stage *stage);

/* From a file's world to the scene's: row vectors, p' = p M. */
void rlti_files_space(const rlti_scene_data *scene, const rlti_stage *stage, double to_scene[16]);

/* The file's time of a frame of the scene: seconds = frame / fps + files.time_offset. Where `geometry` is
 * given, a time that misses one of its samples by rounding only is that sample's. */
double rlti_files_time(const rlti_scene_data *scene, const rlti_stage *stage, const rlti_geometry *geometry,
                       double frame);

/* The time at which groom and body fit each other: the file's first. */
double rlti_files_rest_time(const rlti_stage *stage);

/* The prims of a kind that a pattern means, or that are below one it means, in the file's order; "": all that
 * are shown. `prims` has a capacity of stage->prim_count. None is RLT_BAD_INPUT, with those there are. */
rlt_status rlti_files_select(const rlti_stage *stage, rlti_prim_kind kind, const char *pattern,
                             rlt_messages *messages, int *prims, int *count);

/* The same where exactly one is wanted. */
rlt_status rlti_files_select_one(const rlti_stage *stage, rlti_prim_kind kind, const char *pattern,
                                 rlt_messages *messages, int *prim);

#endif

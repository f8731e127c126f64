/* Pictures as the scene wants them: how guides become many hairs, and how they are shown. */
#ifndef RINGLET_LOOK_H
#define RINGLET_LOOK_H

#include "ringlet/fill.h"
#include "ringlet/render.h"
#include "ringlet/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sets what the first section's hair.fill says; what it does not say stays. `hairs` is the largest count that
 * any section says. */
rlt_status rlt_scene_fill(const rlt_scene *scene, rlt_fill_def *def);
/* The number of hair sections, where hair.fill is not the same for all (rlt_fill_def.sections); else 0. */
int rlt_scene_fill_sections(const rlt_scene *scene);
/* Sets what one section says. */
rlt_status rlt_scene_section_fill(const rlt_scene *scene, int section, rlt_fill_def *def);

/* The same of hair.look and render: camera, lights and colours. */
rlt_status rlt_scene_look(const rlt_scene *scene, rlt_render_def *def);

/* All the scene says about pictures (hair.fill and hair.look of each section, render), where it is not the
 * default, as the text of a scene with nothing else in it: one line. NULL when out of memory. Free it with
 * rlt_text_free. */
char *rlt_scene_look_text(const rlt_scene *scene);

#ifdef __cplusplus
}
#endif

#endif

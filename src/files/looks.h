/* Looks of what is written: materials, the networks of shaders that make them, and who is bound to them. */
#ifndef RLTI_FILES_LOOKS_H
#define RLTI_FILES_LOOKS_H

#include "formats/tree/sink.h"

/* Primvar of Ringlet's curves: how pictures show them (rlt_scene_look_text). */
#define RLTI_LOOK_NAME "ringletLook"

/* 1 where `text` begins with all of `with`. */
int rlti_text_starts(const char *text, const char *with);

/* 1 for bindings of materials and for collections, which count for all that is below a prim. */
int rlti_is_look(const rlti_link *link);
/* 1 for bindings of materials, direct ones and those of collections. */
int rlti_is_binding(const rlti_link *link);
/* rlti_is_look of an attribute: what a collection holds. */
int rlti_is_look_attribute(const rlti_attribute *attribute);
/* 0 for links that move points by a skeleton. */
int rlti_is_not_skel(const rlti_link *link);

/* Applied schemas ("A B"; NULL: none) without those of skeletons, or only those of looks, in *kept, which is
 * to be freed; NULL where none are left. */
rlt_status rlti_keep_schemas(const char *schemas, int only_looks, rlt_messages *messages, char **kept);

/* Adds to chosen prims (rlti_choose_prims) the materials that they, or prims above them, are bound to, with
 * what is below these and what their networks connect to. */
rlt_status rlti_take_looks(const rlti_stage *stage, unsigned char *take /* [prim_count] */,
                           rlt_messages *messages);

/* The same for prims that are known: takes each as a network, and the prims above it. */
rlt_status rlti_take_networks(const rlti_stage *stage, const int *roots, int count, unsigned char *take,
                              rlt_messages *messages);

/* 1 for a part of curves or faces with a look of its own. */
int rlti_is_subset(const rlti_prim *prim);

/* A material that a prim is bound to. */
typedef struct rlti_bound {
    char
        name[96]; /* of the relationship that says so directly: "material:binding", "material:binding:full" */
    int material; /* prim of the stage */
} rlti_bound;

enum { RLTI_BOUND = 16 }; /* purposes of one prim; USD has three, and physics */

/* Finds the materials of a prim as USD does, one for each purpose: bindings of prims above it and of
 * collections that it is in count where nothing nearer does, or where they say that they are stronger. */
rlt_status rlti_find_bound(const rlti_stage *stage, int prim, rlt_messages *messages,
                           rlti_bound list[RLTI_BOUND], int *count);

#endif

/* Scene files of other programs (USD, Alembic, .hair, .tfx, .obj): what is in one, and one into another. */
#ifndef RINGLET_FILES_H
#define RINGLET_FILES_H

#include <stddef.h>

#include "ringlet/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Unreal's groom_* attributes, in Alembic and USD. */
typedef enum rlt_unreal {
    RLT_UNREAL_NONE = 0,
    RLT_UNREAL_CACHE = 1, /* every frame: a groom cache */
    RLT_UNREAL_GROOM = 2  /* the first frame only: the groom itself */
} rlt_unreal;

/* ---- one format into another ---- */

/* Start from rlt_convert_defaults(). */
typedef struct rlt_convert_def {
    size_t size;             /* of this struct: sizeof */
    int has_first, has_last; /* only frames first..last: time codes in USD, seconds times frames in others */
    double first, last;
    int is_still;             /* 1: one frame only, the first of these, without a time */
    const char *prims;        /* "/Char/Hair*": these, what is below and the transforms above; NULL = all */
    double metres_per_unit;   /* [m] of one unit, where the file does not state it; 0 = the usual */
    char up_axis;             /* 'Y' or 'Z', where the file does not state it; 0 = the usual */
    int keep_axis;            /* 1: to Alembic, Z stays up; usually it becomes Y, as its readers expect */
    double frames_per_second; /* where the file does not say; 0 = from its samples, else 24 */
    rlt_unreal unreal;
    int no_velocities;
    const char *variants; /* of USD, in place of those the file chooses: "look=wet,size=long"; NULL = none */
    /* Called now and then with the share done, 0..1; not 0 stops with RLT_FAILED. May be NULL. */
    int (*progress)(double share, void *context);
    void *context;
} rlt_convert_def;

/* Sets all of it but its size to the defaults. */
rlt_status rlt_convert_def_reset(rlt_convert_def *def);
static inline rlt_convert_def rlt_convert_defaults(void) {
    rlt_convert_def def;
    def.size = sizeof def;
    rlt_convert_def_reset(&def);
    return def;
}

typedef struct rlt_convert_result {
    size_t size; /* of this struct: sizeof */
    int prims, attributes;
    long long samples; /* values written */
} rlt_convert_result;

/* Reads `from` (its format is found from its bytes) and writes `to` (by the name's ending: .usda .usdc .usd
 * .abc .hair .obj), value after value, with the memory of one value. Numbers are never changed, but
 * for pinned B-splines in Alembic, of which the joints are written, and the roots of what is turned; what the
 * target cannot hold is left out with a warning. `result` may be NULL. */
rlt_status rlt_convert(const char *from, const char *to, const rlt_convert_def *def, rlt_messages *messages,
                       rlt_convert_result *result);

/* ---- what is in a file ---- */

typedef struct rlt_file rlt_file;

/* The whole file in a few numbers. Texts belong to the rlt_file. */
typedef struct rlt_file_facts {
    size_t size;         /* of this struct: sizeof */
    const char *format;  /* "usda", "usdc", "usdz", "abc", "hair", "tfx", "obj" */
    const char *version; /* of the format or of the library that wrote it; may be "" */
    long long bytes;
    double metres_per_unit;       /* 0: the file does not say */
    char up_axis;                 /* 'Y', 'Z', or 0: the file does not say */
    double codes_per_second;      /* of the times; 1: they are seconds */
    double frames_per_second;     /* 0: the file does not say */
    double first_time, last_time; /* the file's own times */
    int prim_count;
    int default_prim; /* index, or -1 */
} rlt_file_facts;

typedef struct rlt_file_prim {
    size_t size; /* of this struct: sizeof */
    const char *path, *name;
    const char *kind;      /* "group", "xform", "curves", "mesh", "skeleton", "motion", "faces", "other" */
    const char *type_name; /* the file's own word */
    int parent;            /* index, or -1; parents come before children */
    const char *purpose;   /* "default", "render", "proxy", "guide" */
    int is_hidden;
    long long curves, faces, points;       /* at its first sample; -1 where it has none, or cannot be read */
    const char *curve_type, *basis, *wrap; /* of curves, else "" */
    const char *scheme;                    /* of meshes, else "": "none", "catmullClark", ... */
    int left_handed;
    int transform_samples; /* -1: no transform of its own; 0: it does not change */
    int attribute_count;
    int links; /* to other prims: material bindings, relationships, connections */
} rlt_file_prim;

typedef struct rlt_file_attribute {
    size_t size; /* of this struct: sizeof */
    const char *name;
    const char *class_name;    /* "built-in", "primvar", "custom" */
    const char *type;          /* "float3", "text[]", ... */
    const char *role;          /* "point", "vector", "normal", "colour", "texture", ... or "" */
    const char *interpolation; /* "constant", "uniform", "varying", "vertex", "faceVarying" */
    int is_indexed;            /* its values are chosen by indices */
    int has_default;           /* a value without a time */
    int samples;               /* values with a time */
    double first_time, last_time;
    long long values; /* at its first sample, -1 where it cannot be read */
    long long bytes;  /* of all its values, about: those of the first times their number */
    int element_size;
} rlt_file_attribute;

/* Reads the tree of a file, and of each attribute the first value. */
rlt_status rlt_file_open(const char *path, rlt_messages *messages, rlt_file **file);
/* The same with variants of USD in place of those the file chooses: "look=wet,size=long"; NULL = none. */
rlt_status rlt_file_open_as(const char *path, const char *variants, rlt_messages *messages, rlt_file **file);
void rlt_file_close(rlt_file *file);

/* Its contents: prims by number, and their attributes by number. The last two return 0 past the end,
 * and for a size that is not set. */
rlt_status rlt_file_get(const rlt_file *file, rlt_file_facts *facts);
int rlt_file_get_prim(const rlt_file *file, int prim, rlt_file_prim *found);
int rlt_file_get_attribute(const rlt_file *file, int prim, int attribute, rlt_file_attribute *found);

/* Reads every value once, one after the other, and adds their bytes up: what it costs to read a file. */
rlt_status rlt_file_read_all(const rlt_file *file, rlt_messages *messages, long long *bytes);

/* Checks every sample of curves and meshes for what a simulation would stumble over, and adds a warning for
 * each: counts that do not fit, points that are not finite, strands without length, topology that changes,
 * indices out of range. Values that cannot be read are errors, or warnings where rlt_convert leaves them out.
 * Returns how many problems there are; memory stays that of one sample. */
int rlt_file_problems(const rlt_file *file, rlt_messages *messages);

#ifdef __cplusplus
}
#endif

#endif

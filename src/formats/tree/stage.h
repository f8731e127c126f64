/* A file's contents, in no format's words: a tree of prims (transforms, curves, meshes, skeletons),
 * each with attributes, whose values are read when asked for.
 *
 * Names of attributes that every format knows are USD's (formats/README.md has the table): points,
 * velocities, normals, widths, extent, curveVertexCounts, faceVertexCounts, faceVertexIndices, holeIndices...
 * Other attributes that ride on the geometry (USD's primvars, Alembic's arbGeomParams) have their own names,
 * without a prefix.
 *
 * Times are the file's own: time codes in USD, seconds in Alembic. seconds = time / codes_per_second. */
#ifndef RLTI_FORMATS_TREE_STAGE_H
#define RLTI_FORMATS_TREE_STAGE_H

#include "formats/tree/array.h"
#include "io/inputs.h"

typedef enum rlti_prim_kind {
    RLTI_PRIM_GROUP, /* no geometry, no transform of its own (USD Scope, unknown types) */
    RLTI_PRIM_XFORM,
    RLTI_PRIM_CURVES,
    RLTI_PRIM_MESH,
    RLTI_PRIM_SKELETON,
    RLTI_PRIM_SKELETON_MOTION, /* USD's SkelAnimation */
    RLTI_PRIM_FACE_SET,        /* a named part of the parent mesh's faces */
    RLTI_PRIM_OTHER            /* cameras, lights, materials, points, ...: listed, not understood */
} rlti_prim_kind;

typedef enum rlti_curve_type { RLTI_CURVE_CUBIC, RLTI_CURVE_LINEAR, RLTI_CURVE_VARIABLE } rlti_curve_type;
typedef enum rlti_curve_basis {
    RLTI_BASIS_BEZIER,
    RLTI_BASIS_BSPLINE,
    RLTI_BASIS_CATMULL_ROM,
    RLTI_BASIS_HERMITE,
    RLTI_BASIS_POWER,
    RLTI_BASIS_NONE
} rlti_curve_basis;
typedef enum rlti_curve_wrap { RLTI_WRAP_NONPERIODIC, RLTI_WRAP_PERIODIC, RLTI_WRAP_PINNED } rlti_curve_wrap;

typedef enum rlti_scheme {
    RLTI_SCHEME_NONE, /* the polygons are the surface */
    RLTI_SCHEME_CATMULL_CLARK,
    RLTI_SCHEME_LOOP,
    RLTI_SCHEME_BILINEAR
} rlti_scheme;

typedef enum rlti_purpose {
    RLTI_PURPOSE_DEFAULT,
    RLTI_PURPOSE_RENDER,
    RLTI_PURPOSE_PROXY,
    RLTI_PURPOSE_GUIDE
} rlti_purpose;

/* Where on the geometry the values of an attribute belong. */
typedef enum rlti_interpolation {
    RLTI_CONSTANT,    /* one for the prim */
    RLTI_UNIFORM,     /* one per curve or face */
    RLTI_VARYING,     /* one per end of a curve's segment; of a mesh, one per vertex */
    RLTI_VERTEX,      /* one per point */
    RLTI_FACE_VARYING /* one per corner of a face */
} rlti_interpolation;

typedef enum rlti_attribute_class {
    RLTI_BUILT_IN, /* a name of the vocabulary above, formats/README.md */
    RLTI_PRIMVAR,  /* rides on the geometry */
    RLTI_CUSTOM    /* anything else the file has: kept, and carried through */
} rlti_attribute_class;

typedef struct rlti_attribute {
    const char *name;
    rlti_attribute_class class_;
    rlti_array_type type;
    rlti_interpolation interpolation;
    int element_size;    /* values per place, normally 1 (joint weights have more) */
    int indices;         /* index, in the same prim, of the attribute that indexes this one's values, or -1 */
    int is_index;        /* 1: it is such an index and nothing by itself */
    int is_uniform;      /* the file promises that it never changes (USD's `uniform`) */
    int has_default;     /* a value without a time (sample -1) */
    int sample_count;    /* values with a time */
    const double *times; /* [sample_count], increasing */
    const char *type_name; /* the file's own name of the type, for messages; may be "" */
    const char *origin;    /* Alembic: where a custom one stands, where that is not its usual place: from
                              the object or its schema down, "schema/.userProperties/xgen/seed"; else NULL */
    uint64_t where[2];     /* the reader's own */
} rlti_attribute;

typedef struct rlti_prim {
    const char *path;        /* "/Char/Hair" */
    const char *name;        /* its last part */
    const char *type_name;   /* the file's own word for what it is: "BasisCurves", "AbcGeom_Curve_v2" */
    const char *api_schemas; /* USD's applied schemas ("SkelBindingAPI GroomAPI"), or NULL; writers of USD
                                write them */
    const char *model, *doc; /* USD's `kind` ("component") and `doc`, or NULL */
    int parent;              /* index, or -1; parents come before children */
    rlti_prim_kind kind;
    rlti_purpose purpose; /* its own or inherited */
    int is_hidden;        /* invisible at the first time, itself or a parent */
    int is_hidden_above;  /* of these: only by a parent. Visibility that changes is an attribute as well:
                             `visibility`, "inherited" or "invisible" */
    /* curves */
    rlti_curve_type curve_type;
    rlti_curve_basis basis;
    rlti_curve_wrap wrap;
    /* meshes */
    int left_handed; /* faces are clockwise seen from outside; arrays are as in the file */
    rlti_scheme scheme;
    int first_attribute, attribute_count; /* in the stage's list */
    int has_transform;                    /* it has a transform of its own */
    int resets;        /* of these: transforms of parents do not count; in Alembic, at the first time, and */
    int resets_change; /* 1: that changes later */
    const double *transform_times; /* [transform_time_count] where that changes; 0: it does not */
    int transform_time_count;
    uint64_t where[2]; /* the reader's own */
} rlti_prim;

/* Metadata of a property that USD keeps, beside interpolation and element size: texts under the names of
 * rlti_usd_note_name (formats/usd/usd_layer.h), and the weight of an in-between shape. */
enum { RLTI_NOTES = 6 };
typedef struct rlti_notes {
    const char *texts[RLTI_NOTES]; /* NULL: not stated */
    int has_weight;
    double weight;
} rlti_notes;

/* A property of USD beside its values: a relationship, connections of an attribute, an attribute
 * without a value, metadata. Carried from USD to USD. */
typedef struct rlti_link {
    const char *name;      /* the file's own: "material:binding", "primvars:st", "inputs:roughness" */
    const char *type_name; /* "": a relationship */
    int is_uniform, is_custom;
    int has_value; /* it is an attribute of the prim, too */
    int target_count;
    const char *const *targets; /* paths of the stage: "/Looks/Hair", "/Looks/Hair/Map.outputs:rgb" */
    rlti_notes notes;
} rlti_link;

typedef struct rlti_stage rlti_stage;

/* One format's functions to read values; the stage's tree was made when it was opened. */
typedef struct rlti_stage_reader {
    const char *format; /* "usda", "usdc", "usdz", "abc", "hair", "tfx", "obj" */
    /* The value of an attribute: sample 0.. or -1 for the one without a time. Values that cannot be read are
     * RLT_BAD_INPUT with "FILE: /prim/path.attribute: what". Thread-safe where the arrays differ. */
    rlt_status (*read)(const rlti_stage *stage, const rlti_prim *prim, const rlti_attribute *attribute,
                       int sample, rlt_messages *messages, rlti_array *to);
    /* The prim's own transform at a time (row vectors, p' = p M), interpolated as the format says; *resets 1:
     * parents do not count. Only asked of prims with has_transform. */
    rlt_status (*transform)(const rlti_stage *stage, const rlti_prim *prim, double time,
                            rlt_messages *messages, double matrix[16], int *resets);
    /* Prims a relationship of the prim names ("skel:skeleton"), as indices; -1 where there is none. NULL: a
     * format without relationships. */
    int (*target)(const rlti_stage *stage, const rlti_prim *prim, const char *relationship);
    void (*close)(rlti_stage *stage); /* frees `own` */
    /* The prim's links, and how many. NULL: a format without them. */
    const rlti_link *(*links)(const rlti_stage *stage, const rlti_prim *prim, int *count);
} rlti_stage_reader;

/* In files that Ringlet has written, the mark of what they were made from: docs/design/checkpoint.md. */
#define RLTI_FINGERPRINT_KEY  "ringletFingerprint"
#define RLTI_FINGERPRINT_SIZE 17 /* 16 digits and the terminating zero */
/* .hair has no place for names: behind the end of its info text, in the last 24 of its 88 bytes. */
#define RLTI_HAIR_MARK    "ringlet:"
#define RLTI_HAIR_MARK_AT 64

struct rlti_stage {
    const rlti_stage_reader *reader;
    void *own;        /* the reader's */
    const char *file; /* as given, for messages */
    int prim_count;
    rlti_prim *prims; /* [prim_count] parents before children, in the order of the file */
    int attribute_count;
    rlti_attribute *attributes;   /* [attribute_count] prim after prim */
    double metres_per_unit;       /* 0: the file does not say (Alembic, .hair, .tfx, .obj) */
    double kilograms_per_unit;    /* of masses; 1 where the file does not say */
    char up_axis;                 /* 'Y', 'Z', or 0: the file does not say */
    int states_unit, states_axis; /* 0: what stands above is the format's usual one */
    double codes_per_second;      /* of times; 1 where they are seconds */
    double frames_per_second;     /* the file's hint, or 0 */
    double first_time, last_time; /* the range the file states, or that its samples have; 0, 0 when still */
    int default_prim;             /* index, or -1 */
    const char *doc;              /* USD's `doc` of the file, or NULL */
    const char *version;          /* "0.8.0" of a crate, "1.8.12" of an Alembic library; may be "" */
    const char *variants;         /* it was opened with; "": those it chooses itself */
    size_t file_bytes;
    rlt_inputs *inputs; /* the files it was read from */

    char fingerprint[RLTI_FINGERPRINT_SIZE]; /* of what Ringlet has made it from; "": nobody says */
};

/* Opens a file; the format is found from its first bytes, not from its name. Problems are RLT_BAD_INPUT with
 * "FILE: place: what"; things that are odd but harmless are warnings. */
rlt_status rlti_stage_open(const char *path, rlt_messages *messages, rlti_stage **stage);
/* The same with variants of USD that count before those the file chooses: "look=red,size=big", or "". */
rlt_status rlti_stage_open_as(const char *path, const char *variants, rlt_messages *messages,
                              rlti_stage **stage);
void rlti_stage_close(rlti_stage *stage);

/* The name of the format of these first bytes (at least 64 unless the file is shorter), or NULL. An HDF5
 * Alembic file is "hdf5". .obj has no mark of its own: it is text that starts with a known keyword. */
const char *rlti_stage_format(const unsigned char *bytes, size_t count);

/* Names what a file is that is no format read here, and the remedy: "a Git LFS pointer, ...", or NULL where
 * that is not known. */
const char *rlti_stage_foreign(const unsigned char *bytes, size_t count);

/* 1 when the path fits the pattern: * is any run of characters, ? any one, as in scenes. */
int rlti_path_fits(const char *path, const char *pattern);

/* The prim with this path, or -1. */
int rlti_stage_find(const rlti_stage *stage, const char *path);

/* The prim without a parent that this one is below, or itself. */
int rlti_stage_root(const rlti_stage *stage, int prim);

/* The prim's attribute of this class and name, or NULL. */
const rlti_attribute *rlti_stage_attribute(const rlti_stage *stage, const rlti_prim *prim,
                                           rlti_attribute_class class_, const char *name);

/* The primvar of this name on the prim (an index), or on the nearest parent that has it for the whole prim
 * (constant ones are inherited); NULL where there is none. *owner is the prim to read it with. */
const rlti_attribute *rlti_stage_primvar(const rlti_stage *stage, int prim, const char *name,
                                         const rlti_prim **owner);

/* The prim's links, in the order of the file; NULL, 0 where the format has none. */
const rlti_link *rlti_stage_links(const rlti_stage *stage, const rlti_prim *prim, int *count);
/* How many of them lead to other prims. */
int rlti_stage_count_links(const rlti_stage *stage, const rlti_prim *prim);

/* The value at any time: held outside the samples and for integers and texts; between two samples linear
 * for float types when both have the same count, else the earlier. Attributes with indices are not
 * flattened. Blocked or missing values give `blocked`. */
rlt_status rlti_stage_value(const rlti_stage *stage, const rlti_prim *prim, const rlti_attribute *attribute,
                            double time, rlt_messages *messages, rlti_array *to);

/* The same at one sample with its indices applied: one value per place. Lying indices are RLT_BAD_INPUT. */
rlt_status rlti_stage_flat(const rlti_stage *stage, const rlti_prim *prim, const rlti_attribute *attribute,
                           double time, rlt_messages *messages, rlti_array *to);

/* From the prim's space to the world at a time. */
rlt_status rlti_stage_world(const rlti_stage *stage, int prim, double time, rlt_messages *messages,
                            double matrix[16]);

/* 1 when it or a parent has a transform that changes over time. */
int rlti_stage_world_moves(const rlti_stage *stage, int prim);

/* The visibility of the prim or of the nearest one above it that changes over time, or NULL; *owner is the
 * prim (an index) to read it with. */
const rlti_attribute *rlti_stage_visibility(const rlti_stage *stage, int prim, int *owner);

/* 1 when visibility that changes, its own or a parent's, makes it invisible at this time. */
int rlti_stage_hides(const rlti_stage *stage, int prim, double time);

/* 0 when it or a parent is invisible at every time, 1 when it may be seen at some time. */
int rlti_stage_is_shown(const rlti_stage *stage, int prim);

/* As it stands in files. */
void rlti_fingerprint_text(uint64_t fingerprint, char text[RLTI_FINGERPRINT_SIZE]);

/* For readers: takes what the file says, where that can be a fingerprint. */
void rlti_stage_fingerprint(rlti_stage *stage, const char *text, size_t length);

/* For readers: builds the tree. Names and times are copied; functions return an index or -1 when out of
 * memory. Attributes belong to the prim added last. */
rlti_stage *rlti_stage_create(const char *file, const rlti_stage_reader *reader, void *own);
int rlti_stage_add_prim(rlti_stage *stage, const rlti_prim *prim);
int rlti_stage_add_attribute(rlti_stage *stage, const rlti_attribute *attribute);
/* A copy of a text that lives as long as the stage; NULL when out of memory. */
const char *rlti_stage_text(rlti_stage *stage, const char *text);

#endif

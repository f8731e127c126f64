/* The checked description of one scene, as plain data. Filled only by scene/ (from the schema table), read by
 * everybody after it. Units: one length unit is `metres_per_unit` metres (1 cm by default), seconds, and mass
 * in units of one hair particle on a 1-unit segment (docs/design/units.md). */
#ifndef RLTI_SCENE_SCENE_DATA_H
#define RLTI_SCENE_SCENE_DATA_H

#include <math.h>
#include <stdint.h>

#define RLTI_NAME_SIZE  64
#define RLTI_RAMP_KNOTS 16
#define RLTI_PLACE_SIZE 288
#define RLTI_NAMES_MAX  16
#define RLTI_FILE_SIZE  512
#define RLTI_PATH_SIZE  4096
#define RLTI_KEYS_MAX   256
#define RLTI_TRACK_MAX  64
#define RLTI_FRAMES_MAX 64

/* The word `auto` in the place of a number, which is always finite. */
#define RLTI_AUTO (-HUGE_VAL)

/* A list of names. */
typedef struct rlti_names {
    int count;
    char name[RLTI_NAMES_MAX][RLTI_NAME_SIZE];
} rlti_names;

/* A value along a strand: piecewise linear through (position, value), position 0 at the root and 1 at the tip
 * (fraction of the rest length), increasing; constant beyond the first and last knot. Or a map: an attribute
 * of the groom's file gives it, strand by strand or point by point; then only groom/maps.c knows it. */
typedef struct rlti_ramp {
    int count;
    double position[RLTI_RAMP_KNOTS];
    double value[RLTI_RAMP_KNOTS];
    char attribute[RLTI_NAME_SIZE]; /* of the groom, or "": no map */
    double scale, offset;           /* of a map: value = scale * attribute + offset */
} rlti_ramp;

double rlti_ramp_at(const rlti_ramp *ramp, double position);

/* A value over time: piecewise linear through (frame, value), frames increasing; constant before the first
 * key and after the last. */
typedef struct rlti_track {
    int count; /* at least 1 */
    double key[RLTI_TRACK_MAX][2];
} rlti_track;

double rlti_track_at(const rlti_track *track, double frame);

/* Some frames, increasing. */
typedef struct rlti_frames {
    int count;
    int frame[RLTI_FRAMES_MAX];
} rlti_frames;

int rlti_frames_has(const rlti_frames *frames, int frame);

typedef enum rlti_character_kind {
    RLTI_CHARACTER_NONE,
    RLTI_CHARACTER_HEAD,
    RLTI_CHARACTER_HORSE,
    RLTI_CHARACTER_FILE,
    RLTI_CHARACTER_BALL
} rlti_character_kind;

/* A rigid motion by keys: frame, then shift [unit] and turn [degrees about x, y, z, in this order]. */
typedef struct rlti_keys {
    int count;
    double key[RLTI_KEYS_MAX][7];
} rlti_keys;

/* Which of a file's curves are simulated. */
typedef enum rlti_guides { RLTI_GUIDES_AUTO, RLTI_GUIDES_ALL, RLTI_GUIDES_ONLY, RLTI_GUIDES_NOT } rlti_guides;

/* How roots from a file find their place on the body. */
typedef enum rlti_bind { RLTI_BIND_AUTO, RLTI_BIND_UV, RLTI_BIND_CLOSEST, RLTI_BIND_NONE } rlti_bind;

/* Rest shape of curves from a file: their rest attribute where there is one, or their points. */
typedef enum rlti_rest { RLTI_REST_FILE, RLTI_REST_POINTS } rlti_rest;

/* How files that do not state it are to be read. */
typedef struct rlti_files_data {
    double metres_per_unit;        /* of files that do not say; 0: the scene's */
    int up;                        /* the same: 0 Y, 1 Z */
    double time_offset;            /* file seconds = frame / fps + this */
    char variants[RLTI_FILE_SIZE]; /* of USD files, "look=red,size=big" */
} rlti_files_data;

/* Named regions of the generated characters' meshes, in the order of their bits. */
#define RLTI_HEAD_REGIONS                                                                                    \
    "all", "scalp", "top", "front", "left", "right", "back", "nape", "face", "neck", "shoulders"
#define RLTI_BALL_REGIONS "all"
#define RLTI_HORSE_REGIONS                                                                                   \
    "all", "body", "mane", "forelock", "tail", "fetlocks_front", "fetlocks_rear", "head", "neck", "legs",    \
        "hooves"

typedef enum rlti_motion_kind {
    RLTI_MOTION_STILL,
    RLTI_MOTION_WALK,
    RLTI_MOTION_CALISTHENICS,
    RLTI_MOTION_STOP,
    RLTI_MOTION_SPIN,
    RLTI_MOTION_FLIP,
    RLTI_MOTION_SIDESTEP,
    RLTI_MOTION_SHAKE,
    RLTI_MOTION_WALK_SHAKE,
    RLTI_MOTION_KEYS
} rlti_motion_kind;

/* Why this character cannot do this motion, or NULL. */
const char *rlti_motion_refusal(rlti_character_kind character, rlti_motion_kind motion);

typedef enum rlti_style {
    RLTI_STYLE_STRAIGHT,
    RLTI_STYLE_WAVY,
    RLTI_STYLE_HELIX,
    RLTI_STYLE_COIL
} rlti_style;

typedef enum rlti_formulation { RLTI_VARIATIONAL, RLTI_PAPER } rlti_formulation;

/* How the Rod steps, and which gradient of its energy it takes: docs/design/rod.md. */
typedef enum rlti_rod_integration { RLTI_ROD_EULER, RLTI_ROD_MIDPOINT } rlti_rod_integration;
typedef enum rlti_rod_root { RLTI_ROD_HELD, RLTI_ROD_FREE } rlti_rod_root;
typedef enum rlti_rod_gradient { RLTI_ROD_EXACT, RLTI_ROD_PRINTED } rlti_rod_gradient;

/* Moduli that a material may have: jelly, diamond [Pa]. */
#define RLTI_MODULUS_MIN   1e3
#define RLTI_MODULUS_MAX   2e12
#define RLTI_YOUNG_REFUSAL "no material is outside 1e3..2e12 Pa; hair has 4e9 (4 GPa are 4e9)"
#define RLTI_SHEAR_REFUSAL "no material is outside 1e3..2e12 Pa; hair has 1.5e9 (1.5 GPa are 1.5e9)"
#define RLTI_SHEAR_WARNING                                                                                   \
    "above half of rod.young a material has a Poisson's ratio below 0; hair has 1.5e9 beside 4e9"

/* Radii of one hair [um]: others are refused, or may be in other units than they seem. */
#define RLTI_RADIUS_MIN     1e-3
#define RLTI_RADIUS_MAX     1e7
#define RLTI_RADIUS_REFUSAL "no hair is outside 1e-3..1e7 micrometres; real hair has 20 to 100"
#define RLTI_RADIUS_THIN    1.0
#define RLTI_RADIUS_THICK   1e4
#define RLTI_RADIUS_WARNING "is in micrometres; real hair has 20 to 100"

/* The Rod's material, as of one hair in SI, and its steps. */
typedef struct rlti_rod_data {
    rlti_ramp radius;    /* of a circle of the section's area [um] */
    double eccentricity; /* of the section, 0: a circle */
    double wet;          /* 0: dry, 1: soaked */
    rlti_ramp young;     /* [Pa] */
    rlti_ramp shear;     /* [Pa] */
    double density;      /* [kg/m^3] */
    double hairs;        /* that a strand stands for: mass and stiffness alike */
    rlti_ramp damping;   /* of every strain, as a multiple of its stiffness [s] */
    int steps;           /* per frame */
    int iterations;      /* of Newton in a step, at most */
    double tolerance;    /* last correction / mean segment that ends them; 0: all iterations */
    rlti_rod_integration integration;
    rlti_rod_gradient gradient;
    rlti_rod_root root; /* free: nothing holds the strand */
    /* 1: it has no material, or no damping, of its own, or Taz's was given later: that is converted */
    int converted, damping_converted;
    char reason[RLTI_PLACE_SIZE]; /* why it is converted, for its note */
} rlti_rod_data;

/* Which part of the energy's second derivative the Coil's matrix has: docs/design/coil.md. */
typedef enum rlti_coil_matrix {
    RLTI_COIL_FILTERED,
    RLTI_COIL_FILTERED_STRETCH,
    RLTI_COIL_GAUSS_NEWTON,
    RLTI_COIL_UNFILTERED
} rlti_coil_matrix;

/* The Coil's values besides those of the material and the steps, which it shares with the Rod. */
typedef struct rlti_coil_data {
    rlti_ramp stretch, bend, torsion; /* stiffness over that of one hair of the material */
    rlti_coil_matrix matrix;
} rlti_coil_data;

/* How a groom is kept from sagging under its weight: shape/sag.h. */
typedef enum rlti_tie_style { RLTI_TIE_NONE, RLTI_TIE_PONYTAIL, RLTI_TIE_BUN } rlti_tie_style;

/* Generated hair gathered at one place of the head, and held there. */
typedef struct rlti_tie_data {
    rlti_tie_style style;
    double position[3]; /* in the rest pose [unit] */
    double radius;      /* of the tie [unit] */
    double size;        /* radius of a bun [unit] */
    double share;       /* of the strands, those that grow highest */
} rlti_tie_data;

typedef enum rlti_sag_mode { RLTI_SAG_OFF, RLTI_SAG_PRELOAD, RLTI_SAG_SOLVE, RLTI_SAG_AUTO } rlti_sag_mode;
typedef enum rlti_sag_mass { RLTI_SAG_SUMMED, RLTI_SAG_POINT } rlti_sag_mass;

typedef struct rlti_sag_data {
    rlti_sag_mode mode;
    double amount;      /* c of the preload */
    rlti_sag_mass mass; /* of the preload: of all points beyond, or of one */
    double limit;   /* of the solve: longest target, as a multiple of its edge, before bending is stiffened */
    double stiffen; /* greatest factor on bending stiffness */
    int check;      /* whether stability is checked */
} rlti_sag_data;

/* Role of a hair section: hair that is simulated, or a shape that other hair changes to. */
typedef enum rlti_hair_role { RLTI_ROLE_HAIR, RLTI_ROLE_SHAPE } rlti_hair_role;

/* Where a rest shape that moves comes from: the curves of the groom's file as they are there, posed with the
 * body or in the rest pose. */
typedef enum rlti_reshape_curves {
    RLTI_RESHAPE_OFF,
    RLTI_RESHAPE_POSED,
    RLTI_RESHAPE_REST
} rlti_reshape_curves;

/* How the rest shape changes over time: shape/reshape.h. */
typedef struct rlti_reshape_data {
    rlti_reshape_curves curves;
    int scale;                   /* 1: lengths follow the size of the skin */
    char groom[RLTI_NAME_SIZE];  /* section of role shape that it is blended with, or "" */
    rlti_track blend;            /* its share over frames, 0..1 */
    char place[RLTI_PLACE_SIZE]; /* "file:line:column" of the other's name */
} rlti_reshape_data;

/* How hair meets hair: by springs, or solved with the strands' elasticity (models that are implicit). */
typedef enum rlti_contact_method { RLTI_CONTACT_SPRINGS, RLTI_CONTACT_SOLVE } rlti_contact_method;

/* Springs between points that are near each other in the groom (contact/link): read where contacts are
 * solved. Pairs of two sections take the mean of both sections' values. */
typedef struct rlti_link_data {
    int count;                   /* of a point, at most; 0: none */
    double reach;                /* distance in the groom, at most [unit] */
    double self;                 /* the same hair, where it is longer than this in between [unit]; 0: never */
    rlti_ramp stretch_stiffness; /* acceleration a distance [1/s^2] */
    rlti_ramp compress_stiffness; /* [1/s^2] */
    double stretch_damping;       /* as a multiple of the stiffness [s] */
    double compress_damping;      /* [s] */
    double fade; /* distance at which the pull is gone, as a multiple of the reach; 0: it does not fade */
} rlti_link_data;

/* How strands give way while forces of contacts are found: contact/couple. */
typedef enum rlti_contact_block { RLTI_BLOCK_LUMPED, RLTI_BLOCK_WHOLE } rlti_contact_block;

typedef enum rlti_contact_groom { RLTI_GROOM_KEEP, RLTI_GROOM_PUSH } rlti_contact_groom;

typedef enum rlti_collider_kind {
    RLTI_COLLIDER_SPHERE,
    RLTI_COLLIDER_CAPSULE,
    RLTI_COLLIDER_BODY,
    RLTI_COLLIDER_MESH
} rlti_collider_kind;

/* Which sides of a mesh are outside. */
typedef enum rlti_sides { RLTI_SIDES_AUTO, RLTI_SIDES_ONE, RLTI_SIDES_TWO } rlti_sides;

/* Treatment of points that are groomed inside a collider. */
typedef enum rlti_inside { RLTI_INSIDE_LEAVE, RLTI_INSIDE_PUSH } rlti_inside;

/* The bones of the generated characters; `none` is fixed in the world. The head has torso, neck and head, the
 * horse has all of them. Each leg is upper (from shoulder or hip), lower (from elbow or stifle), cannon (from
 * knee or hock), foot (from fetlock), in this order. */
typedef enum rlti_bone {
    RLTI_BONE_NONE,
    RLTI_BONE_TORSO,
    RLTI_BONE_NECK,
    RLTI_BONE_HEAD,
    RLTI_BONE_HIPS,
    RLTI_BONE_TAIL,
    RLTI_BONE_FRONT_LEFT, /* its upper bone */
    RLTI_BONE_FRONT_RIGHT = RLTI_BONE_FRONT_LEFT + 4,
    RLTI_BONE_REAR_LEFT = RLTI_BONE_FRONT_RIGHT + 4,
    RLTI_BONE_REAR_RIGHT = RLTI_BONE_REAR_LEFT + 4,
    RLTI_BONE_COUNT = RLTI_BONE_REAR_RIGHT + 4
} rlti_bone;

#define RLTI_LEG_BONES(leg) leg "_upper | " leg "_lower | " leg "_cannon | " leg "_foot"
/* The same as words of the scene file. */
#define RLTI_BONES                                                                                           \
    "none | torso | neck | head | hips | tail | " RLTI_LEG_BONES("front_left") " | " RLTI_LEG_BONES(         \
        "front_right") " | " RLTI_LEG_BONES("rear_left") " | " RLTI_LEG_BONES("rear_right")

/* The body in the preroll: hold its first pose, or go over to it from the rest pose. */
typedef enum rlti_preroll_pose { RLTI_PREROLL_FIRST, RLTI_PREROLL_EASE } rlti_preroll_pose;

/* Steps that the scene does not give: chosen from the stiffness, or the defaults whatever that is. */
typedef enum rlti_steps { RLTI_STEPS_AUTO, RLTI_STEPS_FIXED } rlti_steps;

typedef struct rlti_time_data {
    double fps;      /* frames per second */
    int first, last; /* frames simulated and written, inclusive */
    int preroll;     /* frames simulated before `first` with the body held in its first pose, not written */
    rlti_preroll_pose preroll_pose;
    int outer_steps; /* per frame: collisions and contacts are found once in each; the Rod's where all hair is
                      * such */
    int force_steps; /* per outer step */
    int damping_steps;                       /* per force step */
    char force_steps_place[RLTI_PLACE_SIZE]; /* "file:line:column" of the value, or just the file */
    char damping_steps_place[RLTI_PLACE_SIZE];
    rlti_steps steps;                         /* whether those that are not given may be chosen */
    unsigned char force_given, damping_given; /* 1: by the scene, so that they count as they are */
} rlti_time_data;

typedef struct rlti_wind_data {
    double velocity[3];       /* steady part [unit/s] */
    double gust_strength;     /* relative swing of the steady part, 0 = none */
    double gust_period;       /* [s] */
    double turbulence;        /* rms speed of the turbulent part [unit/s] */
    double turbulence_length; /* size of the largest eddies [unit] */
    int seed;
    rlti_track strength; /* factor on all of it over frames */
} rlti_wind_data;

/* How roots turn with deforming skin: body/root_frame.h. */
typedef enum rlti_root_frames { RLTI_ROOTS_AUTO, RLTI_ROOTS_BEST_FIT, RLTI_ROOTS_CROSS } rlti_root_frames;

typedef struct rlti_character_data {
    rlti_character_kind kind;
    int resolution;            /* fineness of the mesh */
    double strap;              /* its height over the skin of the head's bust [unit]; 0: none */
    double position[3];        /* where the character stands [unit] */
    double scale;              /* 1 = an adult head of about 23 units, a horse of 160 at the withers */
    char file[RLTI_FILE_SIZE]; /* of a body from a file */
    char prim[RLTI_FILE_SIZE]; /* its mesh: a path, a pattern, or "": the only one */
    int subdivide;             /* times a subdivision cage is smoothed */
    rlti_keys keys;            /* moves a body from a file, on top of what the file says */
    rlti_root_frames root_frames;
    double jump;      /* all of it moving further than this in a frame is a jump [unit]; 0: never */
    rlti_frames cuts; /* it has jumped there since the frame before, however far */
    char file_place[RLTI_PLACE_SIZE];
    const struct rlti_mesh *given; /* a caller's body, instead of all this; NULL: none. Not from a scene */
} rlti_character_data;

/* Parts that keys turn: the head on its neck, or the whole character. */
typedef enum rlti_pivot { RLTI_PIVOT_NECK, RLTI_PIVOT_TORSO } rlti_pivot;

typedef struct rlti_motion_data {
    rlti_motion_kind kind;
    double amount;    /* scales the amplitude of walk, calisthenics, flip and sidestep, 1 = natural */
    double speed;     /* forward speed of the walk [unit/s] */
    double stop_g;    /* deceleration of the stop, in multiples of 9.81 m/s^2 */
    double spin;      /* turns per second of the spin */
    double start;     /* seconds from the first frame to the beginning of the motion, < 0: before it */
    rlti_track brows; /* raised by this over the frames [unit] */
    rlti_keys keys;   /* of kind keys: shift of the whole, turn about the pivot */
    rlti_pivot pivot;
    char file[RLTI_FILE_SIZE];        /* of the keys, instead of `keys`; "": there is none */
    char file_place[RLTI_PLACE_SIZE]; /* of motion.file, or of motion.keys */
} rlti_motion_data;

/* One strand given point by point in the scene file (rest pose, world space). */
typedef struct rlti_strand_data {
    int point_count;
    double *points; /* [point_count][3] */
} rlti_strand_data;

/* Strands of a caller's, not from a scene. */
typedef struct rlti_given_groom {
    int strand_count, point_count;
    const int *counts;     /* [strand_count] */
    const double *points;  /* [point_count][3] rest pose, world */
    const double *widths;  /* [point_count] or NULL */
    const int *triangles;  /* [strand_count] of the body; -1: none; NULL: the closest */
    const double *weights; /* [strand_count][3] or NULL: of the closest point on it */
} rlti_given_groom;

typedef enum rlti_fill_blend {
    RLTI_FILL_CURLS,
    RLTI_FILL_POINTS,
    RLTI_FILL_WISPS,
    RLTI_FILL_LOCKS
} rlti_fill_blend;

/* How guides become many hairs in pictures: rlt_fill_def (ringlet/fill.h) as a scene says it. */
typedef struct rlti_fill_data {
    rlti_fill_blend blend;
    int count, points, neighbours, outside, seed, locks, full;
    double per_guide, spread, parting, clump, clump_start, wisp_radius, wisp_tip, phase, length_variation,
        noise, noise_length, width, tip, clump_large, clump_small, lock_radius, frizz, frizz_length, strays,
        hairline, tip_start;
} rlti_fill_data;

/* Material of hair in pictures: rlt_render_hair (ringlet/render.h). */
typedef struct rlti_look_data {
    double eumelanin, pheomelanin, roughness, roughness_around, tilt, variation;
    double dye[3]; /* black: none */
} rlti_look_data;

/* Camera, light and surroundings of pictures: parts of rlt_render_def. */
typedef struct rlti_picture_data {
    double azimuth, elevation, margin, field_of_view, aperture, focus, exposure;
    double eye[3], target[3]; /* the same: found from the above */
    double key, fill, rim;    /* factors on the lights */
    double skin[3], background_top[3], background_bottom[3];
    int hair_only, body, ground, exact, bounces;
} rlti_picture_data;

typedef struct rlti_hair_data {
    char name[RLTI_NAME_SIZE];
    char preset[RLTI_NAME_SIZE]; /* the preset the values started from, or "" */

    /* groom: where strands grow and what they look like at rest */
    char region[RLTI_NAME_SIZE]; /* region of the character's mesh, or "none": roots hang on the head bone */
    rlti_hair_role role;
    rlti_style style;
    int count;               /* strands; 0 = from density */
    int total_points;        /* exact total over all strands, 0 = from length and segment */
    double density;          /* strands per square unit, used when count is 0 */
    double length;           /* arc length along the strand [unit] */
    double length_variation; /* relative, uniform in +- this */
    double segment; /* rest segment length aimed at [unit]; ignored where points_per_turn > 0 or total_points
                       > 0 */
    double radius;  /* of the curl [unit] */
    double pitch;   /* advance per turn along the curl's axis [unit] */
    double points_per_turn; /* 0 = from segment */
    double taper;           /* relative loss of curl radius from root to tip, 0..1 */
    double straight_root;   /* fraction of the length over which the curl fades in from the root, 0..1 */
    double variation;       /* relative per-strand variation of radius, pitch and phase, 0..1 */
    double fall;            /* how far the strand's axis turns from the scalp normal towards down, 0..1 */
    double comb;            /* how far it lies along the character's comb direction, 0..1 */
    double wander;          /* how far the middle line strays, 0..1 */
    rlti_tie_data tie;
    double direction[3]; /* axis of growth for region none */
    double spacing;      /* distance between roots for region none [unit] */
    int seed;
    int strand_count; /* strands given inline; when > 0 they replace the generator */
    rlti_strand_data *strands;
    const struct rlti_given_groom *given_groom; /* a caller's strands, instead of these; NULL: none */

    /* groom from a file */
    char file[RLTI_FILE_SIZE]; /* "": none */
    char prim[RLTI_FILE_SIZE]; /* its curves: a path, a pattern, or "": all */
    rlti_guides guides;
    int group; /* curves of this groom_group_id only; -1: all */
    rlti_rest rest;
    int resample;            /* points per strand; 0: the curves' own */
    double resample_segment; /* [unit]; 0: the curves' own points */
    double cut;              /* strands longer than this are cut to it [unit]; 0: none */
    double segment_floor;    /* shorter segments count as this share of the prim's median */
    rlti_bind bind;
    double bind_limit;          /* warns of roots further from the body than this [unit] */
    char model[RLTI_NAME_SIZE]; /* the strand model */
    char model_place[RLTI_PLACE_SIZE];
    char file_place[RLTI_PLACE_SIZE];

    /* material, stated for 1-unit segments; ramps run from root to tip */
    rlti_formulation formulation;
    rlti_ramp mass;
    rlti_ramp stretch_stiffness;  /* k_s */
    rlti_ramp stretch_damping;    /* c_s */
    double stretch_limit;         /* longest edge allowed, as a multiple of its rest length; 0 = off */
    double velocity_limit;        /* greatest speed difference across a 1-unit edge [unit/s]; 0 = off */
    double bend_smoothing;        /* alpha_b [unit] */
    rlti_ramp bend_stiffness;     /* k_b */
    rlti_ramp bend_damping;       /* c_b */
    double core_smoothing;        /* alpha_c [unit] */
    rlti_ramp core_stiffness;     /* k_c at rest length */
    rlti_ramp core_stiffness_max; /* k_c at full curl stretch */
    rlti_ramp core_damping;       /* c_c at rest length */
    rlti_ramp core_damping_max;   /* c_c at full curl stretch */
    double core_blend[2];         /* curl stretch L/Lbar at which the rise to the maximum begins and ends */
    rlti_ramp drag;               /* air drag rate [1/s]: acceleration = drag * (wind - velocity) */

    rlti_rod_data rod;
    rlti_coil_data coil;
    /* 1: by the scene or its preset, so that what a groom's file has (groom/import_physics.c) does not count;
     * stretch is the Coil's */
    struct {
        unsigned char mass, radius, young, shear, density, stretch;
    } given;
    rlti_sag_data sag;
    rlti_reshape_data reshape;

    /* collision with bodies */
    int collide;              /* on or off for this hair */
    rlti_inside inside;       /* what points that are groomed inside a collider do */
    rlti_names groups;        /* of the colliders it meets; none: all of them */
    rlti_names except;        /* colliders it does not meet, by name */
    double thickness;         /* hair stays this far from surfaces [unit] */
    double collide_stiffness; /* penalty, as acceleration per depth [1/s^2] */
    double collide_damping;   /* normal damping rate [1/s] */
    double friction;          /* Coulomb coefficient against bodies */
    double width;             /* drawn diameter [unit], written to files */

    /* contacts between hairs; pairs of two sections take the mean of both sections' values */
    int contact;                         /* on or off for this hair */
    char contact_group[RLTI_NAME_SIZE];  /* hairs touch within a group only */
    rlti_ramp contact_radius;            /* r_i: half the width of the volume a point stands for [unit] */
    char contact_place[RLTI_PLACE_SIZE]; /* of the radius */
    double contact_stiffness;            /* of the contact spring [mass/s^2] */
    double contact_damping;              /* of the contact spring [mass/s] */
    double contact_ramp;                 /* time over which the stiffness of a new contact rises [s] */
    double contact_break;           /* distance at which it breaks, as a multiple of the touching distance */
    double contact_cling;           /* pull of a contact that is coming apart, as a share of the spring's */
    double contact_friction;        /* Coulomb coefficient between hairs */
    double contact_static_friction; /* the same where they do not slide yet, or RLTI_AUTO */
    double contact_charge;          /* static charge: greatest repulsion of two particles [mass unit/s^2] */
    double contact_charge_range;    /* where it ends, as a multiple of the touching distance */
    rlti_contact_method contact_method;
    rlti_contact_groom contact_groom; /* what spheres that overlap in the groom do */
    rlti_link_data link;

    /* pruning of contacts (Taz paper sections 4.1 and 4.2) */
    int prune_particles;   /* on or off */
    double prune_sparsity; /* s of equation 6 */
    int prune_pairs;       /* on or off */
    double prune_reach;    /* r_c: radii are multiplied by this to find pairs of hairs that may meet */
    int prune_touches;     /* n_t: sphere contacts at that reach needed for a pair to be kept */
    double prune_random;   /* fraction of the remaining pairs left out at random */
    int prune_seed;

    /* pictures; no effect on the motion */
    rlti_fill_data fill;
    rlti_look_data look;
} rlti_hair_data;

typedef struct rlti_collider_data {
    char name[RLTI_NAME_SIZE];
    rlti_collider_kind kind;
    rlti_bone bone;     /* moves with this bone; positions below are in the rest pose */
    double position[3]; /* sphere centre, capsule start [unit] */
    double end[3];      /* capsule end [unit] */
    double radius;      /* [unit] */
    int enabled;        /* off: as if it were not there */
    char group[RLTI_NAME_SIZE];
    char file[RLTI_FILE_SIZE]; /* a mesh's file, or a numbered sequence: "body.####.obj" */
    char prim[RLTI_FILE_SIZE]; /* the mesh in it: a path, a pattern, or "": the only one */
    int subdivide;             /* times a subdivision cage is smoothed */
    rlti_sides sides;          /* of a mesh */
    char file_place[RLTI_PLACE_SIZE];
} rlti_collider_data;

/* Holds of points of hair (docs/design/constraints.md). */
typedef enum rlti_constraint_kind {
    RLTI_CONSTRAINT_CENTROID,
    RLTI_CONSTRAINT_SCALP,
    RLTI_CONSTRAINT_PIN,
    RLTI_CONSTRAINT_ATTACH,
    RLTI_CONSTRAINT_TIPS,
    RLTI_CONSTRAINT_BOUND,
    RLTI_CONSTRAINT_BLEND,
    RLTI_CONSTRAINT_POSE,
    RLTI_CONSTRAINT_FREEZE,
    RLTI_CONSTRAINT_FIELD
} rlti_constraint_kind;

/* Where pins, blends and poses have points: the groom carried by the root, the curves of the groom's file, or
 * another groom, carried by the root. Auto: the groom, but for blends the file's curves where these move. */
typedef enum rlti_target {
    RLTI_TARGET_AUTO,
    RLTI_TARGET_GROOM,
    RLTI_TARGET_FILE,
    RLTI_TARGET_SHAPE
} rlti_target;

/* How an object holds points: as the groom has them, or anywhere inside it. */
typedef enum rlti_grip { RLTI_GRIP_GROOM, RLTI_GRIP_INSIDE } rlti_grip;

typedef struct rlti_constraint_data {
    char name[RLTI_NAME_SIZE];
    rlti_constraint_kind kind;
    int enabled;

    /* which points: all of these must hold; roots are never chosen */
    rlti_names hair;             /* sections by name; none: all */
    char region[RLTI_NAME_SIZE]; /* of the body, that the root grows on; "": anywhere */
    int first_strand;            /* counted in each hair section */
    int last_strand;             /* inclusive, -1: the last one */
    double along[2];             /* part of the rest length, 0 root to 1 tip */
    rlti_ramp ramp;              /* 0..1: factor on the stiffness; points where it is 0 are not chosen */

    int hard;          /* 1: reached in every force step; 0: a spring */
    double stiffness;  /* acceleration per distance [1/s^2] */
    double damping;    /* multiple of critical damping */
    rlti_track weight; /* factor on the stiffness over frames; 0: as if it were not there */
    double speed;      /* a point is drawn back at most this fast [unit/s] */

    /* of single kinds */
    char scalp[RLTI_NAME_SIZE];  /* region of the body that is the scalp; "": scalp where there is one, else
                                    all */
    rlti_target target;          /* of pins, blends and poses */
    char shape[RLTI_NAME_SIZE];  /* the other groom */
    char object[RLTI_NAME_SIZE]; /* the collider that points are attached to, or kept off */
    rlti_grip grip;              /* how it holds them */
    double range;                /* of a field [unit] */
    char part[RLTI_NAME_SIZE];   /* region of a body that is the field's object; "": all of it */
    double touch;                /* tips nearer than this multiple of the touching distance are tied */
    int neighbours;              /* maximum of ties of one tip */
    double bounds[2];            /* of a distance, as multiples of the groomed one */
    int frame;                   /* when a pose is to be reached */
    double lead, stay, release;  /* [frames] before it, at it, and letting go */
    double ball[4];              /* of ties, not in the file: only points in this ball; radius 0: anywhere */

    char place[RLTI_PLACE_SIZE]; /* "file:line:column" */
} rlti_constraint_data;

/* 1 when hair sections of this name are meant. */
int rlti_constraint_chooses(const rlti_constraint_data *constraint, const char *hair);

typedef struct rlti_scene_data {
    char title[256];
    char folder[RLTI_PATH_SIZE]; /* of the scene's file, with the slash, or "": other files are relative to it
                                  */
    double metres_per_unit;
    double gravity[3]; /* [unit/s^2] */
    rlti_time_data time;
    rlti_wind_data wind;
    rlti_files_data files;
    rlti_character_data character;
    rlti_motion_data motion;
    int hair_count;
    rlti_hair_data *hair;
    int collider_count;
    rlti_collider_data *colliders;
    int constraint_count;
    int implied_count; /* of these, the last: made from hair.tie, and no sections of a file */
    rlti_constraint_data *constraints;
    rlti_contact_block contact_block;
    int contact_newton, contact_early, contact_iterations, contact_sweeps, contact_self;
    double contact_tolerance, contact_compliance;
    double contact_margin; /* pairs of points so far out of reach are listed [unit], or RLTI_AUTO */
    int check_steps;       /* refuse steps too long for the stiffness */
    double coarse; /* cells of the bodies' grids are so many times larger, and with one step a frame they are
                    * of that instant alone; 0: neither. Of no file: for live */
    double speed_limit;   /* health: a point faster than this has diverged [unit/s] */
    double stretch_alarm; /* health: an edge longer than this multiple of its rest length has diverged */
    rlti_picture_data picture;
} rlti_scene_data;

/* A hair section by its name, or -1. */
int rlti_hair_named(const rlti_scene_data *scene, const char *name);

/* The data behind a public scene handle. */
struct rlt_scene;
const rlti_scene_data *rlti_scene_get(const struct rlt_scene *scene);
/* rlti_scene_data.coarse, of it and of all that are changed from it. */
void rlti_scene_set_coarse(struct rlt_scene *scene, double coarse);

/* The file name messages should quote. */
const char *rlti_scene_file(const struct rlt_scene *scene);

#endif

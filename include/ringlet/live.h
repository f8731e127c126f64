/* Live: a simulation that follows what its caller does, one step at a time: a game's character, a plug-in's
 * viewport, a head that is dragged with the mouse.
 *
 * A live simulation is an rlt_simulation, so everything that reads one (view, statistics, diagnostics, fills,
 * pictures) reads it, too. It is built from a scene's values and, where the caller has them, from its own
 * arrays of hair and body:
 *
 *     rlt_live_def def = rlt_live_defaults();
 *     def.scene = scene;
 *     def.body = &body;
 *     def.groom = &groom;
 *     rlt_live_create(&def, messages, &simulation);
 *     for (;;) {
 *         rlt_simulation_move_vertices(simulation, &vertices, messages);   // where the body is at the end
 *         rlt_simulation_step(simulation, 1.0 / 60.0, messages);           // of this step
 *         rlt_simulation_read(simulation, RLT_READ_POINTS, &points, messages);
 *     }
 *
 * Time passes in ticks of 1 / time.fps of the scene, each with the scene's own steps inside, so that the
 * same motion gives the same bytes whatever a machine's frame rate is. The rlt_simulation_move_* functions
 * say where things are at the end of the next step, and hold until they are called again; what was never
 * moved does what the scene says. What is wrong is refused with a message and RLT_BAD_INPUT, and nothing has
 * changed then: numbers that are not finite or are beyond 1e9, strides that are too short, a NULL where
 * something is needed, the simulation too. Calls for one simulation come from one thread at a time. Ranks are
 * not for live simulations. docs/design/live.md. */
#ifndef RINGLET_LIVE_H
#define RINGLET_LIVE_H

#include <stddef.h>

#include "ringlet/scene.h"
#include "ringlet/simulation.h"
#include "ringlet/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the caller's arrays ---- */

typedef enum rlt_number { RLT_DOUBLE = 0, RLT_FLOAT = 1 } rlt_number;

/* Numbers in the caller's memory: `data` is the first, each element has its numbers side by side, and begins
 * `stride` bytes after the one before; stride 0: elements follow each other without a gap. */
typedef struct rlt_array {
    const void *data; /* NULL: not given */
    rlt_number type;
    int stride; /* [byte] */
} rlt_array;

/* The same to be written to. */
typedef struct rlt_buffer {
    void *data;
    rlt_number type;
    int stride; /* [byte] */
} rlt_buffer;

/* Hair in the caller's memory, at rest, in the rest pose of the body; copied by rlt_live_create. Start from
 * rlt_live_groom_defaults(). */
typedef struct rlt_live_groom {
    size_t size; /* of this struct: sizeof */
    int hair;    /* the hair section of the scene whose values it takes, and whose strands it replaces; 0 */
    int strand_count;
    const int *counts; /* [strand_count] points of each strand, at least 2 */
    rlt_array points;  /* 3 numbers for each point, strand by strand, root first [unit] */
    rlt_array widths;  /* 1 number for each point: drawn diameter [unit]; data NULL: the scene's hair.width */
    /* [strand_count] triangle of the body each root is on; NULL: the closest one. -1: none, it is carried by
     * the character as a whole */
    const int *root_triangles;
    rlt_array root_weights; /* 3 numbers for each strand: barycentric, they add up to 1. data NULL: of the
                             * closest point on that triangle. A root beside it keeps its distance */
} rlt_live_groom;

/* A body in the caller's memory: its rest pose; copied by rlt_live_create. Start from
 * rlt_live_body_defaults(). It replaces the scene's character, and hair collides with it. */
typedef struct rlt_live_body {
    size_t size; /* of this struct: sizeof */
    int vertex_count;
    int triangle_count;
    rlt_array vertices;   /* 3 numbers each [unit] */
    const int *triangles; /* [triangle_count][3] counter-clockwise seen from outside */
} rlt_live_body;

/* Set all of them but their sizes to the defaults. */
rlt_status rlt_live_groom_reset(rlt_live_groom *groom);
static inline rlt_live_groom rlt_live_groom_defaults(void) {
    rlt_live_groom groom;
    groom.size = sizeof groom;
    rlt_live_groom_reset(&groom);
    return groom;
}

/* The same for a body. */
rlt_status rlt_live_body_reset(rlt_live_body *body);
static inline rlt_live_body rlt_live_body_defaults(void) {
    rlt_live_body body;
    body.size = sizeof body;
    rlt_live_body_reset(&body);
    return body;
}

/* ---- building ---- */

/* Motion between two poses. Both are smooth: position and velocity are continuous. */
typedef enum rlt_live_motion {
    /* No delay: a step goes from the last pose, with the velocity it had there, to the new one. A pose that
     * moves and stands still again is overshot by at most 4/27 of its last move, and comes back. */
    RLT_MOTION_CAUSAL = 0,
    /* One tick late: the motion of rlt_simulation_advance through the same poses, byte by byte. The pose
     * given for a tick is where things are at the end of the tick after it. */
    RLT_MOTION_DELAYED = 1
} rlt_live_motion;

/* Start from rlt_live_defaults(). */
typedef struct rlt_live_def {
    size_t size;                          /* of this struct: sizeof */
    const rlt_scene *scene;               /* values; copied, it need not outlive the call. NULL: defaults */
    const rlt_simulation_def *simulation; /* threads, or the caller's task system; NULL: defaults */
    const rlt_live_groom *groom;          /* NULL: the scene's own hair */
    const rlt_live_body *body;            /* NULL: the scene's own character */
    rlt_live_motion motion;
    int reserved; /* 0 */
    /* A body all of whose points move faster than this between two ticks [m/s] has jumped: hair is carried
     * along in one piece, turned with its roots, and starts there at rest. 0: never; 20. A scene with
     * character.jump has its own limit, a distance. */
    double jump_speed;
} rlt_live_def;

rlt_status rlt_live_def_reset(rlt_live_def *def);
static inline rlt_live_def rlt_live_defaults(void) {
    rlt_live_def def;
    def.size = sizeof def;
    rlt_live_def_reset(&def);
    return def;
}

/* Builds a live simulation. It stands where rlt_simulation_create would: at the scene's first frame, or its
 * preroll. Destroy it with rlt_simulation_destroy. */
rlt_status rlt_live_create(const rlt_live_def *def, rlt_messages *messages, rlt_simulation **simulation);

/* 1: made by rlt_live_create. The functions below refuse others. */
int rlt_simulation_is_live(const rlt_simulation *simulation);

/* ---- moving things: where they are at the end of the next step ---- */

/* Vertices of the body, 3 numbers each, as many as it has, in world space. For a body of the caller's or of a
 * file, and for generated characters too. Replaces the character's own motion from now on;
 * data NULL: its own motion again. */
rlt_status rlt_simulation_move_vertices(rlt_simulation *simulation, const rlt_array *vertices,
                                        rlt_messages *messages);

/* Roots themselves, for hair whose skin the library does not know: 3 numbers a strand [unit], and 4 for
 * how it is turned from the rest pose (quaternion x, y, z, w; any length but 0; data NULL: not turned).
 * Colliders keep to the body. data NULL: roots move with the body again. */
rlt_status rlt_simulation_move_roots(rlt_simulation *simulation, const rlt_array *positions,
                                     const rlt_array *turns, rlt_messages *messages);

/* A rigid motion on top of the scene's: matrix is 4 x 4, row vectors (p' = p M, the shift in the last row), a
 * rotation and a shift; scale and shear are refused. `part` NULL: the whole character, in world space. A
 * bone of a generated character ("torso", "neck", "head", ...): turned about its joint besides what the
 * motion does; its shift must be 0. NULL matrix: none again. Vertices given by the caller do not follow it.
 */
rlt_status rlt_simulation_move(rlt_simulation *simulation, const char *part, const double matrix[16],
                               rlt_messages *messages);

/* The same for a collider of the scene, by its name, in world space from its rest pose; instead of its own
 * motion and its bone's. NULL matrix: its own motion again. */
rlt_status rlt_simulation_move_collider(rlt_simulation *simulation, const char *name, const double matrix[16],
                                        rlt_messages *messages);

/* The character's own motion (the scene's motion, keys, or file): 1, it plays, as it does at the start; 0,
 * it stands still where it is. */
rlt_status rlt_simulation_play(rlt_simulation *simulation, int plays, rlt_messages *messages);
/* Its own motion continues from this frame; it is there at the end of the next tick. A jump is one where it
 * is further than rlt_live_def.jump_speed says. */
rlt_status rlt_simulation_seek(rlt_simulation *simulation, int frame, rlt_messages *messages);
/* The frame of its own motion that the character is at. */
int rlt_simulation_motion_frame(const rlt_simulation *simulation);

/* Pulls points of hair, as a hand would: from the next step on each point is drawn to its target (3
 * numbers, world) by a spring, critically damped, until this is called again; count 0 releases them. Points
 * are numbered as in the view. `stiffness` is an acceleration of the point a distance [1/s^2]: 1e4 is soft,
 * 1e6 firm. At most RLT_PULLS_MAX points, each once, and 8 of one strand; roots that are held do not give
 * way. */
#define RLT_PULLS_MAX 64
rlt_status rlt_simulation_pull(rlt_simulation *simulation, int count, const int *points,
                               const rlt_array *targets, double stiffness, rlt_messages *messages);

/* ---- time ---- */

/* Lets `seconds` pass, 0 < seconds <= 1, in whole ticks; what is left over is kept for the next step. What
 * was moved is there at the end of it, in between it is where it was and will be, blended. RLT_DIVERGED:
 * the hair is as it was, or, where it had moved, must be loaded or reset; what was moved stays moved. */
rlt_status rlt_simulation_step(rlt_simulation *simulation, double seconds, rlt_messages *messages);

/* 1 / time.fps of its scene [s] */
double rlt_simulation_tick(const rlt_simulation *simulation);
/* Ticks since it was made or loaded from the start; and seconds that wait for the next tick. */
long long rlt_simulation_ticks(const rlt_simulation *simulation, double *left_over);

/* ---- reading ---- */

typedef enum rlt_read {
    RLT_READ_POINTS = 0,     /* 3 numbers for each point: world [unit] */
    RLT_READ_VELOCITIES = 1, /* 3 numbers for each point [unit/s] */
    /* 9 numbers for each point: the bending frames of rlt_simulation_strand_frames, of a strand with n points
     * the scalp's and those of its n - 1 edges; column by column */
    RLT_READ_FRAMES = 2,
    RLT_READ_ROOTS = 3,    /* 3 numbers for each strand: where its root is [unit] */
    RLT_READ_TURNS = 4,    /* 4 numbers for each strand: how it is turned from rest, x, y, z, w */
    RLT_READ_VERTICES = 5, /* 3 numbers for each vertex of the body [unit] */
    RLT_READ_WIDTHS = 6    /* 1 number for each point: drawn diameter [unit] */
} rlt_read;

/* Elements of a kind, and numbers in each (NULL: not wanted); 0: an unknown kind. */
int rlt_simulation_read_count(const rlt_simulation *simulation, rlt_read what, int *numbers);
/* Fills the caller's buffer, with memory for all elements. Any simulation may be read. */
rlt_status rlt_simulation_read(const rlt_simulation *simulation, rlt_read what, const rlt_buffer *buffer,
                               rlt_messages *messages);

/* ---- values ---- */

/* The scene as it is now: rlt_scene_value shows its values. The simulation's; until the next call that
 * changes values. NULL: not live. */
const rlt_scene *rlt_simulation_scene(const rlt_simulation *simulation);

/* Changes values, "key=value" as in --set, all or none, from the next step on: those that the schema marks
 * as live (rlt_schema_entry.live). Hair continues from where it is as if it had been made with them. Others
 * are refused with the remedy, rlt_simulation_rebuild. */
rlt_status rlt_simulation_set(rlt_simulation *simulation, const char *const *overrides, int override_count,
                              rlt_messages *messages);

/* The same for any values: builds it anew, which takes as long as rlt_live_create, with the motion where it
 * was. Hair that has the same strands and points and the same model continues from where it is, *kept = 1;
 * otherwise it starts in its new groom, carried to the present pose, *kept = 0 (NULL: not wanted). On failure
 * nothing has changed. `scene`, unless NULL, replaces the scene first: a file that was edited. */
rlt_status rlt_simulation_rebuild(rlt_simulation *simulation, const rlt_scene *scene,
                                  const char *const *overrides, int override_count, rlt_messages *messages,
                                  int *kept);

/* ---- state ---- */

/* Writes the state to `bytes`, of `capacity`: hair, contacts, and where the motion is. *size
 * is what it takes; with NULL bytes that is all that happens. Too little capacity is RLT_BAD_INPUT. The
 * size may grow from step to step, with contacts between hairs. */
rlt_status rlt_simulation_save(rlt_simulation *simulation, void *bytes, size_t capacity, size_t *size,
                               rlt_messages *messages);
/* Brings it back, also after a divergence: the same steps then give the same bytes. It may have been saved by
 * another simulation of the same strands, points and models: values of the scene are not part of it. Bytes
 * that are damaged or of something else are refused, and nothing has changed. */
rlt_status rlt_simulation_load(rlt_simulation *simulation, const void *bytes, size_t size,
                               rlt_messages *messages);
/* The groom, carried to where the roots are now, at rest; also after a divergence. What was moved stays. */
rlt_status rlt_simulation_reset(rlt_simulation *simulation, rlt_messages *messages);

/* ---- quality ---- */

/* Time that a live simulation may take; start from rlt_live_budget_defaults(). */
typedef struct rlt_live_budget {
    size_t size;  /* of this struct: sizeof */
    double rate;  /* ticks a second that must be reached; 24 */
    int cores;    /* that work on it; 2 */
    int reserved; /* 0 */
    double share; /* of their time that it may take, the rest is the caller's; 0.42 */
    double speed; /* of one of these cores, against the one that the costs were measured on; 1 */
} rlt_live_budget;

rlt_status rlt_live_budget_reset(rlt_live_budget *budget);
static inline rlt_live_budget rlt_live_budget_defaults(void) {
    rlt_live_budget budget;
    budget.size = sizeof budget;
    rlt_live_budget_reset(&budget);
    return budget;
}

/* A scene like this one that can be simulated live within the budget: fewer guides, fewer steps, contacts
 * between hairs left out where that must be. Notes in the messages say what was changed, nothing where the
 * scene fits as it is. Destroy it with rlt_scene_destroy. */
rlt_status rlt_live_fit(const rlt_scene *scene, const rlt_live_budget *budget, rlt_messages *messages,
                        rlt_scene **fitted);

#ifdef __cplusplus
}
#endif

#endif

/* The stage: one simulation, or two with the same motion and different values (sides A and B), the
 * head's pose, the lock of hair in the user's hand, and the recording of all that. One thread at a time. */
#ifndef RINGLET_APP_LIVE_STAGE_H
#define RINGLET_APP_LIVE_STAGE_H

#include "live/board.h"
#include "live/follow.h"
#include "live/notice.h"
#include "live/recorder.h"
#include "ringlet/ringlet.h"

enum { STAGE_SIDES = 2, STAGE_NAME = 1024, STAGE_LOCK_MAX = 12, STAGE_PATH_MAX = 100000 };

typedef struct stage_side {
    rlt_scene *scene; /* as asked for; the simulation's is that, made smaller to keep up */
    rlt_simulation *simulation;
    live_values values; /* of this side, after those of the command line */
    float *turns;       /* [strands][4] scratch */
    double seconds;     /* wall time of its last step */
    double seconds_sum; /* and of all its steps */
    double load;        /* mean of the last ones, falling by half every 8 */
} stage_side;

/* The lock in the user's hand. */
typedef struct stage_lock {
    int side, count; /* 0: none */
    int points[STAGE_LOCK_MAX];
    double offsets[3 * STAGE_LOCK_MAX];
    double at[3], wanted[3];
} stage_lock;

typedef struct live_stage {
    live_board *board;
    live_notice notice;
    char scene[STAGE_NAME]; /* a file, or the name of an embedded scene */
    int is_embedded;
    live_values base; /* --set */
    int threads;
    int is_full; /* quality: all that the scene asks for */
    double
        speed; /* of this machine, that live quality is fitted to; 1: the one that costs were measured on */
    int is_split;
    stage_side sides[STAGE_SIDES];
    live_follow follow;
    int was_moved; /* the head was ever moved */
    int has_head;  /* the character's head turns on its neck; otherwise all of it turns about `pivot` */
    double pivot[3];
    stage_lock lock;
    int plays;
    unsigned show; /* overlays */
    long long step;
    long long hairs; /* that the scene fills up to, at full quality */
    live_recorder recorder;
    double (*path)[7]; /* [path_count] frame and pose after each step of the recording */
    int path_count, path_capacity;
    uint64_t checksum;   /* of the state that was published last, of both sides */
    int changed;         /* the state that pages see */
    double answer;       /* [s] from the first input that the last step answers to its end; 0: none */
    long long answered;  /* inputs that were taken before it */
    double pack_seconds; /* CPU time of packing, in all */
    double cpu_seconds;  /* of the whole process within steps */
} live_stage;

/* Loads the scene and builds what is on stage, from `stage->scene`, `base`, `is_full` and the sides' values.
 * Where it has errors the notice has them, and what was on stage stays. */
rlt_status stage_load(live_stage *stage);

/* Reads the scene's file again: the pose stays, and hair too where it is the same. */
rlt_status stage_reload(live_stage *stage);

/* Does what was asked for, of those inputs that change the motion or begin anew. */
void stage_input(live_stage *stage, const live_input *input);

/* One step of the scene's frame rate. */
void stage_step(live_stage *stage);

/* Shows it: the parts that stay, then every step. */
void stage_publish_groom(live_stage *stage);
void stage_publish_frame(live_stage *stage);

/* [s] */
double stage_tick(const live_stage *stage);
/* Of both sides. */
uint64_t stage_hash(const live_stage *stage);

void stage_clear(live_stage *stage);

/* stage_build.c: the scene of a side with these values, as asked for and as it is simulated. */
rlt_status stage_scenes(live_stage *stage, const live_values *values, rlt_messages *messages,
                        rlt_scene **asked, rlt_scene **simulated);
/* stage_build.c: a value was set or taken away. */
void stage_set_value(live_stage *stage, const live_input *input);
/* stage_build.c: fits live quality to a machine of this speed. The pose stays; hair begins anew where it has
 * fewer guides. */
void stage_fit(live_stage *stage, double speed);
/* CPU time that a step at live quality may take [s]. */
double stage_allowed(void);
/* Points of all sides, each side's times its steps a tick. */
double stage_work(const live_stage *stage);
/* stage_build.c: a new recording begins here. */
void stage_record(live_stage *stage);

#endif

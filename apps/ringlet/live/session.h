/* The simulation on its own thread: takes what pages ask for, steps in time, shows the newest frame. */
#ifndef RINGLET_APP_LIVE_SESSION_H
#define RINGLET_APP_LIVE_SESSION_H

#include "live/board.h"
#include "live/recorder.h"
#include "ringlet/ringlet.h"

typedef struct live_session_def {
    live_board *board;
    const char *scene; /* a file, or the name of an embedded scene */
    int is_embedded;
    const live_values *base; /* overrides of the command line */
    int threads;             /* 0 = one per core */
    int is_full;
    const live_recorder *replay; /* NULL: none. Its lines are done at their steps; outlives the session */
    const char *folder;          /* where files are saved */
} live_session_def;

typedef struct live_session live_session;

/* RLT_FAILED when out of memory. Nothing runs yet. */
rlt_status live_session_create(const live_session_def *def, live_session **session);
void live_session_destroy(live_session *session);

/* Loads the scene and runs until stopped. */
rlt_status live_session_start(live_session *session);
void live_session_stop(live_session *session);

/* All of a replay, without pages and as fast as it goes; says whether its end is the same. */
rlt_status live_session_replay(live_session *session, int *is_same);

/* For live_server_def; `context` is the session. */
void live_session_receive(void *context, const char *text, size_t size);
void live_session_present(void *context, int pages);

/* Counts and times so far. */
typedef struct live_session_facts {
    long long steps;
    uint64_t hash;       /* of the last state, once it was stopped */
    uint64_t checksum;   /* of the last state that was published */
    double step_seconds; /* wall time in steps */
    double pack_seconds; /* CPU time of packing frames */
    double cpu_seconds;  /* of the processors within steps */
    long long late;      /* steps that were ready more than a tick after they were due */
    long long dropped;   /* ticks without a step: time is not made up for */
} live_session_facts;

void live_session_facts_get(live_session *session, live_session_facts *facts);

#endif

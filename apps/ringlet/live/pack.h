/* A simulation as bytes for the page: what stays (strands, mesh, where hairs grow) once, positions for every
 * step, in 16 bits within the frame's box. docs/design/live-viewer.md has the layout. */
#ifndef RINGLET_APP_LIVE_PACK_H
#define RINGLET_APP_LIVE_PACK_H

#include "json.h"
#include "live/board.h"
#include "ringlet/ringlet.h"

enum { PACK_HAIRS_MAX = 60000 }; /* that a page draws */

/* Facts about a frame besides the positions. */
typedef struct pack_facts {
    int side;
    long long step;
    double time;       /* [s] of the simulation */
    uint64_t checksum; /* of its state */
    const char *json;  /* more about the frame, not terminated */
    size_t json_size;
} pack_facts;

/* The parts that stay. `scene` has the look; `hairs`: how many of all there should be, at most
 * PACK_HAIRS_MAX. NULL when out of memory, or where hair cannot be filled, with a message. */
live_document *pack_groom(const rlt_simulation *simulation, const rlt_scene *scene, int side, long long hairs,
                          rlt_messages *messages);

/* Positions of a view; `turns` of its strands ([strand_count][4], NULL: none). NULL when out of memory. */
live_document *pack_frame(const rlt_frame_view *view, const float *turns, const pack_facts *facts);

/* Diagnostics: `show` says which. NULL when out of memory. */
live_document *pack_overlay(const rlt_diagnostics *diagnostics, unsigned show, int side, long long step);

#endif

/* Curls are drawn with as many points as they are simulated with, about ten a turn: close by each is a
 * corner. Here lines get more points on the curve through them, as many as it takes not to see corners. */
#include <limits.h>

#include "base/memory.h"
#include "base/messages.h"
#include "render/lines.h"

enum { BLOCK = 4096, PIECES_MAX = 6 }; /* vertices of one item of work; pieces for one */
#define SEEN 0.12f                     /* by which a curve may be beside its chords [samples] */

typedef struct smoother {
    const rlti_line_vertex *from;
    rlti_line_vertex *to;
    int count, blocks, width, height;
    int *starts; /* [blocks + 1] of their vertices in `to` */
} smoother;

static int is_beyond(float a, float b, float c, float d, float high) {
    return (a < 0.0f && b < 0.0f && c < 0.0f && d < 0.0f) || (a > high && b > high && c > high && d > high);
}

/* The vertex before b, and that after c; beyond the ends the line goes straight on. */
static void ends_of(const smoother *s, int i, float a[2], float d[2]) {
    const rlti_line_vertex *b = &s->from[i], *c = b + 1;
    int before = i > 0 && b[-1].depth > 0.0f, after = i + 2 < s->count && c[1].depth > 0.0f;
    a[0] = before ? b[-1].x : 2.0f * b->x - c->x;
    a[1] = before ? b[-1].y : 2.0f * b->y - c->y;
    d[0] = after ? c[1].x : 2.0f * c->x - b->x;
    d[1] = after ? c[1].y : 2.0f * c->y - b->y;
}

/* Pieces for that from vertex i to the next. */
static int pieces_of(const smoother *s, int i) {
    if (i + 1 >= s->count || !(s->from[i].depth > 0.0f) || !(s->from[i + 1].depth > 0.0f))
        return 1;
    const rlti_line_vertex *b = &s->from[i], *c = b + 1;
    float a[2], d[2];
    ends_of(s, i, a, d);
    if (is_beyond(a[0], b->x, c->x, d[0], (float)s->width) ||
        is_beyond(a[1], b->y, c->y, d[1], (float)s->height))
        return 1;
    /* half way the curve of Catmull and Rom is so far from the chord; of k pieces, 1 / k^2 of it */
    float x = (b->x + c->x - a[0] - d[0]) / 16.0f, y = (b->y + c->y - a[1] - d[1]) / 16.0f;
    float away = (x * x + y * y) / (SEEN * SEEN);
    int pieces = 1;
    while (pieces < PIECES_MAX && (float)(pieces * pieces) * (float)(pieces * pieces) < away)
        pieces++;
    return pieces;
}

static float curve_at(float a, float b, float c, float d, float u) {
    float start = 0.5f * (c - a), end = 0.5f * (d - b), chord = c - b;
    return b + u * (start + u * (3.0f * chord - 2.0f * start - end + u * (start + end - 2.0f * chord)));
}

static void count_block(void *context, int index, int worker) {
    const smoother *s = context;
    (void)worker;
    for (int i = index * BLOCK; i < (index + 1) * BLOCK && i < s->count; i++)
        s->starts[index + 1] += pieces_of(s, i);
}

static void write_block(void *context, int index, int worker) {
    const smoother *s = context;
    rlti_line_vertex *to = s->to + s->starts[index];
    (void)worker;
    for (int i = index * BLOCK; i < (index + 1) * BLOCK && i < s->count; i++) {
        int pieces = pieces_of(s, i);
        const rlti_line_vertex *b = &s->from[i], *c = b + 1;
        float a[2], d[2];
        *to++ = *b;
        if (pieces > 1)
            ends_of(s, i, a, d);
        for (int k = 1; k < pieces; k++, to++) {
            float u = (float)k / (float)pieces;
            to->x = curve_at(a[0], b->x, c->x, d[0], u);
            to->y = curve_at(a[1], b->y, c->y, d[1], u);
            to->depth = b->depth + u * (c->depth - b->depth);
            to->width = b->width + u * (c->width - b->width);
            for (int j = 0; j < 3; j++)
                to->colour[j] = b->colour[j] + u * (c->colour[j] - b->colour[j]);
        }
    }
}

rlt_status rlti_lines_smooth(const rlti_picture *picture, const rlti_line_vertex *vertices, int count,
                             rlti_pool *pool, rlti_line_vertex **smooth, int *smooth_count,
                             rlt_messages *messages) {
    smoother s = {.from = vertices,
                  .count = count,
                  .blocks = (count + BLOCK - 1) / BLOCK,
                  .width = picture->width,
                  .height = picture->height};
    s.starts = RLTI_NEW(int, s.blocks + 1);
    if (s.starts == NULL)
        return rlti_out_of_memory(messages);
    rlti_pool_for(pool, s.blocks, count_block, &s);
    long long total = 0;
    for (int block = 0; block < s.blocks; block++) {
        total += s.starts[block + 1];
        s.starts[block + 1] = (int)(total < INT_MAX ? total : 0);
    }
    s.to = total < INT_MAX ? RLTI_NEW(rlti_line_vertex, total) : NULL;
    if (s.to != NULL)
        rlti_pool_for(pool, s.blocks, write_block, &s);
    rlti_free(s.starts);
    *smooth = s.to;
    *smooth_count = (int)total;
    return s.to != NULL ? RLT_OK : rlti_out_of_memory(messages);
}

#include "render/lines.h"

#include <limits.h>

#include "base/memory.h"
#include "base/messages.h"

/* A tile of the picture; drawing touches only samples inside. */
typedef struct window {
    int x0, y0, x1, y1; /* [samples], ends excluded */
} window;

/* Where one slice across a line lies: samples `stride` apart, those in [from, to). */
typedef struct slice {
    const rlti_picture *picture;
    rlti_sample *samples;
    size_t stride;
    int from, to;
} slice;

void rlti_edge_settle(const rlti_edge *edge, rlti_sample *sample) {
    for (int c = 0; c < 3; c++)
        sample->colour[c] += edge->cover * (edge->colour[c] - sample->colour[c]);
    sample->depth = edge->near;
}

/* Whether a line at this depth shows in a sample that a surface covers in part. Lines come from far to near.
 */
static int shows_at_edge(const rlti_picture *picture, rlti_sample *sample, float depth) {
    const rlti_edge *edge = &picture->edges[sample - picture->samples];
    if (depth > edge->near)
        return depth <= edge->far;
    rlti_edge_settle(edge, sample);
    return 1;
}

/* Blends over the samples that the line covers across, each by its share. */
static void draw_slice(slice where, float minor, float width, float depth, const float colour[3]) {
    /* thinner than a sample: one sample wide and fainter */
    float half = width < 1.0f ? 0.5f : 0.5f * width;
    float strength = width < 1.0f ? width : 1.0f;
    float low = minor - half;
    float high = minor + half;
    if (high <= (float)where.from || low >= (float)where.to)
        return;
    int from = low < (float)where.from ? where.from : (int)low;
    int to = high >= (float)where.to ? where.to - 1 : (int)high;
    for (int i = from; i <= to; i++) {
        rlti_sample *sample = where.samples + (size_t)i * where.stride;
        if (depth > sample->depth && !(sample->depth < 0.0f && shows_at_edge(where.picture, sample, depth)))
            continue; /* the body is in front */
        float begin = low > (float)i ? low : (float)i;
        float end = high < (float)(i + 1) ? high : (float)(i + 1);
        float alpha = strength * (end - begin);
        for (int c = 0; c < 3; c++)
            sample->colour[c] += alpha * (colour[c] - sample->colour[c]);
    }
}

/* Walks the longer axis over the sample centres in [start, end): neighbouring pieces of a line then share no
 * sample, and its joints do not show as beads. */
static void draw_piece(rlti_picture *picture, const window *tile, const rlti_line_vertex *a,
                       const rlti_line_vertex *b) {
    int steep = fabsf(b->y - a->y) > fabsf(b->x - a->x);
    float major0 = steep ? a->y : a->x;
    float major1 = steep ? b->y : b->x;
    float minor0 = steep ? a->x : a->y;
    float minor1 = steep ? b->x : b->y;
    if (major0 == major1)
        return;
    float low = major0 < major1 ? major0 : major1;
    float high = major0 < major1 ? major1 : major0;
    int first = steep ? tile->y0 : tile->x0;
    int last = steep ? tile->y1 : tile->x1;
    if (high <= (float)first || low >= (float)last)
        return;
    int from = low < (float)first ? first : (int)ceilf(low - 0.5f);
    int to = high > (float)last ? last : (int)ceilf(high - 0.5f);
    float slope = (minor1 - minor0) / (major1 - major0);
    float stretch = sqrtf(1.0f + slope * slope); /* the line's width crosses the slice at an angle */
    float per_step = 1.0f / (major1 - major0);
    size_t row = (size_t)picture->width;
    slice where = {picture, NULL, steep ? 1 : row, steep ? tile->x0 : tile->y0, steep ? tile->x1 : tile->y1};
    for (int m = from; m < to; m++) {
        float offset = (float)m + 0.5f - major0;
        float f = offset * per_step;
        float colour[3];
        for (int c = 0; c < 3; c++)
            colour[c] = a->colour[c] + f * (b->colour[c] - a->colour[c]);
        float depth = a->depth + f * (b->depth - a->depth);
        float width = stretch * (a->width + f * (b->width - a->width));
        where.samples = picture->samples + (steep ? (size_t)m * row : (size_t)m);
        draw_slice(where, minor0 + slope * offset, width, depth, colour);
    }
}

/* ---- tile by tile, far to near ---- */

/* Pieces in order of depth jump all over what is drawn; a tile of this size stays in the cache meanwhile. */
#define TILE 64

/* Pieces ahead of which the points are called for: they lie anywhere in memory. */
#define AHEAD 6

/* A piece in the list of one tile. */
typedef struct entry {
    int vertex;   /* where it begins */
    unsigned key; /* 16 bits, 0 = farthest */
} entry;

typedef struct tiling {
    int across, down;
    int *starts;    /* [across * down + 1] where each tile's entries begin */
    entry *entries; /* a piece on a border is in all tiles that it touches */
    entry *scratch; /* as many */
    double farthest, key_scale;
} tiling;

static int clamp(float value, int maximum) {
    return value < 0.0f ? 0 : (value > (float)maximum ? maximum : (int)value);
}

/* The tiles that the piece may touch, ends included; 0 if it is outside the picture or not to be drawn. */
static int tiles_of(const rlti_picture *picture, const rlti_line_vertex *a, const rlti_line_vertex *b,
                    window *tiles) {
    if (a->depth == 0.0f || b->depth == 0.0f)
        return 0;
    /* a slice across a 45 degree line is at most sqrt(2) wider than the line */
    float reach = 1.0f + (a->width > b->width ? a->width : b->width);
    float x0 = (a->x < b->x ? a->x : b->x) - reach;
    float x1 = (a->x < b->x ? b->x : a->x) + reach;
    float y0 = (a->y < b->y ? a->y : b->y) - reach;
    float y1 = (a->y < b->y ? b->y : a->y) + reach;
    if (x1 < 0.0f || y1 < 0.0f || x0 >= (float)picture->width || y0 >= (float)picture->height)
        return 0;
    tiles->x0 = clamp(x0, picture->width - 1) / TILE;
    tiles->x1 = clamp(x1, picture->width - 1) / TILE;
    tiles->y0 = clamp(y0, picture->height - 1) / TILE;
    tiles->y1 = clamp(y1, picture->height - 1) / TILE;
    return 1;
}

/* Pass 0 counts each tile's pieces into starts[tile + 1]; pass 1 places them, after which starts[tile] is
 * where they end. */
static void visit_pieces(tiling *tiles, const rlti_picture *picture, const rlti_line_vertex *vertices,
                         int count, int pass) {
    for (int i = 0; i + 1 < count; i++) {
        window touched;
        if (!tiles_of(picture, &vertices[i], &vertices[i + 1], &touched))
            continue;
        entry made = {i, (unsigned)((tiles->farthest - (double)vertices[i].depth) * tiles->key_scale)};
        for (int y = touched.y0; y <= touched.y1; y++)
            for (int x = touched.x0; x <= touched.x1; x++) {
                int tile = y * tiles->across + x;
                if (pass == 0)
                    tiles->starts[tile + 1]++;
                else
                    tiles->entries[tiles->starts[tile]++] = made;
            }
    }
}

static void find_depths(tiling *tiles, const rlti_line_vertex *vertices, int count) {
    double nearest = HUGE_VAL;
    for (int i = 0; i < count; i++) {
        double depth = (double)vertices[i].depth;
        if (depth > 0.0) {
            nearest = depth < nearest ? depth : nearest;
            tiles->farthest = depth > tiles->farthest ? depth : tiles->farthest;
        }
    }
    tiles->key_scale = tiles->farthest > nearest ? 65535.0 / (tiles->farthest - nearest) : 0.0;
}

static rlt_status sort_into_tiles(tiling *tiles, const rlti_picture *picture,
                                  const rlti_line_vertex *vertices, int count, rlt_messages *messages) {
    find_depths(tiles, vertices, count);
    visit_pieces(tiles, picture, vertices, count, 0);
    size_t total = 0;
    for (int t = 0; t < tiles->across * tiles->down; t++) {
        total += (size_t)tiles->starts[t + 1];
        if (total > INT_MAX)
            return rlti_out_of_memory(messages);
        tiles->starts[t + 1] = (int)total;
    }
    if (!RLTI_ALLOCATE(RLTI_ITEMS(tiles->entries, total), RLTI_ITEMS(tiles->scratch, total)))
        return rlti_out_of_memory(messages);
    visit_pieces(tiles, picture, vertices, count, 1);
    return RLT_OK;
}

/* One pass of a radix sort by eight bits of the key; stable, so that the order is the same everywhere. */
static void sort_pass(const entry *from, entry *to, int count, int shift) {
    int starts[257] = {0};
    for (int i = 0; i < count; i++)
        starts[((from[i].key >> shift) & 255) + 1]++;
    for (int b = 0; b < 256; b++)
        starts[b + 1] += starts[b];
    for (int i = 0; i < count; i++)
        to[starts[(from[i].key >> shift) & 255]++] = from[i];
}

typedef struct drawing {
    rlti_picture *picture;
    const tiling *tiles;
    const rlti_line_vertex *vertices;
} drawing;

static void draw_tile(void *context, int index, int worker) {
    const drawing *d = context;
    const tiling *tiles = d->tiles;
    (void)worker;
    int x = index % tiles->across, y = index / tiles->across;
    window tile = {x * TILE, y * TILE, (x + 1) * TILE, (y + 1) * TILE};
    tile.x1 = tile.x1 > d->picture->width ? d->picture->width : tile.x1;
    tile.y1 = tile.y1 > d->picture->height ? d->picture->height : tile.y1;
    int begin = index > 0 ? tiles->starts[index - 1] : 0, end = tiles->starts[index];
    sort_pass(tiles->entries + begin, tiles->scratch + begin, end - begin, 0);
    sort_pass(tiles->scratch + begin, tiles->entries + begin, end - begin, 8);
    for (int i = begin; i < end; i++) {
        const rlti_line_vertex *a = &d->vertices[tiles->entries[i].vertex];
        if (i + AHEAD < end)
            __builtin_prefetch(&d->vertices[tiles->entries[i + AHEAD].vertex]);
        draw_piece(d->picture, &tile, a, a + 1);
    }
}

rlt_status rlti_lines_draw(rlti_picture *picture, const rlti_line_vertex *vertices, int count,
                           rlti_pool *pool, rlt_messages *messages) {
    tiling tiles = {.across = (picture->width + TILE - 1) / TILE,
                    .down = (picture->height + TILE - 1) / TILE};
    tiles.starts = RLTI_NEW(int, (size_t)tiles.across *(size_t)tiles.down + 1);
    rlt_status status = tiles.starts != NULL ? RLT_OK : rlti_out_of_memory(messages);
    if (status == RLT_OK)
        status = sort_into_tiles(&tiles, picture, vertices, count, messages);
    drawing d = {picture, &tiles, vertices};
    if (status == RLT_OK && pool != NULL)
        rlti_pool_for(pool, tiles.across * tiles.down, draw_tile, &d);
    for (int t = 0; status == RLT_OK && pool == NULL && t < tiles.across * tiles.down; t++)
        draw_tile(&d, t, 0);
    RLTI_FREE(tiles.entries, tiles.scratch, tiles.starts);
    return status;
}

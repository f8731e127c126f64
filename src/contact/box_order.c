#include "contact/box_order.h"

#include <stdint.h>

#include "base/memory.h"

typedef struct placed {
    uint64_t key;
    int box;
} placed;

enum { KEY_BITS = 21 }; /* of each coordinate */

/* The place of a cell on Hilbert's curve: neighbours on it are neighbours in space, so that what is asked
 * about one hair is still in the caches for the next. J. Skilling, "Programming the Hilbert curve" (2004). */
static uint64_t hilbert_key(uint32_t cell[3]) {
    uint64_t key = 0;
    uint32_t flip = 0;
    for (uint32_t bit = 1u << (KEY_BITS - 1); bit > 1; bit >>= 1)
        for (int k = 0; k < 3; k++) {
            uint32_t low = bit - 1, swap = (cell[0] ^ cell[k]) & low;
            if (cell[k] & bit)
                cell[0] ^= low;
            else {
                cell[0] ^= swap;
                cell[k] ^= swap;
            }
        }
    cell[1] ^= cell[0];
    cell[2] ^= cell[1];
    for (uint32_t bit = 1u << (KEY_BITS - 1); bit > 1; bit >>= 1)
        flip ^= cell[2] & bit ? bit - 1 : 0;
    for (int b = KEY_BITS - 1; b >= 0; b--)
        for (int k = 0; k < 3; k++)
            key = key << 1 | ((cell[k] ^ flip) >> b & 1u);
    return key;
}

static uint64_t key_of(const rlti_run_box *box, const rlti_run_box *all) {
    const double cells = 1 << KEY_BITS;
    uint32_t cell[3];
    for (int k = 0; k < 3; k++) {
        double side = (double)all->high[k] - (double)all->low[k];
        double middle = 0.5 * ((double)box->low[k] + (double)box->high[k]) - (double)all->low[k];
        double place = side > 0.0 ? middle / side * cells : 0.0;
        /* what is not a number goes to the beginning */
        cell[k] = place > 0.0 ? (uint32_t)(place < cells - 1.0 ? place : cells - 1.0) : 0;
    }
    return hilbert_key(cell);
}

/* By the key, 8 bits at a time from the lowest; eight passes, so that it ends in `items`. */
static void sort_placed(placed *items, placed *other, int count) {
    for (int shift = 0; shift < 64; shift += 8) {
        int next[257] = {0};
        for (int i = 0; i < count; i++)
            next[(items[i].key >> shift & 255u) + 1]++;
        for (int b = 0; b < 256; b++)
            next[b + 1] += next[b];
        for (int i = 0; i < count; i++)
            other[next[items[i].key >> shift & 255u]++] = items[i];
        placed *kept = items;
        items = other;
        other = kept;
    }
}

int rlti_box_order(const rlti_run_box *boxes, int count, int *order) {
    placed *items = RLTI_NEW(placed, count), *other = RLTI_NEW(placed, count);
    int done = items != NULL && other != NULL;
    if (done) {
        rlti_run_box all = rlti_run_box_empty();
        for (int b = 0; b < count; b++)
            rlti_run_box_include(&all, &boxes[b]);
        for (int b = 0; b < count; b++)
            items[b] = (placed){key_of(&boxes[b], &all), b};
        sort_placed(items, other, count);
        for (int b = 0; b < count; b++)
            order[b] = items[b].box;
    }
    RLTI_FREE(items, other);
    return done;
}

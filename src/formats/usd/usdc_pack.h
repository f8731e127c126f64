/* The two packings of a USD crate: "fast compression" (LZ4 blocks with a count before them), and
 * integers as differences to the one before, in 2-bit codes, which are then compressed likewise. */
#ifndef RLTI_FORMATS_USD_USDC_PACK_H
#define RLTI_FORMATS_USD_USDC_PACK_H

#include <stddef.h>
#include <stdint.h>

/* ---- fast compression ---- */

/* No more than this can come out of so many packed bytes; LZ4 makes at most 255 of one. */
size_t rlti_fast_limit(size_t packed);

/* Unpacks at most `capacity` bytes; *got says how many. Returns 0 where the bytes are damaged or are more.
 */
int rlti_fast_unpack(const unsigned char *packed, size_t size, void *to, size_t capacity, size_t *got);

size_t rlti_fast_bound(size_t size);
/* Returns how many bytes it took of `to` [rlti_fast_bound(size)]; 0 when it failed. */
size_t rlti_fast_pack(const void *from, size_t size, unsigned char *to);

/* ---- integers of `width` 4 or 8 bytes ---- */

/* Integers half unpacked: uncompressed and checked, not decoded yet, so that the place for them is only
 * allocated when it is known that they are there. */
typedef struct rlti_ints {
    unsigned char *coded;
    size_t size, count, width;
} rlti_ints;

typedef enum rlti_ints_result { RLTI_INTS_OK, RLTI_INTS_DAMAGED, RLTI_INTS_NO_MEMORY } rlti_ints_result;

rlti_ints_result rlti_ints_begin(rlti_ints *ints, const unsigned char *packed, size_t size, uint64_t count,
                                 size_t width);
void rlti_ints_decode(const rlti_ints *ints, void *to /* [count] of `width` bytes, aligned */);
void rlti_ints_end(rlti_ints *ints);

/* Bytes of the packed form, at most; 0 where the size overflows. */
size_t rlti_ints_bound(size_t count, size_t width);
/* Packs into `to` [rlti_ints_bound]; returns the bytes taken, or 0 when out of memory. */
size_t rlti_ints_pack(const void *from, size_t count, size_t width, unsigned char *to);

#endif

/* Hash table from keys to numbers. The keys stay with the caller, who compares them: the table knows their
 * hashes only (base/hash.h).
 *
 *     for (rlti_table_search s = rlti_table_begin(&table, hash); rlti_table_next(&table, &s);)
 *         if (is_wanted(s.number))
 *             return s.number;
 *     return -1;
 */
#ifndef RLTI_BASE_TABLE_H
#define RLTI_BASE_TABLE_H

#include <stddef.h>
#include <stdint.h>

typedef struct rlti_table_slot {
    uint32_t hash;
    int taken; /* the number + 1, or 0 */
} rlti_table_slot;

/* Zeroed is empty. */
typedef struct rlti_table {
    rlti_table_slot *slots; /* [slot_count] at most half of them taken */
    size_t slot_count;      /* a power of two, or 0 */
    size_t count;
} rlti_table;

typedef struct rlti_table_search {
    uint32_t hash;
    size_t slot;
    int number; /* found last, or -1 */
} rlti_table_search;

/* Makes sure that `count` numbers can be added without a failure; 0 when out of memory. */
int rlti_table_reserve(rlti_table *table, size_t count);

/* Adds a number from 0 on; 0 when out of memory. One hash may have several numbers. */
int rlti_table_add(rlti_table *table, uint64_t hash, int number);

/* Finds the numbers of a hash in the order in which they were added; next is 0 (and the number -1) after the
 * last. Only the 32 bits that the table keeps of a hash are compared: others may come along. */
rlti_table_search rlti_table_begin(const rlti_table *table, uint64_t hash);
int rlti_table_next(const rlti_table *table, rlti_table_search *search);

void rlti_table_clear(rlti_table *table);

#endif

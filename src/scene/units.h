/* Numbers with the name of a unit behind them. */
#ifndef RLTI_SCENE_UNITS_H
#define RLTI_SCENE_UNITS_H

#include <stddef.h>

typedef enum rlti_unit_kind {
    RLTI_UNIT_NONE,   /* not a number with a word behind it */
    RLTI_UNIT_KNOWN,  /* it is, and *value is that number in the row's unit */
    RLTI_UNIT_FOREIGN /* it is, but of another unit */
} rlti_unit_kind;

/* Reads "40cm", "3 mm" or "12deg" as a number of `unit`, which is a row's ("unit", "degree", "s"). A unit of
 * the scene has `metres_per_unit`. `text` ends in a zero byte after `length` bytes. */
rlti_unit_kind rlti_unit_read(const char *text, size_t length, const char *unit, double metres_per_unit,
                              double *value);

/* The unit's name in words, with the names that may stand behind a number: "scene units of 0.01 m; mm, cm, m
 * may stand behind it". */
void rlti_unit_describe(const char *unit, double metres_per_unit, char *text, size_t size);

#endif

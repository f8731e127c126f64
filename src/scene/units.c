#include "scene/units.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"

typedef struct unit_name {
    const char *unit; /* the row's */
    const char *name; /* behind a number */
    double up, down; /* number of the row's unit = value * up / down: one of the two is 1, and so the quotient
                         of round numbers is round; lengths are in metres */
    int is_length;   /* of the scene: the number depends on its unit */
} unit_name;

static const unit_name names[] = {
    {"unit", "um", 1, 1e6, 1},
    {"unit", "mm", 1, 1000, 1},
    {"unit", "cm", 1, 100, 1},
    {"unit", "m", 1, 1, 1},
    {"unit", "in", 254, 1e4, 1},
    {"unit/s", "mm/s", 1, 1000, 1},
    {"unit/s", "cm/s", 1, 100, 1},
    {"unit/s", "m/s", 1, 1, 1},
    {"unit/s", "km/h", 1, 3.6, 1},
    {"unit/s^2", "cm/s^2", 1, 100, 1},
    {"unit/s^2", "m/s^2", 1, 1, 1},
    {"m", "mm", 1, 1000, 0},
    {"m", "cm", 1, 100, 0},
    {"m", "m", 1, 1, 0},
    {"um", "um", 1, 1, 0},
    {"um", "mm", 1000, 1, 0},
    {"s", "ms", 1, 1000, 0},
    {"s", "s", 1, 1, 0},
    {"degree", "deg", 1, 1, 0},
    {"degree", "degrees", 1, 1, 0},
    {"degree", "\xc2\xb0", 1, 1, 0},
    {"degree", "rad", 57.29577951308232, 1, 0},
    {"Pa", "Pa", 1, 1, 0},
    {"Pa", "MPa", 1e6, 1, 0},
    {"Pa", "GPa", 1e9, 1, 0},
    {"1/s", "Hz", 1, 1, 0},
    {"kg/m^3", "kg/m^3", 1, 1, 0},
    {"kg/m^3", "g/cm^3", 1000, 1, 0},
    {"", "%", 1, 100, 0},
};
enum { NAMES = sizeof names / sizeof names[0], NUMBER_SIZE = 64 };

/* Metres as scene units. Divides by whole numbers where the unit is the inverse of one, which keeps 3mm 0.3.
 */
static double in_units(double value, const unit_name *n, double metres_per_unit) {
    double per_metre = 1.0 / metres_per_unit, scale = per_metre * n->up / n->down;
    return scale >= 1.0 ? value * scale : value / (n->down / (per_metre * n->up));
}

/* A word as units have: letters first, and digits as powers only. */
static int is_word(const char *text) {
    if (!(isalpha((unsigned char)*text) || *text == '%' || (unsigned char)*text >= 0x80))
        return 0;
    for (const char *c = text + 1; *c != '\0'; c++)
        if (isdigit((unsigned char)*c) && c[-1] != '^')
            return 0;
    return 1;
}

rlti_unit_kind rlti_unit_read(const char *text, size_t length, const char *unit, double metres_per_unit,
                              double *value) {
    char digits[NUMBER_SIZE];
    const char *end = rlti_scan_double(text, text + length, value);
    if (end == NULL || end == text || end == text + length || (size_t)(end - text) >= sizeof digits)
        return RLTI_UNIT_NONE;
    memcpy(digits, text, (size_t)(end - text));
    digits[end - text] = '\0';
    if (rlti_number_parse(digits, (size_t)(end - text), value) != RLTI_NUMBER_FINITE)
        return RLTI_UNIT_NONE;
    while (*end == ' ')
        end++;
    for (int i = 0; i < NAMES; i++) {
        const unit_name *n = &names[i];
        if (strcmp(n->unit, unit) != 0 || strcmp(n->name, end) != 0)
            continue;
        *value = n->is_length ? in_units(*value, n, metres_per_unit) : *value * n->up / n->down;
        return RLTI_UNIT_KNOWN;
    }
    return is_word(end) ? RLTI_UNIT_FOREIGN : RLTI_UNIT_NONE;
}

void rlti_unit_describe(const char *unit, double metres_per_unit, char *text, size_t size) {
    char number[32], list[96] = "";
    for (int i = 0; i < NAMES; i++)
        if (strcmp(names[i].unit, unit) == 0) {
            size_t used = strlen(list);
            snprintf(list + used, sizeof list - used, "%s%s", used > 0 ? ", " : "", names[i].name);
        }
    rlti_number_short(metres_per_unit, number, sizeof number);
    if (unit[0] == '\0')
        snprintf(text, size, "has no unit, but %% may stand behind it");
    else if (strncmp(unit, "unit", 4) == 0)
        snprintf(text, size, "is in %s%s (a unit of the scene is %s m); %s may stand behind it", unit,
                 unit[4] == '\0' ? "s" : "", number, list);
    else
        snprintf(text, size, "is in %s%s%s%s", unit, list[0] != '\0' ? "; " : "", list,
                 list[0] != '\0' ? " may stand behind it" : "");
}

/* Alembic does not say which axis is up, and programs that read it take it to be Y: what is handed over with
 * Z up is turned, by the transforms of the roots alone. */
#include "formats/alembic/abc_out.h"

int rlti_abc_turns_up(const rlti_sink *sink) {
    return sink->def.up_axis == 'Z' && !sink->def.keeps_axis;
}

int rlti_abc_is_turned(const rlti_sink *sink, int prim) {
    return rlti_abc_turns_up(sink) && (sink->prims[prim].parent < 0 || sink->prims[prim].resets);
}

/* (x, y, z) becomes (x, z, -y), exactly. */
void rlti_abc_turn_up(const double matrix[16], double turned[16]) {
    for (int row = 0; row < 16; row += 4) {
        double y = matrix[row + 1], z = matrix[row + 2];
        turned[row] = matrix[row];
        turned[row + 1] = z;
        turned[row + 2] = 0.0 - y; /* never -0 */
        turned[row + 3] = matrix[row + 3];
    }
}

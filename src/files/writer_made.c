/* The origin of a file: docs/design/checkpoint.md. */
#include <string.h>

#include "base/checksum.h"
#include "base/sized.h"
#include "files/writer_data.h"
#include "io/seal.h"
#include "ringlet/ringlet.h"

static uint64_t hash_text(uint64_t hash, const char *text) {
    return rlti_checksum(hash, text, strlen(text) + 1);
}

/* The look and the colours that the file carries; 0 without. */
static uint64_t hash_look(const rlt_writer_def *def) {
    uint64_t hash = def->look != NULL ? hash_text(0, def->look) : 0;
    if (def->colours != NULL && def->colour_count > 0)
        hash = rlti_checksum(hash, def->colours, 3 * (size_t)def->colour_count * sizeof(double));
    return hash;
}

uint64_t rlti_writer_extras(const rlt_writer_def *def) {
    return (uint64_t)def->unreal | (def->physics != NULL ? 256 : 0) | hash_look(def) << RLTI_LOOK_SHIFT;
}

uint64_t rlti_writer_fingerprint(const rlt_writer_def *def, int first, int last, int count) {
    const uint64_t numbers[] = {def->fingerprint,    (uint64_t)def->mode,     def->no_velocities != 0,
                                def->keep_axis != 0, rlti_writer_extras(def), (uint64_t)first,
                                (uint64_t)last,      (uint64_t)count};
    const double rates[] = {def->frames_per_second, def->metres_per_unit};
    uint64_t hash = hash_text(0, rlt_version());
    hash = hash_text(hash, rlti_writer_title(def));
    hash = rlti_checksum(hash, rates, sizeof rates);
    return rlti_checksum(hash, numbers, sizeof numbers);
}

rlt_made rlt_writer_made(const char *path, const rlt_writer_def *def, int first, int last) {
    char wanted[RLTI_FINGERPRINT_SIZE];
    rlt_writer_def own = {0};
    rlti_stage *stage = NULL;
    if (rlti_stage_open(path, NULL, &stage) != RLT_OK)
        return RLT_MADE_NOTHING;
    int is_set = RLTI_READ(rlt_writer_def, &own, def, NULL) == RLT_OK;
    rlti_fingerprint_text(rlti_writer_fingerprint(&own, first, last, last - first + 1), wanted);
    rlt_made made = stage->fingerprint[0] == '\0'                        ? RLT_MADE_BY_OTHERS
                    : !is_set || strcmp(stage->fingerprint, wanted) != 0 ? RLT_MADE_DIFFERENT
                    : !rlti_seal_holds(path)                             ? RLT_MADE_DAMAGED
                                                                         : RLT_MADE_THE_SAME;
    rlti_stage_close(stage);
    return made;
}

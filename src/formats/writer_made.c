/* What a file was made from: docs/design/checkpoint.md. */
#include <string.h>

#include "base/checksum.h"
#include "formats/writer_data.h"
#include "io/file_map.h"
#include "ringlet/ringlet.h"

static uint64_t hash_text(uint64_t hash, const char *text) {
    return rlti_checksum(hash, text, strlen(text) + 1);
}

/* The bytes of a file; one that cannot be read fails where its values are asked for. */
static uint64_t hash_file(uint64_t hash, const char *path) {
    rlti_file_map map;
    rlti_sum sum = {0};
    if (rlti_file_map_open(path, NULL, &map) == RLT_OK)
        rlti_sum_add(&sum, map.bytes, map.size);
    rlti_file_map_close(&map);
    uint64_t value = rlti_sum_value(&sum);
    return rlti_checksum(hash, &value, sizeof value);
}

uint64_t rlti_writer_hash_sources(const rlt_frame_view *view) {
    uint64_t hash = 0;
    for (int k = 0; k < view->source_count; k++)
        if (k == 0 || strcmp(view->sources[k].file, view->sources[k - 1].file) != 0)
            hash = hash_file(hash, view->sources[k].file);
    return hash;
}

uint64_t rlti_writer_fingerprint(const rlt_writer_def *def, uint64_t sources, int first, int last,
                                 int count) {
    const uint64_t numbers[] = {
        def->fingerprint,      sources,         (uint64_t)def->mode, def->no_velocities != 0,
        (uint64_t)def->unreal, (uint64_t)first, (uint64_t)last,      (uint64_t)count};
    const double rates[] = {def->frames_per_second, def->metres_per_unit};
    uint64_t hash = hash_text(0, rlt_version());
    hash = hash_text(hash, rlti_writer_title(def));
    hash = rlti_checksum(hash, rates, sizeof rates);
    return rlti_checksum(hash, numbers, sizeof numbers);
}

rlt_made rlt_writer_made(const char *path, const rlt_writer_def *def, const rlt_frame_view *view, int first,
                         int last) {
    char wanted[RLTI_FINGERPRINT_SIZE];
    rlti_stage *stage = NULL;
    if (rlti_stage_open(path, NULL, &stage) != RLT_OK)
        return RLT_MADE_NOTHING;
    uint64_t sources = rlti_writer_hash_sources(view);
    rlti_fingerprint_text(rlti_writer_fingerprint(def, sources, first, last, last - first + 1), wanted);
    rlt_made made = stage->fingerprint[0] == '\0'             ? RLT_MADE_BY_OTHERS
                    : strcmp(stage->fingerprint, wanted) != 0 ? RLT_MADE_DIFFERENT
                                                              : RLT_MADE_THE_SAME;
    rlti_stage_close(stage);
    return made;
}

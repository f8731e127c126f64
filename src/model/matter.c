#include "model/matter.h"

#include "base/checksum.h"
#include "base/list.h"
#include "base/memory.h"

rlti_matter *rlti_matter_create(const rlti_strands *strands) {
    rlti_matter *m = RLTI_NEW(rlti_matter, 1);
    if (m == NULL)
        return NULL;
    m->strand_count = strands->strand_count;
    m->point_count = strands->point_count;
    m->first = strands->first;
    if (RLTI_ALLOCATE(RLTI_ITEMS(m->mass, m->point_count), RLTI_ITEMS(m->drag, m->point_count),
                      RLTI_ITEMS(m->rest, m->point_count), RLTI_ITEMS(m->segment, m->strand_count)))
        return m;
    rlti_matter_destroy(m);
    return NULL;
}

void rlti_matter_destroy(rlti_matter *matter) {
    if (matter == NULL)
        return;
    RLTI_FREE(matter->mass, matter->drag, matter->rest, matter->segment, matter);
}

size_t rlti_matter_bytes(const rlti_matter *m) {
    return sizeof *m + (size_t)m->point_count * 3 * sizeof(double) + (size_t)m->strand_count * sizeof(double);
}

uint64_t rlti_matter_checksum(const rlti_matter *m, uint64_t hash) {
    size_t points = (size_t)m->point_count * sizeof(double);
    hash = rlti_checksum(hash, m->mass, points);
    hash = rlti_checksum(hash, m->drag, points);
    hash = rlti_checksum(hash, m->rest, points);
    return rlti_checksum(hash, m->segment, (size_t)m->strand_count * sizeof(double));
}

int rlti_matter_longest(const rlti_matter *matter) {
    return rlti_longest_run(matter->first, matter->strand_count);
}

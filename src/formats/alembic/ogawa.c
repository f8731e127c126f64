#include "formats/alembic/ogawa.h"

#include <string.h>

static uint64_t u64_at(const unsigned char *bytes) {
    uint64_t value = 0;
    for (int i = 0; i < 8; i++)
        value |= (uint64_t)bytes[i] << (8 * i);
    return value;
}

/* The 64-bit count at an offset, and that the offset lies behind the header. */
static int count_at(const rlti_ogawa *ogawa, uint64_t offset, uint64_t *count) {
    if (offset < RLTI_OGAWA_HEADER || ogawa->size < 8 || offset > ogawa->size - 8)
        return 0;
    rlti_file_pages_need(ogawa->pages, ogawa->bytes + offset, 8);
    *count = u64_at(ogawa->bytes + offset);
    return 1;
}

const char *rlti_ogawa_open(rlti_ogawa *ogawa, const unsigned char *bytes, size_t size,
                            const rlti_file_pages *pages, rlti_ogawa_group *root) {
    *ogawa = (rlti_ogawa){bytes, size, pages};
    rlti_file_pages_need(pages, bytes, size < RLTI_OGAWA_HEADER ? size : RLTI_OGAWA_HEADER);
    if (size < RLTI_OGAWA_HEADER || memcmp(bytes, "Ogawa", 5) != 0)
        return "shorter than the header of an Alembic file";
    if (bytes[5] != 0xff)
        return "not closed: the program that wrote it ended too early; export it again";
    if (bytes[6] != 0 || bytes[7] != 1) /* big endian, unlike everything else */
        return "a newer version of Ogawa than 1, which is not known";
    uint64_t at = u64_at(bytes + 8);
    if ((at & RLTI_OGAWA_IS_DATA) != 0 || at == 0)
        return "the file has no root";
    const char *problem = rlti_ogawa_group_at(ogawa, at, root);
    return problem != NULL ? "the root lies beyond the end: the file was cut off; copy or export it again"
                           : NULL;
}

const char *rlti_ogawa_group_at(const rlti_ogawa *ogawa, uint64_t reference, rlti_ogawa_group *group) {
    *group = (rlti_ogawa_group){0, NULL};
    if ((reference & RLTI_OGAWA_IS_DATA) != 0)
        return "data where a group is expected";
    if (reference == 0)
        return NULL;
    uint64_t count;
    if (!count_at(ogawa, reference, &count))
        return "a group lies beyond the end of the file";
    if (count > (ogawa->size - reference - 8) / 8)
        return "a group has more children than the file can hold";
    rlti_file_pages_need(ogawa->pages, ogawa->bytes + reference + 8, 8 * (size_t)count);
    *group = (rlti_ogawa_group){count, ogawa->bytes + reference + 8};
    return NULL;
}

const char *rlti_ogawa_data_place(const rlti_ogawa *ogawa, uint64_t reference, rlti_ogawa_data *data) {
    *data = (rlti_ogawa_data){NULL, 0};
    if ((reference & RLTI_OGAWA_IS_DATA) == 0)
        return "a group where data are expected";
    if (reference == RLTI_OGAWA_EMPTY_DATA)
        return NULL;
    uint64_t count, offset = reference & ~RLTI_OGAWA_IS_DATA;
    if (!count_at(ogawa, offset, &count))
        return "data lie beyond the end of the file";
    if (count > ogawa->size - offset - 8)
        return "data are longer than the file";
    *data = (rlti_ogawa_data){ogawa->bytes + offset + 8, (size_t)count};
    return NULL;
}

const char *rlti_ogawa_data_at(const rlti_ogawa *ogawa, uint64_t reference, rlti_ogawa_data *data) {
    const char *problem = rlti_ogawa_data_place(ogawa, reference, data);
    rlti_file_pages_need(ogawa->pages, data->bytes, data->size);
    return problem;
}

uint64_t rlti_ogawa_child(const rlti_ogawa_group *group, uint64_t index) {
    return u64_at(group->children + 8 * index);
}

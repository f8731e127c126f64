#include "formats/alembic/abc_archive.h"

#include <float.h>
#include <string.h>

#include "base/memory.h"
#include "io/span.h"

const char rlti_abc_no_memory[] = "out of memory";

enum { LIBRARY_MIN = 9999, ROOT_CHILDREN = 6, OBJECT_HASH = 32 };

static rlti_abc_text take_text(rlti_span *span, size_t size) {
    rlti_abc_text text = {(const char *)rlti_span_take(span, size), size};
    if (text.at == NULL)
        text = (rlti_abc_text){"", 0};
    return text;
}

/* ---- what the whole file has ---- */

static const char *read_samplings(rlti_abc_archive *archive, rlti_ogawa_data data) {
    enum { BYTES_MIN = 16 };
    rlti_span span = {.bytes = data.bytes, .size = data.size};
    archive->samplings = RLTI_NEW(rlti_abc_sampling, data.size / BYTES_MIN + 1);
    if (archive->samplings == NULL)
        return rlti_abc_no_memory;
    while (rlti_span_left(&span) > 0) {
        rlti_abc_sampling *sampling = &archive->samplings[archive->sampling_count];
        rlti_span_u32(&span); /* greatest number of samples: not needed */
        sampling->cycle = rlti_span_double(&span);
        sampling->count = rlti_span_u32(&span);
        if (!rlti_span_has(&span, sampling->count, 8) || sampling->count == 0)
            return "time samplings: a list of times is cut off or empty";
        sampling->times = rlti_span_take(&span, 8 * (size_t)sampling->count);
        archive->sampling_count++;
    }
    return span.failed ? "time samplings: cut off" : NULL;
}

static const char *read_shared(rlti_abc_archive *archive, rlti_ogawa_data data) {
    rlti_span span = {.bytes = data.bytes, .size = data.size};
    archive->shared[0] = (rlti_abc_text){"", 0};
    archive->shared_count = 1;
    while (rlti_span_left(&span) > 0) {
        if (archive->shared_count == RLTI_ABC_SHARED_TEXTS)
            return "indexed metadata: more than 254 texts";
        size_t size = rlti_span_u8(&span);
        archive->shared[archive->shared_count++] = take_text(&span, size);
    }
    return span.failed ? "indexed metadata: cut off" : NULL;
}

static const char *check_versions(rlti_abc_archive *archive, const rlti_ogawa_data data[ROOT_CHILDREN]) {
    rlti_span version = {.bytes = data[0].bytes, .size = data[0].size},
              library = {.bytes = data[1].bytes, .size = data[1].size};
    uint32_t file_version = rlti_span_u32(&version);
    archive->library_version = (int32_t)rlti_span_u32(&library);
    if (version.failed || library.failed)
        return "the versions are missing";
    if (file_version != 0)
        return "a newer version of Alembic files than 0, which is not known";
    if (archive->library_version < LIBRARY_MIN)
        return "written by a version of the Alembic library that never was";
    return NULL;
}

const char *rlti_abc_archive_open(rlti_abc_archive *archive, const unsigned char *bytes, size_t size,
                                  const rlti_file_pages *pages) {
    rlti_ogawa_group root;
    rlti_ogawa_data data[ROOT_CHILDREN] = {{NULL, 0}};
    *archive = (rlti_abc_archive){0};
    const char *problem = rlti_ogawa_open(&archive->ogawa, bytes, size, pages, &root);
    if (problem == NULL && root.count < ROOT_CHILDREN)
        problem = "the root has less than its six parts";
    for (uint64_t i = 0; problem == NULL && i < ROOT_CHILDREN; i++) {
        if (i != 2)
            problem = rlti_ogawa_data_at(&archive->ogawa, rlti_ogawa_child(&root, i), &data[i]);
        else
            archive->top = rlti_ogawa_child(&root, i);
    }
    if (problem == NULL)
        problem = check_versions(archive, data);
    if (problem == NULL) {
        archive->metadata = (rlti_abc_text){(const char *)data[3].bytes, data[3].size};
        problem = read_samplings(archive, data[4]);
    }
    return problem == NULL ? read_shared(archive, data[5]) : problem;
}

void rlti_abc_archive_close(rlti_abc_archive *archive) {
    rlti_free(archive->samplings);
    archive->samplings = NULL;
}

/* ---- texts ---- */

int rlti_abc_text_is(rlti_abc_text text, const char *other) {
    return text.size == strlen(other) && (text.size == 0 || memcmp(text.at, other, text.size) == 0);
}

rlti_abc_text rlti_abc_metadata(rlti_abc_text metadata, const char *key) {
    size_t length = strlen(key), at = 0;
    while (at < metadata.size) {
        const char *start = metadata.at + at;
        const char *stop = memchr(start, ';', metadata.size - at);
        size_t size = stop != NULL ? (size_t)(stop - start) : metadata.size - at;
        if (size > length && start[length] == '=' && memcmp(start, key, length) == 0)
            return (rlti_abc_text){start + length + 1, size - length - 1};
        at += size + 1;
    }
    return (rlti_abc_text){"", 0};
}

/* ---- headers ---- */

static const char *shared_text(const rlti_abc_archive *archive, uint32_t index, rlti_abc_text *text) {
    if ((int)index >= archive->shared_count)
        return "metadata that are not in the file's list";
    *text = archive->shared[index];
    return NULL;
}

/* Counts of samples: bits 8 to 11 of the header say which numbers follow. */
static void read_counts(rlti_span *span, uint32_t info, size_t width, rlti_abc_property *p) {
    p->sample_count = (uint32_t)rlti_span_uint(span, width);
    p->first = 1;
    p->last = p->sample_count > 0 ? p->sample_count - 1 : 0;
    if (info & 0x200) {
        p->first = (uint32_t)rlti_span_uint(span, width);
        p->last = (uint32_t)rlti_span_uint(span, width);
    } else if (info & 0x800) {
        p->first = p->last = 0;
    }
    if (p->sample_count <= 1 || p->last == 0)
        p->first = p->last = 0;
    if (info & 0x100)
        p->sampling = (uint32_t)rlti_span_uint(span, width);
}

static const char *check_property(const rlti_abc_archive *archive, const rlti_abc_property *p) {
    if (p->kind == RLTI_ABC_COMPOUND)
        return NULL;
    if (p->pod >= RLTI_ABC_PODS || p->extent == 0)
        return "a property of an unknown type";
    if (p->sampling >= (uint32_t)archive->sampling_count)
        return "a property with times that are not in the file's list";
    if (p->first > p->last || (p->last > 0 && (p->first == 0 || p->last >= p->sample_count)))
        return "a property whose samples are counted wrongly";
    uint64_t stored = p->sample_count == 0 ? 0 : p->last == 0 ? 1 : (uint64_t)p->last - p->first + 2;
    if (stored > p->group.count / (p->kind == RLTI_ABC_SCALAR ? 1 : 2))
        return "a property has fewer samples than its header says";
    return NULL;
}

static const char *read_property(const rlti_abc_archive *archive, rlti_span *span, rlti_abc_property *p) {
    static const size_t widths[4] = {1, 2, 4, 0};
    uint32_t info = rlti_span_u32(span);
    size_t width = widths[info >> 2 & 3];
    if (width == 0)
        return "a property's header has numbers of an unknown size";
    p->kind = (rlti_abc_kind)(info & 3);
    if (p->kind != RLTI_ABC_COMPOUND) {
        p->pod = (int)(info >> 4 & 15);
        p->extent = (int)(info >> 12 & 255);
        read_counts(span, info, width, p);
    }
    p->name = take_text(span, (size_t)rlti_span_uint(span, width));
    uint32_t index = info >> 20 & 255;
    const char *problem = NULL;
    if (index == 255)
        p->metadata = take_text(span, (size_t)rlti_span_uint(span, width));
    else
        problem = shared_text(archive, index, &p->metadata);
    return span->failed ? "a property's header is cut off" : problem;
}

/* The list; NULL, and freed, after a problem. */
static void *keep_list(const char *problem, void *made, int *count) {
    if (problem == NULL)
        return made;
    rlti_free(made);
    *count = 0;
    return NULL;
}

const char *rlti_abc_properties(const rlti_abc_archive *archive, const rlti_ogawa_group *compound,
                                rlti_abc_property **list, int *count) {
    rlti_ogawa_data headers;
    *list = NULL;
    *count = 0;
    if (compound->count < 2) /* at least one property and the headers */
        return NULL;
    const char *problem =
        rlti_ogawa_data_at(&archive->ogawa, rlti_ogawa_child(compound, compound->count - 1), &headers);
    if (problem != NULL)
        return problem;
    enum { BYTES_MIN = 5 };
    uint64_t maximum =
        headers.size / BYTES_MIN < compound->count - 1 ? headers.size / BYTES_MIN : compound->count - 1;
    if (maximum > INT32_MAX)
        return "too many properties";
    rlti_abc_property *made = RLTI_NEW(rlti_abc_property, maximum + 1);
    rlti_span span = {.bytes = headers.bytes, .size = headers.size};
    if (made == NULL)
        return rlti_abc_no_memory;
    while (problem == NULL && rlti_span_left(&span) > 0) {
        rlti_abc_property *p = &made[*count];
        if ((uint64_t)*count == maximum) {
            problem = "more headers than properties";
            break;
        }
        problem = read_property(archive, &span, p);
        if (problem == NULL)
            problem =
                rlti_ogawa_group_at(&archive->ogawa, rlti_ogawa_child(compound, (uint64_t)*count), &p->group);
        if (problem == NULL)
            problem = check_property(archive, p);
        ++*count;
    }
    *list = keep_list(problem, made, count);
    return problem;
}

const char *rlti_abc_objects(const rlti_abc_archive *archive, const rlti_ogawa_group *object,
                             rlti_abc_object **list, int *count) {
    rlti_ogawa_data headers;
    *list = NULL;
    *count = 0;
    if (object->count < 3) /* properties, one child, headers */
        return NULL;
    const char *problem =
        rlti_ogawa_data_at(&archive->ogawa, rlti_ogawa_child(object, object->count - 1), &headers);
    if (problem != NULL || headers.size <= OBJECT_HASH)
        return problem;
    if (object->count - 2 > INT32_MAX)
        return "too many objects";
    rlti_span span = {.bytes = headers.bytes, .size = headers.size - OBJECT_HASH};
    rlti_abc_object *made = RLTI_NEW(rlti_abc_object, object->count - 2);
    if (made == NULL)
        return rlti_abc_no_memory;
    while (problem == NULL && rlti_span_left(&span) > 0) {
        rlti_abc_object *o = &made[*count];
        if ((uint64_t)*count == object->count - 2) {
            problem = "more headers than objects";
            break;
        }
        o->name = take_text(&span, rlti_span_u32(&span));
        uint32_t index = rlti_span_u8(&span);
        if (index == 255)
            o->metadata = take_text(&span, rlti_span_u32(&span));
        else
            problem = shared_text(archive, index, &o->metadata);
        o->group = rlti_ogawa_child(object, (uint64_t)*count + 1);
        if (span.failed)
            problem = "an object's header is cut off";
        ++*count;
    }
    *list = keep_list(problem, made, count);
    return problem;
}

/* ---- samples ---- */

static double listed_time(const rlti_abc_sampling *sampling, uint32_t index) {
    rlti_span span = {.bytes = sampling->times + 8 * (size_t)index, .size = 8};
    return rlti_span_double(&span);
}

double rlti_abc_time(const rlti_abc_sampling *sampling, uint32_t sample) {
    if (sampling->count == 1 && sampling->cycle < DBL_MAX / 64)
        return listed_time(sampling, 0) + sample * sampling->cycle;
    if (sampling->cycle >= DBL_MAX / 64) /* acyclic: DBL_MAX / 32 */
        return listed_time(sampling, sample < sampling->count ? sample : sampling->count - 1);
    return listed_time(sampling, sample % sampling->count) +
           (double)(sample / sampling->count) * sampling->cycle;
}

uint32_t rlti_abc_step_count(const rlti_abc_property *p) {
    if (p->sample_count == 0 || p->last == 0)
        return p->sample_count == 0 ? 0 : 1;
    return p->last - p->first + 2 + (p->first > 1);
}

uint32_t rlti_abc_step_sample(const rlti_abc_property *p, uint32_t step) {
    if (step == 0)
        return 0;
    return p->first > 1 ? p->first + step - 2 : step;
}

const char *rlti_abc_locate(const rlti_abc_archive *archive, const rlti_abc_property *p, uint32_t sample,
                            rlti_ogawa_data *data) {
    uint64_t stored = p->last == 0 || sample < p->first
                          ? 0
                          : (uint64_t)(sample < p->last ? sample : p->last) - p->first + 1;
    const char *problem = rlti_ogawa_data_place(
        &archive->ogawa, rlti_ogawa_child(&p->group, p->kind == RLTI_ABC_SCALAR ? stored : 2 * stored), data);
    if (problem != NULL || data->size == 0)
        return problem;
    if (data->size < RLTI_OGAWA_KEY)
        return "a sample is shorter than its key";
    data->bytes += RLTI_OGAWA_KEY;
    data->size -= RLTI_OGAWA_KEY;
    return NULL;
}

const char *rlti_abc_sample(const rlti_abc_archive *archive, const rlti_abc_property *p, uint32_t sample,
                            rlti_ogawa_data *data) {
    const char *problem = rlti_abc_locate(archive, p, sample, data);
    if (problem == NULL)
        rlti_file_pages_need(archive->ogawa.pages, data->bytes, data->size);
    return problem;
}

#include "formats/tree/stage.h"

#include <string.h>

#include "base/matrix.h"
#include "base/messages.h"
#include "formats/tree/readers.h"

/* ---- which format ---- */

static int starts_with(const unsigned char *bytes, size_t count, const char *mark, size_t length) {
    return count >= length && memcmp(bytes, mark, length) == 0;
}

/* .tfx begins with its version, a float that is 4 in every file seen, and a plausible count of points. */
static int is_tfx(const unsigned char *bytes, size_t count) {
    static const unsigned char four[4] = {0, 0, 0x80, 0x40};
    return count >= 12 && memcmp(bytes, four, 4) == 0 && bytes[9] == 0 && bytes[10] == 0 && bytes[11] == 0;
}

/* The first line that is no comment starts with one of the words an OBJ file has. */
static int is_obj(const unsigned char *bytes, size_t count) {
    static const char *const words[] = {"v ", "vn ", "vt ", "vp ",     "f ",      "o ",
                                        "g ", "s ",  "l ",  "mtllib ", "usemtl ", "v\t"};
    size_t at = 0;
    int has_comment = 0;
    if (starts_with(bytes, count, "\xef\xbb\xbf", 3))
        at = 3;
    for (;;) {
        while (at < count &&
               (bytes[at] == ' ' || bytes[at] == '\t' || bytes[at] == '\r' || bytes[at] == '\n'))
            at++;
        if (at >= count)
            return has_comment; /* only comments among the first bytes */
        if (bytes[at] != '#')
            break;
        has_comment = 1;
        while (at < count && bytes[at] != '\n')
            at++;
    }
    for (size_t w = 0; w < sizeof words / sizeof words[0]; w++) {
        size_t length = strlen(words[w]);
        size_t left = count - at < length ? count - at : length;
        if (memcmp(bytes + at, words[w], left) == 0)
            return 1;
    }
    return 0;
}

const char *rlti_stage_format(const unsigned char *bytes, size_t count) {
    if (starts_with(bytes, count, "#usda ", 6) || starts_with(bytes, count, "\xef\xbb\xbf#usda ", 9))
        return "usda";
    if (starts_with(bytes, count, "PXR-USDC", 8))
        return "usdc";
    if (starts_with(bytes, count, "PK\3\4", 4))
        return "usdz";
    if (starts_with(bytes, count, "Ogawa", 5))
        return "abc";
    if (starts_with(bytes, count, "\x89HDF\r\n\x1a\n", 8))
        return "hdf5";
    if (starts_with(bytes, count, "HAIR", 4))
        return "hair";
    if (is_tfx(bytes, count))
        return "tfx";
    return is_obj(bytes, count) ? "obj" : NULL;
}

static rlti_stage_opener *opener_of(const char *format) {
    static const struct {
        const char *format;
        rlti_stage_opener *open;
    } readers[] = {{"abc", rlti_abc_stage_open},
                   {"hair", rlti_hair_stage_open},
                   {"tfx", rlti_tfx_stage_open},
                   {"obj", rlti_obj_stage_open}};
    for (size_t i = 0; i < sizeof readers / sizeof readers[0]; i++)
        if (strcmp(readers[i].format, format) == 0)
            return readers[i].open;
    return NULL;
}

const char *rlti_stage_foreign(const unsigned char *bytes, size_t count) {
    static const char pointer[] = "version https://git-lfs.github.com/spec/";
    if (starts_with(bytes, count, pointer, sizeof pointer - 1))
        return "a Git LFS pointer in place of the file; get the file itself: git lfs pull";
    if (starts_with(bytes, count, "\x89HDF\r\n\x1a\n", 8))
        return "Alembic in its old HDF5 form, which is not read; convert it: abcconvert -toOgawa OLD.abc "
               "NEW.abc";
    return NULL;
}

enum { FIRST_BYTES = 4096 }; /* that decide the format */

/* Opens the file that the map holds; the map is taken over, also on failure. */
static rlt_status open_map(const char *path, rlti_file_map *map, const char *variants, rlt_messages *messages,
                           rlti_stage **stage) {
    size_t bytes = map->size, first = bytes < FIRST_BYTES ? bytes : FIRST_BYTES;
    rlti_file_pages_need(map->pages, map->bytes, first);
    const char *format = bytes > 0 ? rlti_stage_format(map->bytes, first) : NULL;
    const char *foreign = bytes > 0 ? rlti_stage_foreign(map->bytes, first) : "the file is empty";
    if (format == NULL || foreign != NULL) {
        rlti_file_map_close(map);
        return rlti_refuse(messages, "%s: %s", path,
                           foreign != NULL
                               ? foreign
                               : "not a format that is known (.usda .usdc .usdz .abc .hair .tfx .obj)");
    }
    if (strncmp(format, "usd", 3) != 0 && strcmp(format, "abc") != 0)
        rlti_file_pages_need(map->pages, map->bytes, bytes); /* these are read whole */
    int is_usd = strncmp(format, "usd", 3) == 0;
    if (!is_usd && variants[0] != '\0')
        rlti_warn(messages, "%s: variant %s: only USD has variants", path, variants);
    rlt_status status = is_usd ? rlti_usd_stage_open_as(path, map, variants, messages, stage)
                               : opener_of(format)(path, map, messages, stage);
    if (status != RLT_OK)
        return status;
    (*stage)->file_bytes = bytes;
    (*stage)->variants = rlti_stage_text(*stage, variants);
    return (*stage)->variants != NULL ? RLT_OK : rlti_out_of_memory(messages);
}

rlt_status rlti_stage_open(const char *path, rlt_messages *messages, rlti_stage **stage) {
    return rlti_stage_open_as(path, "", messages, stage);
}

rlt_status rlti_stage_open_as(const char *path, const char *variants, rlt_messages *messages,
                              rlti_stage **stage) {
    rlti_file_map map;
    int first_message = rlt_messages_count(messages);
    *stage = NULL;
    rlt_inputs *inputs = rlt_inputs_create();
    if (inputs == NULL)
        return rlti_out_of_memory(messages);
    rlt_status status = rlti_file_map_open(path, inputs, messages, &map);
    if (status == RLT_OK)
        status = open_map(path, &map, variants, messages, stage);
    status = rlti_inputs_explain(inputs, status, first_message, messages);
    if (status == RLT_OK && *stage != NULL) {
        (*stage)->inputs = inputs;
        return RLT_OK;
    }
    rlti_stage_close(*stage);
    rlt_inputs_destroy(inputs);
    *stage = NULL;
    return status;
}

/* ---- looking things up ---- */

/* With one star to go back to: a later one makes what stood before it final, so that no pattern takes more
 * than length times length steps. */
int rlti_path_fits(const char *path, const char *pattern) {
    const char *star = NULL, *from = NULL;
    while (*path != '\0') {
        if (*pattern == '*') {
            star = pattern++;
            from = path;
        } else if (*pattern == '?' || *pattern == *path) {
            pattern++;
            path++;
        } else if (star != NULL) {
            pattern = star + 1;
            path = ++from;
        } else {
            return 0;
        }
    }
    while (*pattern == '*')
        pattern++;
    return *pattern == '\0';
}

int rlti_stage_find(const rlti_stage *stage, const char *path) {
    for (int i = 0; i < stage->prim_count; i++)
        if (strcmp(stage->prims[i].path, path) == 0)
            return i;
    return -1;
}

int rlti_stage_root(const rlti_stage *stage, int prim) {
    while (stage->prims[prim].parent >= 0)
        prim = stage->prims[prim].parent;
    return prim;
}

const rlti_link *rlti_stage_links(const rlti_stage *stage, const rlti_prim *prim, int *count) {
    *count = 0;
    return stage->reader->links != NULL ? stage->reader->links(stage, prim, count) : NULL;
}

int rlti_stage_count_links(const rlti_stage *stage, const rlti_prim *prim) {
    int count, with_targets = 0;
    const rlti_link *links = rlti_stage_links(stage, prim, &count);
    for (int i = 0; i < count; i++)
        with_targets += links[i].target_count > 0;
    return with_targets;
}

const rlti_attribute *rlti_stage_attribute(const rlti_stage *stage, const rlti_prim *prim,
                                           rlti_attribute_class class_, const char *name) {
    for (int i = 0; i < prim->attribute_count; i++) {
        const rlti_attribute *a = &stage->attributes[prim->first_attribute + i];
        if (a->class_ == class_ && strcmp(a->name, name) == 0)
            return a;
    }
    return NULL;
}

const rlti_attribute *rlti_stage_primvar(const rlti_stage *stage, int prim, const char *name,
                                         const rlti_prim **owner) {
    for (int i = prim; i >= 0; i = stage->prims[i].parent) {
        const rlti_attribute *found = rlti_stage_attribute(stage, &stage->prims[i], RLTI_PRIMVAR, name);
        if (found != NULL && (i == prim || found->interpolation == RLTI_CONSTANT)) {
            *owner = &stage->prims[i];
            return found;
        }
    }
    return NULL;
}

/* ---- values over time ---- */

static int is_blended(rlti_element element) {
    return element == RLTI_HALF || element == RLTI_FLOAT || element == RLTI_DOUBLE;
}

/* The last sample at or before the time; 0 before the first. */
static int sample_before(const rlti_attribute *a, double time) {
    int low = 0, high = a->sample_count - 1;
    while (low < high) {
        int middle = low + (high - low + 1) / 2;
        if (a->times[middle] <= time)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

static rlt_status blend(rlti_array *to, const rlti_array *other, double share, rlt_messages *messages) {
    rlti_array made = {0};
    size_t count = to->count * (size_t)to->type.arity;
    void *values = rlti_array_reserve(&made, to->type, to->count);
    if (values == NULL)
        return rlti_out_of_memory(messages);
    for (size_t i = 0; i < count; i++) {
        if (to->type.element == RLTI_FLOAT) {
            const float *a = to->data, *b = other->data;
            ((float *)values)[i] = (float)((1.0 - share) * (double)a[i] + share * (double)b[i]);
        } else if (to->type.element == RLTI_DOUBLE) {
            const double *a = to->data, *b = other->data;
            ((double *)values)[i] = (1.0 - share) * a[i] + share * b[i];
        } else {
            const uint16_t *a = to->data, *b = other->data;
            ((uint16_t *)values)[i] = rlti_half_from_double((1.0 - share) * rlti_half_to_double(a[i]) +
                                                            share * rlti_half_to_double(b[i]));
        }
    }
    rlti_array_clear(to);
    *to = made;
    return RLT_OK;
}

rlt_status rlti_stage_value(const rlti_stage *stage, const rlti_prim *prim, const rlti_attribute *attribute,
                            double time, rlt_messages *messages, rlti_array *to) {
    if (attribute->sample_count == 0 && !attribute->has_default) {
        to->type = attribute->type;
        to->count = 0;
        to->blocked = 1;
        return RLT_OK;
    }
    if (attribute->sample_count == 0)
        return stage->reader->read(stage, prim, attribute, -1, messages, to);
    int sample = sample_before(attribute, time);
    rlt_status status = stage->reader->read(stage, prim, attribute, sample, messages, to);
    if (status != RLT_OK || sample + 1 >= attribute->sample_count || !(time > attribute->times[sample]) ||
        !is_blended(attribute->type.element) || to->blocked)
        return status;
    rlti_array next = {0};
    status = stage->reader->read(stage, prim, attribute, sample + 1, messages, &next);
    if (status == RLT_OK && !next.blocked && next.count == to->count &&
        next.type.element == to->type.element && next.type.arity == to->type.arity) {
        double from = attribute->times[sample], width = attribute->times[sample + 1] - from;
        status = blend(to, &next, (time - from) / width, messages);
    }
    rlti_array_clear(&next);
    return status;
}

static rlt_status apply_indices(const rlti_stage *stage, const rlti_prim *prim,
                                const rlti_attribute *attribute, const rlti_array *indices,
                                rlt_messages *messages, rlti_array *to) {
    rlti_array made = {0};
    size_t places = indices->count, per_place = (size_t)attribute->element_size;
    per_place = per_place > 0 ? per_place : 1;
    size_t one = rlti_element_size(to->type.element) * (size_t)to->type.arity * per_place;
    size_t have = to->count / per_place;
    unsigned char *values =
        places > SIZE_MAX / per_place ? NULL : rlti_array_reserve(&made, to->type, places * per_place);
    if (values == NULL)
        return rlti_out_of_memory(messages);
    for (size_t i = 0; i < places; i++) {
        int64_t index = indices->type.element == RLTI_INT32 ? ((const int32_t *)indices->data)[i]
                                                            : (int64_t)((const uint32_t *)indices->data)[i];
        if (index < 0 || (uint64_t)index >= have) {
            rlti_array_clear(&made);
            return rlti_refuse(messages, "%s: %s.%s: index %lld at place %zu, but there are %zu values",
                               stage->file, prim->path, attribute->name, (long long)index, i, have);
        }
        memcpy(values + i * one, (const unsigned char *)to->data + (size_t)index * one, one);
    }
    if (to->type.element == RLTI_TEXT) { /* the texts themselves stay in the old memory: copy them */
        rlti_array whole = {0};
        int ok = rlti_array_copy(&whole, &made);
        rlti_array_clear(&made);
        if (!ok)
            return rlti_out_of_memory(messages);
        made = whole;
    }
    rlti_array_clear(to);
    *to = made;
    return RLT_OK;
}

rlt_status rlti_stage_flat(const rlti_stage *stage, const rlti_prim *prim, const rlti_attribute *attribute,
                           double time, rlt_messages *messages, rlti_array *to) {
    rlt_status status = rlti_stage_value(stage, prim, attribute, time, messages, to);
    if (status != RLT_OK || attribute->indices < 0 || to->blocked)
        return status;
    rlti_array indices = {0};
    const rlti_attribute *by = &stage->attributes[prim->first_attribute + attribute->indices];
    status = rlti_stage_value(stage, prim, by, time, messages, &indices);
    if (status == RLT_OK && !indices.blocked) {
        if (indices.type.arity == 1 &&
            (indices.type.element == RLTI_INT32 || indices.type.element == RLTI_UINT32))
            status = apply_indices(stage, prim, attribute, &indices, messages, to);
        else
            status = rlti_refuse(messages, "%s: %s.%s: its indices are not integers", stage->file, prim->path,
                                 attribute->name);
    }
    rlti_array_clear(&indices);
    return status;
}

/* ---- transforms ---- */

rlt_status rlti_stage_world(const rlti_stage *stage, int prim, double time, rlt_messages *messages,
                            double matrix[16]) {
    rlti_matrix_identity(matrix);
    for (int i = prim; i >= 0; i = stage->prims[i].parent) {
        double own[16];
        int resets = 0;
        if (!stage->prims[i].has_transform)
            continue;
        rlt_status status = stage->reader->transform(stage, &stage->prims[i], time, messages, own, &resets);
        if (status != RLT_OK)
            return status;
        rlti_matrix_multiply(matrix, own, matrix);
        if (resets)
            break;
    }
    return RLT_OK;
}

int rlti_stage_world_moves(const rlti_stage *stage, int prim) {
    for (int i = prim; i >= 0; i = stage->prims[i].parent)
        if (stage->prims[i].has_transform && stage->prims[i].transform_time_count > 1)
            return 1;
    return 0; /* also above one that resets: in Alembic that may change */
}

/* ---- visibility ---- */

static const rlti_attribute *own_visibility(const rlti_stage *stage, int prim) {
    const rlti_attribute *a = rlti_stage_attribute(stage, &stage->prims[prim], RLTI_BUILT_IN, "visibility");
    return a != NULL && a->sample_count > 1 ? a : NULL;
}

const rlti_attribute *rlti_stage_visibility(const rlti_stage *stage, int prim, int *owner) {
    for (int i = prim; i >= 0; i = stage->prims[i].parent) {
        const rlti_attribute *a = own_visibility(stage, i);
        *owner = i;
        if (a != NULL)
            return a;
    }
    return NULL;
}

/* A value that cannot be read, or is not there, hides nothing. */
static int hides_at(const rlti_stage *stage, int prim, const rlti_attribute *a, double time) {
    rlti_array value = {0};
    int hides = rlti_stage_value(stage, &stage->prims[prim], a, time, NULL, &value) == RLT_OK &&
                !value.blocked && value.count == 1 && value.type.element == RLTI_TEXT &&
                strcmp(*(const char *const *)value.data, "invisible") == 0;
    rlti_array_clear(&value);
    return hides;
}

int rlti_stage_hides(const rlti_stage *stage, int prim, double time) {
    for (int i = prim; i >= 0; i = stage->prims[i].parent) {
        const rlti_attribute *a = own_visibility(stage, i);
        if (a != NULL && hides_at(stage, i, a, time))
            return 1;
    }
    return 0;
}

int rlti_stage_is_shown(const rlti_stage *stage, int prim) {
    for (int i = prim; i >= 0 && stage->prims[i].is_hidden; i = stage->prims[i].parent) {
        const rlti_attribute *a = own_visibility(stage, i);
        int shown = stage->prims[i].is_hidden_above; /* at the first time, as far as it decides */
        for (int k = 0; a != NULL && k < a->sample_count && !shown; k++)
            shown = !hides_at(stage, i, a, a->times[k]);
        if (!shown)
            return 0;
    }
    return 1;
}

/* Alembic (Ogawa) files as stages: objects become prims. */
#include <stdio.h>
#include <string.h>

#include "base/list.h"
#include "base/memory.h"
#include "base/messages.h"
#include "base/number.h"
#include "formats/alembic/abc_data.h"
#include "formats/tree/readers.h"

enum {
    BUDGET_MIN = 64 * 1024,
    BUDGET_TIMES = 16,
    INSTANCE_BUDGET_MIN = 64 * 1024 * 1024,
    INSTANCES_MOST = 16,
    WARNINGS_MOST = 20
};

/* ---- helpers of the builder ---- */

rlt_status rlti_abc_problem(const rlti_abc_builder *b, const char *name, const char *problem) {
    if (problem == NULL)
        return RLT_OK;
    if (problem == rlti_abc_no_memory)
        return rlti_out_of_memory(b->messages);
    return rlti_refuse(b->messages, "%s: %s%s%s: %s", b->stage->file, b->length > 0 ? b->path : "/",
                       name[0] != '\0' && name[0] != '.' ? "." : "", name, problem);
}

rlt_status rlti_abc_charge(rlti_abc_builder *b, size_t bytes) {
    if (b->instances > 0) {
        if (bytes > b->instance_budget)
            return rlti_abc_problem(b, "", "more instances than can be read; export without instances");
        b->instance_budget -= bytes;
        return RLT_OK;
    }
    if (bytes > b->budget)
        return rlti_abc_problem(b, "",
                                "more objects and properties than a file of this size can hold: its "
                                "groups lead back to themselves");
    b->budget -= bytes;
    return RLT_OK;
}

rlt_status rlti_abc_keep(rlti_abc_builder *b, const rlti_abc_property *property, int *index) {
    rlti_abc *abc = b->abc;
    rlt_status status = rlti_abc_charge(b, sizeof *property);
    if (status != RLT_OK)
        return status;
    if (!RLTI_LIST_RESERVE(abc->properties, abc->property_count, 1, abc->property_capacity))
        return rlti_out_of_memory(b->messages);
    *index = abc->property_count;
    abc->properties[abc->property_count++] = *property;
    return RLT_OK;
}

static void widen_range(rlti_abc_builder *b, double first, double last) {
    rlti_stage *stage = b->stage;
    if (!(last >= first) || last - first > 1e12)
        return;
    if (!b->has_range || first < stage->first_time)
        stage->first_time = first;
    if (!b->has_range || last > stage->last_time)
        stage->last_time = last;
    b->has_range = 1;
}

rlt_status rlti_abc_times(rlti_abc_builder *b, const rlti_abc_property *property, int *count) {
    const rlti_abc_sampling *sampling = &b->abc->archive.samplings[property->sampling];
    uint32_t steps = rlti_abc_step_count(property);
    rlt_status status = rlti_abc_charge(b, (size_t)steps * sizeof(double));
    *count = 0;
    if (status != RLT_OK)
        return status;
    if (steps > b->time_capacity) {
        rlti_free(b->times);
        b->times = RLTI_NEW(double, steps);
        b->time_capacity = b->times != NULL ? steps : 0;
        if (b->times == NULL)
            return rlti_out_of_memory(b->messages);
    }
    for (uint32_t i = 0; i < steps; i++) {
        double time = rlti_abc_time(sampling, rlti_abc_step_sample(property, i));
        if (!(time >= -1e12 && time <= 1e12) || (i > 0 && !(time > b->times[i - 1]))) {
            if (!b->warned_times)
                rlti_warn(b->messages, "%s: %s: times of samples do not increase: later samples are left out",
                          b->stage->file, b->path);
            b->warned_times = 1;
            break;
        }
        b->times[(*count)++] = time;
    }
    if (*count > 1)
        widen_range(b, b->times[0],
                    rlti_abc_time(sampling, property->sample_count - 1) > b->times[*count - 1]
                        ? rlti_abc_time(sampling, property->sample_count - 1)
                        : b->times[*count - 1]);
    if (*count > 1 && b->stage->frames_per_second == 0.0 && sampling->count == 1 && sampling->cycle > 0.0)
        b->stage->frames_per_second = 1.0 / sampling->cycle;
    return RLT_OK;
}

const rlti_abc_property *rlti_abc_find(const rlti_abc_property *list, int count, const char *name) {
    for (int i = 0; i < count; i++)
        if (rlti_abc_text_is(list[i].name, name))
            return &list[i];
    return NULL;
}

/* ---- the tree ---- */

/* Appends a name to the path; what cannot stand in a path becomes '_'. Returns the former length. */
static rlt_status enter(rlti_abc_builder *b, rlti_abc_text name, uint64_t group, size_t *before) {
    *before = b->length;
    for (int i = 0; i < b->depth; i++)
        if (group != 0 && b->above[i] == group)
            return rlti_abc_problem(b, "", "an object that holds itself");
    if (name.size + 1 > RLTI_ABC_PATH - b->length)
        return rlti_abc_problem(b, "", "a path of more than 4096 bytes");
    if (b->depth == RLTI_ABC_DEPTH)
        return rlti_abc_problem(b, "", "more than 200 objects below one another");
    b->path[b->length++] = '/';
    for (size_t i = 0; i < name.size; i++) {
        unsigned char c = (unsigned char)name.at[i];
        b->path[b->length++] = c < 0x20 || c == 0x7f || c == '/' ? '_' : (char)c;
    }
    if (name.size == 0)
        b->path[b->length++] = '_';
    b->path[b->length] = '\0';
    b->above[b->depth++] = group;
    return RLT_OK;
}

static void leave(rlti_abc_builder *b, size_t before) {
    b->length = before;
    b->path[before] = '\0';
    b->depth--;
}

/* ---- instances ---- */

/* The object at a path, "/a/b". NULL, or a problem; *found is 0 where there is none. */
static const char *find_object(const rlti_abc_archive *archive, rlti_abc_text path, rlti_abc_object *to,
                               int *found) {
    uint64_t at = archive->top;
    const char *problem = NULL, *name = path.at, *end = path.at + path.size;
    *found = 0;
    while (name < end && problem == NULL) {
        name += *name == '/';
        const char *slash = name < end ? memchr(name, '/', (size_t)(end - name)) : NULL;
        size_t length = (size_t)((slash != NULL ? slash : end) - name);
        rlti_ogawa_group group;
        rlti_abc_object *list = NULL;
        int count = 0;
        problem = rlti_ogawa_group_at(&archive->ogawa, at, &group);
        if (problem == NULL)
            problem = rlti_abc_objects(archive, &group, &list, &count);
        *found = 0;
        for (int i = 0; i < count && problem == NULL && !*found; i++)
            if (list[i].name.size == length && memcmp(list[i].name.at, name, length) == 0) {
                *to = list[i];
                at = list[i].group;
                *found = 1;
            }
        rlti_free(list);
        if (!*found)
            return problem;
        name += length;
    }
    return problem;
}

/* The same; most instances are of what the one before is of. */
static const char *find_source(rlti_abc_builder *b, rlti_abc_text path, rlti_abc_object *to, int *found) {
    if (b->has_source && b->source_path.size == path.size &&
        memcmp(b->source_path.at, path.at, path.size) == 0) {
        *to = b->source;
        *found = 1;
        return NULL;
    }
    const char *problem = find_object(&b->abc->archive, path, to, found);
    if (problem == NULL && *found) {
        b->has_source = 1;
        b->source_path = path;
        b->source = *to;
    }
    return problem;
}

/* The path that an instance stands for; empty where it does not say. */
static rlt_status read_source(const rlti_abc_builder *b, const rlti_abc_object *object, rlti_abc_text *path) {
    const rlti_abc_archive *archive = &b->abc->archive;
    rlti_ogawa_group group, top;
    rlti_abc_property *list = NULL;
    rlti_ogawa_data data;
    int count = 0;
    *path = (rlti_abc_text){0};
    const char *problem = rlti_ogawa_group_at(&archive->ogawa, object->group, &group);
    if (problem == NULL && group.count > 0)
        problem = rlti_ogawa_group_at(&archive->ogawa, rlti_ogawa_child(&group, 0), &top);
    if (problem == NULL && group.count > 0)
        problem = rlti_abc_properties(archive, &top, &list, &count);
    const rlti_abc_property *source = rlti_abc_find(list, count, ".instanceSource");
    if (problem == NULL && source != NULL && source->kind == RLTI_ABC_SCALAR &&
        source->pod == RLTI_ABC_STRING && source->sample_count > 0) {
        problem = rlti_abc_sample(archive, source, 0, &data);
        if (problem == NULL && data.size > 0) {
            const char *text = (const char *)data.bytes, *end = memchr(text, '\0', data.size);
            *path = (rlti_abc_text){text, end != NULL ? (size_t)(end - text) : data.size};
        }
    }
    rlti_free(list);
    return rlti_abc_problem(b, "", problem);
}

static int is_above(const rlti_abc_builder *b, uint64_t group) {
    for (int i = 0; i < b->depth; i++)
        if (b->above[i] == group)
            return 1;
    return 0;
}

static int is_instance(const rlti_abc_object *object) {
    return rlti_abc_text_is(rlti_abc_metadata(object->metadata, "isInstance"), "1");
}

/* The object that an instance stands for takes its place, under its name. *follows 1: it does; an instance of
 * what is not there, or of one above it, is what it is in the file, with a warning. */
static rlt_status follow(rlti_abc_builder *b, rlti_abc_object *object, int *follows) {
    rlti_abc_object source = *object;
    rlti_abc_text path = {0};
    rlt_status status = RLT_OK;
    *follows = is_instance(object);
    for (int i = 0; *follows && is_instance(&source) && status == RLT_OK; i++) {
        int found = 0;
        status = read_source(b, &source, &path);
        if (status == RLT_OK && path.size > 0)
            status = rlti_abc_problem(b, "", find_source(b, path, &source, &found));
        *follows = found && i < INSTANCES_MOST && !is_above(b, source.group);
    }
    if (status == RLT_OK && is_instance(object) && !*follows && b->warned_instances++ < WARNINGS_MOST)
        rlti_warn(b->messages, "%s: %s/%.*s: an instance of %.*s, which %s; left empty", b->stage->file,
                  b->path, (int)(object->name.size < 200 ? object->name.size : 200), object->name.at,
                  (int)(path.size < 200 ? path.size : 200), path.size > 0 ? path.at : "",
                  is_above(b, source.group) ? "holds it" : "is not there");
    if (*follows) {
        object->metadata = source.metadata;
        object->group = source.group;
    }
    return status;
}

static rlt_status visit_children(rlti_abc_builder *b, const rlti_ogawa_group *object, int parent);

/* Recursion is bounded by RLTI_ABC_DEPTH. */
static rlt_status visit(rlti_abc_builder *b, rlti_abc_object *object, int parent) {
    rlti_ogawa_group group;
    size_t before;
    int index = -1, follows;
    rlt_status status = follow(b, object, &follows);
    if (status == RLT_OK)
        status = enter(b, object->name, object->group, &before);
    if (status != RLT_OK)
        return status;
    b->instances += follows;
    status = rlti_abc_problem(b, "", rlti_ogawa_group_at(&b->abc->archive.ogawa, object->group, &group));
    if (status == RLT_OK) {
        char type[RLTI_ABC_TYPE];
        rlti_prim prim = {.path = b->path, .name = b->path + before + 1, .parent = parent};
        if (parent >= 0) {
            prim.is_hidden = b->stage->prims[parent].is_hidden;
            prim.purpose = b->stage->prims[parent].purpose;
        }
        rlti_abc_describe(object->metadata, &prim, type);
        status = rlti_abc_add_prim(b, &group, &prim, &index);
    }
    if (status == RLT_OK)
        status = visit_children(b, &group, index);
    b->instances -= follows;
    leave(b, before);
    return status;
}

static rlt_status visit_children(rlti_abc_builder *b, const rlti_ogawa_group *object, int parent) {
    rlti_abc_object *list;
    int count;
    rlt_status status = rlti_abc_problem(b, "", rlti_abc_objects(&b->abc->archive, object, &list, &count));
    for (int i = 0; status == RLT_OK && i < count; i++)
        status = visit(b, &list[i], parent);
    rlti_free(list);
    return status;
}

/* ---- reading ---- */

static rlt_status read_sample(const rlti_stage *stage, const rlti_prim *prim, const rlti_attribute *attribute,
                              int sample, rlt_messages *messages, rlti_array *to) {
    const rlti_abc *abc = stage->own;
    const rlti_abc_property *p = &abc->properties[attribute->where[0]];
    uint32_t at = sample < 0 ? 0 : rlti_abc_step_sample(p, (uint32_t)sample);
    const char *problem = rlti_abc_value(&abc->archive, p, at, (rlti_abc_reading)attribute->where[1], to);
    if (problem == rlti_abc_no_memory)
        return rlti_out_of_memory(messages);
    if (problem != NULL)
        return rlti_refuse(messages, "%s: %s.%s: sample %lu: %s", stage->file, prim->path, attribute->name,
                           (unsigned long)at, problem);
    to->type.role = attribute->type.role;
    return RLT_OK;
}

static rlt_status read_value(const rlti_stage *stage, const rlti_prim *prim, const rlti_attribute *attribute,
                             int sample, rlt_messages *messages, rlti_array *to) {
    int first = rlt_messages_count(messages);
    rlt_status status = read_sample(stage, prim, attribute, sample, messages, to);
    return rlti_inputs_settle(stage->inputs, status, first, messages);
}

static rlt_status read_transform(const rlti_stage *stage, const rlti_prim *prim, double time,
                                 rlt_messages *messages, double matrix[16], int *resets) {
    int first = rlt_messages_count(messages);
    rlt_status status = rlti_abc_read_transform(stage, prim, time, messages, matrix, resets);
    return rlti_inputs_settle(stage->inputs, status, first, messages);
}

static void close_abc(rlti_stage *stage) {
    rlti_abc *abc = stage->own;
    rlti_abc_archive_close(&abc->archive);
    rlti_file_map_close(&abc->map);
    RLTI_FREE(abc->properties, abc->xforms, abc);
}

static const rlti_stage_reader reader = {"abc", read_value, read_transform, NULL, close_abc, NULL};

/* ---- opening ---- */

static rlt_status describe_archive(rlti_stage *stage, const rlti_abc_archive *archive,
                                   rlt_messages *messages) {
    char text[64];
    int version = archive->library_version;
    rlti_abc_text fps = rlti_abc_metadata(archive->metadata, "_ai_DCC_FPS"),
                  made = rlti_abc_metadata(archive->metadata, RLTI_FINGERPRINT_KEY);
    rlti_stage_fingerprint(stage, made.at, made.size);
    snprintf(text, sizeof text, "%d.%d.%d", version / 10000, version / 100 % 100, version % 100);
    stage->version = rlti_stage_text(stage, text);
    if (stage->version == NULL)
        return rlti_out_of_memory(messages);
    if (fps.size > 0 && fps.size < sizeof text) {
        double value;
        memcpy(text, fps.at, fps.size);
        text[fps.size] = '\0';
        if (rlti_number_parse(text, fps.size, &value) == RLTI_NUMBER_FINITE && value > 0.0 && value < 1e6)
            stage->frames_per_second = value;
    }
    return RLT_OK;
}

static rlt_status build(rlti_stage *stage, rlt_messages *messages) {
    rlti_abc *abc = stage->own;
    rlti_ogawa_group top;
    rlti_abc_builder *b = RLTI_NEW(rlti_abc_builder, 1);
    if (b == NULL)
        return rlti_out_of_memory(messages);
    b->abc = abc;
    b->stage = stage;
    b->messages = messages;
    b->budget = BUDGET_MIN + BUDGET_TIMES * abc->map.size;
    b->instance_budget = INSTANCE_BUDGET_MIN + BUDGET_TIMES * abc->map.size;
    rlt_status status =
        rlti_abc_problem(b, "", rlti_ogawa_group_at(&abc->archive.ogawa, abc->archive.top, &top));
    if (status == RLT_OK)
        status = describe_archive(stage, &abc->archive, messages);
    if (status == RLT_OK)
        status = visit_children(b, &top, -1);
    if (status == RLT_OK)
        rlti_abc_report_more_unplaced(b);
    RLTI_FREE(b->times, b);
    return status;
}

rlt_status rlti_abc_stage_open(const char *path, rlti_file_map *map, rlt_messages *messages,
                               rlti_stage **stage) {
    *stage = NULL;
    rlti_abc *abc = RLTI_NEW(rlti_abc, 1);
    rlti_stage *made = abc != NULL ? rlti_stage_create(path, &reader, abc) : NULL;
    if (made == NULL) {
        rlti_free(abc);
        rlti_file_map_close(map);
        return rlti_out_of_memory(messages);
    }
    abc->map = *map;
    *map = (rlti_file_map){0};
    const char *problem = rlti_abc_archive_open(&abc->archive, abc->map.bytes, abc->map.size, abc->map.pages);
    rlt_status status = problem == NULL                 ? build(made, messages)
                        : problem == rlti_abc_no_memory ? rlti_out_of_memory(messages)
                                                        : rlti_refuse(messages, "%s: %s", path, problem);
    if (status != RLT_OK) {
        rlti_stage_close(made);
        return status;
    }
    *stage = made;
    return RLT_OK;
}

#include "body/body_file.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/messages.h"
#include "base/number.h"
#include "body/mesh.h"

enum { REGIONS_MAX = 32 };

/* geometry.h hands over double[3]; both are three doubles in a row. */
_Static_assert(sizeof(rlti_vec3) == sizeof(double[3]), "rlti_vec3 is packed");

static double (*as_rows(rlti_vec3 *points))[3] {
    return (double(*)[3])(void *)points;
}

/* ---- reading ---- */

static rlt_status read_uv(rlti_body_file *file, const rlti_mesh *mesh, rlt_messages *messages) {
    static const char *const names[] = {"st", "uv", "UVMap", "map1"};
    const rlti_prim *prim = &file->stage->prims[file->geometry->prim];
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const rlti_attribute *a = rlti_stage_attribute(file->stage, prim, RLTI_PRIMVAR, names[i]);
        if (a == NULL || a->type.arity != 2)
            continue;
        file->uv = rlti_allocate(3 * (size_t)mesh->triangle_count, sizeof *file->uv);
        if (file->uv == NULL)
            return rlti_out_of_memory(messages);
        return rlti_geometry_corner_values(file->geometry, a, rlti_files_rest_time(file->stage), messages,
                                           &file->uv[0][0]);
    }
    return RLT_OK;
}

/* The faces of one face set become a region. */
static rlt_status mark_faces(const rlti_body_file *file, int prim, rlti_mesh *mesh, rlt_messages *messages) {
    const rlti_stage *stage = file->stage;
    const rlti_prim *set = &stage->prims[prim];
    const rlti_attribute *a = NULL;
    for (int i = 0; i < set->attribute_count; i++) {
        const rlti_attribute *one = &stage->attributes[set->first_attribute + i];
        if (strcmp(one->name, "indices") == 0)
            a = one;
    }
    if (a == NULL || mesh->region_count >= REGIONS_MAX || strlen(set->name) >= RLTI_NAME_SIZE)
        return RLT_OK;
    rlti_array faces = {0};
    rlt_status status = rlti_stage_value(stage, set, a, rlti_files_rest_time(stage), messages, &faces);
    int face_count = 0;
    for (int t = 0; t < mesh->triangle_count; t++)
        face_count = file->geometry->triangle_faces[t] >= face_count ? file->geometry->triangle_faces[t] + 1
                                                                     : face_count;
    unsigned char *in = RLTI_NEW(unsigned char, face_count);
    int *list = RLTI_NEW(int, faces.count);
    if (in == NULL || list == NULL)
        status = rlti_out_of_memory(messages);
    if (status == RLT_OK && !faces.blocked && faces.type.arity == 1 && rlti_array_to_ints(&faces, list)) {
        uint32_t bit = (uint32_t)1 << mesh->region_count;
        for (size_t i = 0; i < faces.count; i++)
            if (list[i] >= 0 && list[i] < face_count)
                in[list[i]] = 1;
        for (int t = 0; t < mesh->triangle_count; t++)
            if (in[file->geometry->triangle_faces[t]])
                mesh->regions[t] |= bit;
        snprintf(mesh->region_names[mesh->region_count++].name, RLTI_NAME_SIZE, "%s", set->name);
    }
    RLTI_FREE(in, list);
    rlti_array_clear(&faces);
    return status;
}

static rlt_status name_regions(const rlti_body_file *file, rlti_mesh *mesh, rlt_messages *messages) {
    rlt_status status = RLT_OK;
    snprintf(mesh->region_names[0].name, RLTI_NAME_SIZE, "all");
    mesh->region_count = 1;
    for (int t = 0; t < mesh->triangle_count; t++)
        mesh->regions[t] = 1;
    for (int i = 0; i < file->stage->prim_count && status == RLT_OK; i++)
        if (file->stage->prims[i].kind == RLTI_PRIM_FACE_SET &&
            file->stage->prims[i].parent == file->geometry->prim)
            status = mark_faces(file, i, mesh, messages);
    return status;
}

static rlt_status fill_mesh(rlti_body_file *file, rlt_messages *messages, rlti_mesh *mesh) {
    const rlti_geometry *geometry = file->geometry;
    if (!RLTI_ALLOCATE(RLTI_ITEMS(mesh->vertices, geometry->point_count),
                       RLTI_ITEMS(mesh->triangles, geometry->triangle_count),
                       RLTI_ITEMS(mesh->regions, geometry->triangle_count),
                       RLTI_ITEMS(mesh->region_names, REGIONS_MAX)))
        return rlti_out_of_memory(messages);
    mesh->vertex_count = geometry->point_count;
    mesh->triangle_count = geometry->triangle_count;
    memcpy(mesh->triangles, geometry->triangles, (size_t)mesh->triangle_count * sizeof *mesh->triangles);
    rlt_status status = rlti_geometry_points(file->geometry, rlti_files_rest_time(file->stage), messages,
                                             as_rows(mesh->vertices));
    if (status == RLT_OK)
        status = name_regions(file, mesh, messages);
    return status == RLT_OK ? read_uv(file, mesh, messages) : status;
}

static int allocate_slots(rlti_body_file *file) {
    for (int i = 0; i < RLTI_BODY_SLOTS && file->geometry->time_count > 1; i++) {
        file->slots[i] = RLTI_NEW(rlti_vec3, file->geometry->point_count);
        if (file->slots[i] == NULL)
            return 0;
    }
    return 1;
}

/* ---- what looks odd ---- */

static void check_size(const rlti_body_file *file, const rlti_mesh *mesh, rlt_messages *messages) {
    rlti_vec3 low, high;
    rlti_mesh_bounds(mesh, &low, &high);
    double metres = rlti_length(rlti_sub(high, low)) * file->scene->metres_per_unit;
    int is_stated = file->stage->metres_per_unit > 0.0;
    if (metres >= 0.02 && metres <= 5.0)
        return;
    if (is_stated && metres >= 0.02 && metres < 50.0)
        return; /* the file says so: a dragon */
    char size[32], unit[32];
    rlti_number_short(metres < 0.02 ? metres * 1000.0 : metres, size, sizeof size);
    rlti_number_short(rlti_files_unit(file->scene, file->stage), unit, sizeof unit);
    rlti_warn(messages, "%s: %s: the body is %s %s large: is one unit of the file really %s m? (%s)",
              file->stage->file, file->stage->prims[file->geometry->prim].path, size,
              metres < 0.02 ? "mm" : "m", unit,
              is_stated ? "the file says so" : "the file does not say: files.metres_per_unit");
}

static void check_cage(const rlti_body_file *file, int levels, rlt_messages *messages) {
    const rlti_prim *prim = &file->stage->prims[file->geometry->prim];
    if (levels == 0 && (prim->scheme == RLTI_SCHEME_CATMULL_CLARK || prim->scheme == RLTI_SCHEME_LOOP))
        rlti_warn(messages,
                  "%s: %s: is the cage of a subdivision surface, taken as it is; character.subdivide: 1 "
                  "smooths it",
                  file->stage->file, prim->path);
}

rlt_status rlti_body_file_open(const rlti_scene_data *scene, rlti_files *files, rlt_messages *messages,
                               rlti_mesh *mesh, rlti_body_file *file) {
    const rlti_character_data *character = &scene->character;
    int first_message = rlt_messages_count(messages), prim = -1;
    char prefix[RLTI_PLACE_SIZE + 32];
    memset(file, 0, sizeof *file);
    memset(mesh, 0, sizeof *mesh);
    file->scene = scene;
    rlt_status status = rlti_files_open(files, character->file, messages, &file->stage);
    if (status == RLT_OK)
        status = rlti_files_select_one(file->stage, RLTI_PRIM_MESH, character->prim, messages, &prim);
    if (status == RLT_OK) {
        rlti_geometry_def def = {.time = rlti_files_rest_time(file->stage), .levels = character->subdivide};
        rlti_files_space(scene, file->stage, def.to_target);
        status = rlti_geometry_open(file->stage, prim, &def, messages, &file->geometry);
    }
    if (status == RLT_OK && file->geometry->triangle_count == 0)
        status = rlti_refuse(messages, "%s: %s: the mesh has no faces; name another (character.prim)",
                             file->stage->file, file->stage->prims[prim].path);
    if (status == RLT_OK)
        status = fill_mesh(file, messages, mesh);
    if (status == RLT_OK && !allocate_slots(file))
        status = rlti_out_of_memory(messages);
    if (status == RLT_OK) {
        check_size(file, mesh, messages);
        check_cage(file, character->subdivide, messages);
    }
    snprintf(prefix, sizeof prefix, "%s%scharacter.file", character->file_place,
             character->file_place[0] != '\0' ? ": " : "");
    rlti_messages_prefix(messages, first_message, prefix);
    if (status != RLT_OK) {
        rlti_body_file_close(file);
        rlti_mesh_clear(mesh);
    }
    return status;
}

void rlti_body_file_close(rlti_body_file *file) {
    for (int i = 0; i < RLTI_BODY_SLOTS; i++)
        rlti_free(file->slots[i]);
    rlti_free(file->uv);
    rlti_geometry_close(file->geometry);
    memset(file, 0, sizeof *file);
}

/* ---- frames ---- */

static int find_slot(const rlti_body_file *file, int frame) {
    for (int i = 0; i < RLTI_BODY_SLOTS; i++)
        if (file->slot_full[i] && file->slot_frame[i] == frame)
            return i;
    return -1;
}

static int wanted_frame(const rlti_body_file *file, int frame, int k) {
    long long at = (long long)frame + k - 1;
    return rlti_body_held_frame(file->scene,
                                at > INT32_MAX ? INT32_MAX : (at < INT32_MIN ? INT32_MIN : (int)at));
}

/* One that none of the wanted frames is in: there is one, they are as many as slots. */
static int free_slot(const rlti_body_file *file, int frame) {
    for (int i = 0; i < RLTI_BODY_SLOTS; i++) {
        int used = 0;
        for (int k = 0; k < RLTI_BODY_SLOTS; k++)
            used = used || (file->slot_full[i] && file->slot_frame[i] == wanted_frame(file, frame, k));
        if (!used)
            return i;
    }
    return 0;
}

rlt_status rlti_body_file_begin(rlti_body_file *file, int frame, rlt_messages *messages) {
    for (int k = 0; k < RLTI_BODY_SLOTS && file->slots[0] != NULL; k++) {
        int wanted = wanted_frame(file, frame, k);
        if (find_slot(file, wanted) >= 0)
            continue;
        int slot = free_slot(file, frame);
        file->slot_full[slot] = 0;
        rlt_status status = rlti_geometry_points(
            file->geometry, rlti_files_time(file->scene, file->stage, file->geometry, wanted), messages,
            as_rows(file->slots[slot]));
        if (status != RLT_OK)
            return status;
        file->slot_frame[slot] = wanted;
        file->slot_full[slot] = 1;
    }
    return RLT_OK;
}

const rlti_vec3 *rlti_body_file_sample(const rlti_body_file *file, int frame) {
    int slot = file->slots[0] == NULL ? -1 : find_slot(file, rlti_body_held_frame(file->scene, frame));
    return slot < 0 ? NULL : file->slots[slot];
}

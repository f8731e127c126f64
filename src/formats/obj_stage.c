/* Wavefront .obj as a stage with one mesh: its triangles. */
#include "base/memory.h"
#include "base/messages.h"
#include "formats/plain_stage.h"
#include "formats/readers.h"
#include "io/obj.h"

static int build(rlti_stage *stage, const rlti_obj *obj) {
    static const rlti_array_type point = {RLTI_FLOAT, 3, RLTI_ROLE_POINT, 1},
                                 whole = {RLTI_INT32, 1, RLTI_ROLE_NONE, 1};
    rlti_plain *plain = stage->own;
    rlti_prim prim = {
        .path = "/mesh", .name = "mesh", .type_name = "obj", .parent = -1, .kind = RLTI_PRIM_MESH};
    size_t vertices = (size_t)obj->vertex_count, corners = 3 * (size_t)obj->triangle_count;
    float *points = plain->memory[0] = rlti_allocate(vertices, sizeof(float[3]));
    int32_t *indices = plain->memory[1] = rlti_allocate(corners, sizeof *indices);
    if (points == NULL || indices == NULL)
        return 0;
    for (size_t i = 0; i < 3 * vertices; i++)
        points[i] = (float)obj->vertices[i / 3][i % 3];
    for (size_t i = 0; i < corners; i++)
        indices[i] = obj->triangles[i / 3][i % 3];
    rlti_plain_run point_run = {.from = plain->memory[0], .stride = 12, .count = vertices};
    rlti_plain_run count_run = {.count = corners / 3, .fill = 3};
    rlti_plain_run index_run = {.from = plain->memory[1], .stride = 4, .count = corners};
    stage->default_prim = 0;
    return rlti_stage_add_prim(stage, &prim) >= 0 &&
           rlti_plain_attribute(stage, "points", RLTI_BUILT_IN, point, RLTI_VERTEX, point_run) &&
           rlti_plain_attribute(stage, "faceVertexCounts", RLTI_BUILT_IN, whole, RLTI_UNIFORM, count_run) &&
           rlti_plain_attribute(stage, "faceVertexIndices", RLTI_BUILT_IN, whole, RLTI_FACE_VARYING,
                                index_run);
}

rlt_status rlti_obj_stage_open(const char *path, rlti_file_map *map, rlt_messages *messages,
                               rlti_stage **stage) {
    rlti_obj *obj;
    *stage = NULL;
    rlt_status status = rlti_obj_parse(path, (const char *)map->bytes, map->size, messages, &obj);
    rlti_file_map_close(map);
    if (status != RLT_OK)
        return status;
    rlti_stage *made = rlti_plain_create(path, "obj", map);
    if (made == NULL || !build(made, obj)) {
        rlti_stage_close(made);
        made = NULL;
        status = rlti_out_of_memory(messages);
    }
    rlti_obj_destroy(obj);
    *stage = made;
    return status;
}

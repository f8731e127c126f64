/* libFuzzer entry: OBJ texts, as bodies (read and then made fit for collisions) and as files with every value
 * and all geometry read. Build with `make fuzz`. */
#include "contact/body/mesh_parts.h"
#include "io/obj.h"
#include "stage_walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Every index leads to a vertex, and every vertex is finite and within the limit. */
static void check(const rlti_obj *obj) {
    for (int t = 0; t < obj->triangle_count; t++)
        for (int k = 0; k < 3; k++)
            if (obj->triangles[t][k] < 0 || obj->triangles[t][k] >= obj->vertex_count)
                abort();
    for (int v = 0; v < obj->vertex_count; v++)
        for (int k = 0; k < 3; k++)
            if (!(obj->vertices[v][k] >= -RLTI_OBJ_FURTHEST && obj->vertices[v][k] <= RLTI_OBJ_FURTHEST))
                abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    rlt_messages *messages = rlt_messages_create();
    rlti_obj *obj = NULL;
    rlt_status status = rlti_obj_parse("fuzz", (const char *)data, size, messages, &obj);
    /* a refusal always says why, and only success gives a mesh */
    if ((status == RLT_OK) != (obj != NULL) || (status != RLT_OK && rlt_messages_count(messages) == 0))
        abort();
    for (int sides = 0; obj != NULL && sides < 3; sides++) {
        rlti_mesh_parts parts;
        check(obj);
        if (rlti_mesh_parts_create("fuzz", obj, (rlti_sides)sides, messages, &parts) == RLT_OK)
            rlti_mesh_parts_destroy(&parts);
    }
    rlti_obj_destroy(obj);
    /* what one takes, the other takes */
    if (walk_bytes_with(rlti_obj_stage_open, data, size, messages) != status)
        abort();
    rlt_messages_destroy(messages);
    return 0;
}

/* The character's mesh for the tracer. */
#include "base/memory.h"
#include "base/messages.h"
#include "render/render.h"
#include "render/trace.h"

/* Mean distance of neighbouring roots, from the area they stand on taken as a sphere's part: good enough to
 * know where the scalp ends. */
static double root_spacing(const rlt_frame_view *view) {
    if (view->strand_count < 2)
        return 0.0;
    double low[3], high[3];
    for (int c = 0; c < 3; c++)
        low[c] = high[c] = view->points[3 * (size_t)view->first[0] + (size_t)c];
    for (int s = 1; s < view->strand_count; s++)
        for (int c = 0; c < 3; c++) {
            double x = view->points[3 * (size_t)view->first[s] + (size_t)c];
            low[c] = x < low[c] ? x : low[c];
            high[c] = x > high[c] ? x : high[c];
        }
    double a = high[0] - low[0], b = high[1] - low[1], c = high[2] - low[2];
    return sqrt((a * b + b * c + c * a) / view->strand_count);
}

static rlt_status fill_body(rlti_mesh_shape *body, const rlt_frame_view *view, const rlt_render_def *def,
                            const rlti_vec3 *normals, rlt_messages *messages) {
    size_t vertices = (size_t)view->vertex_count;
    size_t triangles = (size_t)view->triangle_count;
    body->steps = def->shutter > 0.0 && def->vertex_velocities != NULL ? 2 : 1;
    /* Embree reads 16 bytes at the last vertex */
    for (int step = 0; step < body->steps; step++)
        body->vertices[step] = RLTI_NEW(float, 3 * vertices + 4);
    body->normals = RLTI_NEW(float, 3 * vertices);
    body->triangles = RLTI_NEW(uint32_t, 3 * triangles + 4);
    body->scalp = rlti_surface_scalp(view, 0.6 * root_spacing(view));
    if (body->vertices[0] == NULL || (body->steps == 2 && body->vertices[1] == NULL) ||
        body->normals == NULL || body->triangles == NULL || body->scalp == NULL)
        return rlti_out_of_memory(messages);
    for (int step = 0; step < body->steps; step++) {
        double seconds = body->steps == 2 ? (step - 0.5) * def->shutter : 0.0;
        for (size_t i = 0; i < 3 * vertices; i++)
            body->vertices[step][i] =
                (float)(view->vertices[i] + (body->steps == 2 ? seconds * def->vertex_velocities[i] : 0.0));
    }
    for (size_t v = 0; v < vertices; v++) {
        body->normals[3 * v] = (float)normals[v].x;
        body->normals[3 * v + 1] = (float)normals[v].y;
        body->normals[3 * v + 2] = (float)normals[v].z;
    }
    for (size_t i = 0; i < 3 * triangles; i++)
        body->triangles[i] = (uint32_t)view->triangles[i];
    body->vertex_count = view->vertex_count;
    body->triangle_count = view->triangle_count;
    return RLT_OK;
}

rlt_status rlti_mesh_shape_create(rlti_mesh_shape *body, const rlt_frame_view *view,
                                  const rlt_render_def *def, const rlti_dress *dress,
                                  rlt_messages *messages) {
    *body = (rlti_mesh_shape){.steps = 1, .rest = dress->rest, .rest_count = dress->head_count};
    if (!def->body || view->vertex_count == 0)
        return RLT_OK;
    rlti_vec3 *normals = rlti_surface_normals(view);
    rlt_status status =
        normals != NULL ? fill_body(body, view, def, normals, messages) : rlti_out_of_memory(messages);
    rlti_free(normals);
    return status;
}

void rlti_mesh_shape_destroy(rlti_mesh_shape *body) {
    RLTI_FREE(body->vertices[0], body->vertices[1], body->normals, body->scalp, body->triangles);
    *body = (rlti_mesh_shape){0};
}

/* A head made of arrays is shaken, and its hair follows: what a game or a plug-in does, without a file.
 *     cc shaken_head.c -o shaken_head $(pkg-config --cflags --libs ringlet) -lm */
#include <math.h>
#include <ringlet/live.h>
#include <stdio.h>

enum { RINGS = 9, AROUND = 12, VERTICES = RINGS * AROUND, TRIANGLES = 2 * (RINGS - 1) * AROUND };
enum { STRANDS = 60, POINTS = 12 };

/* As a game has them: single precision, place and normal side by side. */
typedef struct vertex {
    float place[3], normal[3];
} vertex;

static vertex head[VERTICES], moved[VERTICES];
static int triangles[TRIANGLES][3], counts[STRANDS];
static float hair[STRANDS * POINTS][3];

/* A ball with a radius of 10 cm; its poles are rings without a width. */
static void make_head(void) {
    for (int i = 0; i < VERTICES; i++) {
        double down = acos(-1.0) * (i / AROUND) / (RINGS - 1),
               around = 2.0 * acos(-1.0) * (i % AROUND) / AROUND;
        const double normal[3] = {sin(down) * sin(around), cos(down), sin(down) * cos(around)};
        for (int k = 0; k < 3; k++) {
            head[i].normal[k] = (float)normal[k];
            head[i].place[k] = (float)(10.0 * normal[k]);
        }
    }
    for (int q = 0; q < (RINGS - 1) * AROUND; q++) {
        int a = q, b = q / AROUND * AROUND + (q + 1) % AROUND;
        const int both[6] = {a, a + AROUND, b + AROUND, a, b + AROUND, b};
        for (int k = 0; k < 6; k++)
            triangles[2 * q + k / 3][k % 3] = both[k];
    }
}

/* Hairs of 11 cm, one on each vertex of the upper half, that grow out of the skin and fall. */
static void make_hair(void) {
    for (int s = 0; s < STRANDS; s++) {
        counts[s] = POINTS;
        for (int p = 0; p < POINTS; p++)
            for (int k = 0; k < 3; k++)
                hair[s * POINTS + p][k] =
                    head[s].place[k] + (float)p * (head[s].normal[k] - (k == 1 ? 0.3f : 0.0f));
    }
}

static int fail(rlt_messages *messages) {
    for (int i = 0; i < rlt_messages_count(messages); i++)
        fprintf(stderr, "%s\n", rlt_messages_text(messages, i));
    return 1;
}

int main(void) {
    static const char values[] = "time: {fps: 60}\nhair: {count: 1, model: rod, rod: {steps: 1}}\n";
    rlt_messages *messages = rlt_messages_create();
    rlt_scene *scene = NULL;
    rlt_simulation *simulation = NULL;
    rlt_live_body body = rlt_live_body_defaults();
    rlt_live_groom groom = rlt_live_groom_defaults();
    rlt_live_def def = rlt_live_defaults();
    make_head();
    make_hair();
    body.vertex_count = VERTICES;
    body.triangle_count = TRIANGLES;
    body.vertices = (rlt_array){head, RLT_FLOAT, sizeof(vertex)};
    body.triangles = triangles[0];
    groom.strand_count = STRANDS;
    groom.counts = counts;
    groom.points = (rlt_array){hair, RLT_FLOAT, 0};
    if (rlt_scene_load_text("values", values, sizeof values - 1, NULL, 0, messages, &scene) != RLT_OK)
        return fail(messages);
    def.scene = scene;
    def.body = &body;
    def.groom = &groom;
    if (rlt_live_create(&def, messages, &simulation) != RLT_OK)
        return fail(messages);
    for (int tick = 1; tick <= 60; tick++) {
        const rlt_array vertices = {moved, RLT_FLOAT, sizeof(vertex)};
        const rlt_buffer points = {hair, RLT_FLOAT, 0};
        for (int i = 0; i < VERTICES; i++) {
            moved[i] = head[i];
            moved[i].place[0] += 4.0f * (float)sin(0.25 * tick); /* to and fro, by 4 cm */
        }
        if (rlt_simulation_move_vertices(simulation, &vertices, messages) != RLT_OK ||
            rlt_simulation_step(simulation, 1.0 / 60.0, messages) != RLT_OK ||
            rlt_simulation_read(simulation, RLT_READ_POINTS, &points, messages) != RLT_OK)
            return fail(messages);
        const float *tip = hair[24 * POINTS + POINTS - 1];
        printf("%2d: head %5.2f, tip %6.2f %6.2f %6.2f\n", tick, (double)moved[0].place[0], (double)tip[0],
               (double)tip[1], (double)tip[2]);
    }
    rlt_simulation_destroy(simulation);
    rlt_scene_destroy(scene);
    rlt_messages_destroy(messages);
    return 0;
}

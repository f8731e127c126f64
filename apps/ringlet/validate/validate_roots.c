/* root-frames (V17, Figure 3 of the 2019 talk): a slanted hair on a square that is stretched and sheared. How
 * far does the hair turn, by best fit and by cross products, and does it matter which edge of a triangle
 * comes first?
 *
 * A square pulled along its diagonal is sheared and stretched but not turned, so neither should the hair be.
 * A simple shear has a turn in it, atan(s / 2), and the hair must show that much and no more. */
#define _DEFAULT_SOURCE /* mkdtemp */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "validate/validate.h"

enum { CASES = 3, ORDERS = 3, KINDS = 2, LAST = 4, FILE_SIZE = 4096 };

static const char *const kinds[KINDS] = {"best-fit", "cross"};
static const double degrees = 57.29577951308232;
static const double order_limit = 0.001, shear_limit = 0.05; /* [degree] */

/* The square's corners (x, z) go to matrix times them. */
static const struct {
    const char *name;
    double matrix[2][2];
    double turn; /* of the deformation itself [degree] */
} cases[CASES] = {
    {"pulled along the diagonal to twice its length", {{1.5, 0.5}, {0.5, 1.5}}, 0.0},
    {"pulled along the other diagonal to three times", {{2.0, -1.0}, {-1.0, 2.0}}, 0.0},
    {"simple shear by 1", {{1.0, 1.0}, {0.0, 1.0}}, 26.56505117707799},
};

typedef struct watch {
    double first[3], last[3]; /* direction of the root's frame */
    int frames;
} watch;

static int record(const rlt_simulation *simulation, const rlt_frame_view *view, void *context) {
    watch *w = context;
    double frames[9 * 8];
    if (view->first[1] - view->first[0] > 8 || rlt_simulation_strand_frames(simulation, 0, frames) != RLT_OK)
        return 0;
    memcpy(w->frames == 0 ? w->first : w->last, frames, 3 * sizeof(double));
    w->frames++;
    return 1;
}

/* Two triangles, listed from their k-th corner on, still at frame 1 and deformed from frame 3 on. */
static int write_square(const char *path, int which, int order) {
    static const int faces[2][3] = {{0, 1, 2}, {0, 2, 3}};
    static const double corners[4][2] = {{-5, -5}, {-5, 5}, {5, 5}, {5, -5}};
    FILE *file = fopen(path, "w");
    if (file == NULL)
        return 0;
    fprintf(file,
            "#usda 1.0\n(\n    metersPerUnit = 0.01\n    upAxis = \"Y\"\n    timeCodesPerSecond = 24\n)\n"
            "def Mesh \"square\"\n{\n    uniform token subdivisionScheme = \"none\"\n"
            "    int[] faceVertexCounts = [3, 3]\n    int[] faceVertexIndices = [");
    for (int i = 0; i < 6; i++)
        fprintf(file, "%s%d", i > 0 ? ", " : "", faces[i / 3][(i + order) % 3]);
    fprintf(file, "]\n    point3f[] points.timeSamples = {\n");
    for (int frame = 1; frame <= LAST + 2; frame++) {
        double part = frame == 1 ? 0.0 : (frame == 2 ? 0.5 : 1.0);
        fprintf(file, "        %d: [", frame); /* whole numbers: no locale writes them differently */
        for (int c = 0; c < 4; c++) {
            const double(*m)[2] = cases[which].matrix;
            double x = corners[c][0], z = corners[c][1], to_x = m[0][0] * x + m[0][1] * z,
                   to_z = m[1][0] * x + m[1][1] * z;
            fprintf(file, "%s(%d, 0, %d)", c > 0 ? ", " : "", (int)(x + part * (to_x - x)),
                    (int)(z + part * (to_z - z)));
        }
        fprintf(file, "],\n");
    }
    fprintf(file, "    }\n}\n");
    return fclose(file) == 0;
}

static double turned(const watch *w) {
    double dot = 0.0;
    for (int axis = 0; axis < 3; axis++)
        dot += w->first[axis] * w->last[axis];
    return degrees * acos(fmax(-1.0, fmin(1.0, dot)));
}

/* Turn of the hair [degree] for every order of the corners, and the greatest angle between two of their
 * ends. */
static rlt_status turns_of(validate_run *run, const char *path, int which, int kind, double turns[ORDERS],
                           double *apart) {
    watch watches[ORDERS];
    rlt_status status = RLT_OK;
    memset(watches, 0, sizeof watches);
    for (int order = 0; order < ORDERS && status == RLT_OK; order++) {
        char text[2048];
        int used = 0;
        validate_text(text, sizeof text, &used,
                      "gravity: [0, 0, 0]\ntime: {last: %d, outer_steps: 60, force_steps: 20}\n"
                      "character: {kind: file, file: \"%s\", root_frames: %s}\n"
                      "colliders: {kind: body, enabled: off}\n"
                      "hair: {preset: straight, region: all, collide: {enabled: off},"
                      " strands: [[[-1, 0, 1], [-1, 1, 1.8], [-1, 2, 2.6], [-1, 3, 3.4]]]}\n",
                      LAST, path, kinds[kind]);
        status = write_square(path, which, order) ? RLT_OK : RLT_FAILED;
        if (status == RLT_OK)
            status = validate_simulate(run, text, record, &watches[order], NULL);
        turns[order] = turned(&watches[order]);
    }
    *apart = 0.0;
    for (int order = 1; order < ORDERS; order++) {
        watch pair;
        memcpy(pair.first, watches[0].last, sizeof pair.first);
        memcpy(pair.last, watches[order].last, sizeof pair.last);
        *apart = fmax(*apart, turned(&pair));
    }
    return status;
}

static rlt_status report(validate_run *run, int which, double turns[KINDS][ORDERS],
                         const double apart[KINDS]) {
    double maximum[KINDS] = {0.0, 0.0};
    for (int k = 0; k < KINDS; k++)
        for (int order = 0; order < ORDERS; order++)
            maximum[k] = fmax(maximum[k], turns[k][order]);
    int has_turn = cases[which].turn > 0.0;
    validate_result r = {
        .model = "all",
        .unit = "degree",
        .measured = maximum[0],
        .reference = has_turn ? maximum[1] : 0.25 * maximum[1],
        .tolerance = order_limit,
        .rule = has_turn
                    ? "turn of the hair by best fit <= that by cross products, the same within tolerance "
                      "whichever edge comes first"
                    : "turn of the hair by best fit <= a quarter of that by cross products, the same "
                      "within tolerance whichever edge comes first"};
    snprintf(r.name, sizeof r.name, "%s", cases[which].name);
    r.verdict = maximum[0] <= r.reference + (has_turn ? shear_limit : 0.0) && apart[0] <= order_limit
                    ? VALIDATE_PASS
                    : VALIDATE_FAIL;
    snprintf(r.reason, sizeof r.reason,
             "By cross products the hair turns by %.3g, %.3g or %.3g degrees, depending on the edge that "
             "comes first; by best "
             "fit by %.3g, the same for all to %.2g. The deformation itself turns by %.3g.",
             turns[1][0], turns[1][1], turns[1][2], maximum[0], apart[0], cases[which].turn);
    validate_detail(&r, "cross_degree", maximum[1]);
    validate_detail(&r, "cross_apart_degree", apart[1]);
    validate_detail(&r, "best_fit_apart_degree", apart[0]);
    validate_detail(&r, "turn_of_deformation_degree", cases[which].turn);
    return validate_add(run, &r);
}

rlt_status validate_root_frames(validate_run *run) {
    const char *folder = getenv("TMPDIR");
    char directory[512], path[FILE_SIZE];
    snprintf(directory, sizeof directory, "%s/ringlet-XXXXXX", folder != NULL ? folder : "/tmp");
    if (mkdtemp(directory) == NULL)
        return RLT_FAILED;
    snprintf(path, sizeof path, "%s/square.usda", directory);
    rlt_status status = RLT_OK;
    for (int which = 0; which < CASES && status == RLT_OK; which++) {
        double turns[KINDS][ORDERS], apart[KINDS];
        for (int k = 0; k < KINDS && status == RLT_OK; k++)
            status = turns_of(run, path, which, k, turns[k], &apart[k]);
        if (status == RLT_OK)
            status = report(run, which, turns, apart);
    }
    remove(path);
    rmdir(directory);
    return status;
}

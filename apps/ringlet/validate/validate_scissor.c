/* scissor: a hair that sticks out between two plates that close like scissors and cut through each other, stay
 * so, and open again. It has no place to be: no set of forces meets all contacts. It must stay whole and near
 * where it was, be reported, be still while it is held, and come to rest once the plates open. Where
 * points were inside of a plate it stays there: nothing says on which side it should be. */
#define _DEFAULT_SOURCE /* mkdtemp */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "validate/validate.h"

enum { POINTS = 17, CLOSED = 18, OPENS = 42, LAST = 96, PATH = 600 };

static const double length = 8.0; /* of the hair [unit] */

/* Plates: thin ones that only edges meet, and one that several points are in. */
static const struct {
    const char *name;
    double from, to; /* along the hair [unit] */
    int steps;       /* a frame */
} cases[] = {
    {"thin plates, between points, 4 steps a frame", 0.15, 0.35, 4},
    {"thin plates, between points, 1 step a frame", 0.15, 0.35, 1},
    {"thick plates, 4 steps a frame", -0.6, 0.6, 4},
    {"thick plates, 1 step a frame", -0.6, 0.6, 1},
};
enum { CASES = sizeof cases / sizeof *cases };

/* Angle of the upper plate: open at 30 degrees, shut at -10, where they overlap by 1.4 units at the hair. */
static double angle_at(int frame) {
    const double open = 0.5235987755982988, shut = -0.17453292519943295;
    double part = frame <= 6           ? 0.0
                  : frame < CLOSED     ? (frame - 6) / 12.0
                  : frame <= OPENS     ? 1.0
                  : frame < OPENS + 12 ? 1.0 - (frame - OPENS) / 12.0
                                       : 0.0;
    return open + part * (shut - open);
}

/* A plate from its pivot, beside the hair at z = -4, with its edge along the hair's height; the lower one is the
 * mirror image. Numbers are written as thousandths, so that no locale writes them differently. */
static int write_plate(const char *path, int which, int lower) {
    static const char *const faces[2] = {
        "0, 2, 3, 1, 4, 5, 7, 6, 0, 1, 5, 4, 2, 6, 7, 3, 0, 4, 6, 2, 1, 3, 7, 5",
        "1, 3, 2, 0, 6, 7, 5, 4, 4, 5, 1, 0, 3, 7, 6, 2, 2, 6, 4, 0, 5, 7, 3, 1"};
    FILE *file = fopen(path, "w");
    if (file == NULL)
        return 0;
    fprintf(file,
            "#usda 1.0\n(\n    metersPerUnit = 0.00001\n    upAxis = \"Y\"\n    timeCodesPerSecond = 24\n)\n"
            "def Mesh \"plate\"\n{\n    uniform token subdivisionScheme = \"none\"\n"
            "    int[] faceVertexCounts = [4, 4, 4, 4, 4, 4]\n    int[] faceVertexIndices = [%s]\n"
            "    point3f[] points.timeSamples = {\n",
            faces[lower]);
    for (int frame = 1; frame <= LAST + 2; frame++) {
        double a = angle_at(frame), sign = lower ? -1.0 : 1.0;
        fprintf(file, "        %d: [", frame);
        for (int v = 0; v < 8; v++) {
            double x = v & 1 ? cases[which].to : cases[which].from, y = v & 2 ? 2.0 : 0.0,
                   z = v & 4 ? 8.0 : 0.0;
            fprintf(file, "%s(%ld, %ld, %ld)", v > 0 ? ", " : "", lround(1000.0 * x),
                    lround(1000.0 * sign * (y * cos(a) + z * sin(a))),
                    lround(1000.0 * (z * cos(a) - y * sin(a) - 4.0)));
        }
        fprintf(file, "],\n");
    }
    fprintf(file, "    }\n}\n");
    return fclose(file) == 0;
}

typedef struct watch {
    double stretch; /* greatest, of rest */
    double reach;   /* farthest point from the root / length */
    double held;    /* fastest point in six frames before the plates open [unit/s] */
    double freed;   /* in the last six frames [unit/s] */
    double apart;   /* of a point from where it began, at the end / length */
    long long passed;
    double deepest; /* in a plate / mean radius */
} watch;

static double distance(const double *a, const double *b) {
    double square = 0.0;
    for (int k = 0; k < 3; k++)
        square += (a[k] - b[k]) * (a[k] - b[k]);
    return sqrt(square);
}

static int record(const rlt_simulation *simulation, const rlt_frame_view *view, void *context) {
    watch *w = context;
    rlt_statistics s = {.size = sizeof s};
    rlt_simulation_statistics(simulation, &s);
    w->apart = 0.0;
    for (int p = 0; p < view->point_count; p++) {
        const double *x = view->points + 3 * (size_t)p;
        w->reach = fmax(w->reach, distance(x, view->points) / length);
        w->apart = fmax(w->apart, distance(x, view->rest + 3 * (size_t)p) / length);
    }
    w->stretch = fmax(w->stretch, s.longest);
    if (view->frame > OPENS - 9 && view->frame <= OPENS - 3) /* splines move the plates before that */
        w->held = fmax(w->held, s.fastest);
    if (view->frame > LAST - 6)
        w->freed = fmax(w->freed, s.fastest);
    w->passed += s.solved_passed;
    w->deepest = fmax(w->deepest, s.solved_bodies_deepest);
    return isfinite(w->reach);
}

static rlt_status report(validate_run *run, int which, const watch *w, const char *diverged) {
    const double most = 1.05, still = 1.0;
    int warnings = validate_warnings(run);
    validate_result r = {.model = "rod",
                         .unit = "rest",
                         .measured = diverged[0] != 0 ? HUGE_VAL : w->stretch,
                         .reference = most,
                         .tolerance = still,
                         .rule = "length of an edge and of the hair <= reference, slower than tolerance "
                                 "[unit/s] while held and in the end, and warned of"};
    snprintf(r.name, sizeof r.name, "%s", cases[which].name);
    if (!(r.measured <= most && w->reach <= most && w->held <= still && w->freed <= still && warnings > 0))
        r.verdict = VALIDATE_FAIL;
    snprintf(
        r.reason, sizeof r.reason,
        "%d warnings; up to %.2g mean radii deep in a plate; %lld edges passed through one. It moves at %.2g "
        "unit/s while it is held, and at %.2g in the end, %.2g of its length from where it began.",
        warnings, w->deepest, w->passed, w->held, w->freed, w->apart);
    if (diverged[0] != 0)
        snprintf(r.reason, sizeof r.reason, "%s", diverged);
    validate_detail(&r, "warnings", warnings);
    validate_detail(&r, "passed", (double)w->passed);
    validate_detail(&r, "deepest", w->deepest);
    validate_detail(&r, "held_unit_per_s", w->held);
    validate_detail(&r, "apart", w->apart);
    return validate_add(run, &r);
}

static rlt_status one(validate_run *run, const char *folder, int which) {
    char paths[2][PATH], text[4096], diverged[VALIDATE_TEXT] = "";
    int used = 0;
    watch w = {0};
    for (int k = 0; k < 2; k++) {
        snprintf(paths[k], sizeof paths[k], "%s/plate%d.usda", folder, k);
        if (!write_plate(paths[k], which, k))
            return RLT_FAILED;
    }
    validate_text(text, sizeof text, &used,
                  "gravity: [0, 0, 0]\ntime: {last: %d}\ncharacter: {kind: none}\ncolliders:\n"
                  "- {name: upper, kind: mesh, file: \"%s\"}\n- {name: lower, kind: mesh, file: \"%s\"}\n"
                  "hair: {model: rod, rod: {steps: %d}, collide: {thickness: 0.1}, contact: {method: solve,"
                  " radius: 0.1}, strands: [[",
                  LAST, paths[0], paths[1], cases[which].steps);
    for (int i = 0; i < POINTS; i++)
        validate_text(text, sizeof text, &used, "%s[%g, 0, 0]", i > 0 ? ", " : "", -3.0 + 0.5 * i);
    validate_text(text, sizeof text, &used, "]]}\n");
    validate_expect_warnings(run, 1);
    rlt_status status = validate_simulate(run, text, record, &w, diverged);
    validate_expect_warnings(run, 0);
    for (int k = 0; k < 2; k++)
        remove(paths[k]);
    return status == RLT_OK || status == RLT_DIVERGED ? report(run, which, &w, diverged) : status;
}

rlt_status validate_scissor(validate_run *run) {
    const char *base = getenv("TMPDIR");
    char folder[512];
    snprintf(folder, sizeof folder, "%s/ringlet-XXXXXX", base != NULL ? base : "/tmp");
    if (mkdtemp(folder) == NULL)
        return RLT_FAILED;
    rlt_status status = RLT_OK;
    for (int which = 0; which < CASES && status == RLT_OK; which++)
        status = one(run, folder, which);
    rmdir(folder);
    return status;
}

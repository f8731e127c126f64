/* Scenes that take a tenth of a second or so: made up ones, one with a sequence of meshes, and scenes/files.
 */
#include <string.h>

#include "job.h"

static double between(trial *t, double low, double high) {
    return low + (high - low) * trial_fraction(t);
}

/* Curls on a bone that moves, wind, and something in the way; touching or not. */
static void write_curls(trial *t, const shot *s, const char *name) {
    static const char *const motions[] = {"kind: walk, amount: %.2f", "kind: spin, spin: %.2f, start: 0.2"};
    char text[2048], motion[128], obstacle[160];
    int count = 5 + trial_pick(t, 10);
    snprintf(motion, sizeof motion, motions[trial_pick(t, 2)], between(t, 1, 4));
    if (s->inputs.count > 0)
        snprintf(obstacle, sizeof obstacle, "{kind: mesh, file: wall.##.obj}");
    else
        snprintf(obstacle, sizeof obstacle, "{kind: sphere, bone: head, position: [8, -12, 0], radius: %.2f}",
                 between(t, 3, 5));
    snprintf(text, sizeof text,
             "time: {last: %d, preroll: %d, outer_steps: 12, force_steps: 15, damping_steps: 5}\n"
             "motion: {%s}\n"
             "character: {kind: none}\n"
             "colliders: %s\n"
             "wind: {velocity: [%.1f, 0, 20], turbulence: 40}\n"
             "hair: {preset: redhead, region: none, spacing: 1, count: %d, total_points: %d, length: 20,"
             " length_variation: %.2f, drag: 2, stretch: {stiffness: 1e6, damping: 1000}%s%s}\n",
             s->frames, trial_pick(t, 3), motion, obstacle, between(t, 20, 80), count,
             count * (12 + trial_pick(t, 12)), between(t, 0.1, 0.5),
             trial_one_in(t, 3) ? ", prune: {random: 0}" : "", trial_one_in(t, 3) ? ", model: rod" : "");
    file_input(t, name, text);
}

/* A box that comes nearer, as one OBJ file for each frame. */
static void write_walls(trial *t, shot *s) {
    for (int frame = -2; frame <= s->frames; frame++) {
        char name[32], text[1024];
        int used = 0;
        snprintf(name, sizeof name, "wall.%02d.obj", frame);
        for (int v = 0; v < 8; v++)
            used += snprintf(text + used, sizeof text - (size_t)used, "v %.4f %.4f %.4f\n",
                             (v & 1 ? 12.0 : 4.0) - 0.1 * frame, v & 2 ? -8.0 : -16.0, v & 4 ? 4.0 : -4.0);
        snprintf(text + used, sizeof text - (size_t)used,
                 "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n");
        file_input(t, name, text);
        if (frame >= 1 && s->inputs.count < NAME_LIMIT)
            snprintf(s->inputs.name[s->inputs.count++], sizeof s->inputs.name[0], "%s", name);
    }
}

static void copy_shot(trial *t, shot *s) {
    static const struct {
        const char *scene, *file, *settings;
        int light;
    } shots[] = {
        {"puffball", "puffball", "", 0},
        {"blend", "blend", "", 1},
        {"wind-up", "wind-up", " --set time.outer_steps=30", 0},
        {"brow", "brow", "", 1},
        {"grow", "grow", " --set hair.count=40", 0},
        {"cut", "bust", " --set hair.count=20", 0},
    };
    int which = trial_pick(t, 6);
    char file[32];
    snprintf(s->scene, sizeof s->scene, "%s.yaml", shots[which].scene);
    snprintf(file, sizeof file, "%s.usda", shots[which].file);
    file_input_copy(t, s->scene, s->scene);
    file_input_copy(t, file, file);
    snprintf(s->inputs.name[s->inputs.count++], sizeof s->inputs.name[0], "%s", file);
    snprintf(s->settings, sizeof s->settings, " --set time.last=%d --set time.preroll=%d%s%s", s->frames,
             trial_pick(t, 2), shots[which].settings, trial_one_in(t, 3) ? " --set hair.model=rod" : "");
    s->light = shots[which].light;
}

void shot_make(trial *t, shot *s, int files) {
    *s = (shot){.frames = 6 + trial_pick(t, 15)};
    int what = trial_pick(t, 10);
    if (what < 6) {
        copy_shot(t, s);
        return;
    }
    snprintf(s->scene, sizeof s->scene, "shot.yaml");
    s->generated = s->light = 1;
    if (files || what == 6)
        write_walls(t, s);
    write_curls(t, s, s->scene);
}

void shot_change(trial *t, const shot *s) {
    char line[96];
    write_curls(t, s, "changed.yaml");
    snprintf(line, sizeof line, "cp changed.yaml %s", s->scene);
    if (!child_command(t, line, 20))
        trial_fail(t, "%s: the torture program cannot write it", s->scene);
}

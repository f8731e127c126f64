/* What good scenes become: defaults, values, presets, overrides, embedded scenes, the schema itself. */
#include <glob.h>

#include <locale.h>
#include <stdlib.h>

#include "scene/embedded.h"
#include "base/number.h"
#include "scene/schema.h"
#include "scene_fixture.h"

static void assert_close(double value, double expected) {
    assert_true(value == expected);
}

static void assert_ramp(const rlti_ramp *ramp, double root, double tip) {
    assert_close(rlti_ramp_at(ramp, 0.0), root);
    assert_close(rlti_ramp_at(ramp, 1.0), tip);
}

static void test_defaults(void **state) {
    const rlti_scene_data *d = load_good(*state, "hair: {count: 3}\n");
    assert_close(d->metres_per_unit, 0.01);
    assert_close(d->gravity[0], 0);
    assert_close(d->gravity[1], -981);
    assert_close(d->time.fps, 24);
    assert_int_equal(d->time.first, 1);
    assert_int_equal(d->time.last, 232);
    assert_int_equal(d->time.preroll, 0);
    assert_int_equal(d->time.outer_steps, 60);
    assert_int_equal(d->time.force_steps, 15);
    assert_int_equal(d->time.damping_steps, 10);
    assert_int_equal(d->character.kind, RLTI_CHARACTER_HEAD);
    assert_int_equal(d->character.resolution, 48);
    assert_int_equal(d->motion.kind, RLTI_MOTION_STILL);
    assert_close(d->motion.stop_g, 10);
    assert_close(d->motion.spin, 0.5);
    assert_close(d->speed_limit, 20000);
    assert_close(d->stretch_alarm, 3);
    assert_int_equal(d->hair_count, 1);
    const rlti_hair_data *h = &d->hair[0];
    assert_int_equal(h->count, 3);
    assert_string_equal(h->region, "scalp");
    assert_int_equal(h->formulation, RLTI_VARIATIONAL);
    assert_ramp(&h->mass, 1, 1);
    assert_close(h->stretch_limit, 1.1);
    assert_close(h->velocity_limit, 2000);
    assert_int_equal(h->collide, 1);
    assert_close(h->thickness, 0.3);
    assert_close(h->collide_stiffness, 1e6);
    assert_close(h->collide_damping, 2000);
    assert_close(h->friction, 0.3);
    assert_close(h->width, 0.05);
    assert_int_equal(rlt_scene_first_frame(((fixture *)*state)->scene), 1);
    assert_int_equal(rlt_scene_last_frame(((fixture *)*state)->scene), 232);
    assert_close(rlt_scene_frames_per_second(((fixture *)*state)->scene), 24);
    assert_string_equal(rlti_scene_file(((fixture *)*state)->scene), "s.yaml");
}

/* Finds out that a row's default passes the row's own checks, by writing it into a file. */
static int default_loads(fixture *f, const rlt_schema_entry *e) {
    char text[1024] = "", key[128];
    size_t used = 0;
    int depth = 0, named_count = 0;
    snprintf(key, sizeof key, "%s", e->key);
    for (char *word = strtok(key, "."); word != NULL; word = strtok(NULL, "."), depth++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%*s%s:", depth > 0 ? "\n" : "",
                                 2 * depth, "", word);
        named_count = strcmp(e->key, "hair.count") == 0 || strcmp(e->key, "hair.density") == 0;
    }
    snprintf(text + used, sizeof text - used, " %s\n", e->default_value);
    if (strncmp(e->key, "hair.", 5) == 0 && !named_count)
        strcat(text, "  count: 1\n");
    rlt_status status = load_with(f, text, NULL, 0);
    /* what needs more than one key: no strands by default, and a sphere's radius */
    if (named_count || strncmp(e->key, "colliders.", 10) == 0)
        return status == RLT_BAD_INPUT && rlt_messages_count(f->messages) == 1 &&
               (strstr(rlt_messages_text(f->messages, 0), "hair: needs count or density") != NULL ||
                strstr(rlt_messages_text(f->messages, 0), "colliders.radius = 0: must be > 0 for a sphere") !=
                    NULL);
    return status == RLT_OK;
}

static void test_schema_rows(void **state) {
    fixture *f = *state;
    rlt_schema_entry e = {.size = sizeof e};
    int count = 0;
    for (; rlt_schema_get(count, &e); count++) {
        if (!default_loads(f, &e))
            fail_msg("%s: default %s does not load: %s", e.key, e.default_value,
                     rlt_messages_text(f->messages, 0));
        assert_non_null(e.unit);
        assert_true(e.range[0] != '\0');
        assert_true(strlen(e.help) > 5 && strchr(e.help, '\n') == NULL);
        assert_true(e.help[strlen(e.help) - 1] == '.');
        const rlti_row *row = rlti_schema_row(count);
        if (row->type == RLTI_TYPE_INTEGER)
            assert_true(row->min >= -2147483648.0 && row->max <= 2147483647.0);
        if (row->type == RLTI_TYPE_TEXT) {
            char limit[32];
            snprintf(limit, sizeof limit, "at most %zu bytes", row->size - 1);
            assert_string_equal(row->range, limit);
        }
        for (int i = 0; i < count; i++) /* no key twice */
            assert_true(strcmp(rlti_schema_row(i)->key, e.key) != 0);
    }
    assert_int_equal(count, rlti_schema_count());
    assert_false(rlt_schema_get(-1, &e));
    assert_false(rlt_schema_get(0, NULL));
}

/* Where all hair is of model rod its steps are the scene's; Taz's material is converted unless the Rod's was
 * given later. */
static void test_rod(void **state) {
    fixture *f = *state;
    const rlti_scene_data *d = load_good(f, "hair: {count: 1, model: rod}\n");
    assert_int_equal(d->time.outer_steps, 4);
    assert_false(d->hair[0].rod.converted);
    d = load_good(
        f, "hair: [{count: 1, model: rod, rod: {steps: 6}}, {count: 1, model: rod, rod: {steps: 8}}]\n");
    assert_int_equal(d->time.outer_steps, 8);
    d = load_good(f, "hair: [{count: 1, model: rod}, {count: 1}]\n");
    assert_int_equal(d->time.outer_steps, 60);
    d = load_good(f, "hair: {count: 1, model: rod, bend: {stiffness: 3e4}, rod: {damping: 0.1}}\n");
    assert_true(d->hair[0].rod.converted);
    assert_false(d->hair[0].rod.damping_converted);
    d = load_good(f, "hair: {count: 1, model: rod, bend: {stiffness: 3e4}, rod: {radius: 30}}\n");
    assert_false(d->hair[0].rod.converted);
    assert_false(d->hair[0].rod.damping_converted);
    d = load_good(f, "hair: {count: 1, model: rod, preset: straight}\n");
    assert_true(d->hair[0].rod.damping_converted == d->hair[0].rod.converted);
    d = load_good(f, "hair: {count: 1, model: rod, rod: {integration: midpoint, gradient: printed}}\n");
    assert_int_equal(d->hair[0].rod.integration, RLTI_ROD_MIDPOINT);
    assert_int_equal(d->hair[0].rod.gradient, RLTI_ROD_PRINTED);
}

/* The words of a choice stand in the order of the enum they become. */
static void test_choices(void **state) {
    fixture *f = *state;
    static const char *const motions[] = {"still", "walk", "calisthenics", "stop", "spin", "flip"};
    static const char *const styles[] = {"straight", "wavy", "helix", "coil"};
    char text[200];
    for (int i = 0; i < 6; i++) {
        snprintf(text, sizeof text, "motion: {kind: %s}\nhair: {count: 1}\n", motions[i]);
        assert_int_equal(load_good(f, text)->motion.kind, i);
    }
    assert_int_equal(RLTI_MOTION_FLIP, 5);
    for (int i = 0; i < 4; i++) {
        snprintf(text, sizeof text, "hair: {count: 1, style: %s}\n", styles[i]);
        assert_int_equal(load_good(f, text)->hair[0].style, i);
    }
    assert_int_equal(RLTI_STYLE_COIL, 3);
    const rlti_scene_data *d =
        load_good(f, "character: {kind: none}\n"
                     "hair: {count: 1, region: none, formulation: paper}\n"
                     "colliders: {kind: capsule, bone: head, end: [0, 1, 0], radius: 2}\n");
    assert_int_equal(d->character.kind, RLTI_CHARACTER_NONE);
    assert_int_equal(d->hair[0].formulation, RLTI_PAPER);
    assert_int_equal(d->colliders[0].kind, RLTI_COLLIDER_CAPSULE);
    assert_int_equal(d->colliders[0].bone, RLTI_BONE_HEAD);
}

static void test_ramps(void **state) {
    const rlti_scene_data *d = load_good(*state, "hair:\n  count: 1\n  mass: 2\n"
                                                 "  drag: [[0.25, 1], [0.5, 3], [0.75, 2]]\n");
    const rlti_ramp *mass = &d->hair[0].mass, *drag = &d->hair[0].drag;
    assert_close(rlti_ramp_at(mass, 0.0), 2);
    assert_close(rlti_ramp_at(mass, 0.7), 2);
    assert_close(rlti_ramp_at(drag, 0.0), 1);
    assert_close(rlti_ramp_at(drag, 0.25), 1);
    assert_close(rlti_ramp_at(drag, 0.375), 2);
    assert_close(rlti_ramp_at(drag, 0.5), 3);
    assert_close(rlti_ramp_at(drag, 0.625), 2.5);
    assert_close(rlti_ramp_at(drag, 1.0), 2);
    rlti_ramp empty = {0};
    assert_close(rlti_ramp_at(&empty, 0.5), 0);
}

static void test_switches(void **state) {
    static const char *const words[] = {"on", "off", "true", "false", "yes", "no", "On", "FALSE"};
    char text[100];
    for (int i = 0; i < 8; i++) {
        snprintf(text, sizeof text, "hair: {count: 1, collide: {enabled: %s}}\n", words[i]);
        assert_int_equal(load_good(*state, text)->hair[0].collide, i % 2 == 0);
    }
}

static void test_lists_and_colliders(void **state) {
    fixture *f = *state;
    const rlti_scene_data *d =
        load_good(f, "hair:\n- {name: a, count: 1}\n- {name: b, count: 2}\n"
                     "colliders:\n- {radius: 3, position: [1, 2, 3]}\n- {kind: body}\n");
    assert_int_equal(d->hair_count, 2);
    assert_string_equal(d->hair[1].name, "b");
    assert_int_equal(d->hair[1].count, 2);
    assert_int_equal(d->collider_count, 2);
    assert_close(d->colliders[0].position[2], 3);
    assert_int_equal(d->colliders[1].kind, RLTI_COLLIDER_BODY);

    d = load_good(f, "hair: {count: 1}\n"); /* implied */
    assert_int_equal(d->collider_count, 1);
    assert_int_equal(d->colliders[0].kind, RLTI_COLLIDER_BODY);
    assert_int_equal(load_good(f, "hair: {count: 1}\ncolliders: []\n")->collider_count, 0);
    assert_int_equal(
        load_good(f, "hair: {count: 1, region: none}\ncharacter: {kind: none}\n")->collider_count, 0);
}

static void test_names_of_colliders(void **state) {
    const rlti_scene_data *d = load_good(
        *state, "hair:\n- {count: 1, collide: {groups: [skin, cloth], except: hat, inside: push}}\n"
                "- {count: 1, collide: {except: []}}\n"
                "colliders:\n- {name: hat, group: cloth, radius: 1}\n"
                "- {name: prop, kind: mesh, file: \"p.####.obj\", group: skin, sides: two, enabled: off}\n");
    assert_int_equal(d->hair[0].groups.count, 2);
    assert_string_equal(d->hair[0].groups.name[1], "cloth");
    assert_int_equal(d->hair[0].except.count, 1);
    assert_string_equal(d->hair[0].except.name[0], "hat");
    assert_int_equal(d->hair[0].inside, RLTI_INSIDE_PUSH);
    assert_int_equal(d->hair[1].groups.count, 0);
    assert_int_equal(d->hair[1].except.count, 0);
    assert_int_equal(d->colliders[1].kind, RLTI_COLLIDER_MESH);
    assert_string_equal(d->colliders[1].file, "p.####.obj");
    assert_int_equal(d->colliders[1].sides, RLTI_SIDES_TWO);
    assert_int_equal(d->colliders[1].enabled, 0);
    assert_int_equal(d->colliders[0].enabled, 1);
    assert_string_equal(d->folder, "");
    /* the character's own body has a name too */
    load_good(*state, "hair: {count: 1, collide: {except: body, groups: all}}\n");
}

static void test_strands(void **state) {
    const rlti_scene_data *d =
        load_good(*state, "hair:\n  strands:\n  - [[0, 0, 0], [0, -1, 0], [0.5, -2, 0]]\n"
                          "  - [[1, 0, 0], [1, -1, 1e0]]\n");
    assert_int_equal(d->hair[0].strand_count, 2);
    assert_int_equal(d->hair[0].strands[0].point_count, 3);
    assert_int_equal(d->hair[0].strands[1].point_count, 2);
    assert_close(d->hair[0].strands[0].points[6], 0.5);
    assert_close(d->hair[0].strands[1].points[5], 1);
}

static void test_anchors(void **state) {
    const rlti_scene_data *d = load_good(
        *state,
        "hair:\n- {count: 1, bend: &b {smoothing: 7}, mass: &m 3}\n- {count: 2, bend: *b, mass: *m}\n");
    assert_close(d->hair[1].bend_smoothing, 7);
    assert_ramp(&d->hair[1].mass, 3, 3);
}

static void test_overrides(void **state) {
    fixture *f = *state;
    static const char *const text = "hair:\n- {count: 1}\n- {count: 2}\n";
    static const char *const overrides[] = {
        "hair.bend.stiffness=[[0, 5], [1, 2]]",
        "hair[1].bend.stiffness=7",
        "time.last = 9",
        "gravity=[0, 0, -1]",
        "title=a = b",
        "hair[0].core={smoothing: 8}",
        "motion={kind: walk, amount: 2}",
        "motion.amount=3",
    };
    assert_int_equal(load_with(f, text, overrides, 8), RLT_OK);
    const rlti_scene_data *d = rlti_scene_get(f->scene);
    assert_ramp(&d->hair[0].bend_stiffness, 5, 2);
    assert_ramp(&d->hair[1].bend_stiffness, 7, 7);
    assert_int_equal(d->time.last, 9);
    assert_close(d->gravity[2], -1);
    assert_string_equal(rlt_scene_title(f->scene), "a = b");
    assert_close(d->hair[0].core_smoothing, 8);
    assert_close(d->hair[1].core_smoothing, 3);
    assert_int_equal(d->motion.kind, RLTI_MOTION_WALK);
    assert_close(d->motion.amount, 3);
}

#define assert_near(a, b, most) assert_true(fabs((a) - (b)) <= (most))

/* A number with its unit is the number in the row's unit, whatever the scene's is. */
static void test_units(void **state) {
    fixture *f = *state;
    static const char *const given[] = {"hair.length=40cm",        "hair.radius=3 mm",
                                        "hair.pitch=1e-1m",        "hair.rod.young=4GPa",
                                        "hair.rod.radius=0.05 mm", "render.azimuth=12deg",
                                        "hair.taper=50%",          "wind.velocity=[1m/s, 0, 36 km/h]"};
    static const char *const metres[] = {"units.metres_per_unit=1", "hair.length=40cm"};
    assert_int_equal(load_with(f, "hair: {count: 1, model: rod}\n", given, 8), RLT_OK);
    const rlti_scene_data *data = rlti_scene_get(f->scene);
    assert_near(data->hair[0].length, 40.0, 0.0);
    assert_near(data->hair[0].radius, 0.3, 0.0);
    assert_near(data->hair[0].pitch, 10.0, 1e-14);
    assert_near(data->hair[0].rod.young.value[0], 4e9, 0.0);
    assert_near(data->hair[0].rod.radius.value[0], 50.0, 1e-13);
    assert_near(data->hair[0].taper, 0.5, 0.0);
    assert_near(data->picture.azimuth, 12.0, 0.0);
    assert_near(data->wind.velocity[0], 100.0, 1e-12);
    assert_near(data->wind.velocity[2], 1000.0, 1e-11);
    assert_int_equal(load_with(f, "hair: {count: 1}\n", metres, 2), RLT_OK);
    assert_near(rlti_scene_get(f->scene)->hair[0].length, 0.4, 1e-15);
}

static void test_override_lists(void **state) {
    fixture *f = *state;
    static const char *const text = "hair: {count: 1}\ncolliders: {radius: 2}\n";
    static const char *const none[] = {"colliders.radius=3", "colliders=[]"};
    assert_int_equal(load_with(f, text, none, 2), RLT_OK);
    assert_int_equal(rlti_scene_get(f->scene)->collider_count, 0);
    static const char *const two[] = {"colliders=[{radius: 1}, {radius: 2}]", "colliders[1].radius=9"};
    assert_int_equal(load_with(f, text, two, 2), RLT_OK);
    assert_int_equal(rlti_scene_get(f->scene)->collider_count, 2);
    assert_close(rlti_scene_get(f->scene)->colliders[0].radius, 1);
    assert_close(rlti_scene_get(f->scene)->colliders[1].radius, 9);
    static const char *const first[] = {"hair.count=4", "hair.length=7"};
    assert_int_equal(load_with(f, "title: no hair yet\n", first, 2), RLT_OK);
    assert_int_equal(rlti_scene_get(f->scene)->hair[0].count, 4);
    assert_close(rlti_scene_get(f->scene)->hair[0].length, 7);
}

/* Table 1 of the Taz paper. */
static void test_preset_redhead(void **state) {
    const rlti_hair_data *h = load_good(*state, "hair: {preset: redhead, count: 1}\n")->hair;
    assert_string_equal(h->preset, "redhead");
    assert_ramp(&h->stretch_stiffness, 1e7, 5e6);
    assert_ramp(&h->stretch_damping, 4743, 4472);
    assert_close(h->bend_smoothing, 10);
    assert_ramp(&h->bend_stiffness, 7.2e4, 100);
    assert_ramp(&h->bend_damping, 2495, 40);
    assert_close(h->core_smoothing, 3);
    assert_ramp(&h->core_stiffness, 1.5e4, 1.5e4);
    assert_ramp(&h->core_stiffness_max, 6e5, 6e5);
    assert_ramp(&h->core_damping, 100, 100);
    assert_ramp(&h->core_damping_max, 1e4, 1e4);
    assert_close(h->core_blend[0], 1.0);
    assert_close(h->core_blend[1], 1.2);
    assert_int_equal(h->style, RLTI_STYLE_HELIX);
    assert_close(h->length, 76);
    assert_close(h->radius, 1.6);
    assert_close(h->pitch, 3.2);
    assert_close(h->taper, 0.2);
    assert_close(h->straight_root, 0.08);
}

static void test_preset_horse(void **state) {
    const rlti_hair_data *h = load_good(*state, "hair: {preset: horse, count: 1}\n")->hair;
    assert_ramp(&h->stretch_stiffness, 3e5, 3e5);
    assert_ramp(&h->stretch_damping, 6025, 6025);
    assert_close(h->bend_smoothing, 1);
    assert_ramp(&h->bend_stiffness, 4.7e4, 300);
    assert_ramp(&h->bend_damping, 1083, 22);
    assert_close(h->core_smoothing, 0);
    assert_ramp(&h->core_stiffness, 0, 0);
    assert_ramp(&h->core_stiffness_max, 0, 0);
    assert_ramp(&h->core_damping, 0, 0);
    assert_ramp(&h->core_damping_max, 0, 0);
    assert_close(h->stretch_limit, 1.3);
    assert_int_equal(h->style, RLTI_STYLE_STRAIGHT);
    assert_close(h->length, 30);
}

/* Types of hair are written 3B, too; the scene has the preset's own name. */
static void test_preset_case(void **state) {
    const rlti_hair_data *h = load_good(*state, "hair: {preset: 3b, count: 1}\n")->hair;
    double radius = h->radius, pitch = h->pitch;
    h = load_good(*state, "hair: {preset: 3B, count: 1}\n")->hair;
    assert_string_equal(h->preset, "3b");
    assert_close(h->radius, radius);
    assert_close(h->pitch, pitch);
    assert_int_equal(h->style, RLTI_STYLE_HELIX);
}

/* Own keys win over the preset wherever they stand; overrides win over both, and may name another preset. */
static void test_preset_order(void **state) {
    fixture *f = *state;
    static const char *const text = "hair: {length: 20, preset: coil, count: 1}\n";
    const rlti_hair_data *h = load_good(f, text)->hair;
    assert_close(h->length, 20);
    assert_int_equal(h->style, RLTI_STYLE_COIL);
    assert_close(h->radius, 0.6);
    assert_close(h->pitch, 0.9);
    static const char *const overrides[] = {"hair.radius=3", "hair[0].preset=wavy", "time.last=5"};
    assert_int_equal(load_with(f, text, overrides, 3), RLT_OK);
    h = rlti_scene_get(f->scene)->hair;
    assert_string_equal(h->preset, "wavy");
    assert_int_equal(h->style, RLTI_STYLE_WAVY);
    assert_close(h->length, 20);
    assert_close(h->radius, 3);
    assert_close(h->pitch, 9);
}

static void test_all_presets(void **state) {
    int count = 0;
    for (const rlti_embedded *p = rlti_embedded_presets; p->name != NULL; p++, count++) {
        char text[100];
        snprintf(text, sizeof text, "hair: {preset: %s, count: 1}\n", p->name);
        const rlti_hair_data *h = load_good(*state, text)->hair;
        assert_string_equal(h->preset, p->name);
        assert_true(rlti_ramp_at(&h->stretch_stiffness, 0) <= 1e7);
    }
    assert_int_equal(count, 21);
}

static void test_embedded_scenes(void **state) {
    fixture *f = *state;
    int count = 0;
    for (const char *name; (name = rlt_embedded_scene_name(count)) != NULL; count++) {
        rlt_scene_destroy(f->scene);
        assert_int_equal(rlt_scene_load_embedded(name, NULL, 0, f->messages, &f->scene), RLT_OK);
        assert_int_equal(rlt_messages_count(f->messages), 0);
        assert_true(rlt_scene_title(f->scene)[0] != '\0');

        /* the file in the tree is the same text */
        char path[512];
        snprintf(path, sizeof path, "%s/scenes/%s.yaml", RLT_SOURCE_DIR, name);
        FILE *file = fopen(path, "rb");
        assert_non_null(file);
        static char bytes[100000];
        bytes[fread(bytes, 1, sizeof bytes - 1, file)] = '\0';
        fclose(file);
        assert_string_equal(rlt_embedded_scene_text(count), bytes);
    }
    /* and every file is there */
    glob_t files;
    assert_int_equal(glob(RLT_SOURCE_DIR "/scenes/*.yaml", 0, NULL, &files), 0);
    assert_int_equal(count, files.gl_pathc);
    globfree(&files);
    assert_null(rlt_embedded_scene_text(count));
    assert_null(rlt_embedded_scene_name(count + 7));
    assert_null(rlt_embedded_scene_name(-1));
}

static void test_redhead_scene(void **state) {
    fixture *f = *state;
    assert_int_equal(rlt_scene_load_embedded("redhead", NULL, 0, f->messages, &f->scene), RLT_OK);
    const rlti_scene_data *d = rlti_scene_get(f->scene);
    assert_int_equal(d->hair[0].count, 579);
    assert_int_equal(d->hair[0].total_points, 44552);
    assert_int_equal(d->motion.kind, RLTI_MOTION_WALK);
    assert_int_equal(d->time.preroll, 24);
    assert_int_equal(d->time.last, 232);
    assert_string_equal(rlti_scene_file(f->scene), "built-in scene redhead");
}

static void test_metres_per_unit(void **state) {
    fixture *f = *state;
    load_good(f, "hair: {count: 1}\n");
    assert_close(rlt_scene_metres_per_unit(f->scene), 0.01);
    load_good(f, "units: {metres_per_unit: 0.5}\nhair: {count: 1}\n");
    assert_close(rlt_scene_metres_per_unit(f->scene), 0.5);
}

/* What a row has in a section, as text; "(none)" where there is no such row or section. */
static const char *value_of(const fixture *f, const char *key, int section, int *is_default) {
    static char text[256];
    rlt_schema_entry e = {.size = sizeof e};
    int index = 0;
    while (rlt_schema_get(index, &e) && strcmp(e.key, key) != 0)
        index++;
    return rlt_scene_value(f->scene, index, section, text, sizeof text, is_default) ? text : "(none)";
}

static void test_values_as_text(void **state) {
    fixture *f = *state;
    int is_default = -1;
    load_good(f, "title: a b\ntime: {last: 9}\ngravity: [0, 0, -1]\n"
                 "hair:\n- {count: 1, length: 2.5}\n- {count: 2, bend: {stiffness: [[0, 5], [1, 2]]}}\n");
    assert_string_equal(value_of(f, "time.last", 0, &is_default), "9");
    assert_int_equal(is_default, 0);
    assert_string_equal(value_of(f, "time.first", 0, &is_default), "1");
    assert_int_equal(is_default, 1);
    assert_string_equal(value_of(f, "gravity", 0, NULL), "[0, 0, -1]");
    assert_string_equal(value_of(f, "hair.length", 0, NULL), "2.5");
    assert_string_equal(value_of(f, "hair.count", 1, NULL), "2");
    assert_string_equal(value_of(f, "hair.bend.stiffness", 1, NULL), "[[0, 5], [1, 2]]");
    assert_string_equal(value_of(f, "hair.count", 2, NULL), "(none)");
    assert_string_equal(value_of(f, "hair.count", -1, NULL), "(none)");
    assert_string_equal(value_of(f, "no.such.row", 0, NULL), "(none)");
    char small[4]; /* cut, and ended */
    rlt_schema_entry e = {.size = sizeof e};
    int index = 0;
    while (rlt_schema_get(index, &e) && strcmp(e.key, "gravity") != 0)
        index++;
    assert_int_equal(rlt_scene_value(f->scene, index, 0, small, sizeof small, NULL), 1);
    assert_string_equal(small, "[0,");
}

static void test_load_file(void **state) {
    fixture *f = *state;
    assert_int_equal(
        rlt_scene_load_file(RLT_SOURCE_DIR "/scenes/horse.yaml", NULL, 0, f->messages, &f->scene), RLT_OK);
    assert_int_equal(rlti_scene_get(f->scene)->time.outer_steps, 30);
}

static void assert_numbers(void) {
    static const struct {
        const char *text;
        rlti_number_kind kind;
        double value;
    } cases[] = {
        {"0", RLTI_NUMBER_FINITE, 0},        {"-3", RLTI_NUMBER_FINITE, -3},
        {"+7.25", RLTI_NUMBER_FINITE, 7.25}, {".5", RLTI_NUMBER_FINITE, 0.5},
        {"1.", RLTI_NUMBER_FINITE, 1},       {"7.2e4", RLTI_NUMBER_FINITE, 7.2e4},
        {"1E-3", RLTI_NUMBER_FINITE, 1e-3},  {"1e400", RLTI_NUMBER_NOT_FINITE, 0},
        {".inf", RLTI_NUMBER_NOT_FINITE, 0}, {"-.Inf", RLTI_NUMBER_NOT_FINITE, 0},
        {".NaN", RLTI_NUMBER_NOT_FINITE, 0}, {"nan", RLTI_NUMBER_NOT_FINITE, 0},
        {"", RLTI_NUMBER_NONE, 0},           {".", RLTI_NUMBER_NONE, 0},
        {"1e", RLTI_NUMBER_NONE, 0},         {"1 ", RLTI_NUMBER_NONE, 0},
        {"0x10", RLTI_NUMBER_NONE, 0},       {"1,5", RLTI_NUMBER_NONE, 0},
        {"-", RLTI_NUMBER_NONE, 0},          {"1e+", RLTI_NUMBER_NONE, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double value = 0;
        assert_int_equal(rlti_number_parse(cases[i].text, strlen(cases[i].text), &value), cases[i].kind);
        if (cases[i].kind == RLTI_NUMBER_FINITE)
            assert_close(value, cases[i].value);
    }
    char text[32];
    rlti_number_format(0.25, text, sizeof text);
    assert_string_equal(text, "0.25");
    rlti_number_format(1e30, text, sizeof text);
    assert_string_equal(text, "1e+30");
}

static void test_numbers(void **state) {
    (void)state;
    assert_numbers();
}

/* A locale with a decimal comma changes nothing. */
static void test_numbers_with_a_decimal_comma(void **state) {
    (void)state;
    static const char *const locales[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8"};
    int tested = 0;
    for (size_t i = 0; i < sizeof locales / sizeof locales[0]; i++) {
        if (setlocale(LC_ALL, locales[i]) == NULL)
            continue;
        assert_string_equal(localeconv()->decimal_point, ",");
        assert_numbers();
        tested++;
    }
    setlocale(LC_ALL, "C");
    if (tested == 0) {
        print_message("no locale with a decimal comma here\n");
        skip();
    }
}

static void test_reference(void **state) {
    (void)state;
    char *page = rlt_schema_reference();
    assert_non_null(page);
    rlt_schema_entry e = {.size = sizeof e};
    for (int i = 0; rlt_schema_get(i, &e); i++) {
        char key[128];
        snprintf(key, sizeof key, "\n| `%s` | %s |", e.key, e.type);
        if (strstr(page, key) == NULL)
            fail_msg("no row for %s", e.key);
    }
    assert_non_null(strstr(page, "## hair.bend\n"));
    assert_non_null(strstr(page, "| straight \\| wavy \\| helix \\| coil |"));
    assert_non_null(strstr(page, "Presets: 1a, 1b, 1c, 2a, 2b, 2c, 3a, 3b, 3c, 4a, 4b, 4c, coil, horse-body, "
                                 "horse-fetlocks, horse-mane, horse-tail, horse, "
                                 "redhead, straight, wavy.\n"));
    rlt_text_free(page);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_defaults),
        TEST(test_schema_rows),
        TEST(test_choices),
        TEST(test_rod),
        TEST(test_ramps),
        TEST(test_switches),
        TEST(test_lists_and_colliders),
        TEST(test_names_of_colliders),
        TEST(test_strands),
        TEST(test_anchors),
        TEST(test_overrides),
        TEST(test_units),
        TEST(test_override_lists),
        TEST(test_preset_redhead),
        TEST(test_preset_horse),
        TEST(test_preset_case),
        TEST(test_preset_order),
        TEST(test_all_presets),
        TEST(test_embedded_scenes),
        TEST(test_redhead_scene),
        TEST(test_metres_per_unit),
        TEST(test_values_as_text),
        TEST(test_load_file),
        TEST(test_numbers),
        TEST(test_numbers_with_a_decimal_comma),
        TEST(test_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

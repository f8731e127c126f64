/* What bad scenes are told: every message word for word, with file, line and column. */
#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "scene/schema.h"
#include "scene_fixture.h"

/* Each text has exactly one problem. */
static void assert_bad(void **state, const bad *cases, size_t count) {
    fixture *f = *state;
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(load_with(f, cases[i].text, NULL, 0), RLT_BAD_INPUT);
        assert_null(f->scene);
        assert_messages(f, &cases[i].message, 1);
        assert_int_equal(rlt_messages_severity(f->messages, 0), RLT_ERROR);
    }
}

#define ASSERT_BAD(state, cases) assert_bad(state, cases, sizeof cases / sizeof cases[0])

static void test_unknown_keys(void **state) {
    static const bad cases[] = {
        {"titel: x\n", "s.yaml:1:1: titel: unknown key; did you mean title?"},
        {"hair:\n  count: 1\n  bendd: {stiffness: 3}\n",
         "s.yaml:3:3: hair.bendd: unknown key; did you mean hair.bend?"},
        {"hair:\n  count: 1\n  bend:\n    stifness: 3\n",
         "s.yaml:4:5: hair.bend.stifness: unknown key; did you mean hair.bend.stiffness?"},
        {"hair:\n- count: 1\n- {count: 1, lenght: 4}\n",
         "s.yaml:3:14: hair[1].lenght: unknown key; did you mean hair[1].length?"},
        {"quantum: 3\n", "s.yaml:1:1: quantum: unknown key"},
        {"hair.count: 3\n", "s.yaml:1:1: hair.count: unknown key"},
        {"\"\": 3\n", "s.yaml:1:1: : unknown key"},
        {"\"a\\0b\": 3\n", "s.yaml:1:1: a\\x00b: unknown key"},
        {"[1]: 3\n", "s.yaml:1:1: a key must be a word"},
        {"time:\n  {a: b}: 3\n", "s.yaml:2:3: time: a key must be a word"},
        {"time:\n  fps: 24\n  last: 9\n  fps: 25\n", "s.yaml:4:3: time.fps: given twice, first in line 2"},
        {"title: a\ntitle: b\n", "s.yaml:2:1: title: given twice, first in line 1"},
        {"hair: {count: 1}\nhair: {count: 2}\n", "s.yaml:2:1: hair: given twice, first in line 1"},
    };
    ASSERT_BAD(state, cases);
}

static void test_wrong_types(void **state) {
    static const bad cases[] = {
        {"hair: {count: many}\n", "s.yaml:1:15: hair.count = \"many\": must be an integer"},
        {"hair: {count: 2.5}\n", "s.yaml:1:15: hair.count = 2.5: must be an integer"},
        {"hair: {count: \"5\"}\n", "s.yaml:1:15: hair.count = \"5\": must be an integer"},
        {"hair: {count: [5]}\n", "s.yaml:1:15: hair.count = [5]: must be an integer"},
        {"hair: {count: {a: 5}}\n", "s.yaml:1:15: hair.count = {a: 5}: must be an integer"},
        {"hair:\n  count:\n", "s.yaml:2:9: hair.count: has no value: must be an integer"},
        {"time: {fps: fast}\n", "s.yaml:1:13: time.fps = \"fast\": must be a number"},
        {"time: {fps: 0x10}\n", "s.yaml:1:13: time.fps = \"0x10\": must be a number"},
        {"time: {fps: ~}\n", "s.yaml:1:13: time.fps = \"~\": must be a number"},
        {"time: 5\n", "s.yaml:1:7: time = 5: must be a mapping of keys"},
        {"time: [1, 2]\n", "s.yaml:1:7: time = [1, 2]: must be a mapping of keys"},
        {"hair: 5\n", "s.yaml:1:7: hair = 5: must be a mapping of keys, or a list of them"},
        {"hair: [{count: 1}, 5]\n", "s.yaml:1:20: hair[1] = 5: must be a mapping of keys"},
        {"title: [a]\n", "s.yaml:1:8: title = [\"a\"]: must be text"},
        {"title: \"a\\tb\"\n",
         "s.yaml:1:8: title = \"a\\x09b\": must be one line of text without control characters"},
        {"hair: {count: 1, collide: {enabled: maybe}}\n",
         "s.yaml:1:37: hair.collide.enabled = \"maybe\": must be on or off"},
        {"hair: {count: 1, style: curly}\n",
         "s.yaml:1:25: hair.style = \"curly\": must be one of straight, wavy, helix, coil"},
        {"motion: {kind: wlak}\n",
         "s.yaml:1:16: motion.kind = \"wlak\": must be one of still, walk, calisthenics, "
         "stop, spin, flip, sidestep, shake, walk-shake, keys; did you mean walk?"},
        {"gravity: -981\n", "s.yaml:1:10: gravity = -981: must be 3 numbers, as in [0, -1, 0]"},
        {"gravity: [0, 1]\n", "s.yaml:1:10: gravity = [0, 1]: must be 3 numbers, as in [0, -1, 0]"},
        {"gravity: [0, down, 0]\n", "s.yaml:1:14: gravity[1] = \"down\": must be a number"},
        {"hair: {count: 1, core: {blend: 2}}\n",
         "s.yaml:1:32: hair.core.blend = 2: must be 2 numbers, as in [1, 2]"},
    };
    ASSERT_BAD(state, cases);
}

static void test_out_of_range(void **state) {
    static const bad cases[] = {
        {"hair:\n  count: 1\n  bend:\n    stiffness: -3\n",
         "s.yaml:4:16: hair.bend.stiffness = -3: must be >= 0"},
        {"hair: {count: -1}\n", "s.yaml:1:15: hair.count = -1: must be within 0..10000000"},
        {"hair: {count: 1e300}\n", "s.yaml:1:15: hair.count = 1e300: must be within 0..10000000"},
        {"hair: {count: 1, fall: 1.5}\n", "s.yaml:1:24: hair.fall = 1.5: must be within 0..1"},
        {"hair: {count: 1, taper: -0.1}\n", "s.yaml:1:25: hair.taper = -0.1: must be within 0..1"},
        {"hair: {count: 1, mass: 0}\n", "s.yaml:1:24: hair.mass = 0: must be > 0"},
        {"time: {fps: 0}\n", "s.yaml:1:13: time.fps = 0: must be within 1..1000"},
        {"time: {fps: .nan}\n", "s.yaml:1:13: time.fps = .nan: must be a finite number"},
        {"time: {fps: -.inf}\n", "s.yaml:1:13: time.fps = -.inf: must be a finite number"},
        {"time: {last: 1e999}\n", "s.yaml:1:14: time.last = 1e999: must be a finite number"},
        {"gravity: [0, nan, 0]\n", "s.yaml:1:14: gravity[1] = nan: must be a finite number"},
        {"units: {metres_per_unit: 0}\n", "s.yaml:1:26: units.metres_per_unit = 0: must be > 0"},
        {"hair: {count: 1, name: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa}\n",
         "s.yaml:1:24: hair.name = \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...: must be "
         "at "
         "most 63 bytes"},
    };
    ASSERT_BAD(state, cases);
}

static void test_bad_ramps(void **state) {
    static const bad cases[] = {
        {"hair: {count: 1, drag: soft}\n", "s.yaml:1:24: hair.drag = \"soft\": must be a number, a list of "
                                           "[position, value] pairs, or attribute:NAME"},
        {"hair: {count: 1, drag: []}\n", "s.yaml:1:24: hair.drag = []: must be a number, a list of "
                                         "[position, value] pairs, or attribute:NAME"},
        {"hair: {count: 1, drag: [1, 2]}\n",
         "s.yaml:1:25: hair.drag[0] = 1: must be a [position, value] pair\n"},
        {"hair: {count: 1, drag: [[0, 1], [1, 2, 3]]}\n",
         "s.yaml:1:33: hair.drag[1] = [1, 2, 3]: must be a [position, value] pair"},
        {"hair: {count: 1, drag: [[0, 1], [2, 3]]}\n",
         "s.yaml:1:34: hair.drag[1] = 2: position must be within 0..1"},
        {"hair: {count: 1, drag: [[0, 1], [0, 3]]}\n",
         "s.yaml:1:34: hair.drag[1] = 0: positions must increase"},
        {"hair: {count: 1, drag: [[tip, 3]]}\n",
         "s.yaml:1:26: hair.drag[0] = \"tip\": position must be a number"},
        {"hair: {count: 1, drag: [[.nan, 3]]}\n",
         "s.yaml:1:26: hair.drag[0] = .nan: must be a finite number"},
        {"hair: {count: 1, drag: [[0, -3]]}\n", "s.yaml:1:29: hair.drag[0] = -3: must be >= 0"},
        {"hair: {count: 1, drag: "
         "[[0,1],[.1,1],[.2,1],[.3,1],[.4,1],[.5,1],[.6,1],[.7,1],[.71,1],[.72,1],[.73,1],"
         "[.74,1],[.75,1],[.76,1],[.77,1],[.78,1],[.79,1]]}\n",
         "s.yaml:1:24: hair.drag = [[0, 1], [.1, 1], [.2, 1], [.3, 1], [.4, 1], [.5, 1], [.6, 1...: must "
         "have at "
         "most "
         "16 pairs"},
        {"hair: {count: 1, core: {blend: [1.5, 1.05]}}\n",
         "s.yaml:1:32: hair.core.blend = [1.5, 1.05]: must increase"},
        {"hair: {count: 1, core: {blend: [1.5, 1.5]}}\n",
         "s.yaml:1:32: hair.core.blend = [1.5, 1.5]: must increase"},
    };
    fixture *f = *state;
    /* a list of plain numbers is two problems, one for each */
    static const char *const plain[] = {"s.yaml:1:25: hair.drag[0] = 1: must be a [position, value] pair",
                                        "s.yaml:1:28: hair.drag[1] = 2: must be a [position, value] pair"};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (strchr(cases[i].message, '\n') == NULL) {
            assert_bad(state, &cases[i], 1);
            continue;
        }
        assert_int_equal(load_with(f, cases[i].text, NULL, 0), RLT_BAD_INPUT);
        assert_messages(f, plain, 2);
    }
}

static void test_rules(void **state) {
    static const bad cases[] = {
        {"time:\n  first: 10\n  last: 5\n", "s.yaml:3:9: time.last = 5: must be >= time.first (10)"},
        {"time:\n  first: 300\n", "s.yaml:2:10: time.last = 232: must be >= time.first (300)"},
        {"hair:\n  preset: redhead\n", "s.yaml:2:3: hair: needs count or density"},
        {"hair:\n- count: 1\n- name: b\n", "s.yaml:3:3: hair[1]: needs count or density"},
        {"hair:\n  region: none\n  density: 5\n", "s.yaml:2:3: hair: needs count where region is none"},
        {"character: {kind: none}\nhair: {count: 1}\n",
         "s.yaml:2:7: hair.region = \"scalp\": must be none where character.kind is none"},
        {"hair: {count: 1, region: none, direction: [0, 0, 0]}\n",
         "s.yaml:1:43: hair.direction = [0, 0, 0]: must not be zero"},
        {"hair: {count: 1, core: {stiffness: 7e5}}\n",
         "s.yaml:1:36: hair.core.stiffness_max = 6e5: must be >= hair.core.stiffness (700000)"},
        {"hair: {count: 1, core: {damping_max: 50}}\n",
         "s.yaml:1:38: hair.core.damping_max = 50: must be >= hair.core.damping (100)"},
        {"hair:\n  count: 1\n  core:\n    stiffness_max: 1e7\n",
         "s.yaml:4:20: hair.core.stiffness_max = 1e7: must be below hair.stretch.stiffness (10000000 at "
         "position 0)"},
        {"hair:\n  count: 1\n  preset: redhead\n  stretch: {stiffness: [[0, 1e7], [1, 5e5]]}\n",
         "s.yaml:4:24: hair.core.stiffness_max = 6e5: must be below hair.stretch.stiffness (500000 at "
         "position 1)"},
        {"hair: {count: 1, stretch: {limit: 0.9}}\n",
         "s.yaml:1:35: hair.stretch.limit = 0.9: must be > 1, or 0 for no limit"},
        {"hair: {count: 10, total_points: 19}\n",
         "s.yaml:1:33: hair.total_points = 19: must be at least 3 per strand (30)"},
        {"hair: {count: 1, segment: 1e-9}\n",
         "s.yaml:1:27: hair.segment = 1e-9: makes more than 100000 points a strand"},
        {"hair: {count: 1, radius: 0, pitch: 1e-9, points_per_turn: 10}\n",
         "s.yaml:1:59: hair.points_per_turn = 10: makes more than 100000 points a strand"},
        {"hair: {count: 10000000}\n", "s.yaml:1:15: hair.count = 10000000: makes more than 100000000 points"},
        {"colliders: {kind: sphere}\n", "s.yaml:1:19: colliders.radius = 0: must be > 0 for a sphere"},
        {"hair: {count: 1, region: scalpp}\n",
         "s.yaml:1:26: hair.region = \"scalpp\": no such region of the head; "
         "known: all, scalp, top, front, left, right, back, "
         "nape, face, neck, shoulders, none"},
        {"colliders:\n- {radius: 1}\n- {kind: capsule, end: [0, 1, 0], radius: 0}\n",
         "s.yaml:3:43: colliders[1].radius = 0: must be > 0 for a capsule"},
        {"colliders: {kind: capsule, position: [0, 1, 0], end: [0, 1, 0], radius: 1}\n",
         "s.yaml:1:54: colliders.end = [0, 1, 0]: must differ from colliders.position"},
        {"colliders: {kind: mesh}\n", "s.yaml:1:19: colliders.file = \"\": must name the file of a mesh"},
        {"colliders:\n- {name: hat, radius: 1}\n- {name: scarf, group: cloth, radius: 1}\n"
         "hair: {count: 1, collide: {except: [hat, scraf]}}\n",
         "s.yaml:4:42: hair.collide.except = \"scraf\": no collider has this name; there is hat, scarf; did "
         "you mean "
         "scarf?"},
        {"colliders: {name: hat, group: cloth, radius: 1}\nhair: {count: 1, collide: {groups: skin}}\n",
         "s.yaml:2:36: hair.collide.groups = \"skin\": no collider is in this group; there is cloth"},
        {"colliders: []\nhair: {count: 1, collide: {groups: [all]}}\n",
         "s.yaml:2:37: hair.collide.groups = \"all\": no collider is in this group; there is none"},
        {"hair: {count: 1, collide: {except: [bodi]}}\n",
         "s.yaml:1:37: hair.collide.except = \"bodi\": no collider has this name; there is body; did you "
         "mean body?"},
        {"hair: {count: 1, collide: {except: {a: b}}}\n",
         "s.yaml:1:36: hair.collide.except = {a: \"b\"}: must be a list of names, as in [hat, scarf]"},
        {"hair: {count: 1, collide: {except: [[a]]}}\n",
         "s.yaml:1:37: hair.collide.except[0] = [\"a\"]: must be text"},
        {"hair: {count: 1, collide: {groups: [a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a]}}\n",
         "s.yaml:1:36: hair.collide.groups = [\"a\", \"a\", \"a\", \"a\", \"a\", \"a\", \"a\", \"a\", \"a\", "
         "\"a\", \"a\", \"a\"...: must have at most 16 names"},
        {"hair: {count: 1, collide: {inside: pull}}\n",
         "s.yaml:1:36: hair.collide.inside = \"pull\": must be one of leave, push"},
        {"character: {kind: none}\ncolliders: {kind: body}\n",
         "s.yaml:2:19: colliders.kind = \"body\": needs a character: character.kind is none"},
        {"character: {kind: horse}\nhair: {count: 1, region: scalp}\n",
         "s.yaml:2:26: hair.region = \"scalp\": no such region of the horse; known: all, body, mane, "
         "forelock, "
         "tail, fetlocks_front, fetlocks_rear, head, neck, legs, hooves, none"},
        {"hair: {count: 1, region: mane}\n",
         "s.yaml:1:26: hair.region = \"mane\": no such region of the head; known: all, scalp, top, front, "
         "left, right, back, nape, face, neck, shoulders, none"},
        {"motion: {kind: sidestep}\n",
         "s.yaml:1:16: motion.kind = \"sidestep\": sidestep needs legs: set character.kind to horse"},
        {"character: {kind: horse}\nmotion: {kind: flip}\n",
         "s.yaml:2:16: motion.kind = \"flip\": a horse cannot flip its hair; it can do still, walk, "
         "calisthenics, stop, spin, sidestep, shake"},
        {"character: {kind: horse}\nmotion: {kind: walk-shake}\n",
         "s.yaml:2:16: motion.kind = \"walk-shake\": walk-shake is for the head; a horse can do still, walk, "
         "calisthenics, stop, spin, sidestep, shake"},
        {"colliders: {radius: 1, bone: front_left_foot}\n",
         "s.yaml:1:30: colliders.bone = \"front_left_foot\": a bone of the horse; without one "
         "(character.kind) there are torso, neck, head, none"},
        {"hair: {count: 2, style: straight, total_points: 20, segment: 2}\n",
         "s.yaml:1:62: hair.segment = 2: says nothing beside hair.total_points (20); set that to 0, or "
         "remove one "
         "of them"},
        {"hair:\n  count: 1\n  preset: curly\n",
         "s.yaml:3:11: hair.preset = \"curly\": unknown preset; "
         "known are 1a, 1b, 1c, 2a, 2b, 2c, 3a, 3b, 3c, 4a, 4b, 4c, coil, horse-body, horse-fetlocks, "
         "horse-mane, horse-tail, horse, redhead, straight, wavy"},
    };
    ASSERT_BAD(state, cases);
}

/* Hair of model rod: its material in SI. */
static void test_rod(void **state) {
    static const bad cases[] = {
        {"hair: {count: 1, rod: {radius: 0}}\n", "s.yaml:1:32: hair.rod.radius = 0: must be > 0"},
        {"hair: {count: 1, model: rod, rod: {radius: 1e-4}}\n",
         "s.yaml:1:44: hair.rod.radius = 1e-4: no hair is outside 1e-3..1e7 micrometres; real hair has 20 to "
         "100"},
        {"hair: {count: 1, model: rod, rod: {radius: [[0, 30], [1, 2e7]]}}\n",
         "s.yaml:1:44: hair.rod.radius = [[0, 30], [1, 2e7]]: no hair is outside 1e-3..1e7 micrometres; real "
         "hair has 20 to 100"},
        {"hair: {count: 1, rod: {radius: [[0, 40], [1, -2]]}}\n",
         "s.yaml:1:46: hair.rod.radius[1] = -2: must be > 0"},
        {"hair: {count: 1, rod: {eccentricity: 1}}\n",
         "s.yaml:1:38: hair.rod.eccentricity = 1: must be within 0..0.99"},
        {"hair: {count: 1, model: rod, rod: {young: 4}}\n",
         "s.yaml:1:43: hair.rod.young = 4: no material is outside 1e3..2e12 Pa; hair has 4e9 (4 GPa are "
         "4e9)"},
        {"hair: {count: 1, model: rod, rod: {shear: [[0, 1.5e9], [1, 3e13]]}}\n",
         "s.yaml:1:43: hair.rod.shear = [[0, 1.5e9], [1, 3e13]]: no material is outside 1e3..2e12 Pa; hair "
         "has "
         "1.5e9 (1.5 GPa are 1.5e9)"},
        {"hair: {count: 1, rod: {density: 0}}\n",
         "s.yaml:1:33: hair.rod.density = 0: must be within 1..30000"},
        {"hair: {count: 1, rod: {hairs: 0}}\n", "s.yaml:1:31: hair.rod.hairs = 0: must be within 1..1e9"},
        {"hair: {count: 1, rod: {steps: 0}}\n", "s.yaml:1:31: hair.rod.steps = 0: must be within 1..1000"},
        {"hair: {count: 1, rod: {damping: -1}}\n",
         "s.yaml:1:33: hair.rod.damping = -1: must be within 0..100"},
        {"hair: {count: 1, rod: {integration: trapeze}}\n",
         "s.yaml:1:37: hair.rod.integration = \"trapeze\": must be one of euler, midpoint"},
    };
    ASSERT_BAD(state, cases);
}

/* Values that a material can have, but that are hardly meant. */
static void test_rod_warnings(void **state) {
    fixture *f = *state;
    static const char *const messages[] = {
        "s.yaml:1:44: hair.rod.radius = 0.004: is in micrometres; real hair has 20 to 100",
        "s.yaml:1:58: hair.rod.shear = 3e9: above half of rod.young a material has a Poisson's ratio below "
        "0; "
        "hair has 1.5e9 beside 4e9"};
    assert_int_equal(
        load_with(f, "hair: {count: 1, model: rod, rod: {radius: 0.004, shear: 3e9}}\n", NULL, 0), RLT_OK);
    assert_messages(f, messages, 2);
    assert_int_equal(rlt_messages_severity(f->messages, 0), RLT_WARNING);
}

/* Hair from a file alone comes with a head, which is said. */
static void test_added_head(void **state) {
    static const char *const said =
        "s.yaml:1:7: hair: no character is given, so a default head is added, which hair keeps out of; give "
        "your own (character.file), or none (character: {kind: none})";
    static const char *const silent[] = {"hair: {file: groom.usda}\ncharacter: {kind: none}\n",
                                         "hair: {file: groom.usda}\ncharacter: {kind: head}\n",
                                         "hair: {count: 5}\n"};
    fixture *f = *state;
    load_good(f, "hair: {file: groom.usda}\n");
    assert_messages(f, &said, 1);
    assert_int_equal(rlt_messages_severity(f->messages, 0), RLT_NOTE);
    for (size_t i = 0; i < sizeof silent / sizeof silent[0]; i++) {
        rlt_scene_destroy(f->scene);
        f->scene = NULL;
        load_good(f, silent[i]);
        assert_messages(f, NULL, 0);
    }
}

/* Rules are those of the model that reads the values. */
static void test_rules_of_models(void **state) {
    fixture *f = *state;
    static const char *const set[] = {"hair.model=rod", NULL};
    static const char *const keys[] = {"hair.stretch.stiffness=1", "hair.core.damping_max=1",
                                       "hair.core.stiffness_max=1e9", "hair.stretch.limit=0.5"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const char *overrides[] = {keys[i], "hair.model=rod"};
        assert_int_equal(load_with(f, "hair: {count: 1}\n", overrides, 1), RLT_BAD_INPUT);
        assert_int_equal(load_with(f, "hair: {count: 1}\n", overrides, 2), RLT_OK);
    }
    /* a limit that the conversion reads */
    assert_int_equal(load_with(f, "hair: {count: 1, bend: {stiffness: 5}, stretch: {limit: 0.5}}\n", set, 1),
                     RLT_BAD_INPUT);
}

/* Steps in which midpoint cannot keep energy. */
static void test_midpoint_warning(void **state) {
    fixture *f = *state;
    static const char *const messages[] = {
        "s.yaml:1:49: hair.rod.integration = \"midpoint\": steps of 1/96 s are too long for it where hair "
        "moves fast: strands take those by Euler, which damps; set hair.rod.steps to 10 or more"};
    assert_int_equal(load_with(f, "hair: {count: 1, model: rod, rod: {integration: midpoint}}\n", NULL, 0),
                     RLT_OK);
    assert_messages(f, messages, 1);
    assert_int_equal(rlt_messages_severity(f->messages, 0), RLT_WARNING);
    rlt_messages_clear(f->messages);
    assert_int_equal(
        load_with(f, "hair: {count: 1, model: rod, rod: {integration: midpoint, steps: 10}}\n", NULL, 0),
        RLT_OK);
    assert_messages(f, messages, 0);
}

static void test_bad_strands(void **state) {
    static const bad cases[] = {
        {"hair: {strands: 5}\n",
         "s.yaml:1:17: hair.strands = 5: must be a list of strands, each a list of [x, y, z] points; how "
         "many are grown is hair.count"},
        {"hair: {strands: [5]}\n", "s.yaml:1:18: hair.strands: strand 0: must be a list of points"},
        {"hair:\n  strands:\n  - [[0, 0, 0], [0, 1, 0]]\n  - [[0, 0, 0]]\n",
         "s.yaml:4:5: hair.strands: strand 1 has 1 point: needs at least 2"},
        {"hair:\n  strands:\n  - []\n", "s.yaml:3:5: hair.strands: strand 0 has 0 points: needs at least 2"},
        {"hair:\n  strands:\n  - [[0, 0, 0], [0, 1, 0], [0, 1, 0], [0, 2, 0]]\n",
         "s.yaml:3:28: hair.strands: strand 0, edge 1: has zero length; remove one of its two points"},
        {"hair:\n  strands:\n  - [[0, 0, 0], [0, .nan, 0]]\n",
         "s.yaml:3:21: hair.strands: strand 0, point 1 = .nan: must be a finite number"},
        {"hair:\n  strands:\n  - [[0, 0, 0], [0, inf, 0]]\n",
         "s.yaml:3:21: hair.strands: strand 0, point 1 = inf: must be a finite number"},
        {"hair:\n  strands:\n  - [[0, 0, 0], [0, 1]]\n",
         "s.yaml:3:17: hair.strands: strand 0, point 1 = [0, 1]: must be 3 numbers, as in [0, -1, 0]"},
        {"hair:\n  strands:\n  - [[0, 0, 0], [0, x, 1]]\n",
         "s.yaml:3:21: hair.strands: strand 0, point 1 = \"x\": must be a number"},
        {"hair:\n- strands:\n  - [[0, 0, 0], [0, 1e10, 1]]\n",
         "s.yaml:3:21: hair[0].strands: strand 0, point 1 = 1e10: must be within -1e9..1e9"},
    };
    ASSERT_BAD(state, cases);
}

static void test_bad_yaml(void **state) {
    static const bad cases[] = {
        {"", "s.yaml: holds no scene: it is empty"},
        {"# nothing\n", "s.yaml: holds no scene: it is empty"},
        {"version https://git-lfs.github.com/spec/v1\noid sha256:0123\nsize 12\n",
         "s.yaml: a Git LFS pointer in place of the file; get the file itself: git lfs pull"},
        {"- a\n- b\n", "s.yaml:1:1: must be a mapping of keys, as in \"title: curls\""},
        {"title: [a\n",
         "s.yaml:2:1: not valid YAML: while parsing a flow sequence: did not find expected ',' or ']'"},
        {"title: a\n\tb: c\n", "s.yaml:2:1: begins with a tab, which YAML does not allow; use spaces"},
        {"hair:\n  \tcount: 3\n", "s.yaml:2:3: begins with a tab, which YAML does not allow; use spaces"},
        {"title: \"a\n",
         "s.yaml:2:1: not valid YAML: while scanning a quoted scalar: found unexpected end of stream"},
        {"title: a\x01\n", "s.yaml:1:9: not valid YAML: control characters are not allowed"},
        {"time:\n  fps: \xff\n", "s.yaml:2:8: not valid YAML: invalid leading UTF-8 octet"},
        {"title: a\n---\ntitle: b\n", "s.yaml:2:1: a second document; a scene is one"},
        {"title: *x\n", "s.yaml:1:8: *x: no such anchor"},
        {"title: &a [*a]\n", "s.yaml:1:12: *a: contains itself"},
    };
    ASSERT_BAD(state, cases);
}

static void test_everything_at_once(void **state) {
    fixture *f = *state;
    static const char *const text = "time:\n"
                                    "  fps: fast\n"
                                    "  first: 9\n"
                                    "  last: 2\n"
                                    "hair:\n"
                                    "- bendd: 1\n"
                                    "- count: -1\n"
                                    "  core: {stiffness_max: 1}\n"
                                    "  strands: [[[0, 0, 0]]]\n"
                                    "titel: x\n";
    static const char *const overrides[] = {"hair.count=x",   "hair[2].count=1", "oops", "gravity=[1, 2",
                                            "hair[0].fall=2", "time.fps=30",     "=3"};
    static const char *const lines[] = {
        "s.yaml:2:8: time.fps = \"fast\": must be a number",
        "s.yaml:4:9: time.last = 2: must be >= time.first (9)",
        "s.yaml:6:3: hair[0].bendd: unknown key; did you mean hair[0].bend?",
        "s.yaml:7:10: hair[1].count = -1: must be within 0..10000000",
        "s.yaml:8:25: hair[1].core.stiffness_max = 1: must be >= hair[1].core.stiffness (15000)",
        "s.yaml:9:13: hair[1].strands: strand 0 has 1 point: needs at least 2",
        "s.yaml:10:1: titel: unknown key; did you mean title?",
        "--set:1:12: hair.count = \"x\": must be an integer",
        "--set:1:1: hair[2]: there are 2 hair sections, counted from 0",
        "--set:1:1: oops: must be key=value",
        "--set:1:14: not valid YAML: while parsing a flow sequence: did not find expected ',' or ']'",
        "--set:1:14: hair[0].fall = 2: must be within 0..1",
        "--set:1:1: =3: must be key=value",
    };
    assert_int_equal(load_with(f, text, overrides, 7), RLT_BAD_INPUT);
    assert_messages(f, lines, sizeof lines / sizeof lines[0]);
    /* without a list of messages the status still tells */
    rlt_scene *scene = NULL;
    assert_int_equal(rlt_scene_load_text("s.yaml", text, strlen(text), NULL, 0, NULL, &scene), RLT_BAD_INPUT);
    assert_null(scene);
}

/* The order of --set says nothing; one that replaces what the scene says does. */
static void test_total_points_and_segment(void **state) {
    fixture *f = *state;
    static const char plain[] = "hair: {count: 2, style: straight}\n",
                      total[] = "hair: {count: 2, style: straight, total_points: 20}\n",
                      segment[] = "hair: {count: 2, style: straight, segment: 2}\n";
    const char *points = "hair.total_points=24", *apart = "hair.segment=1", *none = "hair.total_points=0";
    const struct {
        const char *text, *overrides[2];
        rlt_status status;
    } cases[] = {
        {plain, {points, apart}, RLT_BAD_INPUT}, {plain, {apart, points}, RLT_BAD_INPUT},
        {plain, {none, apart}, RLT_OK},          {plain, {apart, none}, RLT_OK},
        {total, {apart, apart}, RLT_BAD_INPUT},  {total, {none, apart}, RLT_OK},
        {total, {apart, none}, RLT_OK},          {segment, {points, points}, RLT_OK},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(load_with(f, cases[i].text, (const char *const *)cases[i].overrides, 2),
                         cases[i].status);
}

static void test_bad_overrides(void **state) {
    fixture *f = *state;
    static const bad cases[] = {
        {"hair.bend.stiffness=-3", "--set:1:21: hair.bend.stiffness = -3: must be >= 0"},
        {"hair.bendd.stiffness=5", "--set:1:6: hair.bendd: unknown key; did you mean hair.bend?"},
        {"hair[0].bend.stiffnes=5",
         "--set:1:14: hair[0].bend.stiffnes: unknown key; did you mean hair[0].bend.stiffness?"},
        {"hair[1].count=5", "--set:1:1: hair[1]: there is 1 hair section, counted from 0"},
        {"hair[99999999999].count=5", "--set:1:1: hair[2147483647]: there is 1 hair section, counted from 0"},
        {"hair[x].count=5", "--set:1:1: hair[x]: unknown key"},
        {"colliders.radius=0", "--set:1:18: colliders.radius = 0: must be > 0 for a sphere"},
        {"colliders[0].radius=5", "--set:1:1: colliders[0]: there is no collider"},
        {"time[0].fps=5", "--set:1:1: time[0]: is not a list"},
        {"hair=5", "--set:1:6: hair = 5: must be a mapping of keys"},
        {"hair=[{count: 1}, {count: x}]", "--set:1:27: hair[1].count = \"x\": must be an integer"},
        {"time.fps=", "--set:1:10: time.fps: has no value: must be a number"},
        {"time.fps", "--set:1:1: time.fps: must be key=value"},
        {"", "--set:1:1: : must be key=value"},
        {"time..fps=1", "--set:1:6: time.: unknown key"},
        {"hair.length=\xc3\xa4", "--set:1:13: hair.length = \"\xc3\xa4\": must be a number"},
        {"h\xc3\xa4r.length=3", "--set:1:1: h\xc3\xa4r: unknown key"},
        {"wind.speed=3",
         "--set:1:6: wind.speed: unknown key; did you mean wind.velocity, a vector, as in [0, 0, -200]?"},
        {"render.width=800", "--set:1:8: render.width: unknown key; did you mean the option --size WxH of "
                             "ringlet render, in pixels?"},
        {"hair.color=red", "--set:1:6: hair.color: unknown key; did you mean hair.look.eumelanin and "
                           "hair.look.pheomelanin, or hair.look.dye?"},
        {"hair.stifness=3", "--set:1:6: hair.stifness: unknown key; did you mean hair.bend.stiffness, or "
                            "hair.rod.young where hair.model is rod or coil?"},
        {"radius=2", "--set:1:1: radius: unknown key; did you mean hair.radius?"},
        {"hair.look.color=red",
         "--set:1:11: hair.look.color: unknown key; did you mean hair.look.eumelanin and "
         "hair.look.pheomelanin, or hair.look.dye?"},
        {"time.end=9", "--set:1:6: time.end: unknown key; did you mean time.last?"},
        {"time.frames=9", "--set:1:6: time.frames: unknown key; did you mean time.first and time.last?"},
        {"render.light=2",
         "--set:1:8: render.light: unknown key; did you mean render.key, render.fill and render.rim?"},
        {"hair.points=9",
         "--set:1:6: hair.points: unknown key; did you mean hair.segment, from one point of a "
         "strand to the next?"},
        {"hair.type=3b", "--set:1:6: hair.type: unknown key; did you mean hair.preset, a kind of hair?"},
        {"hair.fill.hairs=9", "--set:1:11: hair.fill.hairs: unknown key; did you mean hair.fill.count?"},
        {"hair.strands=60",
         "--set:1:14: hair.strands = 60: must be a list of strands, each a list of [x, y, z] "
         "points; how many are grown is hair.count"},
        {"hair.gust_period=2", "--set:1:6: hair.gust_period: unknown key; did you mean wind.gust_period?"},
        {"hair.length=2kg", "--set:1:13: hair.length = \"2kg\": must be a number; it is in units (a unit of "
                            "the scene is 0.01 m); um, mm, cm, m, in may stand behind it"},
        {"hair.rod.density=2kg", "--set:1:18: hair.rod.density = \"2kg\": must be a number; it is in kg/m^3; "
                                 "kg/m^3, g/cm^3 may stand "
                                 "behind it"},
        {"time.last=2s", "--set:1:11: time.last = \"2s\": must be an integer; it is in frame"},
        {"hair.length=-4cm", "--set:1:13: hair.length = \"-4cm\": must be > 0"},
        {"hair.length='4cm'", "--set:1:13: hair.length = \"4cm\": must be a number"},
        {"time.first=300", "--set:1:12: time.last = 232: must be >= time.first (300)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(load_with(f, "hair: {count: 1}\n", &cases[i].text, 1), RLT_BAD_INPUT);
        assert_messages(f, &cases[i].message, 1);
    }
}

/* Too few points for a curl, and a count on top of a total of points: said, with the number that helps. */
static void test_points_of_curls(void **state) {
    fixture *f = *state;
    static const char *const count[] = {"hair.count=20"};
    static const char *const coarse = "s.yaml:1:17: hair.segment = 2: makes 5.28 points on a turn of the "
                                      "curl, which is a corner each and moves "
                                      "like one; below 6 that is too few: hair.segment: 1.06 makes 10";
    static const char *const dropped =
        "--set:1:12: hair.count = 20: hair.total_points (44552) was for another "
        "count and is left out; points are hair.segment apart";
    assert_int_equal(load_with(f, "hair: {segment: 2, preset: redhead, count: 1}\n", NULL, 0), RLT_OK);
    assert_messages(f, &coarse, 1);
    assert_int_equal(rlt_messages_severity(f->messages, 0), RLT_WARNING);
    assert_int_equal(load_with(f, "hair: {segment: 1.7, preset: redhead, count: 1}\n", NULL, 0), RLT_OK);
    assert_int_equal(rlt_messages_count(f->messages), 0);
    assert_int_equal(load_with(f, "hair: {segment: 3, preset: straight, count: 1}\n", NULL, 0), RLT_OK);
    assert_int_equal(rlt_messages_count(f->messages), 0);
    assert_int_equal(load_with(f, "hair: {preset: redhead, count: 579, total_points: 44552}\n", count, 1),
                     RLT_OK);
    assert_messages(f, &dropped, 1);
    assert_int_equal(rlti_scene_get(f->scene)->hair[0].total_points, 0);
}

static void test_bad_files(void **state) {
    fixture *f = *state;
    assert_int_equal(rlt_scene_load_file("nofile.yaml", NULL, 0, f->messages, &f->scene), RLT_BAD_INPUT);
    assert_int_equal(rlt_scene_load_file("/", NULL, 0, f->messages, &f->scene), RLT_BAD_INPUT);
    assert_int_equal(rlt_scene_load_embedded("bald", NULL, 0, f->messages, &f->scene), RLT_BAD_INPUT);
    assert_int_equal(rlt_scene_load_file(NULL, NULL, 0, f->messages, &f->scene), RLT_BAD_INPUT);
    char known[1024] = "bald: unknown scene; built in are ";
    for (int i = 0; rlt_embedded_scene_name(i) != NULL; i++)
        snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", i > 0 ? ", " : "",
                 rlt_embedded_scene_name(i));
    assert_non_null(strstr(known, ", redhead, "));
    assert_int_equal(rlt_scene_load_embedded("redhaed", NULL, 0, f->messages, &f->scene), RLT_BAD_INPUT);
    const char *const lines[] = {
        "nofile.yaml: cannot be read: No such file or directory",
        "/: cannot be read: Is a directory",
        known,
        "rlt_scene_load: a required argument is NULL",
        "redhaed: unknown scene; did you mean redhead?",
    };
    assert_messages(f, lines, 5);
    assert_null(f->scene);
}

/* The same few bytes over and over. */
static char *repeat(const char *before, const char *unit, int count, const char *after) {
    size_t size = strlen(before) + strlen(unit) * (size_t)count + strlen(after) + 1;
    char *text = malloc(size);
    assert_non_null(text);
    char *end = text + snprintf(text, size, "%s", before);
    for (int i = 0; i < count; i++, end += strlen(unit))
        memcpy(end, unit, strlen(unit));
    memcpy(end, after, strlen(after) + 1);
    return text;
}

static void assert_hostile(fixture *f, char *text, const char *first, const char *last) {
    assert_int_equal(load_with(f, text, NULL, 0), RLT_BAD_INPUT);
    assert_string_equal(rlt_messages_text(f->messages, 0), first);
    assert_string_equal(rlt_messages_text(f->messages, rlt_messages_count(f->messages) - 1), last);
    free(text);
}

/* Small files that would become huge, deep or endless. */
static void test_hostile(void **state) {
    fixture *f = *state;
    const char *deep = "s.yaml:1:71: nested too deeply";
    assert_hostile(f, repeat("title: ", "[", 100000, ""), deep, deep);
    /* 4,000 points, 2,000 times */
    char *points = repeat("title: x\nhair: {strands: [&s [", "[0,0,0],[1,0,0],", 2000, "]");
    char *text = repeat(points, ",*s", 2000, "]}\n");
    free(points);
    assert_int_equal(load_with(f, text, NULL, 0), RLT_BAD_INPUT);
    assert_int_equal(rlt_messages_count(f->messages), 1);
    assert_non_null(strstr(rlt_messages_text(f->messages, 0), "aliases repeat too many values"));
    free(text);
    assert_hostile(f, repeat("hair: [", "{count: x},", 1025, "]"),
                   "s.yaml:1:7: hair: must have at most 1024 entries",
                   "too many problems; only the first 1000 are listed");
    const char *anchors = "s.yaml:1:7009: too many anchors";
    assert_hostile(f, repeat("title: [", "&a [x],", 1001, "]"), anchors, anchors);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_unknown_keys),
        TEST(test_wrong_types),
        TEST(test_out_of_range),
        TEST(test_bad_ramps),
        TEST(test_rules),
        TEST(test_total_points_and_segment),
        TEST(test_rod),
        TEST(test_rod_warnings),
        TEST(test_rules_of_models),
        TEST(test_midpoint_warning),
        TEST(test_bad_strands),
        TEST(test_bad_yaml),
        TEST(test_everything_at_once),
        TEST(test_added_head),
        TEST(test_bad_overrides),
        TEST(test_bad_files),
        TEST(test_points_of_curls),
        TEST(test_hostile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

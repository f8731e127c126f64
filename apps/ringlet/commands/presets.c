/* ringlet presets: kinds of hair by name, with a picture each. ringlet new: a commented scene to start
 * from. */
#define _DEFAULT_SOURCE /* realpath */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "command.h"
#include "commands.h"
#include "console.h"
#include "gallery.h"
#include "interrupt.h"
#include "outfile.h"
#include "run.h"

enum { LINE_SIZE = 256, PATH_SIZE = 1024, TEXT_SIZE = 512, PRESETS_MAX = 64 };

/* ---- presets ---- */

/* The first sentence of its comment. */
static void summary_of(const char *text, char line[LINE_SIZE]) {
    size_t used = 0;
    while (text[0] == '#') {
        const char *from = text + 1 + (text[1] == ' ');
        size_t length = strcspn(from, "\n");
        for (size_t i = 0; i < length && used + 2 < LINE_SIZE; i++) {
            if (from[i] == '.' && (from[i + 1] == ' ' || from[i + 1] == '\n')) {
                line[used] = 0;
                return;
            }
            line[used++] = from[i];
        }
        if (used + 2 < LINE_SIZE)
            line[used++] = ' ';
        text = from + length + (from[length] == '\n');
    }
    line[used > 0 && line[used - 1] == ' ' ? used - 1 : used] = 0;
}

static void list_presets(void) {
    for (int i = 0; rlt_embedded_preset_name(i); i++) {
        char line[LINE_SIZE];
        summary_of(rlt_embedded_preset_text(i), line);
        printf("%-16s %s\n", rlt_embedded_preset_name(i), line);
    }
}

/* The body that a preset grows on, and what it leaves to a scene: where those of the horse are, and how far
 * hair hangs down that says nothing of it. */
typedef struct home {
    const char *preset, *kind, *region;
    const char *groom;   /* more of hair */
    const char *picture; /* more of render */
} home;

/* Skin of a horse, which is bay. */
#define BAY_SKIN "skin: [0.06, 0.027, 0.013]"
#define BAY      ", " BAY_SKIN

/* Short coils fill the picture, else their turns are two pixels wide. */
#define NEAR_HAIR ", frame: hair"

/* Lines of a scene for hair that leaves the face free. */
#define HANGING(fall) "  fall: " fall "   # how far hair hangs down; 0 stands out of the skin\n"
#define PARTED        "  comb: 0.5   # from a parting, off the face; 0 leaves the skin straight\n"

static home home_of(const char *preset) {
    static const home homes[] = {
        {"horse-body", "horse", "body", "", ", frame: hair" BAY},
        {"horse-fetlocks", "horse", "fetlocks_front", "", ", frame: hair" BAY},
        {"horse-mane", "horse", "mane", "", ", frame: hair" BAY},
        {"horse-tail", "horse", "tail", "", ", frame: hair, azimuth: 140" BAY},
        {"horse", "horse", "mane", "", ", frame: hair" BAY},
        {"straight", "head", "scalp", HANGING("0.95") PARTED, ""},
        {"wavy", "head", "scalp", HANGING("0.95") PARTED, ""},
        {"redhead", "head", "scalp", HANGING("0.9") PARTED, ""},
        {"4a", "head", "scalp", "", NEAR_HAIR},
        {"4b", "head", "scalp", "", NEAR_HAIR},
        {"4c", "head", "scalp", "", NEAR_HAIR},
        {"coil", "head", "scalp", HANGING("0.7"), NEAR_HAIR},
    };
    for (size_t i = 0; i < sizeof homes / sizeof homes[0]; i++)
        if (strcmp(preset, homes[i].preset) == 0)
            return homes[i];
    return (home){preset, "head", "scalp", "", ""};
}

/* A small scene that shows a preset. */
static void scene_of(const char *preset, int count, char *text, size_t size) {
    home at = home_of(preset);
    snprintf(text, size,
             "character: {kind: %s}\nrender: {margin: 1.02%s}\n"
             "hair:\n  preset: %s\n  region: %s\n  count: %d\n%s  sag: {mode: off}\n", /* nothing moves */
             at.kind, at.picture, preset, at.region, count, at.groom);
}

/* The value of a key in a preset. */
static void value_of(const char *preset, const char *key, char value[32]) {
    char text[128];
    rlt_scene *scene = NULL;
    value[0] = 0;
    snprintf(text, sizeof text, "hair: {preset: %s}\n", preset);
    if (rlt_scene_load_text(preset, text, strlen(text), NULL, 0, NULL, &scene) == RLT_OK)
        rlt_scene_value(scene, run_schema_row(key), 0, value, 32, NULL);
    rlt_scene_destroy(scene);
}

/* Guides that are enough for long hair, or as many as a preset of its own asks for: short coils take more. */
static int guides_of(const char *preset, int enough) {
    char value[32];
    value_of(preset, "hair.count", value);
    int count = atoi(value);
    return count > enough ? count : enough;
}

/* One preset as it is groomed. */
static rlt_status show_preset(gallery *g, int index, const char *name, const char *preset,
                              rlt_messages *messages) {
    char text[512], line[LINE_SIZE], label[LINE_SIZE + 64];
    rlt_scene *scene = NULL;
    rlt_simulation *simulation = NULL;
    rlt_frame_view view = {.size = sizeof view};
    rlt_simulation_def def = rlt_simulation_defaults();
    scene_of(name, guides_of(name, 400), text, sizeof text);
    summary_of(preset, line);
    line[strcspn(line, ":")] = 0;
    snprintf(label, sizeof label, "%s\n%s", name, line);
    rlt_status status = rlt_scene_load_text(name, text, strlen(text), NULL, 0, messages, &scene);
    if (status == RLT_OK)
        status = rlt_simulation_create(scene, &def, messages, &simulation);
    if (status == RLT_OK)
        status = rlt_simulation_view(simulation, &view);
    g->has_camera = 0; /* a head, a mane, a tail: each as large as it fits */
    if (status == RLT_OK)
        status = gallery_add(g, index, scene, &view, label, messages);
    rlt_simulation_destroy(simulation);
    rlt_scene_destroy(scene);
    return status;
}

typedef struct presets_settings {
    const char *output;
    int size, threads, force, quiet;
} presets_settings;

/* A preset by its name, whatever its case, which becomes that of the list: hair types are written 3B, too. */
static int find_preset(const char **name, const char **text) {
    const char *names[PRESETS_MAX];
    int count = 0;
    for (; rlt_embedded_preset_name(count) && count < PRESETS_MAX; count++) {
        names[count] = rlt_embedded_preset_name(count);
        if (strcasecmp(*name, names[count]) == 0) {
            *name = names[count];
            *text = rlt_embedded_preset_text(count);
            return 1;
        }
    }
    (void)args_unknown("no preset", *name, names, count, "`ringlet presets` lists them");
    return 0;
}

/* A sheet of the presets that are named, or of all. */
static rlt_status write_sheet(const presets_settings *s, const args_list *rest, rlt_messages *messages) {
    const char *names[PRESETS_MAX], *texts[PRESETS_MAX];
    int count = 0;
    rlt_lock *lock = NULL;
    gallery g = {.size = s->size, .columns = 4, .hairs = 30000, .threads = s->threads};
    double begun = console_seconds();
    for (; count < rest->count && count < PRESETS_MAX; count++) {
        names[count] = rest->texts[count];
        if (!find_preset(&names[count], &texts[count]))
            return RLT_BAD_INPUT;
    }
    for (; rest->count == 0 && rlt_embedded_preset_name(count) && count < PRESETS_MAX; count++) {
        names[count] = rlt_embedded_preset_name(count);
        texts[count] = rlt_embedded_preset_text(count);
    }
    g.columns = count < g.columns ? count : g.columns;
    rlt_status status = outfile_lock(s->output, &lock);
    if (status == RLT_OK)
        status = outfile_check_new(s->output, s->force);
    if (status == RLT_OK)
        status = gallery_begin(&g, count);
    interrupt_catch();
    for (int i = 0; i < count && status == RLT_OK; i++) {
        status = show_preset(&g, i, names[i], texts[i], messages);
        double left = (console_seconds() - begun) / (i + 1) * (count - i - 1);
        if (interrupt_asked())
            status = console_fail(RLT_FAILED, "stopped on request");
        else if (!s->quiet)
            console_line("%d/%d  %s  left %d:%02d", i + 1, count, names[i], (int)left / 60, (int)left % 60);
    }
    rlt_status written = gallery_end(&g, status == RLT_OK ? s->output : NULL, messages);
    rlt_lock_release(lock);
    if (status != RLT_OK || written != RLT_OK)
        console_messages(messages, 0);
    return status == RLT_OK ? written : status;
}

static rlt_status presets(void *context, const args_list *rest, rlt_messages *messages) {
    const presets_settings *s = context;
    if (s->output)
        return write_sheet(s, rest, messages);
    if (rest->count == 0)
        list_presets();
    for (int i = 0; i < rest->count; i++) {
        const char *name = rest->texts[i], *text = NULL;
        if (!find_preset(&name, &text))
            return RLT_BAD_INPUT;
        fputs(text, stdout);
    }
    return RLT_OK;
}

int command_presets(int argc, char **argv) {
    presets_settings s = {.size = 320};
    const args_option options[] = {
        {"output", 'o', ARGS_TEXT, &s.output, "OUT.png",
         "write a sheet with a picture of each, or of those named", 0, NULL},
        {"size", 0, ARGS_INT, &s.size, "N", "pixels of each picture (default 320)", 32, NULL},
        ARGS_FORCE(&s.force),
        ARGS_THREADS(&s.threads),
        ARGS_QUIET(&s.quiet),
        {0},
    };
    const args_command command = {
        .name = "presets",
        .usage = "[NAME...] [options]",
        .summary =
            "Lists the kinds of hair that are built in: types 1A to 4C, and materials; prints those that are "
            "named as they would stand in a scene; or, with -o, makes a sheet of pictures of them, or of "
            "all. "
            "A scene uses one with hair.preset; ringlet new --preset NAME writes such a scene.",
        .options = options,
        .examples = "  ringlet presets\n"
                    "  ringlet presets 3b\n"
                    "  ringlet presets 3a 3b 3c -o curls.png\n"
                    "  ringlet presets -o presets.png\n",
        .maximum = PRESETS_MAX,
        .alone = 1,
    };
    return command_run(&command, argc, argv, NULL, presets, &s);
}

/* ---- new ---- */

typedef struct new_settings {
    const char *preset, *groom, *body;
    int force;
} new_settings;

/* A file's name as the scene, which may be in another folder, has to say it. */
static rlt_status name_from_scene(const char *scene, const char *file, char name[PATH_SIZE]) {
    char *whole = strchr(scene, '/') && file[0] != '/' ? realpath(file, NULL) : NULL;
    FILE *there = fopen(file, "rb");
    int length = snprintf(name, PATH_SIZE, "%s", whole ? whole : file);
    free(whole);
    if (!there)
        return console_fail(RLT_BAD_INPUT, "%s: cannot be read", file);
    fclose(there);
    if (length >= PATH_SIZE || strchr(name, '"') || strchr(name, '\n') || strchr(name, '\\'))
        return console_fail(RLT_BAD_INPUT, "%s: the name cannot stand in a scene; give the file another one",
                            file);
    return RLT_OK;
}

static void put_time(FILE *out) {
    fputs("time:\n"
          "  fps: 24\n"
          "  first: 1\n"
          "  last: 48\n"
          "  # preroll: 24   # frames in which hair comes to rest first, where hair.sag.mode is off\n\n",
          out);
}

static void put_end(FILE *out) {
    fputs("\n# Air: takes hold of the hair by hair.drag.\n"
          "# wind:\n"
          "#   velocity: [0, 0, -300]   # from the front; units (cm) a second\n"
          "#   turbulence: 80\n\n"
          "# Every key is explained by `ringlet schema` (docs/reference/scene.md).\n",
          out);
}

/* Wisps of one guide each: twice as many as `new` simulates leave no skin bare. Locks share it out. */
static int has_wisps(const char *preset) {
    char value[32];
    value_of(preset, "hair.fill.blend", value);
    return strcmp(value, "wisps") == 0;
}

/* Wisps of which each goes its own way: one that stands for several makes tufts of them, so all are
 * simulated. Of others half do: a start that is quick. */
static int wisps_stray(const char *preset) {
    char value[32];
    value_of(preset, "hair.wander", value);
    return has_wisps(preset) && atof(value) > 0.5;
}

static void put_preset_scene(FILE *out, const char *preset) {
    home at = home_of(preset);
    int all = guides_of(preset, 600), stray = wisps_stray(preset), count = stray ? all : all / 2;
    int is_horse = strcmp(at.kind, "horse") == 0;
    fprintf(out, "title: Hair of the preset %s\n\n", preset);
    put_time(out);
    fprintf(
        out,
        "# A body that the program makes. Your own: ringlet new --body body.usda --groom groom.usda\n"
        "character:\n"
        "  kind: %s\n\n"
        "%s"
        "motion:\n"
        "  kind: walk   # still, calisthenics, shake, spin, ...\n"
        "  # amount: 1\n\n"
        "hair:\n"
        "  preset: %s   # `ringlet presets` lists them; all below comes on top of it\n"
        "  region: %s\n"
        "  count: %d   # strands that are simulated; pictures grow many more %s\n"
        "%s"
        "  # length: 30cm\n"
        "  # radius: 8mm    # of the curl\n"
        "  # pitch: 40mm    # its advance in a turn\n"
        "  sag:\n"
        "    mode: solve   # the groom is where hair rests; off lets it fall first\n"
        "  fill:\n"
        "    full: %d   # strands at which pictures are full; each of fewer carries more hairs and locks\n"
        "  # look:\n"
        "  #   eumelanin: 0.3     # brown to black\n"
        "  #   pheomelanin: 1.2   # red\n",
        at.kind, is_horse ? "render:\n  " BAY_SKIN "   # bay\n\n" : "", preset, at.region, count,
        stray ? "around them; half are twice as quick, in tufts" : "between them", at.groom,
        has_wisps(preset) ? all : count);
}

/* The values of one group ("hair.fill.") that `look` has and `plain` has not, below a line that names it. */
static void put_group(FILE *out, const rlt_scene *look, const rlt_scene *plain, const char *group, int indent,
                      const char *name) {
    rlt_schema_entry row = {.size = sizeof row};
    size_t length = strlen(group);
    int found = 0;
    for (int i = 0; rlt_schema_get(i, &row); i++) {
        char value[TEXT_SIZE], usual[TEXT_SIZE];
        if (strncmp(row.key, group, length) != 0 || !rlt_scene_value(look, i, 0, value, sizeof value, NULL) ||
            (rlt_scene_value(plain, i, 0, usual, sizeof usual, NULL) && strcmp(value, usual) == 0))
            continue;
        if (found++ == 0)
            fprintf(out, "%*s%s:   # as the file says\n", indent, "", name);
        fprintf(out, "%*s%s: %s\n", indent + 2, "", row.key + length, value);
    }
}

/* A groom that Ringlet wrote says how pictures show it: the scene says the same, over its preset. */
static void put_look(FILE *out, const char *preset, const char *groom) {
    char text[128];
    rlt_cache *file = NULL;
    rlt_scene *look = NULL, *plain = NULL;
    snprintf(text, sizeof text, "hair: {preset: %s}\n", preset);
    /* the check of the scene reports what is wrong with the file */
    const char *own = rlt_cache_open(groom, NULL, &file) == RLT_OK ? rlt_cache_look(file) : NULL;
    if (own && rlt_scene_load_text(groom, own, strlen(own), NULL, 0, NULL, &look) == RLT_OK &&
        rlt_scene_load_text(preset, text, strlen(text), NULL, 0, NULL, &plain) == RLT_OK) {
        put_group(out, look, plain, "hair.fill.", 2, "fill");
        put_group(out, look, plain, "hair.look.", 2, "look");
        put_group(out, look, plain, "render.", 0, "\nrender");
    }
    rlt_scene_destroy(look);
    rlt_scene_destroy(plain);
    rlt_cache_close(file);
}

static void put_file_scene(FILE *out, const char *preset, const char *groom, const char *body) {
    fprintf(out, "title: A groom of your own\n\n");
    put_time(out);
    if (body[0])
        fprintf(out,
                "# The body moves as its file says. Where the file has several meshes, name one.\n"
                "character:\n"
                "  kind: file\n"
                "  file: \"%s\"\n"
                "  # prim: /hero/geo/body\n\n",
                body);
    else
        fputs("# Nobody: the roots stay where they are. With a body: kind: file, file: body.usda\n"
              "character:\n"
              "  kind: none\n\n",
              out);
    fputs("# Only for files that do not state it (Alembic, .hair, .tfx, .obj):\n"
          "# files:\n"
          "#   metres_per_unit: 0.01\n"
          "#   up: Z\n\n",
          out);
    fprintf(out,
            "hair:\n"
            "  file: \"%s\"\n"
            "  preset: %s   # the material; `ringlet presets` lists them\n"
            "  # prim: /groom/*        # some of its curves\n"
            "  # resample_segment: 1cm # points this far apart instead of the file's own: quicker\n"
            "%s"
            "  sag:\n"
            "    mode: solve   # the groom as it was delivered is where hair rests\n",
            groom, preset, body[0] ? "" : "  bind: none\n");
}

/* Whether a file is of a kind that is read: said before a scene names it. Where no body is named, one beside
 * the hair is named. */
static rlt_status check_kind(const char *path, int needs_body, rlt_messages *messages) {
    rlt_file *file = NULL;
    rlt_file_prim prim = {.size = sizeof prim};
    rlt_status status = rlt_file_open(path, messages, &file);
    for (int i = 0; status == RLT_OK && needs_body && rlt_file_get_prim(file, i, &prim); i++)
        if (strcmp(prim.kind, "mesh") == 0) {
            console_line("note: %s holds a mesh, too (%s): with --body %s the hair grows on it", path,
                         prim.path, path);
            needs_body = 0;
        }
    rlt_file_close(file);
    if (status != RLT_OK)
        console_messages(messages, 0);
    return status;
}

static rlt_status make_scene(void *context, const args_list *rest, rlt_messages *messages) {
    const new_settings *s = context;
    const char *path = rest->texts[0], *text = NULL,
               *preset = s->preset  ? s->preset
                         : s->groom ? "straight"
                                    : "3b";
    const char *dot = strrchr(path, '.');
    char groom[PATH_SIZE] = "", body[PATH_SIZE] = "";
    outfile out;
    rlt_scene *scene = NULL;
    if (!find_preset(&preset, &text))
        return RLT_BAD_INPUT;
    if (!dot || (strcmp(dot, ".yaml") != 0 && strcmp(dot, ".yml") != 0))
        return console_fail(RLT_BAD_INPUT, "%s: the name must end in .yaml", path);
    if (s->body && !s->groom)
        return console_fail(RLT_BAD_INPUT, "--body %s: needs --groom, the file with the hair on it", s->body);
    rlt_status status = outfile_check_new(path, s->force);
    if (status == RLT_OK && s->groom)
        status = name_from_scene(path, s->groom, groom);
    if (status == RLT_OK && s->body)
        status = name_from_scene(path, s->body, body);
    if (status == RLT_OK && s->groom)
        status = check_kind(s->groom, !s->body, messages);
    if (status == RLT_OK && s->body)
        status = check_kind(s->body, 0, messages);
    if (status != RLT_OK)
        return status;
    if (!outfile_begin(&out))
        return console_fail(RLT_FAILED, "out of memory");
    if (s->groom) {
        put_file_scene(out.text, preset, groom, body);
        put_look(out.text, preset, s->groom);
    } else {
        put_preset_scene(out.text, preset);
    }
    put_end(out.text);
    status = outfile_end(&out, 1, path);
    if (status == RLT_OK)
        status = rlt_scene_load_file(path, NULL, 0, messages, &scene);
    rlt_scene_destroy(scene);
    console_messages(messages, 0);
    if (status == RLT_OK)
        console_line("%s: a scene to start from; try:\n  ringlet check %s\n  ringlet render %s -o first.png",
                     path, path, path);
    return status;
}

int command_new(int argc, char **argv) {
    new_settings s = {0};
    const args_option options[] = {
        {"preset", 0, ARGS_TEXT, &s.preset, "NAME",
         "kind of hair (default 3b; straight for a groom from a file)", 0, NULL},
        {"groom", 0, ARGS_TEXT, &s.groom, "FILE", "hair of your own: .usda .usdc .usdz .abc .hair .tfx", 0,
         NULL},
        {"body", 0, ARGS_TEXT, &s.body, "FILE", "the body it grows on: .usda .usdc .usdz .abc .obj", 0, NULL},
        ARGS_FORCE(&s.force),
        {0},
    };
    const args_command command = {
        .name = "new",
        .usage = "NAME.yaml [options]",
        .summary = "Writes a scene to start from, with a comment on every value that one changes first: of "
                   "hair that "
                   "the program grows, from a preset, or of a groom file and a body file.",
        .options = options,
        .examples = "  ringlet new my.yaml\n"
                    "  ringlet new my.yaml --preset 4b\n"
                    "  ringlet new shot.yaml --groom groom.usdc --body body.abc\n",
        .minimum = 1,
        .maximum = 1,
        .alone = 1,
    };
    return command_run(&command, argc, argv, NULL, make_scene, &s);
}

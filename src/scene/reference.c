#include "scene/reference.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/messages.h"
#include "ringlet/scene.h"
#include "scene/embedded.h"
#include "scene/readers.h"
#include "scene/schema.h"

typedef struct page {
    char *text;
    size_t used, size; /* used may pass size: it counts what the whole page needs */
} page;

static void add(page *p, const char *format, ...) RLTI_PRINTF(2, 3);

static void add(page *p, const char *format, ...) {
    size_t left = p->used < p->size ? p->size - p->used : 0;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(left > 0 ? p->text + p->used : NULL, left, format, arguments);
    va_end(arguments);
    if (length > 0)
        p->used += (size_t)length;
}

static const char introduction[] =
    "# Scene files\n"
    "\n"
    "Made from the program's own table by `ringlet schema`; every key a scene file may hold is listed "
    "below.\n"
    "\n"
    "A scene file is YAML: `key: value` lines, sections by indentation, `#` starts a comment. A key that is\n"
    "absent has its default. `hair.bend.stiffness` in the tables is the key `stiffness` in the section "
    "`bend`\n"
    "in the section `hair`:\n"
    "\n"
    "```yaml\n"
    "hair:\n"
    "  preset: redhead\n"
    "  count: 100\n"
    "  bend:\n"
    "    stiffness: [[0, 5e4], [1, 200]]\n"
    "```\n"
    "\n"
    "## Kinds of values\n"
    "\n"
    "- **number**: `0.5`, `-3`, `7.2e4`; never infinite; also `auto` where the range says so. **integer**: a "
    "number without fraction.\n"
    "- **switch**: `on` or `off` (also `true`, `false`, `yes`, `no`).\n"
    "- **choice**: one of the words in the range column. **text**: one line, quoted where YAML needs it.\n"
    "- **vector**: three numbers, `[0, -981, 0]`. **range**: two numbers, the second greater, `[1, "
    "1.2]`.\n"
    "- **ramp**: a value along the strand. Either one number, or up to 16 pairs `[position, value]` with\n"
    "  positions that increase from 0 (root) to 1 (tip) of the rest length. Between pairs the value changes\n"
    "  linearly; before the first and after the last it stays. Where hair comes from a file (`hair.file`), a "
    "ramp\n"
    "  may also be an attribute of that groom, per strand or per point: `attribute:NAME`, or\n"
    "  `{attribute: NAME, scale: 7.2e4, offset: 0}` for scale * attribute + offset.\n"
    "- **names**: a list of names, `[hat, scarf]`, or one name alone.\n"
    "- **strands**: a list of strands, each a list of at least two points `[x, y, z]`, root first.\n"
    "- **keys**: a list of `[frame, x, y, z, rx, ry, rz]` with frames that increase.\n"
    "- **track**: a value over the frames. Either one number, or up to 64 pairs `[frame, value]` with frames "
    "that\n"
    "  increase; linear in between, constant before the first and after the last.\n"
    "\n"
    "Lengths are in units of `units.metres_per_unit`; mass is in units of one hair point on a 1-unit "
    "segment.\n"
    "Material values are stated for segments of 1 unit and are rescaled to the segments a strand really "
    "has.\n"
    "\n"
    "## Lists\n"
    "\n"
    "`hair`, `colliders` and `constraints` are each one section, or a list of sections (`- name: fringe` and "
    "so on). "
    "Messages\n"
    "call the sections of a list `hair[0]`, `hair[1]`, ... A character without a `colliders` key collides "
    "with\n"
    "hair by its own mesh, as with `colliders: {kind: body}`; `colliders: []` means that nothing collides.\n"
    "\n"
    "## Overrides\n"
    "\n"
    "`--set key=value` on the command line comes after the file: `--set hair.bend.stiffness=5e4` for every\n"
    "hair section, `--set 'hair[1].count=20'` for one, `--set 'colliders=[]'` for a whole list. The value "
    "is\n"
    "written as in the file: `--set 'hair.mass=[[0, 1], [1, 0.5]]'`.\n"
    "\n";

static void add_presets(page *p) {
    char names[256];
    rlti_embedded_names(rlti_embedded_presets, names, sizeof names);
    add(p,
        "## Presets\n\n`hair.preset` fills a hair section with the values of a kind of hair; the section's "
        "own keys\n"
        "come after it, wherever they stand, and overrides come last. Presets: %s.\n\n",
        names);
}

/* "hair.bend" of "hair.bend.stiffness"; "" of "title". */
static void section_of(const char *key, char *section, size_t size) {
    const char *dot = strrchr(key, '.');
    size_t length = dot == NULL ? 0 : (size_t)(dot - key);
    if (length >= size)
        length = size - 1;
    memcpy(section, key, length);
    section[length] = '\0';
}

/* A bar would end the table's cell. */
static void add_cell(page *p, const char *text) {
    add(p, " ");
    for (; *text != '\0'; text++)
        add(p, *text == '|' ? "\\%c" : "%c", *text);
    add(p, " |");
}

/* Which model reads it, unless all do. */
static void add_help(page *p, const rlti_row *row) {
    const rlti_reader *reader = rlti_reader_find(row->key);
    char help[2048];
    if (reader == NULL)
        snprintf(help, sizeof help, "%s", row->help);
    else if (row->part == RLTI_PART_SCENE)
        snprintf(help, sizeof help, "%s No effect without hair of model %s.", row->help, reader->model);
    else if (reader->convert == NULL)
        snprintf(help, sizeof help, "%s Model %s only.", row->help, reader->model);
    else
        snprintf(help, sizeof help,
                 "%s Model %s; converted for %s where there is no later material of its own.", row->help,
                 reader->model, reader->convert);
    add_cell(p, help);
}

static void add_rows(page *p) {
    char section[64], last[64] = "-";
    for (int i = 0; i < rlti_schema_count(); i++) {
        const rlti_row *row = rlti_schema_row(i);
        section_of(row->key, section, sizeof section);
        if (strcmp(section, last) != 0) {
            add(p, "%s## %s\n\n", i > 0 ? "\n" : "", section[0] != '\0' ? section : "Scene");
            add(p, "| key | type | unit | range | default | meaning |\n|---|---|---|---|---|---|\n");
            memcpy(last, section, sizeof last);
        }
        add(p, "| `%s` | %s |", row->key, rlti_type_name(row->type));
        add_cell(p, row->unit);
        add_cell(p, row->range);
        add(p, " `%s` |", row->default_value);
        add_help(p, row);
        add(p, "\n");
    }
}

size_t rlti_reference_write(char *text, size_t size) {
    page p = {text, 0, size};
    add(&p, "%s", introduction);
    add_presets(&p);
    add_rows(&p);
    return p.used;
}

char *rlt_schema_reference(void) {
    size_t size = rlti_reference_write(NULL, 0) + 1;
    char *text = RLTI_NEW(char, size);
    if (text != NULL)
        rlti_reference_write(text, size);
    return text;
}

void rlt_text_free(char *text) {
    rlti_free(text);
}

#include "show.h"

#include <stdio.h>
#include <string.h>

#include "console.h"

static int find_name(const char *name, size_t length) {
    for (int i = 0; rlt_show_name(i); i++)
        if (strlen(rlt_show_name(i)) == length && strncmp(rlt_show_name(i), name, length) == 0)
            return i;
    return -1;
}

/* The names of some bits, "a, b and c". */
static void list_names(unsigned bits, const char *last, char *text, size_t size) {
    size_t used = 0;
    unsigned known = 0;
    for (int i = 0; rlt_show_name(i); i++)
        known |= 1u << i;
    bits &= known;
    text[0] = 0;
    for (int i = 0; rlt_show_name(i); i++) {
        unsigned bit = 1u << i;
        if (!(bits & bit))
            continue;
        unsigned later = bits & ~(2u * bit - 1u);
        const char *before = used == 0 ? "" : later ? ", " : last;
        int more = snprintf(text + used, size - used, "%s%s", before, rlt_show_name(i));
        if (more < 0 || (size_t)more >= size - used)
            return;
        used += (size_t)more;
    }
}

int show_parse(const char *list, unsigned *show) {
    char names[256];
    *show = 0;
    for (const char *at = list;; at++) {
        size_t length = strcspn(at, ",");
        int index = find_name(at, length);
        if (index < 0) {
            list_names(~0u, " and ", names, sizeof names);
            console_error("--show %.*s: not known; there are %s", (int)length, at, names);
            return 0;
        }
        *show |= 1u << index;
        at += length;
        if (*at == 0)
            break;
    }
    unsigned values = *show & RLT_SHOW_VALUES;
    if (values & (values - 1)) {
        list_names(values, " and ", names, sizeof names);
        console_error("--show %s: %s each have a scale of colours; show one of them at a time", list, names);
        return 0;
    }
    return 1;
}

int show_fits_file(unsigned show, const char *input) {
    char names[256];
    if (!(show & RLT_SHOW_SIMULATION))
        return 1;
    list_names(show & RLT_SHOW_SIMULATION, " and ", names, sizeof names);
    console_error("--show %s: needs the simulation, and %s holds only its curves; give the scene instead",
                  names, input);
    return 0;
}

rlt_status show_draw(rlt_image *image, const rlt_render_camera *camera, const rlt_frame_view *view,
                     rlt_simulation *simulation, rlt_overlay_def *def, rlt_messages *messages) {
    rlt_diagnostics *diagnostics = NULL;
    rlt_status status = simulation ? rlt_simulation_diagnose(simulation, messages, &diagnostics)
                                   : rlt_view_diagnose(view, messages, &diagnostics);
    if (status == RLT_OK)
        status = rlt_image_overlay(image, camera, view, diagnostics, def, messages);
    rlt_diagnostics_destroy(diagnostics);
    return status;
}

#include "report/page_charts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/plot.h"

/* One curve: a double of each history_frame. */
typedef struct curve {
    const char *name;
    size_t offset;
} curve;

#define CURVE(text, member)                                                                                  \
    { text, offsetof(history_frame, member) }

static double value_of(const history_frame *frame, size_t offset) {
    return *(const double *)(const void *)((const char *)frame + offset);
}

static double greatest(const history *h, size_t offset) {
    double maximum = 0.0;
    for (int i = 0; i < h->count; i++)
        maximum = fmax(maximum, fabs(value_of(&h->frames[i], offset)));
    return maximum;
}

static int add_curve(plot *chart, const history *h, const curve *c, double *x, double *y) {
    for (int i = 0; i < h->count; i++) {
        x[i] = h->frames[i].frame;
        y[i] = value_of(&h->frames[i], c->offset);
    }
    return plot_series(chart, c->name, x, y, h->count);
}

static int put_chart(FILE *file, const history *h, const char *title, const char *y_label,
                     const curve *curves, int count, double *work) {
    plot *chart = plot_create(title, "frame", y_label);
    int good = chart != NULL;
    double maximum = 0.0;
    for (int i = 0; i < count; i++)
        maximum = fmax(maximum, greatest(h, curves[i].offset));
    /* a curve that cannot be distinguished from zero would only fill the legend */
    for (int i = 0; i < count && good; i++)
        if (count == 1 || greatest(h, curves[i].offset) > 0.004 * maximum)
            good = add_curve(chart, h, &curves[i], work, work + h->count);
    if (good) {
        fputs("<figure class=\"chart\">\n", file);
        plot_embed(chart, file);
        fputs("</figure>\n", file);
    }
    plot_destroy(chart);
    return good;
}

/* Contacts that are solved with the hair. */
static int put_solved(FILE *file, const history *h, double *work) {
    static const curve counts[] = {CURVE("touch", touching), CURVE("slip", slipping),
                                   CURVE("not resolved", unresolved)};
    static const curve errors[] = {CURVE("worst contact, off its law", residual),
                                   CURVE("hair in hair, deepest", deepest),
                                   CURVE("edges in bodies, deepest", bodies_deepest)};
    static const curve work_done[] = {CURVE("Newton iterations a step", newton),
                                      CURVE("sweeps an iteration", sweeps)};
    return put_chart(file, h, "Solved contacts", "contacts, mean of a frame's steps", counts, 3, work) &&
           put_chart(file, h, "Errors of solved contacts", "mean radii", errors, 3, work) &&
           put_chart(file, h, "Iterations of solved contacts", "mean of a frame's steps", work_done, 2, work);
}

int page_charts(FILE *file, const page *p) {
    static const curve lengths[] = {CURVE("longest edge", edge), CURVE("longest strand", length_longest),
                                    CURVE("strands, mean", length)};
    static const curve speeds[] = {CURVE("fastest point", fastest)};
    static const curve contacts[] = {CURVE("with bodies", contacts),
                                     CURVE("between hairs, mean", hair_contacts)};
    static const curve walls[] = {CURVE("simulation", seconds)};
    curve phases[HISTORY_PHASES], energies[RLT_NAMED_MAX];
    for (int i = 0; i < HISTORY_PHASES; i++)
        phases[i] =
            (curve){history_phase_names[i], offsetof(history_frame, phases) + (size_t)i * sizeof(double)};
    const history *h = &p->history;
    int energy_count = 0;
    for (int i = 0; i < h->energy_count; i++)
        if (strcmp(h->energy_names[i], "gravity") != 0) /* counted from nowhere: it would dwarf the others */
            energies[energy_count++] =
                (curve){h->energy_names[i], offsetof(history_frame, energies) + (size_t)i * sizeof(double)};
    double *work = malloc(((size_t)h->count * 2 + 1) * sizeof *work);
    int good = work != NULL;
    good = good && put_chart(file, h, "Length", "length / rest length", lengths, 3, work);
    good = good &&
           put_chart(file, h, "Energy", "energy [mass unit\xc2\xb2/s\xc2\xb2]", energies, energy_count, work);
    good = good && put_chart(file, h, "Speed", "speed [unit/s]", speeds, 1, work);
    good = good && put_chart(file, h, "Contacts", "contacts", contacts, 2, work);
    if (greatest(h, offsetof(history_frame, newton)) > 0.0)
        good = good && put_solved(file, h, work);
    good = good && put_chart(file, h, "Time per frame", "wall time [s]", walls, 1, work);
    good = good && put_chart(file, h, "Time per frame, by phase", "time, all threads [s]", phases,
                             HISTORY_PHASES, work);
    free(work);
    return good;
}

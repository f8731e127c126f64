#include "report/history.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "list.h"

const char *const history_phase_names[HISTORY_PHASES] = {
    "drive", "detect", "collide", "contact", "step", "exchange", "check",
};

double history_phase(const rlt_statistics *statistics, const char *name) {
    return rlt_named_find(statistics->phases, statistics->phase_count, name);
}

void history_phases(const rlt_statistics *statistics, double *phases) {
    for (int p = 0; p < HISTORY_PHASES; p++)
        phases[p] = history_phase(statistics, history_phase_names[p]);
}

void history_begin(history *h, const rlt_statistics *statistics) {
    history_phases(statistics, h->totals);
}

static double strand_length(const double *points, int count) {
    double sum = 0.0;
    for (int i = 1; i < count; i++) {
        const double *a = points + 3 * (i - 1), *b = points + 3 * i;
        double x = b[0] - a[0], y = b[1] - a[1], z = b[2] - a[2];
        sum += sqrt(x * x + y * y + z * z);
    }
    return sum;
}

static void measure_lengths(history_frame *f, const rlt_frame_view *view) {
    int measured = 0;
    for (int s = 0; s < view->strand_count; s++) {
        int first = view->first[s], count = view->first[s + 1] - first;
        double rest = strand_length(view->rest + 3 * (size_t)first, count);
        if (!(rest > 0.0))
            continue;
        double ratio = strand_length(view->points + 3 * (size_t)first, count) / rest;
        f->length += ratio;
        f->length_longest = ratio > f->length_longest ? ratio : f->length_longest;
        measured++;
    }
    f->length /= measured > 0 ? measured : 1;
}

int history_add(history *h, const rlt_frame_view *view, const rlt_statistics *statistics, double seconds) {
    if (!list_reserve(&h->frames, h->count, &h->capacity, sizeof *h->frames))
        return 0;
    history_frame f = {.frame = view->frame,
                       .seconds = seconds,
                       .edge = statistics->longest,
                       .fastest = statistics->fastest,
                       .contacts = (double)statistics->contacts,
                       .hair_contacts = statistics->hair_contacts_mean,
                       .touching = statistics->solved_touching,
                       .slipping = statistics->solved_slipping,
                       .unresolved = statistics->solved_unresolved,
                       .newton = statistics->solved_newton,
                       .sweeps = statistics->solved_sweeps,
                       .residual = statistics->solved_residual,
                       .deepest = statistics->solved_deepest,
                       .bodies_deepest = statistics->solved_bodies_deepest};
    double totals[HISTORY_PHASES];
    h->energy_count = statistics->energy_count;
    for (int i = 0; i < statistics->energy_count; i++) {
        h->energy_names[i] = statistics->energies[i].name;
        f.energies[i] = statistics->energies[i].value;
    }
    history_phases(statistics, totals);
    for (int i = 0; i < HISTORY_PHASES; i++)
        f.phases[i] = totals[i] - h->totals[i];
    memcpy(h->totals, totals, sizeof totals);
    measure_lengths(&f, view);
    h->frames[h->count++] = f;
    return 1;
}

void history_free(history *h) {
    free(h->frames);
    memset(h, 0, sizeof *h);
}

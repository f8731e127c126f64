/* How long lists of near pairs last.
 *
 * A full search lists pairs that contacts may have, and by the margins of both runs more. As long as no point
 * of a run ends further from where it did then than the run's margin, what is in contact is among these: a
 * later search of the step only sifts the list. Where a few runs have come further, only what is near them is
 * searched for anew: in the tree, for each of them; and for all others in a tree that has the boxes of these
 * few alone. So one wild strand costs what it takes, and lets the others keep their lists.
 *
 * No lists are kept where most runs come further than margins are wide, or edges are short against radii and
 * margins: each search is a full one then, and lists what is near in it.
 *
 * Newton's corrections become smaller, and the first one of a step is about that of the last step, run by
 * run. Contacts do not depend on any of this. */
#include <string.h>

#include "contact/edge/contacts_data.h"

enum { WIDTH = RLTI_SWEEP_WIDTH, BLOCK = 64 };

/* A margin is that much more than what is expected, in offsets (tenths of the mean radius) at least and at
 * most: long lists cost more than they save. Full searches, where more than one in so many runs has come
 * further. */
static const double more = 1.3, least = 0.125, most = 4.0;
enum { FEW = 4 };

static int points_of(const rlti_edge_contacts *contacts, int run) {
    return rlti_edge_run_length(contacts, run) + 1;
}

/* How far a run's points end from where they did at most; not a number where one is not. */
static double change_of(const rlti_edge_contacts *contacts, int run) {
    const rlti_vec3 *end = contacts->end + contacts->run_point[run], *known = contacts->known_end[run];
    double square = 0.0, sum = 0.0;
    for (int i = 0; i < points_of(contacts, run); i++) {
        rlti_vec3 d = rlti_sub(end[i], known[i]);
        double length = rlti_dot(d, d);
        square = length > square ? length : square;
        sum += length - length;
    }
    return sqrt(square) + sum;
}

/* Which runs have come further than they may; and by how much they are expected to come in the next step: one
 * quiet step does not make the next one so. */
static void compare_runs(void *context, int index, int worker) {
    rlti_edge_contacts *contacts = context;
    (void)worker;
    for (int run = index * BLOCK; run < (index + 1) * BLOCK && run < contacts->run_count; run++) {
        double change = change_of(contacts, run);
        float *margin = &contacts->margin[contacts->tree.place[run]];
        contacts->run_anew[run] = !(change <= (double)*margin);
        if (contacts->searches == 1)
            contacts->run_change[run] = (float)fmax(change, 0.7 * (double)contacts->run_change[run]);
        contacts->slack[contacts->tree.place[run]] = (float)change;
    }
}

static int count_anew(const rlti_edge_contacts *contacts) {
    int count = 0;
    for (int run = 0; run < contacts->run_count; run++)
        count += contacts->run_anew[run];
    return count;
}

/* Whether so many runs are expected to come further than margins are wide that margins are of no use. */
static int is_wild(const rlti_edge_contacts *contacts) {
    int count = 0;
    for (int run = 0; run < contacts->run_count; run++)
        count += !(more * (double)contacts->run_change[run] <= most * contacts->strands.offset);
    return count > contacts->run_count / FEW;
}

/* Whether lists would be long: edges that are short against radii are mostly counted with the next one, which
 * is not known of them within margins that are not short against edges themselves. */
static int is_dense(const rlti_edge_contacts *contacts) {
    const double wide = 0.25;
    double sum = 0.0;
    for (int run = 0; run < contacts->run_count; run++)
        sum += (double)contacts->run_change[run];
    return contacts->short_edges && more * sum > wide * contacts->edge * contacts->run_count;
}

/* Margins of runs that are searched for anew, and where they end now. Others keep theirs: they end within
 * that of where they did, and may come as far on the other side. */
static void know_runs(void *context, int index, int worker) {
    rlti_edge_contacts *contacts = context;
    double offset = contacts->strands.offset;
    (void)worker;
    for (int run = index * BLOCK; run < (index + 1) * BLOCK && run < contacts->run_count; run++) {
        int place = contacts->tree.place[run];
        float *margin = &contacts->margin[place], *slack = &contacts->slack[place];
        if (!contacts->renew && !contacts->run_anew[run]) {
            *slack = 2.0f * *margin;
            continue;
        }
        double expected = more * (double)(contacts->searches == 0 ? contacts->run_change[run] : *slack);
        if (!(expected <= most * offset))
            expected = 0.0;
        *margin = *slack = contacts->wild ? 0.0f : (float)fmax(expected, least * offset);
        memcpy(contacts->known_end[run], contacts->end + contacts->run_point[run],
               (size_t)points_of(contacts, run) * sizeof(rlti_vec3));
    }
}

void rlti_edge_known_begin(rlti_edge_contacts *contacts, rlti_pool *pool) {
    int blocks = (contacts->run_count + BLOCK - 1) / BLOCK, anew = 0;
    if (contacts->known) {
        rlti_pool_for(pool, blocks, compare_runs, contacts);
        anew = count_anew(contacts);
    }
    if (contacts->searches == 0)
        contacts->wild = is_wild(contacts) || is_dense(contacts);
    contacts->renew = contacts->wild || !contacts->known || anew > contacts->run_count / FEW;
    contacts->some = !contacts->renew && anew > 0;
    rlti_pool_for(pool, blocks, know_runs, contacts);
    contacts->searches++;
}

int rlti_edge_is_anew(const rlti_edge_contacts *contacts, int run) {
    return contacts->renew || (contacts->some && contacts->run_anew[run]);
}

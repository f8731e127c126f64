/* Blocks of contacts and links by inverses: how their strands give way to forces. */
#include <string.h>

#include "contact/couple/couple_data.h"

enum { BLOCK = 256 };

typedef struct preparation {
    rlti_couple *couple;
    const rlti_couple_operator *strands;
    const rlti_couple_settings *settings;
    const rlti_couple_items *items;
} preparation;

void rlti_couple_measure(const rlti_couple_local *local, const rlti_couple_contact *contact,
                         const rlti_vec3 *moved, double u[3]) {
    rlti_vec3 sum = rlti_v3(0, 0, 0);
    for (int k = 0; k < (local->point[1] < 0 ? 2 : 4); k++)
        sum = rlti_madd(sum, local->weight[k], moved[local->point[k / 2] + (k & 1)]);
    rlti_vec3 slid = rlti_add(sum, contact->slip);
    for (int k = 0; k < 3; k++) {
        rlti_vec3 axis = rlti_v3_at(local->axis[k], 0);
        u[k] = k == 0 ? contact->gap + rlti_dot(axis, sum) : rlti_dot(axis, slid);
    }
}

static void make_frame(const rlti_couple *couple, const rlti_couple_contact *contact, int warm,
                       rlti_couple_local *local) {
    rlti_vec3 tangent = rlti_perpendicular(contact->normal);
    rlti_v3_put(local->axis[0], contact->normal);
    rlti_v3_put(local->axis[1], tangent);
    rlti_v3_put(local->axis[2], rlti_cross(contact->normal, tangent));
    for (int side = 0; side < 2; side++) {
        int strand = contact->strand[side];
        double sign = side == 0 ? 1.0 : -1.0;
        local->point[side] = strand < 0 ? -1 : couple->first[strand] + contact->edge[side];
        local->weight[2 * side] = strand < 0 ? 0.0 : sign * (1.0 - contact->share[side]);
        local->weight[2 * side + 1] = strand < 0 ? 0.0 : sign * contact->share[side];
    }
    for (int k = 0; k < 3; k++) {
        local->r[k] = warm ? rlti_dot(contact->force, rlti_v3_at(local->axis[k], 0)) : 0.0;
        local->base[k] = local->last[k] = local->r[k];
        local->u[k] = 0.0;
    }
    for (int k = 0; k < 2; k++)
        local->friction[k] = contact->friction[k];
    local->most = contact->most > 0.0 ? contact->most : HUGE_VAL;
    local->state = RLTI_CONTACT_OPEN;
    local->again = local->made = 0;
    local->lambda = 0.0;
}

/* Adds one side's block of the inverse, in the contact's frame. Returns how far a force along the normal
 * moves the freer point of the edge: what compliance is measured by. A place next to a point that is held
 * moves little, and would take any force to be moved. */
static double add_inverse(const rlti_couple *couple, const rlti_couple_operator *strands,
                          const rlti_couple_settings *settings, const rlti_couple_contact *contact, int side,
                          rlti_couple_local *local) {
    int strand = contact->strand[side];
    const double *weight = local->weight + 2 * side;
    double block[6][6], world[3][3] = {{0}};
    strands->block(strands->context, strand, contact->edge[side], block);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            world[i % 3][j % 3] += weight[i / 3] * weight[j / 3] * block[i][j];
    double often = settings->block == RLTI_COUPLE_WHOLE
                       ? 1.0
                       : (double)(couple->strand_first[strand + 1] - couple->strand_first[strand]);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double sum = 0.0;
            for (int k = 0; k < 9; k++)
                sum += local->axis[i][k / 3] * world[k / 3][k % 3] * local->axis[j][k % 3];
            local->w[i][j] += sum;
            local->model[i][j] += often * sum;
        }
    double freedom[2] = {0.0, 0.0};
    for (int k = 0; k < 18; k++) {
        int i = k / 3 % 3, j = k % 3, at = 3 * (k / 9);
        freedom[k / 9] += local->axis[0][i] * block[at + i][at + j] * local->axis[0][j];
    }
    return fmax(freedom[0], freedom[1]);
}

void rlti_couple_make_blocks(const rlti_couple *couple, const rlti_couple_operator *strands,
                             const rlti_couple_settings *settings, const rlti_couple_contact *contact,
                             rlti_couple_local *local) {
    double freedom = 0.0;
    memset(local->w, 0, sizeof local->w);
    memset(local->model, 0, sizeof local->model);
    for (int side = 0; side < 2; side++)
        if (contact->strand[side] >= 0)
            freedom += add_inverse(couple, strands, settings, contact, side, local);
    local->give = settings->compliance * freedom;
    local->w[0][0] += local->give;
    local->model[0][0] += local->give;
    rlti_coulomb_prepare((const double(*)[3])local->model, &local->law);
    local->made = 1;
}

static void prepare_frames(void *context, int index, int worker) {
    const preparation *p = context;
    const rlti_couple_items *items = p->items;
    (void)worker;
    for (int k = index * BLOCK; k < (index + 1) * BLOCK && k < rlti_couple_count(items); k++) {
        int link = k - items->contact_count;
        if (link < 0)
            make_frame(p->couple, &items->contacts[k], p->settings->warm, &p->couple->locals[k]);
        else
            rlti_couple_place_link(p->couple, items->links, p->settings->warm, link);
    }
}

static void prepare_blocks(void *context, int index, int worker) {
    const preparation *p = context;
    const rlti_couple_items *items = p->items;
    (void)worker;
    for (int k = index * BLOCK; k < (index + 1) * BLOCK && k < rlti_couple_count(items); k++) {
        int link = k - items->contact_count;
        const rlti_couple_contact *contact = link < 0 ? &items->contacts[k] : NULL;
        if (link < 0 && p->settings->block != RLTI_COUPLE_WHOLE &&
            rlti_couple_is_solved_here(p->couple, contact->strand[0], contact->strand[1]))
            rlti_couple_make_blocks(p->couple, p->strands, p->settings, contact, &p->couple->locals[k]);
        else if (link >= 0)
            rlti_couple_prepare_link(p->couple, p->settings->block, items->links, link);
    }
}

void rlti_couple_prepare(rlti_couple *couple, rlti_pool *pool, const rlti_couple_operator *strands,
                         const rlti_couple_settings *settings, const rlti_couple_items *items) {
    preparation p = {couple, strands, settings, items};
    int blocks = (rlti_couple_count(items) + BLOCK - 1) / BLOCK;
    rlti_pool_for(pool, blocks, prepare_frames, &p);
    if (items->link_count > 0)
        rlti_couple_corners(couple, pool, strands);
    rlti_pool_for(pool, blocks, prepare_blocks, &p);
}

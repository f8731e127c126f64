/* Links between strands (contact/link), solved together with their contacts. Which points are linked is found
 * once, from the groom; their springs are as the step's start and Newton's iterate have them, so there is
 * nothing to keep in checkpoints. All ranks have all links. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/messages.h"
#include "base/number.h"
#include "contact/link/links.h"
#include "scene/readers.h"
#include "solve/rod_solver_data.h"

/* A link's constants. */
typedef struct rod_spring {
    double stiffness[2]; /* of pull and push [mass/s^2] */
    double damping[2];   /* [mass/s] */
    double end;          /* length at which the pull is gone [unit]; HUGE_VAL: never */
    double before;       /* length at the start of the present step [unit] */
    int point[2];        /* in all arrays */
} rod_spring;

struct rod_links {
    rlti_link *made; /* [count] */
    rod_spring *springs;
    rlti_couple_link *list;
    int count;
    int *strands; /* [strand_count] that have any */
    int strand_count;
    rlti_vec3 *shape; /* [points] the rest shape now, at the groom's size; NULL: it does not change */
};

/* ---- building ---- */

/* 0 at the root, 1 at the tip. */
static double along(const rod_solver *s, int strand, int point) {
    const double *edges = s->def.matter->rest + s->def.strands->first[strand];
    double sum = 0.0, here = 0.0;
    for (int i = 0; i + 1 < rlti_matter_points(s->def.matter, strand); i++) {
        here += i < point ? edges[i] : 0.0;
        sum += edges[i];
    }
    return sum > 0.0 ? here / sum : 0.0;
}

/* The mean of both ends' values, for the mass that two equal points would have to swing like these. */
static rod_spring spring_of(const rod_solver *s, const rlti_link *link) {
    const rlti_strands *strands = s->def.strands;
    rod_spring spring = {0};
    double mass[2], end = 0.0;
    int fades = 1;
    for (int side = 0; side < 2; side++) {
        int strand = link->strand[side], point = strands->first[strand] + link->point[side];
        const rlti_link_data *data = &s->def.scene->hair[strands->hair[strand]].link;
        double at = along(s, strand, link->point[side]);
        double pull = rlti_strands_value(strands, &data->stretch_stiffness, point, at),
               push = rlti_strands_value(strands, &data->compress_stiffness, point, at);
        spring.point[side] = point;
        mass[side] = s->def.matter->mass[point];
        spring.stiffness[0] += 0.5 * pull;
        spring.stiffness[1] += 0.5 * push;
        spring.damping[0] += 0.5 * pull * data->stretch_damping;
        spring.damping[1] += 0.5 * push * data->compress_damping;
        end += 0.5 * data->fade * data->reach;
        fades = fades && data->fade > 0.0;
    }
    double both = 2.0 * mass[0] * mass[1] / (mass[0] + mass[1]);
    for (int k = 0; k < 2; k++) {
        spring.stiffness[k] *= both;
        spring.damping[k] *= both;
    }
    spring.end = fades ? end : HUGE_VAL;
    return spring;
}

/* Which strands have links, and the springs of these. */
static int make_springs(rod_solver *s, rod_links *l) {
    unsigned char *linked = RLTI_NEW(unsigned char, s->def.strands->strand_count);
    l->springs = RLTI_NEW(rod_spring, l->count);
    l->list = RLTI_NEW(rlti_couple_link, l->count);
    l->strands = RLTI_NEW(int, s->def.strands->strand_count);
    int done = linked != NULL && l->springs != NULL && l->list != NULL && l->strands != NULL;
    for (int k = 0; done && k < l->count; k++) {
        l->springs[k] = spring_of(s, &l->made[k]);
        linked[l->made[k].strand[0]] = linked[l->made[k].strand[1]] = 1;
    }
    for (int k = 0; done && k < s->def.strands->strand_count; k++)
        if (linked[k])
            l->strands[l->strand_count++] = k;
    rlti_free(linked);
    return done;
}

static int find_links(const rod_solver *s, const int *group, rod_links *l) {
    const rlti_strands *strands = s->def.strands;
    int count = strands->strand_count, *most = RLTI_NEW(int, count);
    double *reach = RLTI_NEW(double, count), *self = RLTI_NEW(double, count);
    int done = most != NULL && reach != NULL && self != NULL;
    for (int k = 0; done && k < count; k++) {
        const rlti_link_data *data = &s->def.scene->hair[strands->hair[k]].link;
        most[k] = data->count;
        reach[k] = data->reach;
        self[k] = data->self;
    }
    const rlti_link_strands from = {count, strands->first, strands->points, group, most, reach, self};
    done = done && rlti_links_find(&from, &l->made, &l->count);
    RLTI_FREE(most, reach, self);
    return done;
}

/* Rest shapes that change take the lengths of links along. */
static int make_shape(const rod_solver *s, rod_links *l) {
    int points = s->def.strands->first[s->def.strands->strand_count], changes = 0;
    for (int h = 0; h < s->def.scene->hair_count; h++) {
        const rlti_reshape_data *reshape = &s->def.scene->hair[h].reshape;
        changes = changes || reshape->curves != RLTI_RESHAPE_OFF || reshape->groom[0] != '\0';
    }
    if (!changes)
        return 1;
    l->shape = RLTI_NEW(rlti_vec3, points);
    if (l->shape != NULL)
        memcpy(l->shape, s->def.strands->points, (size_t)points * sizeof *l->shape);
    return l->shape != NULL;
}

/* Sections that ask for links and have none. */
static void warn_of_none(const rod_solver *s, const int *group, const rod_links *l, rlt_messages *messages) {
    const rlti_strands *strands = s->def.strands;
    for (int h = 0; h < s->def.scene->hair_count; h++) {
        const rlti_hair_data *hair = &s->def.scene->hair[h];
        int asked = 0;
        for (int k = 0; k < strands->strand_count; k++)
            asked = asked || (strands->hair[k] == h && group[k] >= 0 && hair->link.count > 0);
        for (int k = 0; asked && k < l->strand_count; k++)
            asked = strands->hair[l->strands[k]] != h;
        char reach[32];
        rlti_number_short(hair->link.reach, reach, sizeof reach);
        if (asked)
            rlti_message(
                messages, RLT_WARNING,
                "%s: hair '%s': link.count is %d, but no points of two hairs of its contact group are "
                "within %s units of each other; raise hair.link.reach",
                s->def.file, hair->name, hair->link.count, reach);
    }
}

int rlti_rod_solver_find_links(rod_solver *s, const int *group, rlt_messages *messages) {
    int any = 0;
    for (int k = 0; k < s->def.strands->strand_count; k++)
        any = any || (group[k] >= 0 && s->def.scene->hair[s->def.strands->hair[k]].link.count > 0);
    if (!any)
        return 1;
    rod_links *l = s->links = RLTI_NEW(rod_links, 1);
    if (l == NULL || !find_links(s, group, l) || !make_springs(s, l) || !make_shape(s, l))
        return 0;
    warn_of_none(s, group, l, messages);
    return 1;
}

void rlti_rod_solver_free_links(rod_solver *s) {
    rod_links *l = s->links;
    if (l == NULL)
        return;
    RLTI_FREE(l->made, l->springs, l->list, l->strands, l->shape, l);
    s->links = NULL;
}

int rlti_rod_solver_link_count(const rod_solver *s) {
    return s->links != NULL ? s->links->count : 0;
}

size_t rlti_rod_solver_link_bytes(const rod_solver *s) {
    const rod_links *l = s->links;
    int strands = s->def.strands->strand_count;
    if (l == NULL)
        return 0;
    return (size_t)l->count * (sizeof *l->made + sizeof *l->springs + sizeof *l->list) +
           (size_t)strands * sizeof *l->strands +
           (l->shape != NULL ? (size_t)s->def.strands->first[strands] * sizeof *l->shape : 0);
}

/* ---- a step ---- */

void rlti_rod_solver_mark_links(const rod_solver *s, unsigned *lanes) {
    for (int k = 0; s->links != NULL && k < s->links->strand_count; k++) {
        rlti_place at = s->layout.places[s->links->strands[k]];
        if (at.tile >= 0)
            lanes[at.tile] |= 1u << at.lane;
    }
}

static rlti_vec3 between(const rod_spring *spring, const rlti_vec3 *points) {
    return rlti_sub(points[spring->point[0]], points[spring->point[1]]);
}

/* The pull fades with the length at the step's start: within a step it is a spring like any other. */
static double fade_of(double end, double rest, double length) {
    if (!(end < HUGE_VAL) || length <= rest)
        return 1.0;
    return length < end ? (end - length) / (end - rest) : 0.0;
}

/* Hair that grows with its character takes the lengths of its links along: the mean of both ends. */
static double size_of(const rod_solver *s, const rlti_link *link) {
    const double *sizes = rlti_drive_sizes(s->drive);
    const int *hair = s->def.strands->hair;
    return 0.5 * (sizes[hair[link->strand[0]]] + sizes[hair[link->strand[1]]]);
}

void rlti_rod_solver_reshape_links(rod_solver *s, int strand, const rlti_vec3 *points) {
    rod_links *l = s->links;
    int first = s->def.strands->first[strand];
    if (l == NULL || l->shape == NULL)
        return;
    double size = rlti_drive_sizes(s->drive)[s->def.strands->hair[strand]];
    for (int i = 0; i < s->def.strands->first[strand + 1] - first; i++)
        l->shape[first + i] = rlti_madd(points[0], 1.0 / size, rlti_sub(points[i], points[0]));
}

void rlti_rod_solver_share_links(rod_solver *s) {
    if (s->links != NULL && s->links->shape != NULL)
        rlti_spread_share_points(rlti_drive_spread(s->drive), s->links->shape, sizeof *s->links->shape);
}

/* Sets what stays through a step: constants, and the length at its start. The length at which the pull is
 * gone goes along with that at rest. */
static void begin_link(const rod_solver *s, const rlti_vec3 *start, double seconds, int k) {
    const rlti_link *made = &s->links->made[k];
    rod_spring *spring = &s->links->springs[k];
    double size = size_of(s, made), rest = made->rest, end = spring->end;
    if (s->links->shape != NULL) {
        rest = rlti_length(between(spring, s->links->shape));
        end *= made->rest > 0.0 ? fmax(rest / made->rest, 1.0) : 1.0;
    }
    rest *= size;
    spring->before = rlti_length(between(spring, start));
    double fade = fade_of(size * end, rest, spring->before);
    s->links->list[k] =
        (rlti_couple_link){.strand = {made->strand[0], made->strand[1]},
                           .point = {made->point[0], made->point[1]},
                           .rest = rest,
                           .stiffness = {fade * spring->stiffness[0], spring->stiffness[1]},
                           .damping = {fade * spring->damping[0] / seconds, spring->damping[1] / seconds}};
}

typedef struct taking {
    const rod_solver *s;
    const rlti_vec3 *start, *end;
    double seconds;
    int warm;
} taking;

enum { TAKE_BLOCK = 1024 };

static void take_block(void *context, int index, int worker) {
    const taking *t = context;
    const rod_links *l = t->s->links;
    int first = index * TAKE_BLOCK, end = first + TAKE_BLOCK < l->count ? first + TAKE_BLOCK : l->count;
    (void)worker;
    for (int k = first; k < end; k++) {
        if (!t->warm)
            begin_link(t->s, t->start, t->seconds, k);
        rlti_vec3 apart = between(&l->springs[k], t->end);
        l->list[k].apart = apart;
        l->list[k].grown = rlti_length(apart) - l->springs[k].before;
    }
}

rlti_couple_link *rlti_rod_solver_take_links(rod_solver *s, const rlti_vec3 *start, const rlti_vec3 *end,
                                             double seconds, int warm, int *count) {
    taking t = {s, start, end, seconds, warm};
    *count = s->links != NULL ? s->links->count : 0;
    rlti_pool_for(s->def.pool, (*count + TAKE_BLOCK - 1) / TAKE_BLOCK, take_block, &t);
    return s->links != NULL ? s->links->list : NULL;
}

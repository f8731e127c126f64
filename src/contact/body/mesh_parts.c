#include "contact/body/mesh_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/messages.h"
#include "geometry/sides.h"

typedef struct place {
    double at[3];
    int vertex;
} place;

/* A connected piece of the mesh. */
typedef struct piece {
    int triangles;
    int boundary;   /* edges with one face */
    int twisted;    /* cannot be given one winding */
    double volume;  /* times 6 */
    double area;    /* times 2 */
    int part;       /* of the result */
    int turned[2];  /* triangles kept as they are, and turned, to agree with the first */
    int turn_whole; /* then all of it */
} piece;

/* Working memory of one call. */
typedef struct work {
    const rlti_obj *obj;
    int count;            /* triangles that are left */
    int *joined;          /* [vertex_count] the first vertex at the same place */
    int (*triangles)[3];  /* [count] */
    int (*neighbours)[3]; /* [count] across edge k where that has two faces, else -1 */
    unsigned char *same;  /* [3 * count] the neighbour across runs along the edge in the same direction */
    unsigned char *turn;  /* [count] to be turned to agree with the first triangle of the piece */
    int *piece_of;        /* [count] */
    int *queue;           /* [count] */
    rlti_side *sides;     /* [3 * count] */
    piece *pieces;        /* [piece_count] */
    int piece_count;
    int left_out, flat, same_place, many_faces, boundary;
} work;

static int compare_places(const void *left, const void *right) {
    const place *a = left, *b = right;
    for (int k = 0; k < 3; k++)
        if (a->at[k] != b->at[k])
            return a->at[k] < b->at[k] ? -1 : 1;
    return a->vertex < b->vertex ? -1 : (a->vertex > b->vertex ? 1 : 0);
}

static int join_vertices(work *w) {
    int count = w->obj->vertex_count;
    place *places = RLTI_NEW(place, count);
    if (places == NULL)
        return 0;
    for (int v = 0; v < count; v++) {
        for (int k = 0; k < 3; k++)
            places[v].at[k] = w->obj->vertices[v][k] + 0.0; /* -0 becomes 0 */
        places[v].vertex = v;
    }
    qsort(places, (size_t)count, sizeof(place), compare_places);
    for (int i = 0, first = 0; i < count; i++) {
        const double *a = places[i].at, *b = places[first].at;
        if (a[0] != b[0] || a[1] != b[1] || a[2] != b[2])
            first = i;
        w->joined[places[i].vertex] = places[first].vertex;
        w->same_place += i > first;
    }
    rlti_free(places);
    return 1;
}

static rlti_vec3 vertex_at(const work *w, int vertex) {
    const double *p = w->obj->vertices[vertex];
    return rlti_v3(p[0], p[1], p[2]);
}

static rlti_vec3 area_vector(const work *w, const int t[3]) {
    rlti_vec3 a = vertex_at(w, t[0]);
    return rlti_cross(rlti_sub(vertex_at(w, t[1]), a), rlti_sub(vertex_at(w, t[2]), a));
}

static void take_triangles(work *w) {
    for (int t = 0; t < w->obj->triangle_count; t++) {
        int *kept = w->triangles[w->count];
        for (int k = 0; k < 3; k++)
            kept[k] = w->joined[w->obj->triangles[t][k]];
        if (kept[0] == kept[1] || kept[1] == kept[2] || kept[2] == kept[0]) {
            w->left_out++;
            continue;
        }
        w->flat += !(rlti_length(area_vector(w, kept)) > 0.0);
        w->count++;
    }
}

static void find_neighbours(work *w) {
    int sides = 3 * w->count;
    for (int side = 0; side < sides; side++) {
        w->sides[side] =
            rlti_side_of(w->triangles[side / 3][side % 3], w->triangles[side / 3][(side + 1) % 3], side);
        w->neighbours[side / 3][side % 3] = -1;
    }
    rlti_sides_sort(w->sides, sides);
    for (int i = 0, next; i < sides; i = next) {
        const rlti_side *first = &w->sides[i];
        for (next = i + 1; next < sides; next++)
            if (!rlti_side_shares(&w->sides[next], first))
                break;
        w->boundary += next - i == 1;
        w->many_faces += next - i > 2;
        if (next - i != 2)
            continue;
        int a = first->side, b = w->sides[i + 1].side;
        w->neighbours[a / 3][a % 3] = b / 3;
        w->neighbours[b / 3][b % 3] = a / 3;
        w->same[a] = w->same[b] = w->triangles[a / 3][a % 3] == w->triangles[b / 3][b % 3];
    }
}

/* Walks one piece from its first triangle, and decides for each triangle whether to turn it. Edges of more
 * than two faces end a piece: two boxes that share an edge are two solids. */
static void walk_piece(work *w, int start, int index) {
    piece *p = &w->pieces[index];
    int head = 0, tail = 0;
    w->queue[tail++] = start;
    w->piece_of[start] = index;
    while (head < tail) {
        int t = w->queue[head++];
        p->triangles++;
        p->turned[w->turn[t]]++;
        for (int k = 0; k < 3; k++) {
            int other = w->neighbours[t][k], turn = w->turn[t] ^ w->same[3 * t + k];
            if (other < 0)
                continue;
            if (w->piece_of[other] < 0) {
                w->piece_of[other] = index;
                w->turn[other] = (unsigned char)turn;
                w->queue[tail++] = other;
            } else if (w->turn[other] != turn) {
                p->twisted = 1;
            }
        }
    }
    rlti_vec3 origin = vertex_at(w, w->triangles[start][0]); /* a near one keeps the volume exact */
    for (int i = 0; i < tail; i++) {
        const int *t = w->triangles[w->queue[i]];
        rlti_vec3 area = area_vector(w, t);
        double volume = rlti_dot(rlti_sub(vertex_at(w, t[0]), origin), area);
        p->volume += w->turn[w->queue[i]] ? -volume : volume;
        p->area += rlti_length(area);
    }
}

static int find_pieces(work *w) {
    for (int t = 0; t < w->count; t++)
        w->piece_of[t] = -1;
    w->pieces = RLTI_NEW(piece, w->count);
    if (w->pieces == NULL)
        return 0;
    for (int t = 0; t < w->count; t++)
        if (w->piece_of[t] < 0)
            walk_piece(w, t, w->piece_count++);
    /* an edge of many faces is no hole: only single faces make a boundary */
    for (int i = 0; i < 3 * w->count; i++) {
        int alone =
            (i == 0 || w->sides[i - 1].low != w->sides[i].low || w->sides[i - 1].high != w->sides[i].high) &&
            (i + 1 == 3 * w->count || w->sides[i + 1].low != w->sides[i].low ||
             w->sides[i + 1].high != w->sides[i].high);
        w->pieces[w->piece_of[w->sides[i].side / 3]].boundary += alone;
    }
    return 1;
}

/* Whether a piece encloses a volume: closed, orientable, and not the same sheet there and back. */
static int is_closed(const piece *p) {
    double size = sqrt(p->area) * p->area; /* a ball has 6 volume / (2 area)^1.5 = 0.2 */
    return p->boundary == 0 && !p->twisted && fabs(p->volume) > 1e-9 * size;
}

static rlti_surface_sides sides_of(const piece *p, rlti_sides sides) {
    if (sides == RLTI_SIDES_TWO)
        return RLTI_SHEET;
    if (is_closed(p))
        return RLTI_SOLID;
    return sides == RLTI_SIDES_ONE && !p->twisted ? RLTI_SKIN : RLTI_SHEET;
}

/* Closed pieces must have a positive volume; of the others more triangles stay as they are than are turned.
 */
static void decide_winding(piece *p) {
    p->turn_whole = is_closed(p) ? p->volume < 0.0 : p->turned[1] > p->turned[0];
}

/* Each closed piece, largest first, gets a part while there is one left; then pieces share. All open ones
 * share one. */
static void assign_parts(work *w, rlti_sides sides, rlti_mesh_parts *parts) {
    int open = -1, last = -1;
    for (int i = 0; i < w->piece_count; i++) {
        piece *p = &w->pieces[i];
        p->part = -1;
        decide_winding(p);
        if (sides_of(p, sides) == RLTI_SOLID)
            continue;
        if (open < 0) {
            open = parts->count++;
            parts->part[open].sides = sides_of(p, sides);
        }
        /* where skin and sheet meet in one file, the sheet's caution rules */
        if (sides_of(p, sides) == RLTI_SHEET)
            parts->part[open].sides = RLTI_SHEET;
        p->part = open;
    }
    for (;;) {
        int best = -1;
        for (int i = 0; i < w->piece_count; i++)
            if (w->pieces[i].part < 0 && (best < 0 || w->pieces[i].triangles > w->pieces[best].triangles))
                best = i;
        if (best < 0)
            return;
        if (parts->count < RLTI_PARTS_MAX) {
            last = parts->count++;
            parts->part[last].sides = RLTI_SOLID;
            w->pieces[best].part = last;
            continue;
        }
        for (int i = 0; i < w->piece_count; i++)
            if (w->pieces[i].part < 0)
                w->pieces[i].part = last;
        return;
    }
}

static int fill_part(const work *w, int index, rlti_mesh_part *part) {
    int vertices = 0, triangles = 0;
    int *number = RLTI_NEW(int, w->obj->vertex_count); /* in the part, from 1 */
    if (number == NULL)
        return 0;
    for (int t = 0; t < w->count; t++) {
        if (w->pieces[w->piece_of[t]].part != index)
            continue;
        triangles++;
        for (int k = 0; k < 3; k++)
            if (number[w->triangles[t][k]] == 0)
                number[w->triangles[t][k]] = ++vertices;
    }
    int good = RLTI_ALLOCATE(RLTI_ITEMS(part->mesh.vertices, vertices),
                             RLTI_ITEMS(part->mesh.triangles, triangles), RLTI_ITEMS(part->from, vertices));
    for (int t = 0; good && t < w->count; t++) {
        const piece *p = &w->pieces[w->piece_of[t]];
        if (p->part != index)
            continue;
        int *to = part->mesh.triangles[part->mesh.triangle_count++];
        int turn = w->turn[t] ^ p->turn_whole;
        for (int k = 0; k < 3; k++) {
            int vertex = w->triangles[t][k];
            to[turn ? 2 - k : k] = number[vertex] - 1;
            part->from[number[vertex] - 1] = vertex;
            part->mesh.vertices[number[vertex] - 1] = vertex_at(w, vertex);
        }
    }
    part->mesh.vertex_count = vertices;
    rlti_free(number);
    return good;
}

static const char *plural(int count) {
    return count == 1 ? "" : "s";
}

static void report(const char *name, const work *w, rlti_sides sides, rlt_messages *messages) {
    int whole = 0, single = 0, sheet = 0, skin = 0, twisted = 0;
    for (int i = 0; i < w->piece_count; i++) {
        const piece *p = &w->pieces[i];
        int stay = p->turned[p->turn_whole], turn = p->turned[!p->turn_whole];
        whole += stay == 0;
        single += stay == 0 ? 0 : turn;
        sheet += sides_of(p, sides) == RLTI_SHEET && !is_closed(p);
        skin += sides_of(p, sides) == RLTI_SKIN;
        twisted += p->twisted;
    }
    if (w->same_place > 0)
        rlti_message(messages, RLT_NOTE,
                     "collider '%s': %d vertices at the place of another were joined with it", name,
                     w->same_place);
    if (w->left_out + w->flat > 0)
        rlti_warn(messages, "collider '%s': %d triangle%s without area %s ignored", name,
                  w->left_out + w->flat, plural(w->left_out + w->flat),
                  w->left_out + w->flat == 1 ? "is" : "are");
    if (w->boundary > 0)
        rlti_warn(messages, "collider '%s': the mesh is open: %d edge%s with one face; %s (colliders.sides)",
                  name, w->boundary, plural(w->boundary),
                  sheet > 0  ? "open pieces are sheets that keep hair on the side it grows from"
                  : skin > 0 ? "open pieces are skin, outside is where their faces point"
                             : "all pieces are sheets");
    if (w->many_faces > 0)
        rlti_warn(
            messages,
            "collider '%s': %d edge%s with more than two faces: hair may be pushed to the wrong side there",
            name, w->many_faces, plural(w->many_faces));
    if (twisted > 0)
        rlti_warn(messages,
                  "collider '%s': %d piece%s of the mesh cannot have an inside, as with a Moebius strip",
                  name, twisted, plural(twisted));
    if (whole > 0)
        rlti_warn(messages, "collider '%s': %d piece%s of the mesh %s inside out: turned", name, whole,
                  plural(whole), whole == 1 ? "was" : "were");
    if (single > 0)
        rlti_warn(messages, "collider '%s': %d triangle%s wound against the neighbours: turned", name, single,
                  plural(single));
}

static int allocate(work *w) {
    size_t count = (size_t)w->obj->triangle_count;
    return RLTI_ALLOCATE(RLTI_ITEMS(w->joined, w->obj->vertex_count), RLTI_ITEMS(w->triangles, count),
                         RLTI_ITEMS(w->neighbours, count), RLTI_ITEMS(w->same, 3 * count),
                         RLTI_ITEMS(w->turn, count), RLTI_ITEMS(w->piece_of, count),
                         RLTI_ITEMS(w->queue, count), RLTI_ITEMS(w->sides, 3 * count));
}

static void release(work *w) {
    RLTI_FREE(w->joined, w->triangles, w->neighbours, w->same, w->turn, w->piece_of, w->queue, w->sides,
              w->pieces);
}

rlt_status rlti_mesh_parts_create(const char *name, const rlti_obj *obj, rlti_sides sides,
                                  rlt_messages *messages, rlti_mesh_parts *parts) {
    work w = {.obj = obj};
    rlt_status status = RLT_OK;
    memset(parts, 0, sizeof *parts);
    if (!allocate(&w) || !join_vertices(&w)) {
        status = rlti_out_of_memory(messages);
        goto done;
    }
    take_triangles(&w);
    if (w.count == w.flat) {
        status = rlti_refuse(messages, "collider '%s': no triangle of the mesh has an area", name);
        goto done;
    }
    find_neighbours(&w);
    if (!find_pieces(&w)) {
        status = rlti_out_of_memory(messages);
        goto done;
    }
    assign_parts(&w, sides, parts);
    for (int i = 0; i < parts->count && status == RLT_OK; i++)
        if (!fill_part(&w, i, &parts->part[i]))
            status = rlti_out_of_memory(messages);
    if (status == RLT_OK)
        report(name, &w, sides, messages);
    else
        rlti_mesh_parts_destroy(parts);
done:
    release(&w);
    return status;
}

void rlti_mesh_parts_destroy(rlti_mesh_parts *parts) {
    for (int i = 0; i < parts->count; i++)
        RLTI_FREE(parts->part[i].mesh.vertices, parts->part[i].mesh.triangles, parts->part[i].from);
    memset(parts, 0, sizeof *parts);
}

#include "groom/strands.h"

#include <string.h>

#include "base/memory.h"
#include "base/messages.h"
#include "groom/generate.h"
#include "groom/import.h"

static const char *plural(const rlti_findings *f) {
    return f->count == 1 ? "strand" : "strands";
}

static int is_finite(rlti_vec3 p) {
    return isfinite(p.x) && isfinite(p.y) && isfinite(p.z);
}

/* Every reason why a strand cannot be simulated, each reported once with count and strand numbers. */
static rlt_status check_lock(const rlti_lock *lock, const char *section, rlt_messages *messages) {
    rlti_findings infinite = {0}, flat = {0};
    for (int s = 0; s < lock->strand_count; s++) {
        int bad = 0, zero = 0;
        for (int i = lock->first[s]; i < lock->first[s + 1]; i++) {
            bad |= !is_finite(lock->points[i]);
            if (i > lock->first[s])
                zero |= !(rlti_length(rlti_sub(lock->points[i], lock->points[i - 1])) > 0.0);
        }
        if (bad)
            rlti_find(&infinite, s);
        else if (zero)
            rlti_find(&flat, s);
    }
    if (infinite.count > 0)
        rlti_message(messages, RLT_ERROR, "%s: %d %s with a point that is not finite (%s); mend or remove it",
                     section, infinite.count, plural(&infinite), rlti_list_ids(&infinite).text);
    if (flat.count > 0)
        rlti_message(messages, RLT_ERROR,
                     "%s: %d %s with two successive points at one place (%s); remove one of the two", section,
                     flat.count, plural(&flat), rlti_list_ids(&flat).text);
    return infinite.count > 0 || flat.count > 0 ? RLT_BAD_INPUT : RLT_OK;
}

static rlt_status copy_inline(const rlti_hair_data *hair, const char *section, rlt_messages *messages,
                              rlti_lock *lock) {
    rlti_findings short_ones = {0};
    int *counts = RLTI_NEW(int, hair->strand_count);
    if (counts == NULL)
        return rlti_out_of_memory(messages);
    for (int s = 0; s < hair->strand_count; s++) {
        counts[s] = hair->strands[s].point_count;
        if (counts[s] < 2)
            rlti_find(&short_ones, s);
    }
    rlt_status status = RLT_OK;
    if (short_ones.count > 0)
        status =
            rlti_fail(messages, RLT_BAD_INPUT, "%s: %d %s with fewer than 2 points (%s); give at least 2",
                      section, short_ones.count, plural(&short_ones), rlti_list_ids(&short_ones).text);
    else if (!rlti_lock_create(hair->strand_count, counts, lock))
        status = rlti_out_of_memory(messages);
    rlti_free(counts);
    if (status != RLT_OK)
        return status;
    for (int s = 0; s < hair->strand_count; s++) {
        const double *from = hair->strands[s].points;
        rlti_vec3 *to = lock->points + lock->first[s];
        for (int i = 0; i < hair->strands[s].point_count; i++)
            to[i] = rlti_v3(from[3 * i], from[3 * i + 1], from[3 * i + 2]);
    }
    return check_lock(lock, section, messages);
}

/* Binds each root to the closest point of the mesh and moves the strand there, because that point is what
 * carries it from now on. */
static void bind_inline(const rlti_mesh_tree *tree, const char *section, rlt_messages *messages,
                        rlti_lock *lock) {
    rlti_findings off = {0};
    const double tolerance = 1.0; /* [unit] */
    for (int s = 0; s < lock->strand_count; s++) {
        rlti_vec3 *points = lock->points + lock->first[s];
        int count = lock->first[s + 1] - lock->first[s];
        rlti_root *root = &lock->roots[s];
        *root = (rlti_root){.triangle = -1, .bone = RLTI_BONE_HEAD, .position = points[0]};
        if (tree == NULL)
            continue;
        rlti_nearest nearest;
        rlti_mesh_tree_nearest(tree, points[0], &nearest);
        if (fabs(nearest.distance) > tolerance)
            rlti_find(&off, s);
        root->triangle = nearest.triangle;
        memcpy(root->barycentric, nearest.barycentric, sizeof root->barycentric);
        root->position = nearest.point;
        rlti_vec3 shift = rlti_sub(nearest.point, points[0]);
        points[0] = nearest.point;
        for (int i = 1; i < count; i++)
            points[i] = rlti_add(points[i], shift);
    }
    if (off.count > 0)
        rlti_message(
            messages, RLT_WARNING,
            "%s: %d %s with a root more than 1 unit off the surface (%s); moved to the closest point",
            section, off.count, plural(&off), rlti_list_ids(&off).text);
}

rlt_status rlti_lock_make(const rlti_scene_data *scene, const rlti_body *body, const rlti_mesh_tree *tree,
                          int index, int like, rlt_messages *messages, rlti_lock *lock) {
    const rlti_hair_data *hair = &scene->hair[index];
    rlti_section_name name = rlti_section(scene, index);
    if (hair->given_groom != NULL) {
        rlt_status given =
            rlti_lock_given(hair->given_groom, rlti_body_mesh(body), tree, name.text, messages, lock);
        return given == RLT_OK ? check_lock(lock, name.text, messages) : given;
    }
    if (hair->file[0] != '\0')
        return rlti_import(scene, body, tree, index, messages, lock);
    if (hair->strand_count > 0) {
        int hung = strcmp(hair->region, "none") == 0;
        rlt_status status = copy_inline(hair, name.text, messages, lock);
        if (status == RLT_OK)
            bind_inline(hung ? NULL : tree, name.text, messages, lock);
        return status;
    }
    rlt_status status = rlti_generate(scene, body, tree, index, like, messages, lock);
    return status == RLT_OK ? check_lock(lock, name.text, messages) : status;
}

/* Memory for what only files bring. */
static int allocate_imports(const rlti_lock *locks, int count, long long strands, long long points,
                            rlti_strands *all) {
    int maps = 0, sources = 0, widths = 0;
    for (int h = 0; h < count; h++) {
        maps += locks[h].map_count;
        sources += locks[h].source_count;
        widths += locks[h].widths != NULL;
    }
    if (sources + widths == 0)
        return 1;
    all->widths = RLTI_NEW(double, points);
    all->minimum = RLTI_NEW(double, strands);
    all->maps = RLTI_NEW(rlti_map, maps);
    all->sources = RLTI_NEW(rlt_source, sources);
    all->source_list = RLTI_NEW(const rlt_source *, sources);
    all->places = RLTI_NEW(rlti_source_place, sources);
    all->curves = RLTI_NEW(rlti_curves, sources);
    return all->widths != NULL && all->minimum != NULL && all->maps != NULL && all->sources != NULL &&
           all->source_list != NULL && all->places != NULL && all->curves != NULL;
}

/* Moves what a lock has from files to the whole groom, whose next strand and point are where it begins. */
static void take_imports(rlti_lock *lock, rlti_strands *all) {
    int strand = all->strand_count;
    if (lock->widths == NULL)
        return;
    memcpy(all->widths + all->point_count, lock->widths, (size_t)lock->point_count * sizeof(double));
    memcpy(all->minimum + strand, lock->minimum, (size_t)lock->strand_count * sizeof(double));
    for (int m = 0; m < lock->map_count; m++) {
        rlti_map *map = &all->maps[all->map_count++];
        *map = lock->maps[m];
        map->first += all->point_count;
    }
    for (int c = 0; c < lock->source_count; c++) {
        rlt_source *source = &all->sources[all->source_count];
        rlti_source_describe(&lock->curves[c], strand, source);
        all->source_list[all->source_count] = source;
        strand += lock->curves[c].strand_count;
        all->curves[all->source_count++] = lock->curves[c];
    }
    lock->map_count = lock->source_count = 0; /* no longer the lock's */
}

/* All sections' strands, one after the other. */
static rlt_status gather(rlti_lock *locks, int count, rlt_messages *messages, rlti_strands **strands) {
    long long strand_total = 0, point_total = 0;
    for (int h = 0; h < count; h++) {
        strand_total += locks[h].strand_count;
        point_total += locks[h].point_count;
    }
    if (point_total > INT32_MAX)
        return rlti_fail(messages, RLT_BAD_INPUT,
                         "hair: %lld points are more than %d; lower count, or raise segment", point_total,
                         INT32_MAX);
    rlti_strands *all = RLTI_NEW(rlti_strands, 1);
    if (all == NULL)
        return rlti_out_of_memory(messages);
    all->first = RLTI_NEW(int, strand_total + 1);
    all->points = RLTI_NEW(rlti_vec3, point_total);
    all->roots = RLTI_NEW(rlti_root, strand_total);
    all->hair = RLTI_NEW(int, strand_total);
    if (all->first == NULL || all->points == NULL || all->roots == NULL || all->hair == NULL ||
        !allocate_imports(locks, count, strand_total, point_total, all)) {
        rlti_groom_destroy(all);
        return rlti_out_of_memory(messages);
    }
    for (int h = 0; h < count; h++) {
        rlti_lock *lock = &locks[h];
        take_imports(lock, all);
        for (int s = 0; s < lock->strand_count; s++) {
            int at = all->strand_count++;
            all->first[at] = all->point_count + lock->first[s];
            all->roots[at] = lock->roots[s];
            all->hair[at] = h;
        }
        if (lock->point_count > 0)
            memcpy(all->points + all->point_count, lock->points,
                   (size_t)lock->point_count * sizeof(rlti_vec3));
        all->point_count += lock->point_count;
    }
    all->first[all->strand_count] = all->point_count;
    *strands = all;
    return RLT_OK;
}

rlt_status rlti_groom_create(const rlti_scene_data *scene, const rlti_body *body, rlt_messages *messages,
                             rlti_strands **strands) {
    rlt_status status = RLT_OK;
    rlti_mesh_tree *tree = NULL;
    *strands = NULL;
    rlti_lock *locks = RLTI_NEW(rlti_lock, scene->hair_count);
    if (locks == NULL)
        return rlti_out_of_memory(messages);
    if (rlti_body_mesh(body)->triangle_count > 0) {
        tree = rlti_mesh_tree_create(rlti_body_mesh(body));
        if (tree == NULL)
            status = rlti_out_of_memory(messages);
    }
    /* continue after bad input, so that every section's problems are listed at once */
    for (int h = 0; h < scene->hair_count && status != RLT_FAILED; h++) {
        rlt_status one = RLT_OK;
        if (scene->hair[h].role == RLTI_ROLE_HAIR)
            one = rlti_lock_make(scene, body, tree, h, h, messages, &locks[h]);
        if (one != RLT_OK)
            status = one;
    }
    if (status == RLT_OK)
        status = gather(locks, scene->hair_count, messages, strands);
    if (status == RLT_OK)
        status = rlti_groom_link_sources(rlti_body_files(body), *strands, messages);
    if (status != RLT_OK) {
        rlti_groom_destroy(*strands);
        *strands = NULL;
    }
    for (int h = 0; h < scene->hair_count; h++)
        rlti_lock_clear(&locks[h]);
    rlti_free(locks);
    rlti_mesh_tree_destroy(tree);
    return status;
}

/* Whether the section's size depends on the body. */
static int needs_body(const rlti_hair_data *hair) {
    int is_listed = hair->file[0] == '\0' && (hair->strand_count > 0 || hair->count > 0);
    return hair->role == RLTI_ROLE_HAIR && (hair->given_groom != NULL || !is_listed);
}

static rlt_status count_section(const rlti_scene_data *scene, const rlti_body *body,
                                const rlti_mesh_tree *tree, int index, rlt_messages *messages,
                                rlti_groom_size *size) {
    const rlti_hair_data *hair = &scene->hair[index];
    rlti_lock lock = {0};
    if (hair->given_groom == NULL && hair->file[0] == '\0' && hair->strand_count == 0)
        return rlti_generate_count(scene, body, index, messages, &size->strands, &size->points);
    rlt_status status = rlti_lock_make(scene, body, tree, index, index, messages, &lock);
    if (status == RLT_OK)
        *size = (rlti_groom_size){lock.strand_count, lock.point_count};
    rlti_lock_clear(&lock);
    return status;
}

rlt_status rlti_groom_count(const rlti_scene_data *scene, rlt_messages *messages, rlti_groom_size *sizes) {
    rlti_body *body = NULL;
    rlti_mesh_tree *tree = NULL;
    rlt_status status = RLT_OK;
    int needed = 0;
    for (int h = 0; h < scene->hair_count; h++)
        needed |= needs_body(&scene->hair[h]);
    if (needed)
        status = rlti_body_create(scene, messages, &body);
    if (status == RLT_OK && body != NULL && rlti_body_mesh(body)->triangle_count > 0) {
        tree = rlti_mesh_tree_create(rlti_body_mesh(body));
        if (tree == NULL)
            status = rlti_out_of_memory(messages);
    }
    for (int h = 0; status == RLT_OK && h < scene->hair_count; h++) {
        sizes[h] = (rlti_groom_size){0};
        if (scene->hair[h].role == RLTI_ROLE_HAIR)
            status = count_section(scene, body, tree, h, messages, &sizes[h]);
    }
    rlti_mesh_tree_destroy(tree);
    rlti_body_destroy(body);
    return status;
}

double rlti_points_length(const rlti_vec3 *points, int count) {
    double sum = 0.0;
    for (int i = 1; i < count; i++)
        sum += rlti_length(rlti_sub(points[i], points[i - 1]));
    return sum;
}

void rlti_groom_destroy(rlti_strands *strands) {
    if (strands == NULL)
        return;
    RLTI_FREE(strands->first, strands->points, strands->roots, strands->hair, strands->widths,
              strands->minimum);
    for (int m = 0; m < strands->map_count; m++)
        rlti_free(strands->maps[m].values);
    for (int c = 0; c < strands->source_count; c++)
        rlti_curves_close(&strands->curves[c]);
    RLTI_FREE(strands->maps, strands->sources, strands->source_list, strands->places, strands->hidden,
              strands->curves, strands);
}

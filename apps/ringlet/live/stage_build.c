/* Building what is on stage, and changing values of it. */
#define _GNU_SOURCE /* sched_getaffinity */
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "console.h"
#include "live/pack.h"
#include "live/stage.h"
#include "run.h"

enum { VALUE = 4096 };

/* ---- scenes ---- */

/* The scene of a side as the user asks for it. */
static rlt_status load_asked(const live_stage *stage, const live_values *values, rlt_messages *messages,
                             rlt_scene **scene) {
    args_list all = {0};
    for (int i = 0; i < stage->base.count; i++)
        args_list_add(&all, stage->base.texts[i]);
    for (int i = 0; i < values->count; i++)
        args_list_add(&all, values->texts[i]);
    rlt_status status = run_load(stage->scene, stage->is_embedded, NULL, &all, messages, scene);
    args_list_free(&all);
    return status;
}

rlt_status stage_scenes(live_stage *stage, const live_values *values, rlt_messages *messages,
                        rlt_scene **asked, rlt_scene **simulated) {
    *asked = *simulated = NULL;
    rlt_status status = load_asked(stage, values, messages, asked);
    if (status != RLT_OK)
        return status;
    rlt_live_budget budget = rlt_live_budget_defaults();
    budget.share /= stage->is_split ? 2.0 : 1.0; /* both sides have to fit */
    budget.speed = stage->speed;
    status = stage->is_full ? rlt_scene_change(*asked, NULL, 0, messages, simulated)
                            : rlt_live_fit(*asked, &budget, messages, simulated);
    if (status != RLT_OK) {
        rlt_scene_destroy(*asked);
        *asked = NULL;
    }
    return status;
}

/* ---- recordings ---- */

void stage_record(live_stage *stage) {
    live_recorder *recorder = &stage->recorder;
    recorder_begin(recorder);
    snprintf(recorder->start.scene, sizeof recorder->start.scene, "%s", stage->scene);
    recorder->start.is_full = stage->is_full;
    recorder->start.is_split = stage->is_split;
    recorder->start.speed = stage->speed;
    recorder->start.fingerprint =
        stage->sides[0].simulation != NULL ? rlt_simulation_fingerprint(stage->sides[0].simulation) : 0;
    if (!live_values_copy(&recorder->start.base, &stage->base) ||
        !live_values_copy(&recorder->start.side[0], &stage->sides[0].values) ||
        !live_values_copy(&recorder->start.side[1], &stage->sides[1].values))
        recorder->failed = 1;
    stage->step = 0;
    stage->path_count = 0;
}

/* ---- building ---- */

static void side_clear(stage_side *side) {
    rlt_simulation_destroy(side->simulation);
    rlt_scene_destroy(side->scene);
    free(side->turns);
    side->simulation = NULL;
    side->scene = NULL;
    side->turns = NULL;
}

static int side_scratch(stage_side *side) {
    rlt_frame_view view = {.size = sizeof view};
    rlt_simulation_view(side->simulation, &view);
    free(side->turns);
    side->turns = malloc(4 * sizeof(float) * ((size_t)view.strand_count + 1));
    return side->turns != NULL;
}

/* Live quality leaves a core to the page: a browser may draw in software, and a picture that waits for a step
 * is late by more than the step gains. Full quality has all cores. */
static int threads_of(const live_stage *stage) {
    cpu_set_t set;
    if (stage->threads > 0 || stage->is_full || sched_getaffinity(0, sizeof set, &set) != 0)
        return stage->threads;
    return CPU_COUNT(&set) > 1 ? CPU_COUNT(&set) - 1 : 1;
}

static rlt_status side_build(live_stage *stage, int which, rlt_messages *messages, stage_side *built) {
    rlt_scene *simulated = NULL;
    rlt_status status = stage_scenes(stage, &stage->sides[which].values, messages, &built->scene, &simulated);
    if (status != RLT_OK)
        return status;
    rlt_simulation_def run = rlt_simulation_defaults();
    run.threads = threads_of(stage);
    run.time_phases = 1;
    rlt_live_def def = rlt_live_defaults();
    def.scene = simulated;
    def.simulation = &run;
    status = rlt_live_create(&def, messages, &built->simulation);
    if (status == RLT_BAD_INPUT && !stage->is_full) { /* fewer guides do not fit all that the scene has */
        def.scene = built->scene;
        rlt_messages_clear(messages);
        status = rlt_live_create(&def, messages, &built->simulation);
    }
    rlt_scene_destroy(simulated);
    if (status == RLT_OK && !side_scratch(built))
        status = RLT_FAILED;
    if (status == RLT_OK && !stage->plays)
        status = rlt_simulation_play(built->simulation, 0, messages);
    return status;
}

/* The middle of the character, or of the hair where there is none: what turns of the whole are about. */
static void find_pivot(live_stage *stage) {
    rlt_frame_view view = {.size = sizeof view};
    rlt_simulation_view(stage->sides[0].simulation, &view);
    const double *at = view.vertex_count > 0 ? view.vertices : view.points;
    int count = view.vertex_count > 0 ? view.vertex_count : view.point_count;
    for (int k = 0; k < 3; k++) {
        double low = HUGE_VAL, high = -HUGE_VAL;
        for (int i = 0; i < count; i++) {
            double x = at[3 * (size_t)i + (size_t)k];
            low = x < low ? x : low;
            high = x > high ? x : high;
        }
        stage->pivot[k] = count > 0 ? 0.5 * (low + high) : 0.0;
    }
    const double still[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    stage->has_head = rlt_simulation_move(stage->sides[0].simulation, "head", still, NULL) == RLT_OK;
    if (stage->has_head)
        (void)rlt_simulation_move(stage->sides[0].simulation, "head", NULL, NULL);
}

/* Hairs of the scene at full quality: guides that were left out are made up for by hairs between those
 * left. */
static long long count_hairs(const rlt_scene *asked, const rlt_simulation *simulation) {
    rlt_fill_def def = rlt_fill_defaults();
    rlt_schema_entry row = {.size = sizeof row};
    char text[64];
    rlt_scene_fill(asked, &def);
    if (def.hairs > 0)
        return def.hairs;
    double guides = 0.0;
    for (int i = 0; rlt_schema_get(i, &row); i++)
        if (strcmp(row.key, "hair.count") == 0)
            for (int s = 0; rlt_scene_value(asked, i, s, text, sizeof text, NULL); s++)
                guides += strtod(text, NULL);
    rlt_frame_view view = {.size = sizeof view};
    rlt_simulation_view(simulation, &view);
    guides = guides > view.strand_count ? guides : view.strand_count;
    guides = guides > def.full ? guides : def.full;
    double hairs = guides * def.hairs_per_guide;
    return hairs < PACK_HAIRS_MAX ? (long long)hairs : PACK_HAIRS_MAX;
}

static void stage_begin(live_stage *stage) {
    stage->hairs = count_hairs(stage->sides[0].scene, stage->sides[0].simulation);
    live_follow_begin(&stage->follow, rlt_scene_metres_per_unit(stage->sides[0].scene));
    stage->lock.count = 0;
    stage->was_moved = 0;
    find_pivot(stage);
    stage_record(stage);
    stage->changed = 1;
    stage_publish_groom(stage);
}

rlt_status stage_load(live_stage *stage) {
    rlt_messages *messages = rlt_messages_create();
    stage_side built[STAGE_SIDES] = {{0}};
    int count = stage->is_split ? STAGE_SIDES : 1;
    rlt_status status = RLT_OK;
    for (int i = 0; status == RLT_OK && i < count; i++)
        status = side_build(stage, i, i == 0 ? messages : NULL, &built[i]);
    notice_take(&stage->notice, NOTICE_SCENE, messages);
    rlt_messages_destroy(messages);
    if (status != RLT_OK) {
        side_clear(&built[0]);
        side_clear(&built[1]);
        return status;
    }
    for (int i = 0; i < STAGE_SIDES; i++) {
        side_clear(&stage->sides[i]);
        built[i].values = stage->sides[i].values;
        stage->sides[i] = built[i];
    }
    notice_clear(&stage->notice, NOTICE_MOTION);
    stage_begin(stage);
    return RLT_OK;
}

/* ---- changing ---- */

/* One side with another scene: the motion continues where it is. */
static rlt_status side_rebuild(live_stage *stage, stage_side *side, const live_values *values,
                               rlt_messages *messages, int *kept) {
    rlt_scene *asked, *simulated;
    rlt_status status = stage_scenes(stage, values, messages, &asked, &simulated);
    if (status != RLT_OK)
        return status;
    status = rlt_simulation_rebuild(side->simulation, simulated, NULL, 0, messages, kept);
    rlt_scene_destroy(simulated);
    if (status != RLT_OK) {
        rlt_scene_destroy(asked);
        return status;
    }
    rlt_scene_destroy(side->scene);
    side->scene = asked;
    return side_scratch(side) ? RLT_OK : RLT_FAILED;
}

/* Both sides anew, with what they were asked for. */
static rlt_status rebuild_sides(live_stage *stage) {
    rlt_messages *messages = rlt_messages_create();
    rlt_status status = RLT_OK;
    int kept = 1;
    for (int i = 0; status == RLT_OK && i < (stage->is_split ? STAGE_SIDES : 1); i++) {
        int same = 1;
        status =
            side_rebuild(stage, &stage->sides[i], &stage->sides[i].values, i == 0 ? messages : NULL, &same);
        kept = kept && same;
    }
    notice_take(&stage->notice, NOTICE_SCENE, messages);
    rlt_messages_destroy(messages);
    if (status != RLT_OK)
        return status;
    stage->hairs = count_hairs(stage->sides[0].scene, stage->sides[0].simulation);
    stage->lock.count = kept ? stage->lock.count : 0;
    stage->changed = 1;
    stage_publish_groom(stage);
    return RLT_OK;
}

rlt_status stage_reload(live_stage *stage) {
    if (stage->sides[0].simulation == NULL)
        return stage_load(stage);
    rlt_status status = rebuild_sides(stage);
    if (status == RLT_OK)
        stage->recorder.is_broken = 1; /* it holds what the user did, not what the file was before */
    return status;
}

void stage_fit(live_stage *stage, double speed) {
    double before = stage->speed;
    stage->speed = speed;
    if (rebuild_sides(stage) != RLT_OK)
        stage->speed = before;
}

double stage_allowed(void) {
    rlt_live_budget budget = rlt_live_budget_defaults();
    return budget.share * budget.cores / budget.rate;
}

/* The row of the schema for "hair[1].bend.stiffness"; -1: none. */
static int find_row(const char *key, size_t size, rlt_schema_entry *row) {
    char plain[256];
    size_t used = 0;
    int inside = 0;
    for (size_t i = 0; i < size && used + 1 < sizeof plain; i++) {
        inside = key[i] == '[' ? 1 : inside;
        if (!inside)
            plain[used++] = key[i];
        inside = key[i] == ']' ? 0 : inside;
    }
    plain[used] = '\0';
    row->size = sizeof *row;
    for (int i = 0; rlt_schema_get(i, row); i++)
        if (strcmp(row->key, plain) == 0)
            return i;
    return -1;
}

/* Steps a tick of the first hair; 1 where it has none of its own. */
static double steps_of(const rlt_simulation *simulation) {
    static const char key[] = "hair.rod.steps";
    rlt_schema_entry row;
    char text[32];
    int index = find_row(key, sizeof key - 1, &row);
    int known = rlt_scene_value(rlt_simulation_scene(simulation), index, 0, text, sizeof text, NULL);
    return known ? strtod(text, NULL) : 1.0;
}

double stage_work(const live_stage *stage) {
    double sum = 0.0;
    for (int i = 0; i < STAGE_SIDES; i++) {
        rlt_frame_view view = {.size = sizeof view};
        if (stage->sides[i].simulation != NULL) {
            rlt_simulation_view(stage->sides[i].simulation, &view);
            sum += view.point_count * steps_of(stage->sides[i].simulation);
        }
    }
    return sum;
}

/* Sets a live value to what the scene has; every section that the key means. */
static rlt_status side_set(rlt_simulation *simulation, const rlt_scene *scene, int row, const char *key,
                           size_t key_size, rlt_messages *messages) {
    const char *bracket = memchr(key, '[', key_size);
    int only = bracket != NULL ? (int)strtol(bracket + 1, NULL, 10) : -1;
    size_t head = strcspn(key, "[.=");
    int sections = live_values_sections(scene, row);
    const char *rest = bracket != NULL ? memchr(key, ']', key_size) : NULL;
    rest = rest != NULL ? rest + 1 : key + head;
    char text[VALUE + 256], value[VALUE];
    rlt_status status = RLT_OK;
    for (int s = 0; status == RLT_OK && s < sections; s++) {
        if (only >= 0 && s != only)
            continue;
        rlt_scene_value(scene, row, s, value, sizeof value, NULL);
        int length = (int)(key_size - (size_t)(rest - key));
        if (sections > 1)
            snprintf(text, sizeof text, "%.*s[%d]%.*s=%s", (int)head, key, s, length, rest, value);
        else
            snprintf(text, sizeof text, "%.*s%.*s=%s", (int)head, key, length, rest, value);
        const char *texts[] = {text};
        status = rlt_simulation_set(simulation, texts, 1, messages);
    }
    return status;
}

/* One side with its values changed: at once where the value is live, otherwise built anew. */
static rlt_status side_change(live_stage *stage, stage_side *side, const live_values *values, const char *key,
                              size_t key_size, rlt_messages *messages) {
    rlt_schema_entry row;
    int index = find_row(key, key_size, &row), kept = 1;
    if (index < 0 || row.live == RLT_LIVE_REBUILD) {
        rlt_status status = side_rebuild(stage, side, values, messages, &kept);
        stage->lock.count = kept ? stage->lock.count : 0;
        return status;
    }
    rlt_scene *asked, *simulated;
    rlt_status status = stage_scenes(stage, values, messages, &asked, &simulated);
    if (status != RLT_OK)
        return status;
    status = side_set(side->simulation, simulated, index, key, key_size, messages);
    rlt_scene_destroy(simulated);
    rlt_scene *unwanted = status == RLT_OK ? side->scene : asked;
    side->scene = status == RLT_OK ? asked : side->scene;
    rlt_scene_destroy(unwanted);
    return status;
}

void stage_set_value(live_stage *stage, const live_input *input) {
    rlt_messages *messages = rlt_messages_create();
    size_t key_size = live_values_key(input->text);
    rlt_schema_entry row;
    int good = 1;
    for (int i = 0; i < (stage->is_split ? STAGE_SIDES : 1); i++) {
        stage_side *side = &stage->sides[i];
        live_values values = {0};
        if (input->side != i && input->side != 2)
            continue;
        int changed = live_values_copy(&values, &side->values) &&
                      (input->kind == INPUT_SET ? live_values_set(&values, input->text)
                                                : live_values_unset(&values, input->text));
        if (changed && side_change(stage, side, &values, input->text, key_size, messages) == RLT_OK) {
            live_values_clear(&side->values);
            side->values = values;
        } else {
            good = 0;
            live_values_clear(&values);
        }
    }
    notice_take(&stage->notice, NOTICE_ASKED, messages);
    rlt_messages_destroy(messages);
    stage->changed = 1;
    if (good && find_row(input->text, key_size, &row) >= 0 && row.live != RLT_LIVE_SET) {
        stage->hairs = count_hairs(stage->sides[0].scene, stage->sides[0].simulation);
        stage_publish_groom(stage);
    }
}

void stage_clear(live_stage *stage) {
    for (int i = 0; i < STAGE_SIDES; i++) {
        side_clear(&stage->sides[i]);
        live_values_clear(&stage->sides[i].values);
    }
    free(stage->path);
    live_values_clear(&stage->base);
    recorder_clear(&stage->recorder);
}

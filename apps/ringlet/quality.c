#include "quality.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "console.h"

const char *const quality_names[] = {"normal", "draft", "final", NULL};

enum { SECTIONS_MAX = 64, GUIDES_LEAST = 20, ROD_STEPS_LEAST = 2 };

/* The texts of a run's quality, and the line about them. */
typedef struct changes {
    run_settings *run;
    args_list all;
    char said[400];
} changes;

/* A number of section `section`; not a number where it has none. */
static double number(const rlt_scene *scene, const char *key, int section) {
    char text[64], *end;
    if (!rlt_scene_value(scene, run_schema_row(key), section, text, sizeof text, NULL))
        return NAN;
    double value = strtod(text, &end);
    return end == text ? NAN : value;
}

static int is_word(const rlt_scene *scene, const char *key, int section, const char *word) {
    char text[80];
    return rlt_scene_value(scene, run_schema_row(key), section, text, sizeof text, NULL) &&
           strcmp(text, word) == 0;
}

/* 1 where the command line gives the value: it wins. */
static int is_given(const changes *c, int section, const char *key) {
    char own[80];
    snprintf(own, sizeof own, "hair[%d]%s", section, strchr(key, '.'));
    for (int i = 0; i < c->run->overrides.count; i++) {
        const char *text = c->run->overrides.texts[i];
        size_t length = strcspn(text, " =");
        if ((length == strlen(key) && strncmp(text, key, length) == 0) ||
            (length == strlen(own) && strncmp(text, own, length) == 0))
            return 1;
    }
    return 0;
}

/* "hair[1].count=200", and "hair.count 800 to 200" once for the first section that has it. */
static void change(changes *c, int section, const char *key, const char *from, const char *to) {
    char *text = is_given(c, section, key) ? NULL : malloc(160);
    if (!text)
        return; /* without memory: a run that is a little slower */
    const char *rest = strchr(key, '.');
    snprintf(text, 160, "hair[%d]%s=%s", section, rest, to);
    args_list_add(&c->all, text);
    args_list_add(&c->run->owned, text);
    size_t used = strlen(c->said);
    snprintf(c->said + used, sizeof c->said - used, "%s%s %s to %s", used ? ", " : "", key, from, to);
}

static void replace(changes *c, int section, const char *key, double now, double next) {
    char from[32], to[32];
    snprintf(from, sizeof from, "%.4g", now);
    snprintf(to, sizeof to, "%.4g", next);
    if (next != now)
        change(c, section, key, from, to);
}

/* A count times `factor`, at least `least`. What it was multiplied by, where counts below `full` are as good
 * as that; 1 where there is none. */
static double scale(changes *c, const rlt_scene *scene, int section, const char *key, double factor,
                    double least, double full) {
    double now = number(scene, key, section);
    if (!(now > 0.0) || is_given(c, section, key))
        return 1.0;
    double next = fmax(floor(now * factor + 0.5), fmin(least, now));
    replace(c, section, key, now, next);
    return fmax(next, full) / fmax(now, full);
}

/* Pictures keep their hairs and cover the skin: what each guide carries grows as guides get fewer. */
static void keep_cover(changes *c, const rlt_scene *scene, int section, double guides) {
    static const char *const radii[] = {"hair.fill.lock_radius", "hair.fill.wisp_radius"};
    double hairs = number(scene, "hair.fill.per_guide", section);
    int locks = is_word(scene, "hair.fill.blend", section, "locks");
    /* few wisps leave skin bare between them, locks share it out */
    if (guides < 1.0 && is_word(scene, "hair.fill.blend", section, "wisps")) {
        change(c, section, "hair.fill.blend", "wisps", "locks");
        locks = 1;
    }
    if (hairs > 0.0 && !(number(scene, "hair.fill.count", section) > 0.0))
        replace(c, section, "hair.fill.per_guide", hairs, hairs / guides);
    for (int k = 0; k < 2; k++) {
        double radius = number(scene, radii[k], section);
        if (radius > 0.0 && (k > 0 || locks)) /* another blend reads no radius of locks */
            replace(c, section, radii[k], radius, radius / sqrt(guides));
    }
}

static void change_section(changes *c, const rlt_scene *scene, int section, quality word) {
    double guides = word == QUALITY_DRAFT ? 0.25 : 2.0, steps = word == QUALITY_DRAFT ? 0.5 : 2.0;
    int grows = is_word(scene, "hair.file", section, "\"\"") || is_word(scene, "hair.file", section, "");
    double full = fmax(number(scene, "hair.fill.full", section), 0.0);
    if (grows)
        keep_cover(c, scene, section, scale(c, scene, section, "hair.count", guides, GUIDES_LEAST, full));
    if (is_word(scene, "hair.model", section, "rod") || is_word(scene, "hair.model", section, "coil"))
        scale(c, scene, section, "hair.rod.steps", steps, ROD_STEPS_LEAST, 0.0);
    if (word == QUALITY_DRAFT && is_word(scene, "hair.contact.enabled", section, "on"))
        change(c, section, "hair.contact.enabled", "on", "off");
    if (word == QUALITY_FINAL && number(scene, "hair.prune.random", section) > 0.0)
        change(c, section, "hair.prune.random", "some", "0");
}

rlt_status quality_apply(quality word, run_settings *run, rlt_messages *messages) {
    changes c = {.run = run};
    rlt_scene *scene = NULL;
    if (word == QUALITY_NORMAL)
        return RLT_OK;
    rlt_status status = run_load(run->scene, run->embedded, &run->frames, &run->overrides, messages, &scene);
    if (status == RLT_OK)
        rlt_messages_clear(messages); /* they come again with the run */
    char text[8];
    for (int section = 0;
         status == RLT_OK && section < SECTIONS_MAX &&
         rlt_scene_value(scene, run_schema_row("hair.name"), section, text, sizeof text, NULL);
         section++)
        change_section(&c, scene, section, word);
    rlt_scene_destroy(scene);
    if (status == RLT_OK && !run->quiet)
        console_line("quality %s: %s", quality_names[word],
                     c.said[0] ? c.said : "changes nothing in this scene");
    for (int i = 0; i < run->overrides.count; i++)
        args_list_add(&c.all, run->overrides.texts[i]);
    args_list_free(&run->overrides);
    run->overrides = c.all;
    return status;
}

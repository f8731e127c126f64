#include "scene/suggest.h"

#include <stdio.h>
#include <string.h>

#include "scene/schema.h"

/* Words of other programs, and of artists, for values that have another name here. */
typedef struct synonym {
    const char *section; /* where the word is looked for, "" at the top as well as anywhere */
    const char *word;
    const char *meaning; /* keys, and what to know about them */
} synonym;

static const synonym synonyms[] = {
    {"wind", "speed", "wind.velocity, a vector, as in [0, 0, -200]"},
    {"wind", "direction", "wind.velocity, a vector, as in [0, 0, -200]"},
    {"wind", "force", "wind.strength"},
    {"wind", "gusts", "wind.gust_strength"},
    {"wind", "noise", "wind.turbulence"},
    {"render", "width", "the option --size WxH of ringlet render, in pixels"},
    {"render", "height", "the option --size WxH of ringlet render, in pixels"},
    {"render", "size", "the option --size WxH of ringlet render, in pixels"},
    {"render", "resolution", "the option --size WxH of ringlet render, in pixels"},
    {"", "color", "hair.look.eumelanin and hair.look.pheomelanin, or hair.look.dye"},
    {"", "colour", "hair.look.eumelanin and hair.look.pheomelanin, or hair.look.dye"},
    {"", "melanin", "hair.look.eumelanin and hair.look.pheomelanin"},
    {"", "redness", "hair.look.pheomelanin"},
    {"", "frizz", "hair.fill.frizz, of hairs between guides, or hair.variation, of guides"},
    {"", "clumping", "hair.fill.clump"},
    {"", "stiffness", "hair.bend.stiffness, or hair.rod.young where hair.model is rod or coil"},
    {"", "damping", "hair.bend.damping, or hair.rod.damping where hair.model is rod or coil"},
    {"", "curl", "hair.radius and hair.pitch, the size of the curl"},
    {"", "curliness", "hair.radius and hair.pitch, the size of the curl"},
    {"", "thickness", "hair.width, or hair.rod.radius for the motion"},
    {"", "volume", "hair.contact.radius"},
    {"", "guides", "hair.count"},
    {"", "strand_count", "hair.count"},
    {"", "hairs", "hair.fill.count, the hairs of pictures, or hair.count, those that are simulated"},
    {"", "friction", "hair.collide.friction, against bodies, or hair.contact.friction, between hairs"},
    {"", "collision", "hair.collide"},
    {"", "collisions", "hair.collide"},
    {"", "self_collision", "hair.contact"},
    {"", "frames", "time.first and time.last"},
    {"", "start", "time.first"},
    {"", "end", "time.last"},
    {"", "substeps", "time.outer_steps"},
    {"", "camera", "render.azimuth, render.elevation, render.eye and render.target"},
    {"", "background", "render.background_top and render.background_bottom"},
};

/* The words of a section before those that stand for any; 0: none is close. */
static int find_synonym(const char *prefix, const char *name, int exact, char *text, size_t size) {
    int best = 1000;
    for (size_t i = 0; i < sizeof synonyms / sizeof synonyms[0]; i++) {
        const synonym *s = &synonyms[i];
        int distance;
        if (s->section[0] != '\0' && strcmp(s->section, prefix) != 0)
            continue;
        if (s->section[0] == '\0' && prefix[0] != '\0' && strcmp(prefix, "hair") != 0)
            continue;
        if (!rlti_words_close(s->word, name, &distance) || (exact && distance > 0) || distance >= best)
            continue;
        best = distance;
        snprintf(text, size, "%s", s->meaning);
    }
    return best < 1000;
}

/* The last word of a key, and how many words come before it. */
static const char *last_word(const char *key, int *depth) {
    const char *word = key;
    *depth = 0;
    for (const char *c = key; *c != '\0'; c++)
        if (*c == '.') {
            word = c + 1;
            ++*depth;
        }
    return word;
}

/* The right word in the wrong section: nearest first, then the shallowest, then the schema's order. */
static int find_elsewhere(const char *name, char *text, size_t size) {
    int best = 1000;
    for (int i = 0; i < rlti_schema_count(); i++) {
        const char *key = rlti_schema_row(i)->key;
        int depth, distance;
        const char *word = last_word(key, &depth);
        if (!rlti_words_close(word, name, &distance) || 8 * distance + depth >= best)
            continue;
        best = 8 * distance + depth;
        snprintf(text, size, "%s", key);
    }
    return best < 1000;
}

int rlti_suggest(const char *prefix, const char *shown, const char *name, char *text, size_t size) {
    char child[64];
    if (find_synonym(prefix, name, 1, text, size))
        return 1;
    if (rlti_schema_suggest(prefix, name, child, sizeof child)) {
        snprintf(text, size, "%s%s%s", shown, shown[0] != '\0' ? "." : "", child);
        return 1;
    }
    return find_synonym(prefix, name, 0, text, size) || find_elsewhere(name, text, size);
}

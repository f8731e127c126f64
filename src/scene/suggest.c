#include "scene/suggest.h"

#include <stdio.h>
#include <string.h>

#include "scene/schema.h"

/* Words of other programs, and of artists, for values that have another name here. */
typedef struct synonym {
    const char *section; /* where the word is looked for; "": at the top, in hair, its groups and time */
    const char *word;
    const char *meaning; /* keys, and what to know about them */
} synonym;

/* Meanings that several words share. */
#define MEANS_SIZE    "the option --size WxH of ringlet render, in pixels"
#define MEANS_SAMPLES "the option --samples of ringlet render"
#define MEANS_CAMERA  "render.azimuth, render.elevation, render.eye and render.target"
#define MEANS_LIGHT   "render.key, render.fill and render.rim"
#define MEANS_PIG     "hair.look.eumelanin and hair.look.pheomelanin, or hair.look.dye"
#define MEANS_STIFF   "hair.bend.stiffness, or hair.rod.young where hair.model is rod or coil"
#define MEANS_BOUNCE  "hair.core.stiffness, or hair.rod.young where hair.model is rod or coil"
#define MEANS_PRESET  "hair.preset, a kind of hair"
#define MEANS_POINTS  "hair.segment, from one point of a strand to the next"

static const synonym synonyms[] = {
    {"wind", "speed", "wind.velocity, a vector, as in [0, 0, -200]"},
    {"wind", "direction", "wind.velocity, a vector, as in [0, 0, -200]"},
    {"wind", "force", "wind.strength"},
    {"wind", "gusts", "wind.gust_strength"},
    {"wind", "noise", "wind.turbulence"},
    {"render", "width", MEANS_SIZE},
    {"render", "height", MEANS_SIZE},
    {"render", "size", MEANS_SIZE},
    {"render", "resolution", MEANS_SIZE},
    {"", "size", MEANS_SIZE},
    {"render", "samples", MEANS_SAMPLES},
    {"", "samples", MEANS_SAMPLES},
    {"render", "camera", MEANS_CAMERA},
    {"", "camera", MEANS_CAMERA},
    {"render", "fov", "render.field_of_view"},
    {"render", "light", MEANS_LIGHT},
    {"render", "lights", MEANS_LIGHT},
    {"", "lights", MEANS_LIGHT},
    {"", "light", MEANS_LIGHT},
    {"", "background", "render.background_top and render.background_bottom"},
    {"", "quality", "the option --quality of ringlet simulate, wedge and demo"},
    {"", "threads", "the option --threads"},
    {"", "color", MEANS_PIG},
    {"", "colour", MEANS_PIG},
    {"", "blond", MEANS_PIG},
    {"", "blonde", MEANS_PIG},
    {"", "brown", MEANS_PIG},
    {"", "black", MEANS_PIG},
    {"", "red", MEANS_PIG},
    {"", "melanin", "hair.look.eumelanin and hair.look.pheomelanin"},
    {"", "redness", "hair.look.pheomelanin"},
    {"", "frizz", "hair.fill.frizz, of hairs between guides, or hair.variation, of guides"},
    {"", "clumping", "hair.fill.clump"},
    {"", "stiffness", MEANS_STIFF},
    {"", "stiff", MEANS_STIFF},
    {"", "softness", MEANS_STIFF},
    {"", "soft", MEANS_STIFF},
    {"", "bounce", MEANS_BOUNCE},
    {"", "bounciness", MEANS_BOUNCE},
    {"", "elasticity", MEANS_BOUNCE},
    {"", "springiness", MEANS_BOUNCE},
    {"", "damping", "hair.bend.damping, or hair.rod.damping where hair.model is rod or coil"},
    {"", "weight", "hair.mass, or hair.rod.density where hair.model is rod or coil"},
    {"", "air", "hair.drag"},
    {"", "air_drag", "hair.drag"},
    {"", "air_resistance", "hair.drag"},
    {"hair", "wind", "wind.velocity, a vector, as in [0, 0, -200], and hair.drag"},
    {"hair", "type", MEANS_PRESET},
    {"hair", "kind", MEANS_PRESET},
    {"hair", "material", MEANS_PRESET},
    {"hair", "shape", "hair.style"},
    {"motion", "type", "motion.kind"},
    {"character", "type", "character.kind"},
    {"", "curl", "hair.radius and hair.pitch, the size of the curl"},
    {"", "curliness", "hair.radius and hair.pitch, the size of the curl"},
    {"", "curl_size", "hair.radius and hair.pitch, the size of the curl"},
    {"", "curl_radius", "hair.radius"},
    {"", "curl_diameter", "hair.radius"},
    {"", "frequency", "hair.pitch, the length of a turn"},
    {"", "part", "hair.comb"},
    {"", "parting", "hair.comb"},
    {"", "lift", "hair.fall"},
    {"", "droop", "hair.fall"},
    {"", "ponytail", "hair.tie.style"},
    {"", "bun", "hair.tie.style"},
    {"", "diameter", "hair.width, or hair.rod.radius for the motion"},
    {"", "thickness", "hair.width, or hair.rod.radius for the motion"},
    {"", "volume", "hair.contact.radius"},
    {"", "points", MEANS_POINTS},
    {"", "vertices", MEANS_POINTS},
    {"", "guides", "hair.count"},
    {"", "number", "hair.count"},
    {"", "strand_count", "hair.count"},
    {"hair.fill", "number", "hair.fill.count"},
    {"hair.fill", "hairs", "hair.fill.count"},
    {"", "hairs", "hair.fill.count, the hairs of pictures, or hair.count, those that are simulated"},
    {"", "friction", "hair.collide.friction, against bodies, or hair.contact.friction, between hairs"},
    {"", "collision", "hair.collide"},
    {"", "collisions", "hair.collide"},
    {"", "self_collision", "hair.contact"},
    {"", "frames", "time.first and time.last"},
    {"", "duration", "time.first and time.last"},
    {"", "start", "time.first"},
    {"", "end", "time.last"},
    {"", "substeps", "time.outer_steps"},
};

/* Where words of no section are looked for. */
static int is_common(const char *prefix) {
    return prefix[0] == '\0' || strcmp(prefix, "hair") == 0 || strncmp(prefix, "hair.", 5) == 0 ||
           strcmp(prefix, "time") == 0;
}

/* The words of a section before those that stand for any; 0: none is close. */
static int find_synonym(const char *prefix, const char *name, int exact, char *text, size_t size) {
    int best = 1000;
    for (size_t i = 0; i < sizeof synonyms / sizeof synonyms[0]; i++) {
        const synonym *s = &synonyms[i];
        int distance;
        if (s->section[0] != '\0' && strcmp(s->section, prefix) != 0)
            continue;
        if (s->section[0] == '\0' && !is_common(prefix))
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

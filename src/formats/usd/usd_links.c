/* Properties beside their values: relationships, connections, attributes without a value, metadata. */
#include <string.h>

#include "formats/usd/usd_stage.h"

static int has_notes(const rlti_notes *notes) {
    int count = notes->has_weight;
    for (int i = 0; i < RLTI_NOTES; i++)
        count += notes->texts[i] != NULL;
    return count > 0;
}

static int has_value(const rlti_usd_resolved *from) {
    return from->samples != NULL || from->value != NULL;
}

/* 1 where it has nothing but what the writers of USD print as it is. */
static int is_plain(const char *text, const char *marks) {
    for (const char *c = text; *c != '\0'; c++)
        if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') ||
              (unsigned char)*c >= 128 || strchr(marks, *c) != NULL))
            return 0;
    return text[0] != '\0';
}

/* 0 for an attribute that is nothing but its values. One without a type is what a layer says of another's. */
static int is_link(const rlti_usd_resolved *from) {
    if (!is_plain(from->name, "_:-") || (!from->is_relationship && !is_plain(from->type_name, "_:[]")))
        return 0;
    return from->is_relationship || from->target_count > 0 || !has_value(from) || has_notes(&from->notes);
}

/* Takes what a damaged file may have as a path out of the list. */
static int drop_odd_targets(const rlti_usd_resolved *from) {
    int count = 0;
    for (int i = 0; i < from->target_count; i++)
        if (from->targets[i][0] == '/' && is_plain(from->targets[i], "_:/.-"))
            from->targets[count++] = from->targets[i];
    return count;
}

int rlti_usd_links_open(rlti_usd_own *own, int prim) {
    const rlti_usd_resolved *properties = own->properties[prim];
    int count = 0, made = 0;
    for (int i = 0; i < own->property_counts[prim]; i++)
        count += is_link(&properties[i]);
    if (count == 0)
        return 1;
    rlti_link *list = rlti_arena_keep(&own->arena, (size_t)count, sizeof *list);
    if (list == NULL)
        return 0;
    for (int i = 0; i < own->property_counts[prim]; i++) {
        const rlti_usd_resolved *from = &properties[i];
        if (!is_link(from))
            continue;
        list[made++] = (rlti_link){.name = from->name,
                                   .type_name = from->is_relationship ? "" : from->type_name,
                                   .is_uniform = from->is_uniform,
                                   .is_custom = from->is_custom,
                                   .has_value = has_value(from),
                                   .target_count = drop_odd_targets(from),
                                   .targets = (const char *const *)from->targets,
                                   .notes = from->notes};
    }
    own->links[prim] = list;
    own->link_counts[prim] = count;
    return 1;
}

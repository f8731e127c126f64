#include "files/assets.h"

#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/messages.h"
#include "formats/usd/usd_stage.h"
#include "io/relative.h"

int rlti_is_asset(const rlti_attribute *attribute) {
    return attribute->type.element == RLTI_TEXT && strncmp(attribute->type_name, "asset", 5) == 0;
}

/* Without "./" in front, which says that it is not searched for. */
static const char *bare(const char *text) {
    while (strncmp(text, "./", 2) == 0)
        text += 2;
    return text;
}

/* The folder of a path, with its slash; NULL when out of memory. */
static char *folder_of(const char *path) {
    char *copy = rlti_text_copy(path), *slash = copy != NULL ? strrchr(copy, '/') : NULL;
    if (copy != NULL)
        (slash != NULL ? slash + 1 : copy)[0] = '\0';
    return copy;
}

/* Of a file in a package "x.usdz[a/b.usdc]": "../x.usdz[a/tex.png]". */
static char *move_packed(const char *text, const char *layer, const char *to) {
    size_t length = strcspn(layer, "[");
    char *package = rlti_text_copy(layer), *inner = rlti_text_copy(layer + length), *made = NULL;
    if (package != NULL && inner != NULL) {
        package[length] = '\0';
        char *slash = strrchr(inner, '/'), *seen = rlti_relative_path(package, to);
        (slash != NULL ? slash + 1 : inner + 1)[0] = '\0';
        char *open = seen != NULL ? rlti_text_join(seen, inner) : NULL;
        char *whole = open != NULL ? rlti_text_join(open, bare(text)) : NULL;
        made = whole != NULL ? rlti_text_join(whole, "]") : NULL;
        RLTI_FREE(seen, open, whole);
    }
    RLTI_FREE(package, inner);
    return made;
}

/* The name as seen from `to`, to be freed; NULL: it stays. */
static char *move(const char *text, const char *layer, const char *to) {
    if (text[0] == '\0' || text[0] == '/' || strpbrk(text, "[:") != NULL)
        return NULL;
    if (strchr(layer, '[') != NULL)
        return strstr(text, "..") == NULL ? move_packed(text, layer, to) : NULL;
    char *folder = folder_of(layer), *file = folder != NULL ? rlti_text_join(folder, text) : NULL;
    char *seen = rlti_relative_path(layer, to), *there = seen != NULL ? folder_of(seen) : NULL, *made = NULL;
    int is_anchored =
        text[0] == '.' || strstr(text, "<UDIM>") != NULL || (file != NULL && access(file, F_OK) == 0);
    if (there != NULL && is_anchored && strcmp(there, "./") != 0)
        made = rlti_text_join(there, bare(text));
    RLTI_FREE(folder, file, seen, there);
    return made;
}

rlt_status rlti_move_assets(const rlti_stage *stage, const rlti_prim *prim, const rlti_attribute *attribute,
                            const char *to, rlt_messages *messages, rlti_array *value) {
    const char *layer = rlti_usd_layer_of(stage, prim, attribute);
    if (layer == NULL || !rlti_is_asset(attribute) || value->blocked || value->type.element != RLTI_TEXT)
        return RLT_OK;
    size_t count = value->count, bytes = 0;
    const char *const *texts = value->data;
    char **moved = RLTI_NEW(char *, count + 1), *memory = NULL;
    rlti_array made = {0};
    for (size_t i = 0; i < count && moved != NULL; i++) {
        moved[i] = move(texts[i], layer, to);
        bytes += strlen(moved[i] != NULL ? moved[i] : texts[i]) + 1;
    }
    const char **list =
        moved != NULL ? rlti_array_reserve_texts(&made, value->type, count, bytes, &memory) : NULL;
    for (size_t i = 0; i < count && list != NULL; i++) {
        const char *text = moved[i] != NULL ? moved[i] : texts[i];
        size_t length = strlen(text) + 1;
        memcpy(memory, text, length);
        list[i] = memory;
        memory += length;
    }
    for (size_t i = 0; i < count && moved != NULL; i++)
        rlti_free(moved[i]);
    rlti_free(moved);
    if (list == NULL)
        return rlti_out_of_memory(messages);
    rlti_array_clear(value);
    *value = made;
    return RLT_OK;
}

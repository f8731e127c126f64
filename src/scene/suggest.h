/* Suggestions for keys that the schema does not have. */
#ifndef RLTI_SCENE_SUGGEST_H
#define RLTI_SCENE_SUGGEST_H

#include <stddef.h>

/* The key that `name` below `prefix` ("" for the top) is most likely meant as: a slip in one of its letters,
 * another program's word for it, or the right word in the wrong section. `text` gets what comes after "did
 * you mean ", with keys below `shown`, which is the prefix as messages show it ("hair[1].bend"). Returns 0
 * where nothing is near. */
int rlti_suggest(const char *prefix, const char *shown, const char *name, char *text, size_t size);

#endif

/* Inside of the rules between values, rules*.c. */
#ifndef RLTI_SCENE_RULES_H
#define RLTI_SCENE_RULES_H

#include "scene/parse.h"

/* Reports "key = value: reason". The place is that of `key` or of `other` (may be NULL), whichever text came
 * last and so made the two disagree; the section's own where both are defaults. Nothing is reported when one
 * of the two is wrong by itself. */
void rlti_broken(rlti_loader *loader, const rlti_section *section, const char *key, const char *other,
                 const char *format, ...) RLTI_PRINTF(5, 6);

/* Remembers where a value was given, for checks that need the whole model, or its files. */
void rlti_note_place(const rlti_loader *loader, const rlti_section *section, const char *key,
                     char place[RLTI_PLACE_SIZE]);

/* Zero at any time. */
int rlti_track_is_zero(const rlti_track *track);

/* rules_names.c */

/* Every name in hair.collide.groups or hair.collide.except must be that of a collider. */
void rlti_check_names(rlti_loader *loader, const rlti_section *section, const char *key,
                      const rlti_names *names, int is_group);

/* A rest shape that changes: where from, and whether that can be. */
void rlti_check_reshape(rlti_loader *loader, const rlti_section *section);

/* One constraint: what it holds, by what. */
void rlti_check_constraint(rlti_loader *loader, const rlti_section *section);

#endif

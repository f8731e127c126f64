/* The kinds of trouble; each runs one trial in the current folder. docs/design/torture.md says what is
 * promised. */
#ifndef TORTURE_KINDS_H
#define TORTURE_KINDS_H

#include "job.h"

void kind_kill(trial *t);
void kind_interrupt(trial *t);
void kind_damage(trial *t);
void kind_full(trial *t);
void kind_two(trial *t);
void kind_edit(trial *t);
void kind_input(trial *t);
void kind_change(trial *t);
void kind_closed(trial *t);
void kind_link(trial *t);

#endif

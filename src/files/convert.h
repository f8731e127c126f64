/* Parts of rlt_convert that are of use by themselves. */
#ifndef RLTI_FILES_CONVERT_H
#define RLTI_FILES_CONVERT_H

#include "formats/tree/sink.h"

/* Which prims to take: chosen ones and what is below them 2, those above them 1 (for their transforms),
 * others 0. Returns how many were chosen by the pattern itself. NULL takes all. */
int rlti_choose_prims(const rlti_stage *stage, const char *pattern, unsigned char *take /* [prim_count] */);

/* 1 for a writer of USD; 1 for formats that hold one frame only (.hair, .obj). */
int rlti_sink_is_usd(const rlti_sink *sink);
int rlti_sink_is_still(const rlti_sink *sink);

/* 1 where the sink has no indices for such an attribute: its values are written expanded, one per place, and
 * its indices (of which it is 1, too) are not. USD has indices for primvars only. */
int rlti_sink_expands(const rlti_sink *sink, const rlti_attribute *attribute);
/* Times at which the expanded values change, of the values and of their indices, increasing; freed by the
 * caller (rlti_free). */
rlt_status rlti_expanded_times(const rlti_stage *stage, const rlti_prim *prim,
                               const rlti_attribute *attribute, rlt_messages *messages, double **times,
                               int *count);

/* 1 for visibility that changes: it counts for all that is below a prim, as transforms do. */
int rlti_is_visibility(const rlti_attribute *attribute);

/* Says once that pinned curves of a file become straight pieces, where the sink's format has none. */
void rlti_report_pinned(rlti_sink *sink, const rlti_stage *stage, int prim, rlt_messages *messages);

/* Declares the links of a stage's prim on one of the sink: all, or those that `wants` has 1 for. */
rlt_status rlti_carry_links(rlti_sink *sink, int to, const rlti_stage *stage, const rlti_prim *prim,
                            int (*wants)(const rlti_link *link), rlt_messages *messages);

/* Warns, where the count is not 0, that a file cannot hold links to other prims. */
void rlti_warn_links(const char *to, int count, rlt_messages *messages);

/* Warns of a prim that follows its parents at some times only, which no writer can say. */
void rlti_report_resets(const rlti_sink *sink, const rlti_stage *stage, const rlti_prim *prim,
                        rlt_messages *messages);

/* Warns where keeping the axis changes nothing: what is not Alembic keeps it anyway, and so does Y up. */
void rlti_warn_axis(const char *path, int is_alembic, char up, rlt_messages *messages);

/* To the nearest whole number when it is within 1e-6 of it: frames that went through seconds. */
double rlti_snap_time(double time);

/* 1 when the attribute is one that nothing else needs, and its first value cannot be read: it is left out,
 * with warnings. Those that place points fail where they are read. */
int rlti_is_unreadable(const rlti_stage *stage, const rlti_prim *prim, const rlti_attribute *attribute,
                       rlt_messages *messages, rlti_array *scratch);

#endif

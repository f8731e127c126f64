/* Parts of rlt_convert that are of use by themselves. */
#ifndef RLTI_FORMATS_CONVERT_H
#define RLTI_FORMATS_CONVERT_H

#include "formats/sink.h"

/* 1 when the path fits the pattern: * is any run of characters, ? any one, as in scenes. */
int rlti_path_fits(const char *path, const char *pattern);

/* Which prims to take: chosen ones and what is below them 2, those above them 1 (for their transforms),
 * others 0. Returns how many were chosen by the pattern itself. NULL takes all. */
int rlti_choose_prims(const rlti_stage *stage, const char *pattern, unsigned char *take /* [prim_count] */);

/* 1 for a writer of USD; 1 for formats that hold one frame only (.hair, .obj). */
int rlti_sink_is_usd(const rlti_sink *sink);
int rlti_sink_is_still(const rlti_sink *sink);

/* To the nearest whole number when it is within 1e-6 of it: frames that went through seconds. */
double rlti_snap_time(double time);

#endif

/* Parts of rlt_convert that are of use by themselves. */
#ifndef RLTI_FORMATS_CONVERT_H
#define RLTI_FORMATS_CONVERT_H

#include "formats/sink.h"

/* 1 when the path fits the pattern: * is any run of letters within one name, ** any run, ? one letter. */
int rlti_path_fits(const char *path, const char *pattern);

/* Which prims to take: chosen ones and what is below them 2, those above them 1 (for their transforms),
 * others 0. Returns how many were chosen by the pattern itself. NULL takes all. */
int rlti_choose_prims(const rlti_stage *stage, const char *pattern, unsigned char *take /* [prim_count] */);

/* A name that USD allows: letters, digits and _, no digit first; with `colons` also namespaces. `room` has at
 * least strlen(name) + 2 bytes. Returns 1 when it had to be changed. */
int rlti_usd_name(const char *name, int colons, char *room);

/* The type under which USD can hold values of this one: it has no 8- and 16-bit integers but uchar. */
rlti_array_type rlti_usd_wide_type(rlti_array_type type);

/* The same values under a wider integer type. Returns 0 when out of memory. */
int rlti_array_widen(const rlti_array *from, rlti_array_type type, rlti_array *to);

/* 1 for a writer of USD; 1 for formats that hold one frame only (.hair, .obj). */
int rlti_sink_is_usd(const rlti_sink *sink);
int rlti_sink_is_still(const rlti_sink *sink);

/* To the nearest whole number when it is within 1e-6 of it: frames that went through seconds. */
double rlti_snap_time(double time);

#endif

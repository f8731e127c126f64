/* Ringlet: hair simulation. One header for all of the public API.
 *
 * A struct that crosses the API begins with its size as its user was compiled, so that a library of another
 * version touches no more of it. Definitions come with it from rlt_..._defaults(); declare others with it:
 *     rlt_statistics statistics = {.size = sizeof statistics};
 * A size that is not set is RLT_BAD_INPUT. Small parts of other structs and elements of arrays never change
 * and have none. */
#ifndef RINGLET_RINGLET_H
#define RINGLET_RINGLET_H

#include "ringlet/cache.h"
#include "ringlet/checkpoint.h"
#include "ringlet/diagnostics.h"
#include "ringlet/files.h"
#include "ringlet/fill.h"
#include "ringlet/fill_write.h"
#include "ringlet/inputs.h"
#include "ringlet/live.h"
#include "ringlet/lock.h"
#include "ringlet/look.h"
#include "ringlet/movie.h"
#include "ringlet/overlay.h"
#include "ringlet/plan.h"
#include "ringlet/preview.h"
#include "ringlet/ranks.h"
#include "ringlet/render.h"
#include "ringlet/rod.h"
#include "ringlet/scene.h"
#include "ringlet/simulation.h"
#include "ringlet/source.h"
#include "ringlet/status.h"
#include "ringlet/write.h"

#define RLT_VERSION_MAJOR 0
#define RLT_VERSION_MINOR 1
#define RLT_VERSION_PATCH 0

#ifdef __cplusplus
extern "C" {
#endif

/* "0.1.0", of the library that is linked. */
const char *rlt_version(void);

#ifdef __cplusplus
}
#endif

#endif

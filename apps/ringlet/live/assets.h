/* The page, embedded in the program. */
#ifndef RINGLET_APP_LIVE_ASSETS_H
#define RINGLET_APP_LIVE_ASSETS_H

#include "live/server.h"

extern const live_asset live_assets[]; /* ends with a NULL name */

#endif

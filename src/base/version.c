#include "ringlet/ringlet.h"

#define TEXT(x)   #x
#define EXPAND(x) TEXT(x)

const char *rlt_version(void) {
    return EXPAND(RLT_VERSION_MAJOR) "." EXPAND(RLT_VERSION_MINOR) "." EXPAND(RLT_VERSION_PATCH);
}

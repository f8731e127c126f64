#include "base/sized.h"

#include <string.h>

#include "base/messages.h"

/* No struct is as large: beyond is memory that nobody has set. */
#define STRUCT_BYTES_MAX 65536

/* The caller's size; 0, with a message, where it cannot be one: the size itself and a member at least, in
 * whole words. */
static size_t size_of(const void *theirs, const char *name, rlt_messages *messages) {
    size_t size = 0;
    memcpy(&size, theirs, sizeof size);
    if (size > sizeof size && size <= STRUCT_BYTES_MAX && size % sizeof size == 0)
        return size;
    rlti_message(messages, RLT_ERROR, "%s: its size is %zu; begin with %s x = {.size = sizeof x}", name, size,
                 name);
    return 0;
}

rlt_status rlti_sized_read(void *ours, const void *theirs, size_t size, const char *name,
                           rlt_messages *messages) {
    size_t given = size_of(theirs, name, messages);
    if (given == 0)
        return RLT_BAD_INPUT;
    memcpy(ours, theirs, given < size ? given : size);
    memcpy(ours, &size, sizeof size);
    return RLT_OK;
}

rlt_status rlti_sized_write(void *theirs, const void *ours, size_t size, const char *name,
                            rlt_messages *messages) {
    size_t given = size_of(theirs, name, messages);
    if (given == 0)
        return RLT_BAD_INPUT;
    memcpy(theirs, ours, given < size ? given : size);
    if (given > size)
        memset((char *)theirs + size, 0, given - size);
    memcpy(theirs, &given, sizeof given);
    return RLT_OK;
}

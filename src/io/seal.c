#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L /* ssize_t, read */
#endif
#include "io/seal.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "io/open_file.h"

#define SEAL_MARK "\n# ringletChecksum="

enum { SEAL_SIZE = sizeof SEAL_MARK "0123456789abcdef\n" - 1, CHUNK = 1 << 20 };

static void format(const rlti_sum *sum, char text[SEAL_SIZE + 1]) {
    snprintf(text, SEAL_SIZE + 1, SEAL_MARK "%016" PRIx64 "\n", rlti_sum_value(sum));
}

void rlti_seal_write(rlti_stream *stream) {
    char text[SEAL_SIZE + 1];
    rlti_stream_flush(stream);
    format(&stream->sum, text);
    rlti_stream_write(stream, text, SEAL_SIZE);
}

int rlti_seal_is(const unsigned char *bytes, size_t count) {
    return count == SEAL_SIZE && memcmp(bytes, SEAL_MARK, sizeof SEAL_MARK - 1) == 0;
}

/* Sums up all but the last SEAL_SIZE bytes, which are left at the beginning of `bytes`; returns how many
 * these are. */
static size_t sum_up(int file, char *bytes, rlti_sum *sum) {
    size_t kept = 0;
    ssize_t got;
    while ((got = read(file, bytes + kept, CHUNK)) > 0) {
        size_t all = kept + (size_t)got;
        kept = all < SEAL_SIZE ? all : SEAL_SIZE;
        rlti_sum_add(sum, bytes, all - kept);
        memmove(bytes, bytes + (all - kept), kept);
    }
    return got == 0 ? kept : 0;
}

int rlti_seal_holds(const char *path) {
    char wanted[SEAL_SIZE + 1];
    rlti_sum sum = {0};
    char *bytes = rlti_allocate(CHUNK + SEAL_SIZE, 1);
    int file = bytes != NULL ? rlti_open(path, O_RDONLY) : -1;
    int holds = file >= 0 && sum_up(file, bytes, &sum) == SEAL_SIZE;
    format(&sum, wanted);
    holds = holds && memcmp(bytes, wanted, SEAL_SIZE) == 0;
    if (file >= 0)
        close(file);
    rlti_free(bytes);
    return holds;
}

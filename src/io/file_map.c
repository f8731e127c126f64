#define _DEFAULT_SOURCE         /* madvise */
#define _POSIX_C_SOURCE 200809L /* mmap, open flags */
#include "io/file_map.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/messages.h"

static rlt_status refuse(rlt_messages *messages, const char *path, const char *why) {
    return rlti_fail(messages, RLT_BAD_INPUT, "%s: cannot read: %s", path, why);
}

rlt_status rlti_file_map_open(const char *path, rlt_inputs *inputs, rlt_messages *messages,
                              rlti_file_map *map) {
    struct stat about;
    rlti_identity identity;
    rlt_status status = RLT_OK;
    *map = (rlti_file_map){NULL, 0, NULL, NULL};
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe must not make us wait */
    if (file < 0)
        return refuse(messages, path, strerror(errno));
    if (fstat(file, &about) != 0)
        status = refuse(messages, path, strerror(errno));
    else if (S_ISDIR(about.st_mode))
        status = refuse(messages, path, "it is a folder");
    else if (!S_ISREG(about.st_mode))
        status = refuse(messages, path, "it is not a regular file");
    else if ((uint64_t)about.st_size > SIZE_MAX / 2)
        status = refuse(messages, path, "it is too large");
    if (status == RLT_OK && rlti_identity_of_open(file, &identity))
        status = rlti_inputs_add(inputs, path, &identity, 1, messages);
    if (status == RLT_OK && about.st_size > 0) {
        void *bytes = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, file, 0);
        if (bytes == MAP_FAILED)
            status = refuse(messages, path, strerror(errno));
        else
            *map = (rlti_file_map){bytes, (size_t)about.st_size, bytes, inputs};
    }
    close(file);
    return status;
}

void rlti_file_map_forget(const rlti_file_map *map, const void *bytes, size_t size) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE), from = (size_t)((const unsigned char *)bytes - map->bytes),
           end = (from + size) / page * page;
    from = (from + page - 1) / page * page;
    /* a hint: where it fails, memory stays in use */
    if (map->mapping != NULL && from < end)
        (void)madvise((unsigned char *)map->mapping + from, end - from, MADV_DONTNEED);
}

void rlti_file_map_close(rlti_file_map *map) {
    if (map->mapping != NULL)
        munmap(map->mapping, map->size);
    *map = (rlti_file_map){NULL, 0, NULL, NULL};
}

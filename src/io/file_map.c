#define _DEFAULT_SOURCE         /* madvise, MAP_ANONYMOUS */
#define _POSIX_C_SOURCE 200809L /* mmap, open flags */
#include "io/file_map.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/messages.h"

enum {
    PAGE = 4096,         /* [bytes] read at a time, at least */
    WHOLE = 1024 * 1024, /* [bytes] files up to this size are read when they are opened */
};

/* States of a page. */
enum { ABSENT, COMING, PRESENT };

struct rlti_file_pages {
    int file; /* descriptor */
    rlti_identity identity;
    rlt_inputs *inputs;
    int item;             /* of the list */
    unsigned char *bytes; /* [size] zeros where nothing was read */
    size_t size;
    _Atomic unsigned char *state; /* one per page */
};

static rlt_status refuse(rlt_messages *messages, const char *path, const char *why) {
    return rlti_refuse(messages, "%s: cannot read: %s", path, why);
}

/* ---- pages ---- */

/* Reads bytes of the file; those that are not there become zeros. */
static void fetch(const rlti_file_pages *pages, size_t from, size_t size, unsigned char *to) {
    rlti_identity now;
    size_t done = 0;
    int error = 0;
    while (done < size) {
        ssize_t got = pread(pages->file, to + done, size - done, (off_t)(from + done));
        error = got < 0 && errno != EINTR ? errno : 0;
        if (got == 0 || error != 0)
            break;
        done += got > 0 ? (size_t)got : 0;
    }
    if (done < size)
        memset(to + done, 0, size - done);
    if (done < size || !rlti_identity_of_open(pages->file, &now) ||
        !rlti_identity_unchanged(&now, &pages->identity))
        rlti_inputs_spoil(pages->inputs, pages->item, error);
}

/* Takes an absent page for this thread. */
static int claim(const rlti_file_pages *pages, size_t page) {
    unsigned char expected = ABSENT;
    return atomic_compare_exchange_strong(&pages->state[page], &expected, COMING);
}

static void load(const rlti_file_pages *pages, size_t first, size_t end) {
    for (size_t page = first; page < end; page++) {
        size_t stop = page;
        while (stop < end && claim(pages, stop))
            stop++;
        if (stop == page)
            continue; /* there, or another thread's */
        size_t from = page * PAGE, to = stop * PAGE < pages->size ? stop * PAGE : pages->size;
        fetch(pages, from, to - from, pages->bytes + from);
        for (; page < stop; page++)
            atomic_store_explicit(&pages->state[page], PRESENT, memory_order_release);
        page = stop - 1;
    }
    for (size_t page = first; page < end; page++)
        while (atomic_load_explicit(&pages->state[page], memory_order_acquire) != PRESENT)
            sched_yield();
}

void rlti_file_pages_need(const rlti_file_pages *pages, const void *bytes, size_t size) {
    if (pages == NULL || size == 0)
        return;
    size_t from = (size_t)((const unsigned char *)bytes - pages->bytes), first = from / PAGE,
           end = (from + size - 1) / PAGE + 1, page = first;
    while (page < end && atomic_load_explicit(&pages->state[page], memory_order_acquire) == PRESENT)
        page++;
    if (page < end)
        load(pages, page, end);
}

void rlti_file_pages_copy(const rlti_file_pages *pages, const void *bytes, size_t size, void *to) {
    if (pages != NULL && size > 0)
        fetch(pages, (size_t)((const unsigned char *)bytes - pages->bytes), size, to);
    else if (size > 0)
        memcpy(to, bytes, size);
}

void rlti_file_pages_forget(const rlti_file_pages *pages, const void *bytes, size_t size) {
    size_t unit = (size_t)sysconf(_SC_PAGESIZE);
    if (pages == NULL || unit % PAGE != 0)
        return;
    size_t from = (size_t)((const unsigned char *)bytes - pages->bytes), end = (from + size) / unit * unit;
    from = (from + unit - 1) / unit * unit;
    if (from >= end || madvise(pages->bytes + from, end - from, MADV_DONTNEED) != 0)
        return;
    for (size_t page = from / PAGE; page < end / PAGE; page++)
        atomic_store_explicit(&pages->state[page], ABSENT, memory_order_release);
}

/* ---- files ---- */

static size_t page_count(size_t size) {
    return (size + PAGE - 1) / PAGE;
}

static void close_pages(rlti_file_pages *pages) {
    if (pages == NULL)
        return;
    rlti_release((void *)pages->state, page_count(pages->size));
    if (pages->file >= 0)
        close(pages->file);
    rlti_free(pages);
}

/* An input: memory for its bytes, of which a small file's are read at once. Takes the descriptor over. */
static rlt_status open_input(int file, const char *path, const rlti_identity *identity, rlt_inputs *inputs,
                             rlt_messages *messages, rlti_file_map *map) {
    size_t size = (size_t)identity->size;
    rlti_file_pages *pages = RLTI_NEW(rlti_file_pages, 1);
    if (pages == NULL) {
        close(file);
        return rlti_out_of_memory(messages);
    }
    *pages = (rlti_file_pages){.file = file, .identity = *identity, .inputs = inputs, .size = size};
    rlt_status status = rlti_inputs_add(inputs, path, identity, 1, messages);
    pages->item = rlt_inputs_count(inputs) - 1;
    if (status == RLT_OK && size > 0) {
        pages->bytes = rlti_reserve(size);
        pages->state = rlti_reserve(page_count(size));
        if (pages->bytes == NULL || pages->state == NULL)
            status = rlti_out_of_memory(messages);
    }
    *map = (rlti_file_map){pages->bytes, size, pages->bytes, inputs, pages};
    if (status == RLT_OK && size <= WHOLE) {
        rlti_file_pages_need(pages, pages->bytes, size);
        rlti_inputs_set_content(inputs, pages->item, pages->bytes, size);
        close_pages(pages);
        map->pages = NULL;
    } else if (status == RLT_OK) {
        rlti_inputs_set_file(inputs, pages->item, file);
    }
    if (status != RLT_OK)
        rlti_file_map_close(map);
    return status;
}

/* A file of our own. */
static rlt_status open_own(int file, const char *path, size_t size, rlt_messages *messages,
                           rlti_file_map *map) {
    rlt_status status = RLT_OK;
    void *bytes = size > 0 ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0) : NULL;
    if (bytes == MAP_FAILED)
        status = refuse(messages, path, strerror(errno));
    else
        *map = (rlti_file_map){.bytes = bytes, .size = size, .mapping = bytes};
    close(file);
    return status;
}

rlt_status rlti_file_map_open(const char *path, rlt_inputs *inputs, rlt_messages *messages,
                              rlti_file_map *map) {
    struct stat about;
    rlti_identity identity = {0};
    rlt_status status = RLT_OK;
    *map = (rlti_file_map){0};
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe must not make us wait */
    if (file < 0)
        return refuse(messages, path, strerror(errno));
    if (fstat(file, &about) != 0 || !rlti_identity_of_open(file, &identity))
        status = refuse(messages, path, strerror(errno));
    else if (S_ISDIR(about.st_mode))
        status = refuse(messages, path, "it is a folder");
    else if (!S_ISREG(about.st_mode))
        status = refuse(messages, path, "it is not a regular file");
    else if ((uint64_t)identity.size > SIZE_MAX / 2)
        status = refuse(messages, path, "it is too large");
    if (status != RLT_OK) {
        close(file);
        return status;
    }
    return inputs != NULL ? open_input(file, path, &identity, inputs, messages, map)
                          : open_own(file, path, (size_t)identity.size, messages, map);
}

void rlti_file_map_forget(const rlti_file_map *map, const void *bytes, size_t size) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE), from = (size_t)((const unsigned char *)bytes - map->bytes),
           end = (from + size) / page * page;
    from = (from + page - 1) / page * page;
    /* a hint: where it fails, memory stays in use */
    if (map->mapping != NULL && map->inputs == NULL && from < end)
        (void)madvise((unsigned char *)map->mapping + from, end - from, MADV_DONTNEED);
}

void rlti_file_map_close(rlti_file_map *map) {
    if (map->inputs != NULL)
        rlti_release(map->mapping, map->size);
    else if (map->mapping != NULL)
        munmap(map->mapping, map->size);
    close_pages(map->pages);
    *map = (rlti_file_map){0};
}

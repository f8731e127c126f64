#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L /* st_mtim */
#endif
#include "io/inputs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/checksum.h"
#include "base/list.h"
#include "base/memory.h"
#include "base/messages.h"

typedef struct input {
    char *path;
    rlti_identity identity;
    int drives; /* the motion depends on its content */
    int unread; /* the scene names it, but has no use for it now */
    int file;   /* descriptor of who reads it, or -1 */
    int is_summed;
    uint64_t sum; /* of its content */
} input;

struct rlt_inputs {
    int count, capacity;
    input *items;
    int sum_count; /* of those that drive, so far */
    uint64_t *sums;
    atomic_int spoiled; /* number of the file + 1, or 0 */
    atomic_int error;   /* why it could not be read, or 0: it has changed */
};

enum { BLOCK = 1 << 20 }; /* [bytes] read at a time */

/* ---- who a file is ---- */

static void take(const struct stat *about, rlti_identity *identity) {
    *identity = (rlti_identity){.device = (uint64_t)about->st_dev,
                                .inode = (uint64_t)about->st_ino,
                                .size = (int64_t)about->st_size,
                                .seconds = (int64_t)about->st_mtim.tv_sec,
                                .nanoseconds = (int64_t)about->st_mtim.tv_nsec};
}

int rlti_identity_of(const char *path, rlti_identity *identity) {
    struct stat about;
    if (stat(path, &about) != 0)
        return 0;
    take(&about, identity);
    return 1;
}

int rlti_identity_of_open(int file, rlti_identity *identity) {
    struct stat about;
    if (fstat(file, &about) != 0)
        return 0;
    take(&about, identity);
    return 1;
}

int rlti_identity_same_file(const rlti_identity *a, const rlti_identity *b) {
    return a->device == b->device && a->inode == b->inode;
}

int rlti_identity_unchanged(const rlti_identity *a, const rlti_identity *b) {
    return rlti_identity_same_file(a, b) && a->size == b->size && a->seconds == b->seconds &&
           a->nanoseconds == b->nanoseconds;
}

/* "FOLDER/" of a path, or "./", to be freed. */
static char *folder_of(const char *path, const char **base) {
    const char *slash = strrchr(path, '/');
    size_t length = slash != NULL ? (size_t)(slash - path) + 1 : 2;
    char *folder = rlti_allocate(length + 1, 1);
    if (folder != NULL)
        memcpy(folder, slash != NULL ? path : "./", length);
    *base = slash != NULL ? slash + 1 : path;
    return folder;
}

int rlti_identity_of_folder(const char *path, rlti_identity *identity) {
    const char *base;
    char *folder = folder_of(path, &base);
    int found = folder != NULL && rlti_identity_of(folder, identity);
    rlti_free(folder);
    return found;
}

/* ---- the list ---- */

rlt_inputs *rlt_inputs_create(void) {
    return RLTI_NEW(rlt_inputs, 1);
}

void rlt_inputs_destroy(rlt_inputs *inputs) {
    if (inputs == NULL)
        return;
    for (int i = 0; i < inputs->count; i++)
        rlti_free(inputs->items[i].path);
    RLTI_FREE(inputs->items, inputs->sums, inputs);
}

int rlt_inputs_count(const rlt_inputs *inputs) {
    return inputs == NULL ? 0 : inputs->count;
}

const char *rlt_inputs_path(const rlt_inputs *inputs, int index) {
    return inputs->items[index].path;
}

rlt_status rlti_inputs_add(rlt_inputs *inputs, const char *path, const rlti_identity *identity, int drives,
                           rlt_messages *messages) {
    if (inputs == NULL)
        return RLT_OK;
    if (!RLTI_LIST_RESERVE(inputs->items, inputs->count, 1, inputs->capacity))
        return rlti_out_of_memory(messages);
    char *copy = rlti_text_copy(path);
    if (copy == NULL)
        return rlti_out_of_memory(messages);
    inputs->items[inputs->count++] =
        (input){.path = copy, .identity = *identity, .drives = drives, .file = -1};
    return RLT_OK;
}

rlt_status rlt_inputs_add(rlt_inputs *inputs, const char *path, rlt_messages *messages) {
    rlti_identity identity;
    if (!rlti_identity_of(path, &identity))
        return rlti_refuse(messages, "%s: cannot be read: %s", path, strerror(errno));
    return rlti_inputs_add(inputs, path, &identity, 0, messages);
}

static const input *find(const rlt_inputs *inputs, const rlti_identity *identity) {
    for (int i = 0; i < inputs->count; i++)
        if (rlti_identity_same_file(&inputs->items[i].identity, identity))
            return &inputs->items[i];
    return NULL;
}

rlt_status rlti_inputs_add_unread(rlt_inputs *inputs, const char *path, rlt_messages *messages) {
    rlti_identity identity;
    if (inputs == NULL || !rlti_identity_of(path, &identity) || find(inputs, &identity) != NULL)
        return RLT_OK;
    rlt_status status = rlti_inputs_add(inputs, path, &identity, 0, messages);
    if (status == RLT_OK)
        inputs->items[inputs->count - 1].unread = 1;
    return status;
}

rlt_status rlti_inputs_gather(rlt_inputs *inputs, const rlt_inputs *from, rlt_messages *messages) {
    rlt_status status = RLT_OK;
    for (int i = 0; from != NULL && i < from->count && status == RLT_OK; i++) {
        const input *item = &from->items[i];
        status = rlti_inputs_add(inputs, item->path, &item->identity, item->drives, messages);
        if (status == RLT_OK) {
            input *to = &inputs->items[inputs->count - 1];
            to->unread = item->unread;
            to->file = item->file;
            to->is_summed = item->is_summed;
            to->sum = item->sum;
        }
    }
    return status;
}

/* ---- what they hold ---- */

rlt_status rlti_input_changed(const char *path, rlt_messages *messages) {
    return rlti_fail(messages, RLT_FAILED, "%s: changed while read; run again when it is complete", path);
}

rlt_status rlti_inputs_still(const rlt_inputs *inputs, const char *path, rlt_messages *messages) {
    rlti_identity now = {0};
    int known = rlti_identity_of(path, &now);
    for (int i = 0; inputs != NULL && known && i < inputs->count; i++)
        if (strcmp(inputs->items[i].path, path) == 0)
            return rlti_identity_unchanged(&inputs->items[i].identity, &now)
                       ? RLT_OK
                       : rlti_input_changed(path, messages);
    return RLT_OK;
}

static const rlti_checksum_lanes first_lanes = {{1, 2, 3, 4}};

/* The checksum of an open file; 0: it cannot be read to its end. */
static int sum_of(int file, int64_t size, unsigned char *block, uint64_t *sum) {
    rlti_checksum_lanes lanes = first_lanes;
    for (int64_t at = 0; at < size;) {
        size_t wanted = size - at < BLOCK ? (size_t)(size - at) : BLOCK, done = 0;
        while (done < wanted) {
            ssize_t got = pread(file, block + done, wanted - done, (off_t)at + (off_t)done);
            if (got == 0 || (got < 0 && errno != EINTR))
                return 0;
            done += got > 0 ? (size_t)got : 0;
        }
        rlti_checksum_add(&lanes, block, wanted);
        at += (int64_t)wanted;
    }
    *sum = rlti_checksum_sum(&lanes, (uint64_t)size);
    return 1;
}

static rlt_status read_sum(const input *item, unsigned char *block, rlt_messages *messages, uint64_t *sum) {
    rlti_identity before = {0}, after = {0};
    if (item->is_summed) {
        *sum = item->sum;
        return RLT_OK;
    }
    int file = item->file >= 0 ? item->file : open(item->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    int good = file >= 0 && rlti_identity_of_open(file, &before) &&
               rlti_identity_unchanged(&before, &item->identity) && sum_of(file, before.size, block, sum) &&
               rlti_identity_of_open(file, &after) && rlti_identity_unchanged(&before, &after);
    if (file >= 0 && item->file < 0)
        close(file);
    return good ? RLT_OK : rlti_input_changed(item->path, messages);
}

void rlti_inputs_set_content(rlt_inputs *inputs, int item, const void *bytes, size_t size) {
    rlti_checksum_lanes lanes = first_lanes;
    rlti_checksum_add(&lanes, bytes, size);
    inputs->items[item].sum = rlti_checksum_sum(&lanes, size);
    inputs->items[item].is_summed = 1;
}

void rlti_inputs_set_file(rlt_inputs *inputs, int item, int file) {
    inputs->items[item].file = file;
}

/* ---- files that change while they are in use ---- */

void rlti_inputs_spoil(rlt_inputs *inputs, int item, int error) {
    int none = 0;
    if (atomic_load(&inputs->spoiled) == 0)
        atomic_store(&inputs->error, error);
    atomic_compare_exchange_strong(&inputs->spoiled, &none, item + 1);
}

rlt_status rlti_inputs_settle(const rlt_inputs *inputs, rlt_status status, int first,
                              rlt_messages *messages) {
    int spoiled = inputs != NULL ? atomic_load(&inputs->spoiled) : 0;
    if (spoiled == 0)
        return status;
    const char *path = inputs->items[spoiled - 1].path;
    int error = atomic_load(&inputs->error);
    rlti_messages_drop(messages, first);
    return error == 0 ? rlti_input_changed(path, messages)
                      : rlti_fail(messages, RLT_FAILED, "%s: cannot read: %s", path, strerror(error));
}

rlt_status rlti_inputs_explain(rlt_inputs *inputs, rlt_status status, int first, rlt_messages *messages) {
    for (int i = 0; status == RLT_BAD_INPUT && i < inputs->count; i++) {
        rlti_identity now = {0};
        if (!rlti_identity_of(inputs->items[i].path, &now) ||
            !rlti_identity_unchanged(&now, &inputs->items[i].identity))
            rlti_inputs_spoil(inputs, i, 0);
    }
    return rlti_inputs_settle(inputs, status, first, messages);
}

/* ---- all of them ---- */

/* The number in the list of the next that drives, from `from` on; the count where there is none. */
static int next_driver(const rlt_inputs *inputs, int from) {
    while (from < inputs->count && !inputs->items[from].drives)
        from++;
    return from;
}

const char *rlti_inputs_driver(const rlt_inputs *inputs, int sum) {
    int at = next_driver(inputs, 0);
    while (sum-- > 0)
        at = next_driver(inputs, at + 1);
    return inputs->items[at].path;
}

rlt_status rlti_inputs_contents(rlt_inputs *inputs, rlt_messages *messages, const uint64_t **sums,
                                int *count) {
    int drivers = 0;
    for (int i = next_driver(inputs, 0); i < inputs->count; i = next_driver(inputs, i + 1))
        drivers++;
    rlt_status status = RLT_OK;
    if (inputs->sums == NULL || inputs->sum_count < drivers) {
        uint64_t *made = RLTI_NEW(uint64_t, drivers);
        unsigned char *block = rlti_allocate(BLOCK, 1);
        status = made != NULL && block != NULL ? RLT_OK : rlti_out_of_memory(messages);
        for (int i = next_driver(inputs, 0), k = 0; i < inputs->count && status == RLT_OK;
             i = next_driver(inputs, i + 1), k++)
            status = read_sum(&inputs->items[i], block, messages, &made[k]);
        RLTI_FREE(block, status == RLT_OK ? inputs->sums : made);
        if (status == RLT_OK) {
            inputs->sums = made;
            inputs->sum_count = drivers;
        }
    }
    *sums = inputs->sums;
    *count = status == RLT_OK ? drivers : 0;
    return status;
}

/* ---- outputs are kept off them ---- */

/* The use of a file in the run. */
static const char *use_of(const input *item) {
    return item->unread ? "named by the scene" : "read";
}

/* One of the files under a name "BASE.something" in the folder: parts, temporary files and checkpoints of an
 * output have such names. */
static rlt_status check_beside(const rlt_inputs *inputs, const char *path, const char *folder,
                               const char *base, rlt_messages *messages) {
    size_t length = strlen(base);
    rlt_status status = RLT_OK;
    DIR *open = opendir(folder);
    if (open == NULL)
        return RLT_OK; /* a folder that is not there holds no input */
    for (const struct dirent *entry; status == RLT_OK && (entry = readdir(open)) != NULL;) {
        rlti_identity identity;
        if (strncmp(entry->d_name, base, length) != 0 || entry->d_name[length] != '.')
            continue;
        char *name = rlti_text_join(folder, entry->d_name);
        if (name == NULL) {
            status = rlti_out_of_memory(messages);
            break;
        }
        const input *found = rlti_identity_of(name, &identity) ? find(inputs, &identity) : NULL;
        if (found != NULL)
            status =
                rlti_refuse(messages, "%s: %s is %s, and such names belong to the output; give another name",
                            path, found->path, use_of(found));
        rlti_free(name);
    }
    closedir(open);
    return status;
}

rlt_status rlt_inputs_check(const rlt_inputs *inputs, const char *path, rlt_messages *messages) {
    rlti_identity identity;
    const char *base;
    if (inputs == NULL || inputs->count == 0)
        return RLT_OK;
    const input *found = rlti_identity_of(path, &identity) ? find(inputs, &identity) : NULL;
    if (found != NULL && strcmp(found->path, path) == 0)
        return rlti_refuse(messages, "%s: is %s, and would be replaced; give another name", path,
                           use_of(found));
    if (found != NULL)
        return rlti_refuse(messages,
                           "%s: is the file %s, which is %s and would be replaced; give another name", path,
                           found->path, use_of(found));
    char *folder = folder_of(path, &base);
    if (folder == NULL)
        return rlti_out_of_memory(messages);
    rlt_status status = check_beside(inputs, path, folder, base, messages);
    rlti_free(folder);
    return status;
}

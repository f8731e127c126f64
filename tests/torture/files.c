#define _XOPEN_SOURCE 700 /* nftw */
#include "files.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int file_exists(const char *path) {
    struct stat found;
    return lstat(path, &found) == 0;
}

bytes file_read(const char *path) {
    bytes b = {NULL, 0};
    struct stat found;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file >= 0 && fstat(file, &found) == 0 && S_ISREG(found.st_mode)) {
        b.size = (size_t)found.st_size;
        b.data = malloc(b.size + 1);
    }
    size_t done = 0;
    while (b.data != NULL && done < b.size) {
        ssize_t got = read(file, b.data + done, b.size - done);
        if (got <= 0) {
            bytes_free(&b);
            break;
        }
        done += (size_t)got;
    }
    if (b.data != NULL)
        b.data[b.size] = '\0';
    if (file >= 0)
        close(file);
    return b;
}

void bytes_free(bytes *b) {
    free(b->data);
    *b = (bytes){NULL, 0};
}

int bytes_equal(const bytes *a, const bytes *b) {
    return a->data != NULL && b->data != NULL && a->size == b->size && memcmp(a->data, b->data, a->size) == 0;
}

size_t bytes_differ_at(const bytes *a, const bytes *b) {
    size_t at = 0, least = a->size < b->size ? a->size : b->size;
    while (at < least && a->data[at] == b->data[at])
        at++;
    return at;
}

int file_write(const char *path, const void *data, size_t size) {
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    size_t done = 0;
    while (file >= 0 && done < size) {
        ssize_t written = write(file, (const char *)data + done, size - done);
        if (written <= 0)
            break;
        done += (size_t)written;
    }
    return file >= 0 && close(file) == 0 && done == size;
}

static void input(trial *t, const char *name, const void *data, size_t size) {
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "../inputs/%s", name);
    if (!file_write(path, data, size) || !file_write(name, data, size))
        trial_fail(t, "%s: the torture program cannot write it", name);
}

void file_input(trial *t, const char *name, const char *text) {
    input(t, name, text, strlen(text));
}

void file_input_copy(trial *t, const char *from, const char *name) {
    char path[2 * PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s", t->torture->scenes, from);
    bytes b = file_read(path);
    if (b.data == NULL)
        trial_fail(t, "%s: the torture program cannot read it", path);
    else
        input(t, name, b.data, b.size);
    bytes_free(&b);
}

/* ---- lists ---- */

static void add_name(names *list, const char *name) {
    int at = 0;
    while (at < list->count && strcmp(list->name[at], name) < 0)
        at++;
    if (list->count == NAME_LIMIT || strlen(name) >= sizeof list->name[0] ||
        (at < list->count && strcmp(list->name[at], name) == 0))
        return;
    memmove(list->name[at + 1], list->name[at], (size_t)(list->count - at) * sizeof list->name[0]);
    memcpy(list->name[at], name, strlen(name) + 1);
    list->count++;
}

void file_list(const char *folder, const char *prefix, names *list) {
    DIR *directory = opendir(folder);
    size_t length = strlen(prefix);
    const struct dirent *entry;
    while (directory != NULL && (entry = readdir(directory)) != NULL)
        if (strncmp(entry->d_name, prefix, length) == 0 && entry->d_name[length] != '\0')
            add_name(list, entry->d_name);
    if (directory != NULL)
        closedir(directory);
}

int file_same_endings(const char *folder_a, const char *prefix_a, const char *folder_b, const char *prefix_b,
                      char *text, size_t text_size) {
    names a = {0}, b = {0};
    file_list(folder_a, prefix_a, &a);
    file_list(folder_b, prefix_b, &b);
    int same = a.count == b.count;
    for (int i = 0; same && i < a.count; i++)
        same = strcmp(a.name[i] + strlen(prefix_a), b.name[i] + strlen(prefix_b)) == 0;
    text[0] = '\0';
    for (int i = 0; i < b.count; i++) {
        size_t used = strlen(text);
        snprintf(text + used, text_size - used, "%s%s", i > 0 ? ", " : "", b.name[i]);
    }
    return same;
}

/* ---- damage ---- */

static void overwrite(trial *t, const char *path, long long at, const unsigned char *data, int size) {
    int file = open(path, O_WRONLY | O_CLOEXEC);
    if (file < 0 || pwrite(file, data, (size_t)size, (off_t)at) != size)
        trial_fail(t, "%s: the torture program cannot write it", path);
    if (file >= 0)
        close(file);
    fprintf(t->script, "printf '");
    for (int i = 0; i < size; i++)
        fprintf(t->script, "\\%03o", data[i]);
    trial_log(t, "' | dd of=%s bs=1 seek=%lld conv=notrunc status=none", path, at);
}

static void flip_byte(trial *t, const char *path, const bytes *old) {
    long long at = (long long)(trial_fraction(t) * (double)old->size);
    unsigned char changed = (unsigned char)old->data[at] ^ (unsigned char)(1 << trial_pick(t, 8));
    overwrite(t, path, at, &changed, 1);
}

static void overwrite_block(trial *t, const char *path, const bytes *old) {
    unsigned char block[64];
    int size = 1 + trial_pick(t, (int)sizeof block), zeros = trial_one_in(t, 2);
    for (int i = 0; i < size; i++)
        block[i] = zeros ? 0 : (unsigned char)trial_pick(t, 256);
    overwrite(t, path, (long long)(trial_fraction(t) * (double)old->size), block, size);
}

static void cut(trial *t, const char *path, long long size) {
    if (truncate(path, (off_t)size) != 0)
        trial_fail(t, "%s: the torture program cannot cut it", path);
    trial_log(t, "truncate -s %lld %s", size, path);
}

void file_damage(trial *t, const char *path) {
    bytes old = file_read(path);
    int how = old.size > 0 ? trial_pick(t, 10) : 9;
    if (how < 5)
        flip_byte(t, path, &old);
    else if (how < 7)
        overwrite_block(t, path, &old);
    else if (how < 8)
        cut(t, path, (long long)(trial_fraction(t) * (double)old.size));
    else if (how < 9) {
        unlink(path);
        trial_log(t, "rm -f %s", path);
    } else
        overwrite(t, path, (long long)old.size, (const unsigned char *)"more", 4);
    bytes_free(&old);
}

/* 1 where the last digit of a number with so many decimals stands at `at`, 20 or more. */
static int ends_number(const bytes *b, size_t at, int decimals) {
    size_t from = at;
    while (isdigit((unsigned char)b->data[from]) && from > 2)
        from--;
    return from + (size_t)decimals <= at && b->data[from] == '.' &&
           isdigit((unsigned char)b->data[from - 1]) && strchr(",)] \n\r", b->data[at + 1]) != NULL;
}

/* The next such digit from a random place on, beginning anew at the end; 0 where there is none. */
static size_t find_digit(trial *t, const bytes *b, int decimals) {
    size_t first = 20, count = b->size - first, from = (size_t)(trial_fraction(t) * (double)count);
    for (size_t i = 0; i < count; i++)
        if (ends_number(b, first + (from + i) % count, decimals))
            return first + (from + i) % count;
    return 0;
}

int file_edit_digit(trial *t, const char *path) {
    bytes b = file_read(path);
    struct stat before;
    size_t at = 0;
    if (b.data != NULL && b.size > 40 && stat(path, &before) == 0)
        at = find_digit(t, &b, 3); /* a small change, which the program accepts */
    if (b.data != NULL && b.size > 40 && at == 0)
        at = find_digit(t, &b, 1);
    if (at > 0) {
        unsigned char digit = (unsigned char)('0' + (b.data[at] - '0' + 1 + trial_pick(t, 9)) % 10);
        trial_log(t, "touch -r %s old-times", path);
        overwrite(t, path, (long long)at, &digit, 1);
        trial_log(t, "touch -r old-times %s", path);
        struct timespec times[2] = {before.st_atim, before.st_mtim};
        utimensat(AT_FDCWD, path, times, 0);
    }
    bytes_free(&b);
    return at > 0;
}

static int remove_one(const char *path, const struct stat *about, int type, struct FTW *walk) {
    (void)about;
    (void)type;
    (void)walk;
    remove(path); /* what stays is seen by the folder above, which stays too */
    return 0;
}

void file_remove_tree(const char *path) {
    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

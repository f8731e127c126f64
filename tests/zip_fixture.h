/* Packages made by hand: entries stored as they are, each at a multiple of 64 bytes, as usdzip makes them. */
#ifndef TESTS_ZIP_FIXTURE_H
#define TESTS_ZIP_FIXTURE_H

#include <stddef.h>
#include <string.h>

typedef struct zip {
    unsigned char bytes[16384];
    size_t size;
    size_t central[8]; /* where the lines of the list are */
    size_t local[8];
    size_t end;
    int count;
} zip;

static inline void zip_number(zip *z, unsigned value, int bytes) {
    for (int i = 0; i < bytes; i++)
        z->bytes[z->size++] = (unsigned char)(i < 4 ? value >> (8 * i) : 0);
}

static inline void zip_set(zip *z, size_t at, unsigned value, int bytes) {
    for (int i = 0; i < bytes; i++)
        z->bytes[at + (size_t)i] = (unsigned char)(value >> (8 * i));
}

/* Fields that both headers have, from "version needed" on. */
static inline void zip_header(zip *z, size_t size, size_t name, size_t extra) {
    zip_number(z, 10, 2);
    zip_number(z, 0, 2); /* flags */
    zip_number(z, 0, 2); /* method: stored */
    zip_number(z, 0, 4);
    zip_number(z, 0, 4); /* checksum: not looked at */
    zip_number(z, (unsigned)size, 4);
    zip_number(z, (unsigned)size, 4);
    zip_number(z, (unsigned)name, 2);
    zip_number(z, (unsigned)extra, 2);
}

static inline void zip_make(zip *z, int count, const char *const *names, const char *const *texts,
                            size_t align) {
    memset(z, 0, sizeof *z);
    for (int i = 0; i < count; i++) {
        size_t name = strlen(names[i]), size = strlen(texts[i]), extra = 0;
        z->local[i] = z->size;
        while ((z->size + 30 + name + extra) % align != 0)
            extra++;
        zip_number(z, 0x04034b50, 4);
        zip_header(z, size, name, extra);
        memcpy(z->bytes + z->size, names[i], name);
        z->size += name + extra;
        memcpy(z->bytes + z->size, texts[i], size);
        z->size += size;
    }
    size_t start = z->size;
    for (int i = 0; i < count; i++) {
        size_t name = strlen(names[i]);
        z->central[i] = z->size;
        zip_number(z, 0x02014b50, 4);
        zip_number(z, 10, 2);
        zip_header(z, strlen(texts[i]), name, 0);
        zip_number(z, 0, 2); /* comment */
        zip_number(z, 0, 8); /* disk, attributes */
        zip_number(z, (unsigned)z->local[i], 4);
        memcpy(z->bytes + z->size, names[i], name);
        z->size += name;
    }
    z->end = z->size;
    zip_number(z, 0x06054b50, 4);
    zip_number(z, 0, 4);
    zip_number(z, (unsigned)count, 2);
    zip_number(z, (unsigned)count, 2);
    zip_number(z, (unsigned)(z->end - start), 4);
    zip_number(z, (unsigned)start, 4);
    zip_number(z, 0, 2);
    z->count = count;
}

#endif

#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L /* open flags */
#endif
#include "io/checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/checksum.h"
#include "base/memory.h"
#include "base/messages.h"
#include "io/open_file.h"
#include "io/output.h"
#include "ringlet/checkpoint.h"

#define MAGIC        "RINGLETC"
#define VERSION      2
#define HEADER_BYTES ((size_t)16)
#define ENTRY_BYTES  ((size_t)32)
#define TEMPORARY    ".tmp"
#define WORD         ((size_t)8)
#define CHUNK        ((size_t)64 * 1024) /* a multiple of 8 */
#define FIELDS_MAX   256

struct rlti_checkpoint {
    char *name;
    unsigned char *bytes; /* the whole file */
    size_t size;
    int count;
};

/* ---- numbers as bytes ---- */

static uint64_t get_number(const unsigned char *from, int bytes) {
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++)
        value |= (uint64_t)from[i] << (8 * i);
    return value;
}

/* Between this machine's order of bytes and little endian, in both directions. */
static void copy_elements(void *to, const void *from, size_t size, int element) {
    if (size == 0)
        return;
    memcpy(to, from, size);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    unsigned char *bytes = to;
    for (size_t i = 0; i + (size_t)element <= size; i += (size_t)element)
        for (int a = 0, b = element - 1; a < b; a++, b--) {
            unsigned char swap = bytes[i + (size_t)a];
            bytes[i + (size_t)a] = bytes[i + (size_t)b];
            bytes[i + (size_t)b] = swap;
        }
#else
    (void)element;
#endif
}

static size_t padded(size_t size) {
    return (size + WORD - 1) / WORD * WORD;
}

/* ---- saving ---- */

typedef struct saving {
    rlti_stream stream;
    unsigned char *memory; /* NULL: to the stream */
    uint64_t hash;
} saving;

static void put_bytes(saving *s, const void *bytes, size_t size) {
    if (s->memory == NULL) {
        rlti_stream_write(&s->stream, bytes, size);
        return;
    }
    memcpy(s->memory, bytes, size);
    s->memory += size;
}

static void put(saving *s, const void *bytes, size_t size) {
    s->hash = rlti_checksum(s->hash, bytes, size);
    put_bytes(s, bytes, size);
}

static void put_header(saving *s, const rlti_field *fields, int count) {
    unsigned char header[16];
    memcpy(header, MAGIC, 8);
    rlti_bytes_put(header + 8, VERSION, 4);
    rlti_bytes_put(header + 12, (uint64_t)count, 4);
    put(s, header, sizeof header);
    for (int f = 0; f < count; f++) {
        unsigned char entry[32] = {0};
        memcpy(entry, fields[f].name, strlen(fields[f].name));
        rlti_bytes_put(entry + 16, (uint64_t)fields[f].element, 4);
        rlti_bytes_put(entry + 24, (uint64_t)fields[f].count, 8);
        put(s, entry, sizeof entry);
    }
}

static void put_elements(saving *s, const rlti_field *field, unsigned char *chunk) {
    const unsigned char *from = field->data;
    size_t left = (size_t)field->count * (size_t)field->element;
    while (left > 0) {
        size_t size = left < CHUNK ? left : CHUNK;
        copy_elements(chunk, from, size, field->element);
        memset(chunk + size, 0, padded(size) - size);
        put(s, chunk, padded(size));
        from += size;
        left -= size;
    }
}

static void put_all(saving *s, const rlti_field *fields, int count, unsigned char *chunk) {
    unsigned char end[8];
    put_header(s, fields, count);
    for (int f = 0; f < count; f++)
        put_elements(s, &fields[f], chunk);
    rlti_bytes_put(end, s->hash, 8);
    put_bytes(s, end, sizeof end);
}

size_t rlti_checkpoint_size(const rlti_field *fields, int count) {
    size_t size = HEADER_BYTES + (size_t)count * ENTRY_BYTES + WORD;
    for (int f = 0; f < count; f++)
        size += padded((size_t)fields[f].count * (size_t)fields[f].element);
    return size;
}

rlt_status rlti_checkpoint_put(const rlti_field *fields, int count, void *bytes, rlt_messages *messages) {
    unsigned char *chunk = rlti_allocate(CHUNK, 1);
    if (chunk == NULL)
        return rlti_out_of_memory(messages);
    saving s = {.memory = bytes};
    put_all(&s, fields, count, chunk);
    rlti_free(chunk);
    return RLT_OK;
}

rlt_status rlti_checkpoint_save(const char *path, const rlti_field *fields, int count,
                                rlt_messages *messages) {
    rlt_status status = rlti_output_prepare(path, messages);
    if (status != RLT_OK)
        return status;
    unsigned char *chunk = rlti_allocate(CHUNK, 1);
    if (chunk == NULL)
        return rlti_out_of_memory(messages);
    saving s = {.hash = 0};
    status = rlti_stream_open(&s.stream, path, TEMPORARY, CHUNK, messages);
    if (status == RLT_OK) {
        put_all(&s, fields, count, chunk);
        status = rlti_stream_publish(&s.stream, messages);
    }
    rlti_free(chunk);
    return status;
}

rlt_status rlt_checkpoint_remove(const char *path, rlt_messages *messages) {
    return rlti_output_remove(path, TEMPORARY, messages);
}

/* ---- loading ---- */

static rlt_status refuse(const char *name, const char *why, rlt_messages *messages) {
    return rlti_refuse(messages, "%s: %s", name, why);
}

static const unsigned char *entry_of(const rlti_checkpoint *c, int field) {
    return c->bytes + HEADER_BYTES + (size_t)field * ENTRY_BYTES;
}

/* Bytes of a field with its padding; 0 in *good where they exceed the capacity `capacity`. */
static size_t field_bytes(const unsigned char *entry, size_t capacity, int *good) {
    uint64_t element = get_number(entry + 16, 4), count = get_number(entry + 24, 8);
    *good = (element == 1 || element == 4 || element == 8) && count <= capacity / element;
    if (!*good)
        return 0;
    size_t size = padded((size_t)(element * count));
    *good = size <= capacity;
    return size;
}

/* Every size is held against the bytes there are before it is believed. */
static rlt_status check(const rlti_checkpoint *c, rlt_messages *messages) {
    if (c->size < HEADER_BYTES || memcmp(c->bytes, MAGIC, 8) != 0)
        return refuse(c->name, "is not a checkpoint of Ringlet", messages);
    uint64_t version = get_number(c->bytes + 8, 4);
    if (version != VERSION)
        return rlti_refuse(messages,
                           "%s: is a checkpoint of format %llu, this version of Ringlet reads format %d",
                           c->name, (unsigned long long)version, VERSION);
    static const char cut[] = "is cut short or damaged: its length does not fit its contents";
    if (c->size % WORD != 0 || c->size < HEADER_BYTES + WORD || c->count < 0 || c->count > FIELDS_MAX ||
        (size_t)c->count > (c->size - HEADER_BYTES - WORD) / ENTRY_BYTES)
        return refuse(c->name, cut, messages);
    size_t capacity = c->size - HEADER_BYTES - WORD - (size_t)c->count * ENTRY_BYTES;
    for (int f = 0; f < c->count; f++) {
        int good;
        capacity -= field_bytes(entry_of(c, f), capacity, &good);
        if (!good || entry_of(c, f)[RLTI_FIELD_NAME - 1] != 0)
            return refuse(c->name, cut, messages);
    }
    if (capacity != 0)
        return refuse(c->name, cut, messages);
    if (rlti_checksum(0, c->bytes, c->size - WORD) != get_number(c->bytes + c->size - WORD, 8))
        return refuse(c->name, "is damaged: its checksum is wrong", messages);
    return RLT_OK;
}

/* A checkpoint with a capacity of `size` bytes, not yet read; NULL when out of memory. */
static rlti_checkpoint *create(const char *name, size_t size) {
    rlti_checkpoint *c = RLTI_NEW(rlti_checkpoint, 1);
    if (c == NULL)
        return NULL;
    c->name = rlti_text_copy(name);
    c->bytes = rlti_allocate(size, 1);
    c->size = size;
    if (c->name == NULL || c->bytes == NULL) {
        rlti_checkpoint_destroy(c);
        return NULL;
    }
    return c;
}

/* Checks what was read; gives it to the caller or destroys it. */
static rlt_status finish(rlti_checkpoint *c, rlt_messages *messages, rlti_checkpoint **checkpoint) {
    if (c->size >= HEADER_BYTES) {
        uint64_t count = get_number(c->bytes + 12, 4);
        c->count = count <= FIELDS_MAX ? (int)count : -1;
    }
    rlt_status status = check(c, messages);
    if (status == RLT_OK)
        *checkpoint = c;
    else
        rlti_checkpoint_destroy(c);
    return status;
}

rlt_status rlti_checkpoint_parse(const char *name, const void *bytes, size_t size, rlt_messages *messages,
                                 rlti_checkpoint **checkpoint) {
    *checkpoint = NULL;
    rlti_checkpoint *c = create(name, size);
    if (c == NULL)
        return rlti_out_of_memory(messages);
    if (size > 0)
        memcpy(c->bytes, bytes, size);
    return finish(c, messages, checkpoint);
}

/* Reads `size` bytes; returns 0 or errno. A file that shrinks meanwhile leaves zeros, which the checksum
 * finds. */
static int read_all(int file, unsigned char *bytes, size_t size) {
    while (size > 0) {
        ssize_t got = read(file, bytes, size);
        if (got == 0)
            break;
        if (got > 0) {
            bytes += got;
            size -= (size_t)got;
        } else if (errno != EINTR) {
            return errno;
        }
    }
    return 0;
}

rlt_status rlti_checkpoint_load(const char *path, rlt_messages *messages, rlti_checkpoint **checkpoint) {
    *checkpoint = NULL;
    rlti_checkpoint *c = NULL;
    struct stat found = {0};
    int file = rlti_open(path, O_RDONLY | O_NONBLOCK);
    int error = file < 0 || fstat(file, &found) != 0 ? errno : 0;
    rlt_status status = RLT_OK;
    if (error == 0 && !S_ISREG(found.st_mode)) {
        status = refuse(path, "is not a checkpoint of Ringlet", messages);
    } else if (error == 0) {
        c = create(path, (size_t)found.st_size);
        if (c == NULL)
            status = rlti_out_of_memory(messages);
        else
            error = read_all(file, c->bytes, c->size);
    }
    if (error != 0)
        status = rlti_refuse(messages, "%s: cannot be read: %s", path, strerror(error));
    if (file >= 0)
        close(file);
    if (status == RLT_OK && c != NULL)
        return finish(c, messages, checkpoint);
    rlti_checkpoint_destroy(c);
    return status;
}

void rlti_checkpoint_destroy(rlti_checkpoint *c) {
    if (c == NULL)
        return;
    RLTI_FREE(c->name, c->bytes, c);
}

void *rlti_checkpoint_bytes(rlti_checkpoint *c, size_t *size) {
    *size = c->size;
    return c->bytes;
}

const char *rlti_checkpoint_name(const rlti_checkpoint *c) {
    return c->name;
}

/* The entry of a field, or NULL; *data is where its elements begin. */
static const unsigned char *find(const rlti_checkpoint *c, const char *name, int element,
                                 const unsigned char **data) {
    *data = entry_of(c, c->count);
    for (int f = 0; f < c->count; f++) {
        const unsigned char *entry = entry_of(c, f);
        if (strcmp((const char *)entry, name) == 0 && get_number(entry + 16, 4) == (uint64_t)element)
            return entry;
        int good;
        *data += field_bytes(entry, c->size, &good);
    }
    return NULL;
}

long long rlti_checkpoint_count(const rlti_checkpoint *c, const char *name, int element) {
    const unsigned char *data;
    const unsigned char *entry = find(c, name, element, &data);
    return entry != NULL ? (long long)get_number(entry + 24, 8) : -1;
}

rlt_status rlti_checkpoint_get(const rlti_checkpoint *c, const rlti_field *field, rlt_messages *messages) {
    const unsigned char *data;
    const unsigned char *entry = find(c, field->name, field->element, &data);
    if (entry == NULL || get_number(entry + 24, 8) != (uint64_t)field->count)
        return rlti_refuse(messages, "%s: does not fit: \"%s\" is missing or has another size", c->name,
                           field->name);
    copy_elements(field->data, data, (size_t)field->count * (size_t)field->element, field->element);
    return RLT_OK;
}

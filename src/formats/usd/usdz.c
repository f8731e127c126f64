#include "formats/usd/usdz.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/messages.h"
#include "io/span.h"

/* Layouts: APPNOTE.TXT 4.3.7 (local header), 4.3.12 (central directory), 4.3.16 (its end). */
enum { END_BYTES = 22, CENTRAL_BYTES = 46, LOCAL_BYTES = 30, COMMENT_MAX = 65535, NAME_MAX_BYTES = 4096 };

typedef struct directory {
    uint64_t offset, size;
    int count;
} directory;

static int has_mark(const unsigned char *bytes, unsigned char a, unsigned char b) {
    return bytes[0] == 'P' && bytes[1] == 'K' && bytes[2] == a && bytes[3] == b;
}

/* The end of the central directory is the last thing in the file but for a comment of known length. */
static rlt_status find_directory(const char *file, const unsigned char *bytes, size_t size,
                                 const rlti_file_pages *pages, rlt_messages *messages, directory *found) {
    size_t minimum = size > END_BYTES + (size_t)COMMENT_MAX ? size - END_BYTES - (size_t)COMMENT_MAX : 0;
    rlti_file_pages_need(pages, bytes + minimum, size - minimum);
    for (size_t at = size >= END_BYTES ? size - END_BYTES + 1 : 0; at-- > minimum;) {
        if (!has_mark(bytes + at, 5, 6))
            continue;
        rlti_span span = {.bytes = bytes, .size = size, .at = at + 4};
        unsigned disk = rlti_span_u16(&span), start = rlti_span_u16(&span);
        unsigned here = rlti_span_u16(&span), all = rlti_span_u16(&span);
        found->size = rlti_span_u32(&span);
        found->offset = rlti_span_u32(&span);
        if (rlti_span_u16(&span) > size - at - END_BYTES)
            continue;
        found->count = (int)all;
        if (all == 0xffff || found->size == 0xffffffff || found->offset == 0xffffffff)
            return rlti_refuse(
                messages, "%s: a zip64 package, which is not read; make the package again with usdzip", file);
        if (disk != 0 || start != 0 || here != all)
            return rlti_refuse(
                messages,
                "%s: a package in several parts, which is not read; make the package again with usdzip",
                file);
        if (found->offset > at || found->size > at - found->offset)
            return rlti_refuse(messages, "%s: its list of entries lies outside the file (damaged package)",
                               file);
        return RLT_OK;
    }
    return rlti_refuse(messages, "%s: the package has no end record (truncated file?)", file);
}

typedef struct listed { /* one line of the central directory */
    unsigned flags, method;
    uint64_t packed, plain, offset;
    const unsigned char *name;
    size_t name_length;
} listed;

static int read_listed(rlti_span *span, listed *line) {
    const unsigned char *mark = rlti_span_take(span, 4);
    if (mark == NULL || !has_mark(mark, 1, 2))
        return 0;
    rlti_span_take(span, 4); /* versions */
    line->flags = rlti_span_u16(span);
    line->method = rlti_span_u16(span);
    rlti_span_take(span, 8); /* time, date, checksum */
    line->packed = rlti_span_u32(span);
    line->plain = rlti_span_u32(span);
    line->name_length = rlti_span_u16(span);
    size_t extra = rlti_span_u16(span), comment = rlti_span_u16(span);
    rlti_span_take(span, 8); /* disk, attributes */
    line->offset = rlti_span_u32(span);
    line->name = rlti_span_take(span, line->name_length);
    rlti_span_take(span, extra + comment);
    return !span->failed;
}

/* Where the entry's bytes start: after its local header, whose name and extra field have lengths of their
 * own. */
static rlt_status place_entry(const char *file, const unsigned char *bytes, size_t size,
                              const rlti_file_pages *pages, const listed *line, rlt_messages *messages,
                              rlti_usdz_entry *entry) {
    const char *name = entry->name;
    if (line->flags & 0x2041) /* encrypted, strongly or with masked headers */
        return rlti_refuse(
            messages, "%s: %s: encrypted, which is not read; make the package again with usdzip", file, name);
    if (line->method != 0)
        return rlti_refuse(
            messages,
            "%s: %s: compressed (method %u), but entries of a .usdz are stored as they are; make "
            "the package again with usdzip",
            file, name, line->method);
    if (line->packed == 0xffffffff || line->plain == 0xffffffff || line->offset == 0xffffffff)
        return rlti_refuse(messages,
                           "%s: %s: a zip64 entry, which is not read; make the package again with usdzip",
                           file, name);
    if (line->packed != line->plain)
        return rlti_refuse(messages, "%s: %s: two sizes that differ (damaged package)", file, name);
    rlti_span span = {.bytes = bytes, .size = size, .pages = pages};
    rlti_span_seek(&span, line->offset);
    const unsigned char *header = rlti_span_take(&span, LOCAL_BYTES);
    size_t name_length = header != NULL ? (size_t)(header[26] | header[27] << 8) : 0;
    size_t extra = header != NULL ? (size_t)(header[28] | header[29] << 8) : 0;
    rlti_span_take(&span, name_length + extra);
    entry->bytes = rlti_span_pass(&span, (size_t)line->plain);
    entry->size = (size_t)line->plain;
    if (span.failed || !has_mark(header, 3, 4))
        return rlti_refuse(messages, "%s: %s: lies outside the file (truncated or damaged)", file, name);
    return RLT_OK;
}

static int compare_places(const void *a, const void *b) {
    const unsigned char *x = ((const rlti_usdz_entry *)a)->bytes, *y = ((const rlti_usdz_entry *)b)->bytes;
    return (x > y) - (x < y);
}

static rlt_status read_entries(const char *file, const unsigned char *bytes, size_t size,
                               const rlti_file_pages *pages, const directory *from, rlt_messages *messages,
                               rlti_usdz *usdz) {
    rlti_span span = {.bytes = bytes,
                      .size = (size_t)(from->offset + from->size),
                      .at = (size_t)from->offset,
                      .pages = pages};
    for (int i = 0; i < from->count; i++) {
        listed line = {0};
        if (!read_listed(&span, &line))
            return rlti_refuse(messages, "%s: entry %d: its place in the list is damaged", file, i + 1);
        if (line.name_length == 0 || line.name_length > NAME_MAX_BYTES ||
            memchr(line.name, 0, line.name_length) != NULL)
            return rlti_refuse(messages, "%s: entry %d: has no usable name", file, i + 1);
        if (line.name[line.name_length - 1] == '/')
            continue; /* a folder */
        rlti_usdz_entry *entry = &usdz->entries[usdz->count];
        entry->name = rlti_allocate(line.name_length + 1, 1);
        if (entry->name == NULL)
            return rlti_out_of_memory(messages);
        memcpy(entry->name, line.name, line.name_length);
        usdz->count++;
        rlt_status status = place_entry(file, bytes, size, pages, &line, messages, entry);
        if (status != RLT_OK)
            return status;
    }
    if (usdz->count == 0)
        return rlti_refuse(messages, "%s: the package is empty", file);
    qsort(usdz->entries, (size_t)usdz->count, sizeof usdz->entries[0], compare_places);
    return RLT_OK;
}

rlt_status rlti_usdz_open(const char *file, const unsigned char *bytes, size_t size,
                          const rlti_file_pages *pages, rlt_messages *messages, rlti_usdz **usdz) {
    directory from = {0};
    *usdz = NULL;
    rlt_status status = find_directory(file, bytes, size, pages, messages, &from);
    if (status != RLT_OK)
        return status;
    if ((uint64_t)from.count > from.size / CENTRAL_BYTES)
        return rlti_refuse(messages, "%s: states %d entries, but is too small for them", file, from.count);
    rlti_usdz *made = RLTI_NEW(rlti_usdz, 1);
    if (made == NULL)
        return rlti_out_of_memory(messages);
    made->entries = RLTI_NEW(rlti_usdz_entry, from.count + 1);
    status = made->entries == NULL ? rlti_out_of_memory(messages)
                                   : read_entries(file, bytes, size, pages, &from, messages, made);
    if (status == RLT_OK)
        *usdz = made;
    else
        rlti_usdz_close(made);
    return status;
}

void rlti_usdz_close(rlti_usdz *usdz) {
    if (usdz == NULL)
        return;
    for (int i = 0; i < usdz->count; i++)
        rlti_free(usdz->entries[i].name);
    RLTI_FREE(usdz->entries, usdz);
}

const rlti_usdz_entry *rlti_usdz_find(const rlti_usdz *usdz, const char *name) {
    for (int i = 0; i < usdz->count; i++)
        if (strcmp(usdz->entries[i].name, name) == 0)
            return &usdz->entries[i];
    return NULL;
}

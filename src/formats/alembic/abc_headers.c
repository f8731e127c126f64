#include "formats/alembic/abc_headers.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/list.h"
#include "base/memory.h"
#include "formats/alembic/murmur3.h"

enum { SHARED_MOST = 254, SHARED_LONGEST = 255, INLINE = 255, LIBRARY_VERSION = 10812 };

void rlti_abc_append(rlti_abc_headers *h, rlti_abc_bytes *bytes, const void *data, size_t size) {
    if (h->failed || size == 0)
        return;
    h->failed = !RLTI_LIST_RESERVE(bytes->at, bytes->size, size, bytes->capacity);
    if (h->failed)
        return;
    memcpy(bytes->at + bytes->size, data, size);
    bytes->size += size;
}

static void append_uint(rlti_abc_headers *h, rlti_abc_bytes *bytes, uint32_t value, size_t width) {
    unsigned char raw[4];
    for (size_t i = 0; i < width; i++)
        raw[i] = (unsigned char)(value >> (8 * i));
    rlti_abc_append(h, bytes, raw, width);
}

static void free_compound(rlti_abc_compound *compound) {
    RLTI_FREE(compound->children.at, compound->headers.at, compound->hashes.at);
    *compound = (rlti_abc_compound){0};
}

/* ---- texts that have an index ---- */

static uint32_t shared_index(rlti_abc_headers *h, const char *text) {
    size_t size = strlen(text);
    uint32_t index = 1;
    if (size == 0)
        return 0;
    for (size_t at = 0; at < h->shared.size; at += 1 + (size_t)h->shared.at[at], index++)
        if (h->shared.at[at] == size && memcmp(h->shared.at + at + 1, text, size) == 0)
            return index;
    if (h->shared_count >= SHARED_MOST || size > SHARED_LONGEST)
        return INLINE;
    unsigned char entry[1 + SHARED_LONGEST] = {(unsigned char)size};
    memcpy(entry + 1, text, size);
    rlti_abc_append(h, &h->shared, entry, 1 + size); /* whole or not at all */
    h->shared_count++;
    return index;
}

/* ---- times ---- */

static double seconds(const rlti_abc_headers *h, double code) {
    return code / h->codes_per_second;
}

static double frame_of(const rlti_abc_headers *h) {
    return h->frames_per_second > 0.0 ? 1.0 / h->frames_per_second : 1.0;
}

/* 1 where all times are start + i cycle, to a nanosecond. */
static int is_even(const rlti_abc_headers *h, const rlti_abc_track *track, double start, double cycle) {
    for (int i = 1; i < track->count; i++)
        if (!(fabs(seconds(h, track->times[i]) - (start + i * cycle)) <= 1e-9))
            return 0;
    return 1;
}

/* The sample's place among even times. */
static double place_of(const rlti_abc_headers *h, const rlti_abc_track *track, int i, double cycle) {
    return floor((seconds(h, track->times[i]) - seconds(h, track->times[0])) / cycle + 0.5);
}

/* How many even times there are where all times are among them, and whatever lies between two that are not
 * neighbours is held: readers hand over what changes alone. 0: they are not. */
static uint32_t count_held(const rlti_abc_headers *h, const rlti_abc_track *track, double cycle) {
    enum { MOST = 1 << 20, MOST_TIMES = 64 };
    double start = seconds(h, track->times[0]), before = 0.0,
           last = place_of(h, track, track->count - 1, cycle);
    if (!(last < MOST) || last > (double)MOST_TIMES * track->count)
        return 0;
    for (int i = 1; i < track->count; i++) {
        double place = place_of(h, track, i, cycle);
        int is_held = track->data[i] == track->data[i - 1] &&
                      (track->sizes == NULL || track->sizes[i] == track->sizes[i - 1]);
        if (!(place > before) || (place > before + 1.0 && !is_held) ||
            !(fabs(seconds(h, track->times[i]) - (start + place * cycle)) <= 1e-9))
            return 0;
        before = place;
    }
    return (uint32_t)last + 1;
}

/* The times of a track, of which there are *samples. */
static rlti_abc_times_entry describe_times(const rlti_abc_headers *h, const rlti_abc_track *track,
                                           uint32_t *samples) {
    double start = seconds(h, track->times[0]), frame = frame_of(h);
    rlti_abc_times_entry entry = {.start = start, .cycle = frame};
    *samples = (uint32_t)track->count;
    if (is_even(h, track, start, frame))
        return entry;
    uint32_t held = count_held(h, track, frame);
    if (held > 0) {
        *samples = held;
        return entry;
    }
    entry.cycle = (seconds(h, track->times[track->count - 1]) - start) / (track->count - 1);
    if (!is_even(h, track, start, entry.cycle))
        entry = (rlti_abc_times_entry){.cycle = DBL_MAX / 32, .track = track};
    return entry;
}

static int same_times(const rlti_abc_times_entry *a, const rlti_abc_times_entry *b) {
    if (a->track == NULL || b->track == NULL)
        return a->track == b->track && a->start == b->start && a->cycle == b->cycle;
    return a->track->count == b->track->count &&
           memcmp(a->track->times, b->track->times, (size_t)a->track->count * sizeof(double)) == 0;
}

rlti_abc_span rlti_abc_span_of(rlti_abc_headers *h, const rlti_abc_track *track) {
    uint32_t samples;
    if (track->count == 0)
        return (rlti_abc_span){0, 0};
    rlti_abc_times_entry entry = describe_times(h, track, &samples);
    size_t count = h->samplings.size / sizeof entry;
    rlti_abc_times_entry *list = (rlti_abc_times_entry *)(void *)h->samplings.at;
    for (size_t i = 0; i < count; i++)
        if (same_times(&list[i], &entry)) {
            if (samples > list[i].maximum)
                list[i].maximum = samples;
            return (rlti_abc_span){samples, (uint32_t)i + 1};
        }
    entry.maximum = samples;
    rlti_abc_append(h, &h->samplings, &entry, sizeof entry);
    return (rlti_abc_span){samples, (uint32_t)count + 1};
}

static void append_double(rlti_abc_headers *h, rlti_abc_bytes *bytes, double value) {
    rlti_abc_append(h, bytes, &value, sizeof value);
}

static uint64_t put_samplings(rlti_abc_headers *h) {
    rlti_abc_bytes bytes = {0};
    const rlti_abc_times_entry *list = (const rlti_abc_times_entry *)(const void *)h->samplings.at;
    append_uint(h, &bytes, 1, 4); /* the one of things that do not change */
    append_double(h, &bytes, 1.0);
    append_uint(h, &bytes, 1, 4);
    append_double(h, &bytes, 0.0);
    for (size_t i = 0; i < h->samplings.size / sizeof *list; i++) {
        const rlti_abc_track *track = list[i].track;
        append_uint(h, &bytes, list[i].maximum, 4);
        append_double(h, &bytes, list[i].cycle);
        append_uint(h, &bytes, track != NULL ? (uint32_t)track->count : 1, 4);
        if (track == NULL)
            append_double(h, &bytes, list[i].start);
        for (int k = 0; track != NULL && k < track->count; k++)
            append_double(h, &bytes, seconds(h, track->times[k]));
    }
    uint64_t reference = rlti_ogawa_put_data(h->out, NULL, bytes.at, bytes.size);
    rlti_free(bytes.at);
    return reference;
}

/* ---- properties ---- */

typedef struct header {
    const char *name, *metadata;
    uint32_t kind; /* 0 compound, 1 scalar, 2 array, 3 array of one value */
    rlti_array_type type;
    uint32_t samples, first, last, sampling;
    int is_uneven;
} header;

static void add_header(rlti_abc_headers *h, rlti_abc_compound *to, const header *p, const uint64_t hash[2]) {
    uint32_t name = (uint32_t)strlen(p->name), text = (uint32_t)strlen(p->metadata);
    uint32_t maximum = name > text ? name : text, index = shared_index(h, p->metadata);
    maximum = p->kind != 0 && p->samples > maximum ? p->samples : maximum;
    maximum = p->kind != 0 && p->sampling > maximum ? p->sampling : maximum;
    uint32_t hint = maximum < 256 ? 0 : maximum < 65536 ? 1 : 2;
    size_t width = (size_t)1 << hint, before = to->headers.size;
    uint32_t info = p->kind | hint << 2 | index << 20;
    int is_still = p->first == 0 && p->last == 0;
    int is_short = is_still || (p->first == 1 && p->last == p->samples - 1);
    if (p->kind != 0)
        info |= (uint32_t)rlti_abc_pod_of(p->type.element) << 4 | (p->sampling != 0 ? 0x100u : 0u) |
                (is_short ? 0u : 0x200u) | (p->is_uneven ? 0u : 0x400u) | (is_still ? 0x800u : 0u) |
                (uint32_t)p->type.arity << 12;
    append_uint(h, &to->headers, info, 4);
    if (p->kind != 0) {
        append_uint(h, &to->headers, p->samples, width);
        if (!is_short) {
            append_uint(h, &to->headers, p->first, width);
            append_uint(h, &to->headers, p->last, width);
        }
        if (p->sampling != 0)
            append_uint(h, &to->headers, p->sampling, width);
    }
    append_uint(h, &to->headers, name, width);
    rlti_abc_append(h, &to->headers, p->name, name);
    if (index == INLINE) {
        append_uint(h, &to->headers, text, width);
        rlti_abc_append(h, &to->headers, p->metadata, text);
    }
    rlti_abc_append(h, &to->hashes, to->headers.at + before, h->failed ? 0 : to->headers.size - before);
    rlti_abc_append(h, &to->hashes, hash, 16);
}

static void append_reference(rlti_abc_headers *h, rlti_abc_bytes *list, uint64_t reference) {
    rlti_abc_append(h, list, &reference, sizeof reference);
}

/* The sample's number in the file: its own, or its place among even times, of which some are held. */
static uint32_t number_of(const rlti_abc_headers *h, const rlti_abc_track *track, const header *p, int i) {
    if (p->samples == (uint32_t)track->count)
        return (uint32_t)i;
    return (uint32_t)place_of(h, track, i, frame_of(h));
}

/* Samples up to `first` are the first, from `last` on the last: only what changes is listed. */
static void find_changes(const rlti_abc_headers *h, const rlti_abc_track *track, header *p) {
    p->first = p->last = 0;
    for (int i = 1; i < track->count; i++) {
        if (track->data[i] == track->data[i - 1])
            continue;
        p->last = number_of(h, track, p, i);
        p->first = p->first == 0 ? p->last : p->first;
    }
}

static void append_sample(rlti_abc_headers *h, rlti_abc_bytes *list, const header *p, uint64_t data,
                          uint64_t size) {
    append_reference(h, list, data);
    if (p->kind != 1)
        append_reference(h, list, size != 0 ? size : RLTI_OGAWA_EMPTY_DATA);
}

static void end_property(rlti_abc_headers *h, rlti_abc_compound *to, const header *p, rlti_abc_bytes *samples,
                         const uint64_t hash[2]) {
    uint64_t group = h->failed ? 0
                               : rlti_ogawa_put_group(h->out, (const uint64_t *)(const void *)samples->at,
                                                      samples->size / 8);
    append_reference(h, &to->children, group);
    add_header(h, to, p, hash);
    rlti_free(samples->at);
}

/* The samples of a track from the first that changes to the last, those that are held again and again. */
static void append_samples(rlti_abc_headers *h, rlti_abc_bytes *list, header *p,
                           const rlti_abc_track *track) {
    int at = 0;
    find_changes(h, track, p);
    append_sample(h, list, p, track->data[0], track->sizes != NULL ? track->sizes[0] : 0);
    for (uint32_t i = p->first; i > 0 && i <= p->last; i++) {
        while (at + 1 < track->count && number_of(h, track, p, at + 1) <= i)
            at++;
        append_sample(h, list, p, track->data[at], track->sizes != NULL ? track->sizes[at] : 0);
    }
}

void rlti_abc_add_track(rlti_abc_headers *h, rlti_abc_compound *to, const char *name, const char *metadata,
                        rlti_array_type type, const rlti_abc_track *track, const rlti_abc_span *span) {
    header p = {.name = name,
                .metadata = metadata,
                .kind = type.is_array ? (track->has_many ? 2 : 3) : 1,
                .type = type,
                .is_uneven = track->is_uneven};
    rlti_abc_bytes samples = {0};
    if (track->count > 0) {
        rlti_abc_span own = rlti_abc_span_of(h, track);
        p.samples = own.samples;
        p.sampling = own.sampling;
        append_samples(h, &samples, &p, track);
    } else if (track->has_still) {
        p.samples = span != NULL && span->samples > 0 ? span->samples : 1;
        p.sampling = span != NULL && span->samples > 0 ? span->sampling : 0;
        append_sample(h, &samples, &p, track->still, track->still_size);
    }
    end_property(h, to, &p, &samples, track->hash);
}

void rlti_abc_add_still(rlti_abc_headers *h, rlti_abc_compound *to, const char *name, const char *metadata,
                        rlti_array_type type, const void *bytes, size_t size, const rlti_abc_span *span) {
    rlti_abc_track track = {.has_still = 1,
                            .has_many = size != rlti_element_size(type.element) * (size_t)type.arity};
    rlti_murmur3(bytes, size, track.hash);
    track.still = rlti_ogawa_put_data(h->out, track.hash, bytes, size);
    rlti_abc_add_track(h, to, name, metadata, type, &track, span);
}

uint64_t rlti_abc_end_compound(rlti_abc_headers *h, rlti_abc_compound *compound, uint64_t hash[2]) {
    uint64_t group = 0;
    hash[0] = hash[1] = 0;
    if (compound->children.size > 0 && !h->failed) {
        append_reference(h, &compound->children,
                         rlti_ogawa_put_data(h->out, NULL, compound->headers.at, compound->headers.size));
        rlti_murmur3(compound->hashes.at, compound->hashes.size, hash);
        if (!h->failed)
            group = rlti_ogawa_put_group(h->out, (const uint64_t *)(const void *)compound->children.at,
                                         compound->children.size / 8);
    }
    free_compound(compound);
    return group;
}

void rlti_abc_add_compound(rlti_abc_headers *h, rlti_abc_compound *to, const char *name, const char *metadata,
                           rlti_abc_compound *compound) {
    uint64_t hash[2];
    header p = {.name = name, .metadata = metadata};
    append_reference(h, &to->children, rlti_abc_end_compound(h, compound, hash));
    add_header(h, to, &p, hash);
}

/* ---- objects ---- */

/* An object's group: properties, children, and their headers with two hashes behind. */
static uint64_t end_object(rlti_abc_headers *h, uint64_t properties, const uint64_t property_hash[2],
                           rlti_abc_children *children, uint64_t hashes[4]) {
    rlti_abc_bytes group = {0};
    memset(hashes, 0, 4 * sizeof *hashes);
    memcpy(hashes, property_hash, 16);
    if (children->hashes.size > 0)
        rlti_murmur3(children->hashes.at, children->hashes.size, hashes + 2);
    append_reference(h, &group, properties);
    rlti_abc_append(h, &group, children->children.at, children->children.size);
    rlti_abc_append(h, &children->headers, hashes, 32);
    uint64_t reference = 0;
    if (!h->failed) {
        append_reference(h, &group,
                         rlti_ogawa_put_data(h->out, NULL, children->headers.at, children->headers.size));
        if (!h->failed)
            reference =
                rlti_ogawa_put_group(h->out, (const uint64_t *)(const void *)group.at, group.size / 8);
    }
    rlti_free(group.at);
    free_compound(children);
    return reference;
}

void rlti_abc_add_object(rlti_abc_headers *h, rlti_abc_children *to, const char *name, const char *metadata,
                         rlti_abc_compound *properties, rlti_abc_children *children) {
    uint64_t hash[2], hashes[4];
    uint32_t length = (uint32_t)strlen(name), text = (uint32_t)strlen(metadata);
    uint64_t compound = rlti_abc_end_compound(h, properties, hash);
    append_reference(h, &to->children, end_object(h, compound, hash, children, hashes));
    uint32_t index = shared_index(h, metadata);
    append_uint(h, &to->headers, length, 4);
    rlti_abc_append(h, &to->headers, name, length);
    append_uint(h, &to->headers, index, 1);
    if (index == INLINE) {
        append_uint(h, &to->headers, text, 4);
        rlti_abc_append(h, &to->headers, metadata, text);
    }
    rlti_abc_append(h, &to->hashes, name, length);
    rlti_abc_append(h, &to->hashes, metadata, text);
    rlti_abc_append(h, &to->hashes, hashes, sizeof hashes);
}

uint64_t rlti_abc_end_top(rlti_abc_headers *h, rlti_abc_children *children) {
    static const uint64_t none[2] = {0, 0};
    uint64_t hashes[4];
    return end_object(h, 0, none, children, hashes);
}

void rlti_abc_end_archive(rlti_abc_headers *h, uint64_t top, const char *metadata) {
    static const unsigned char file_version[4] = {0, 0, 0, 0},
                               library[4] = {LIBRARY_VERSION & 255, LIBRARY_VERSION >> 8, 0, 0};
    uint64_t children[6];
    children[0] = rlti_ogawa_put_data(h->out, NULL, file_version, sizeof file_version);
    children[1] = rlti_ogawa_put_data(h->out, NULL, library, sizeof library);
    children[2] = top;
    children[3] = rlti_ogawa_put_data(h->out, NULL, metadata, strlen(metadata));
    children[4] = put_samplings(h);
    children[5] = rlti_ogawa_put_data(h->out, NULL, h->shared.at, h->shared.size);
    rlti_ogawa_end(h->out, rlti_ogawa_put_group(h->out, children, 6));
}

void rlti_abc_headers_free(rlti_abc_headers *h) {
    RLTI_FREE(h->shared.at, h->samplings.at);
}

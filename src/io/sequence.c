#include "io/sequence.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/memory.h"
#include "base/messages.h"

enum { NUMBER = 16 }; /* characters of a frame number at most: a wider run of # is refused */

/* Frames found in a folder. */
typedef struct frames {
    int count, capacity;
    int *frame;
} frames;

static int add_frame(frames *found, int frame) {
    if (!RLTI_LIST_RESERVE(found->frame, found->count, 1, found->capacity))
        return 0;
    found->frame[found->count++] = frame;
    return 1;
}

int rlti_sequence_is_numbered(const rlti_sequence *sequence) {
    return sequence->end > sequence->start;
}

int rlti_sequence_hold(const rlti_sequence *sequence, int frame) {
    if (frame < sequence->first)
        return sequence->first;
    return frame > sequence->last ? sequence->last : frame;
}

size_t rlti_sequence_path_size(const rlti_sequence *sequence) {
    return strlen(sequence->pattern) + NUMBER + 1;
}

void rlti_sequence_path(const rlti_sequence *sequence, int frame, char *path, size_t size) {
    int width = sequence->end - sequence->start;
    if (width > 0)
        snprintf(path, size, "%.*s%0*d%s", sequence->start, sequence->pattern, width, frame,
                 sequence->pattern + sequence->end);
    else
        snprintf(path, size, "%s", sequence->pattern);
}

/* The frame of a file in the folder, if its name fits the pattern: written back it must be the same name. */
static int frame_of(const rlti_sequence *sequence, const char *base, const char *name, int *frame) {
    size_t before = (size_t)(sequence->pattern + sequence->start - base);
    const char *after = sequence->pattern + sequence->end;
    char written[NUMBER + 1];
    size_t length = strlen(name), tail = strlen(after);
    if (length <= before + tail || strncmp(name, base, before) != 0 ||
        strcmp(name + length - tail, after) != 0)
        return 0;
    const char *number = name + before;
    size_t digits = length - before - tail;
    if (digits > NUMBER)
        return 0;
    long value = strtol(number, NULL, 10);
    if (value < -1000000000 || value > 1000000000)
        return 0;
    snprintf(written, sizeof written, "%0*ld", sequence->end - sequence->start, value);
    *frame = (int)value;
    return strlen(written) == digits && memcmp(written, number, digits) == 0;
}

static rlt_status look(rlti_sequence *sequence, frames *found, rlt_messages *messages) {
    const char *slash = strrchr(sequence->pattern, '/');
    const char *base = slash == NULL ? sequence->pattern : slash + 1;
    size_t length = (size_t)(base - sequence->pattern);
    char *folder = RLTI_NEW(char, length + 2);
    if (folder == NULL)
        return rlti_out_of_memory(messages);
    memcpy(folder, length > 0 ? sequence->pattern : ".", length > 0 ? length : 1);
    DIR *open = opendir(folder);
    rlt_status status = RLT_OK;
    if (open == NULL)
        status = rlti_refuse(messages, "%s: cannot be read: %s", folder, strerror(errno));
    for (const struct dirent *entry; open != NULL && status == RLT_OK && (entry = readdir(open)) != NULL;) {
        int frame;
        if (frame_of(sequence, base, entry->d_name, &frame) && !add_frame(found, frame))
            status = rlti_out_of_memory(messages);
    }
    if (open != NULL)
        closedir(open);
    rlti_free(folder);
    return status;
}

static rlt_status find_range(rlti_sequence *sequence, frames *found, rlt_messages *messages) {
    if (found->count == 0)
        return rlti_refuse(messages, "%s: there is no file of this name", sequence->pattern);
    qsort(found->frame, (size_t)found->count, sizeof(int), rlti_compare_ints);
    sequence->first = found->frame[0];
    sequence->last = found->frame[found->count - 1];
    int i = 1;
    while (i < found->count && found->frame[i] == found->frame[i - 1] + 1)
        i++;
    if (i == found->count)
        return RLT_OK;
    size_t size = rlti_sequence_path_size(sequence);
    char *path = RLTI_NEW(char, size);
    if (path == NULL)
        return rlti_out_of_memory(messages);
    rlti_sequence_path(sequence, found->frame[i - 1] + 1, path, size);
    rlt_status status = rlti_refuse(messages, "%s: is missing; the sequence runs from %d to %d", path,
                                    sequence->first, sequence->last);
    rlti_free(path);
    return status;
}

/* One run, in the file's own name. */
static rlt_status find_run(rlti_sequence *sequence, rlt_messages *messages) {
    const char *pattern = sequence->pattern, *run = strchr(pattern, '#');
    if (run == NULL)
        return RLT_OK;
    size_t width = strspn(run, "#");
    sequence->start = (int)(run - pattern);
    sequence->end = sequence->start + (int)width;
    if (strpbrk(run + width, "#/") != NULL)
        return rlti_refuse(messages, "%s: there must be one run of #, in the file's name", pattern);
    if (width > 9)
        return rlti_refuse(messages, "%s: there must be at most 9 #", pattern);
    return RLT_OK;
}

rlt_status rlti_sequence_open(const char *pattern, rlt_messages *messages, rlti_sequence *sequence) {
    frames found = {0};
    memset(sequence, 0, sizeof *sequence);
    sequence->pattern = rlti_text_copy(pattern);
    if (sequence->pattern == NULL)
        return rlti_out_of_memory(messages);
    rlt_status status = find_run(sequence, messages);
    if (status == RLT_OK && rlti_sequence_is_numbered(sequence)) {
        status = look(sequence, &found, messages);
        if (status == RLT_OK)
            status = find_range(sequence, &found, messages);
    }
    rlti_free(found.frame);
    if (status != RLT_OK)
        rlti_sequence_close(sequence);
    return status;
}

rlt_status rlti_sequence_list(const rlti_sequence *sequence, rlt_inputs *inputs, rlt_messages *messages) {
    size_t size = rlti_sequence_path_size(sequence);
    char *path = RLTI_NEW(char, size);
    rlt_status status = path != NULL ? RLT_OK : rlti_out_of_memory(messages);
    for (int frame = sequence->first; frame <= sequence->last && status == RLT_OK; frame++) {
        rlti_identity identity;
        rlti_sequence_path(sequence, frame, path, size);
        if (rlti_identity_of(path, &identity)) /* else that is reported where it is read */
            status = rlti_inputs_add(inputs, path, &identity, 1, messages);
    }
    rlti_free(path);
    return status;
}

void rlti_sequence_close(rlti_sequence *sequence) {
    rlti_free(sequence->pattern);
    memset(sequence, 0, sizeof *sequence);
}

#include "live/recorder.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "console.h"

static const char HEAD[] = "ringlet-live 1";

void recorder_begin(live_recorder *recorder) {
    for (int i = 0; i < recorder->count; i++)
        free(recorder->lines[i].input);
    recorder->count = 0;
    recorder->failed = recorder->is_broken = 0;
}

void recorder_clear(live_recorder *recorder) {
    recorder_begin(recorder);
    free(recorder->lines);
    live_values_clear(&recorder->start.base);
    live_values_clear(&recorder->start.side[0]);
    live_values_clear(&recorder->start.side[1]);
    *recorder = (live_recorder){0};
}

void recorder_add(live_recorder *recorder, long long step, const live_input *input) {
    live_input *copy = NULL;
    if (recorder->count == recorder->capacity && recorder->count < RECORDER_LINES_MAX) {
        int capacity = 2 * recorder->capacity + 64;
        recorder_line *lines = realloc(recorder->lines, (size_t)capacity * sizeof *lines);
        if (lines != NULL) {
            recorder->lines = lines;
            recorder->capacity = capacity;
        }
    }
    if (recorder->count < recorder->capacity)
        copy = malloc(sizeof *copy);
    if (copy == NULL) {
        recorder->failed = 1;
        return;
    }
    *copy = *input;
    recorder->lines[recorder->count++] = (recorder_line){step, copy};
}

int recorder_is_whole(const live_recorder *recorder) {
    return !recorder->is_broken && !recorder->failed;
}

/* ---- files ---- */

rlt_status recorder_write(const live_recorder *recorder, const char *path, long long steps, uint64_t hash,
                          char *problem, size_t size) {
    const recorder_start *start = &recorder->start;
    char text[INPUT_TEXT + 128];
    if (!recorder_is_whole(recorder)) {
        snprintf(problem, size, "%s: the recording is not whole, because %s; reset, and record again", path,
                 recorder->failed ? "memory ran out" : "the scene's file changed amid it");
        return RLT_FAILED;
    }
    FILE *file = fopen(path, "wx"); /* never over a file that is there */
    if (file == NULL) {
        snprintf(problem, size, "%s: cannot be written: %s", path, strerror(errno));
        return RLT_FAILED;
    }
    fprintf(file, "%s\nscene %s\nquality %d\nsplit %d\nspeed %.17g\nfingerprint %016" PRIx64 "\n", HEAD,
            start->scene, start->is_full, start->is_split, start->speed > 0.0 ? start->speed : 1.0,
            start->fingerprint);
    for (int i = 0; i < start->base.count; i++)
        fprintf(file, "base %s\n", start->base.texts[i]);
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < start->side[side].count; i++)
            fprintf(file, "value %d %s\n", side, start->side[side].texts[i]);
    for (int i = 0; i < recorder->count; i++) {
        live_input_print(recorder->lines[i].input, text, sizeof text);
        fprintf(file, "%lld %s\n", recorder->lines[i].step, text);
    }
    fprintf(file, "end %lld %016" PRIx64 "\n", steps, hash);
    int bad = ferror(file);
    if (fclose(file) != 0 || bad) {
        snprintf(problem, size, "%s: cannot be written: %s", path, strerror(errno));
        remove(path);
        return RLT_FAILED;
    }
    return RLT_OK;
}

/* The value of "word value" lines; NULL where the line begins otherwise. */
static const char *after(const char *line, const char *word) {
    size_t size = strlen(word);
    return strncmp(line, word, size) == 0 && line[size] == ' ' ? line + size + 1 : NULL;
}

/* A step and an input. NULL: good. */
static const char *read_input(live_recorder *recorder, const char *line) {
    char *end;
    live_input input;
    long long step = strtoll(line, &end, 10);
    if (end == line || *end != ' ' || step < 0)
        return "a step is missing";
    if (recorder->count > 0 && step < recorder->lines[recorder->count - 1].step)
        return "steps must not decrease";
    const char *problem = live_input_read(end + 1, strlen(end + 1), &input);
    if (problem == NULL && !live_input_is_recorded(&input))
        problem = "this is not part of recordings";
    if (problem == NULL)
        recorder_add(recorder, step, &input);
    return problem;
}

static const char *read_line(live_recorder *recorder, const char *line) {
    recorder_start *start = &recorder->start;
    const char *value;
    char *end;
    if ((value = after(line, "scene")) != NULL) {
        if (strlen(value) >= sizeof start->scene)
            return "the scene's name is too long";
        memcpy(start->scene, value, strlen(value) + 1);
    } else if ((value = after(line, "quality")) != NULL) {
        start->is_full = value[0] == '1';
    } else if ((value = after(line, "split")) != NULL) {
        start->is_split = value[0] == '1';
    } else if ((value = after(line, "speed")) != NULL) {
        start->speed = strtod(value, &end);
        return end != value && start->speed >= LIVE_SPEED_MIN && start->speed <= 1.0 ? NULL
                                                                                     : "a speed is 0.05 to 1";
    } else if ((value = after(line, "fingerprint")) != NULL) {
        start->fingerprint = strtoull(value, NULL, 16);
    } else if ((value = after(line, "base")) != NULL) {
        return live_values_set(&start->base, value) ? NULL : "out of memory";
    } else if ((value = after(line, "value")) != NULL) {
        if ((value[0] != '0' && value[0] != '1') || value[1] != ' ')
            return "a side is 0 or 1";
        return live_values_set(&start->side[value[0] - '0'], value + 2) ? NULL : "out of memory";
    } else if ((value = after(line, "end")) != NULL) {
        recorder->steps = strtoll(value, &end, 10);
        recorder->hash = strtoull(end, NULL, 16);
        return recorder->steps >= 0 && end != value ? NULL : "a step is missing";
    } else {
        return read_input(recorder, line);
    }
    return NULL;
}

rlt_status recorder_read(live_recorder *recorder, const char *path) {
    char line[INPUT_TEXT + 256];
    const char *problem = NULL;
    int number = 0;
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return console_fail(RLT_BAD_INPUT, "%s: cannot be read: %s", path, strerror(errno));
    recorder->steps = -1;
    while (problem == NULL && fgets(line, sizeof line, file) != NULL) {
        size_t size = strcspn(line, "\n");
        number++;
        if (line[size] == '\0' && !feof(file))
            problem = "the line is too long";
        line[size] = '\0';
        if (problem == NULL && number == 1)
            problem = strcmp(line, HEAD) == 0 ? NULL : "is no recording of ringlet live";
        else if (problem == NULL)
            problem = read_line(recorder, line);
    }
    fclose(file);
    if (problem == NULL && (number == 0 || recorder->steps < 0))
        problem = "ends too early: there is no line \"end\"";
    if (problem == NULL && recorder->failed)
        problem = "has more lines than there is memory for";
    return problem == NULL ? RLT_OK : console_fail(RLT_BAD_INPUT, "%s:%d: %s", path, number, problem);
}

#include "live/saver.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "live/scene_text.h"

enum { TRIES = 1000 };

/* A name that is free. */
static int choose_path(const char *folder, const char *name, const char *ending, char *path, size_t size) {
    for (int i = 1; i < TRIES; i++) {
        char number[16] = "";
        if (i > 1)
            snprintf(number, sizeof number, "-%d", i);
        int length = snprintf(path, size, "%s/%s%s%s", folder, name, number, ending);
        if (length < 0 || (size_t)length >= size)
            return 0;
        if (access(path, F_OK) != 0)
            return errno == ENOENT;
    }
    return 0;
}

rlt_status saver_recording(const live_stage *stage, const char *folder, const char *name, char *path,
                           size_t size, char *problem) {
    if (!choose_path(folder, name, ".inputs", path, size)) {
        snprintf(problem, NOTICE_TEXT, "%s/%s.inputs: no free name; choose another", folder, name);
        return RLT_FAILED;
    }
    return recorder_write(&stage->recorder, path, stage->step, stage_hash(stage), problem, NOTICE_TEXT);
}

/* The folder of the scene's file, which relative names in it are of; "" for an embedded scene. */
static void scene_folder(const live_stage *stage, char *folder, size_t size) {
    const char *slash = stage->is_embedded ? NULL : strrchr(stage->scene, '/');
    snprintf(folder, size, "%.*s", slash != NULL ? (int)(slash - stage->scene) : 0, stage->scene);
}

rlt_status saver_scene(const live_stage *stage, const char *folder, const char *name, int with_motion,
                       char *path, size_t size, char *problem) {
    char from[STAGE_NAME];
    if (!choose_path(folder, name, ".yaml", path, size)) {
        snprintf(problem, NOTICE_TEXT, "%s/%s.yaml: no free name; choose another", folder, name);
        return RLT_FAILED;
    }
    scene_folder(stage, from, sizeof from);
    scene_motion motion = {stage->path_count, (const double(*)[7])stage->path};
    char *text = scene_text(stage->sides[0].scene, from, with_motion ? &motion : NULL, problem, NOTICE_TEXT);
    if (text == NULL)
        return RLT_FAILED;
    FILE *file = fopen(path, "wx");
    int good = file != NULL && fputs(text, file) >= 0;
    if (file != NULL && fclose(file) != 0)
        good = 0;
    free(text);
    if (good)
        return RLT_OK;
    snprintf(problem, NOTICE_TEXT, "%s: cannot be written: %s", path, strerror(errno));
    if (file != NULL)
        remove(path);
    return RLT_FAILED;
}

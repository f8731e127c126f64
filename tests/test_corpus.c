/* Every file the fuzz programs of stages start from, through the reader of its format: whole, cut off, with
 * bits changed, pieces cut out and pieces doubled. A short fuzz run that is the same everywhere. */
#include "stage_fixture.h"

#include <dirent.h>

#include "base/random.h"
#include "stage_walk.h"

enum { DAMAGES = 600, CUTS = 100 };

static const struct folder {
    const char *name;
    walk_opener *open;
    int files; /* at least */
} folders[] = {{"hair", rlti_hair_stage_open, 2},
               {"tfx", rlti_tfx_stage_open, 2},
               {"obj", rlti_obj_stage_open, 3},
               {"abc", rlti_abc_stage_open, 3},
               {"usdz", rlti_usd_stage_open, 3}};

/* Bytes to work on: those of the file, damaged in the way of this number; their count. */
static size_t damage(const unsigned char *bytes, size_t size, uint64_t number, unsigned char *room) {
    uint64_t random = rlti_hash64(number);
    size_t at = (random >> 8) % size, length = 1 + (random >> 40) % 16;
    length = length < size - at ? length : size - at;
    memcpy(room, bytes, size);
    switch (random % 4) {
    case 0: /* a bit */
        room[at] ^= (unsigned char)(1u << (random >> 60) % 8);
        return size;
    case 1: /* bytes as numbers that lie: none, all, the most */
        memset(room + at, (random >> 62) % 2 ? 0xff : 0, length < 4 ? length : 4);
        return size;
    case 2: /* cut out */
        memmove(room + at, bytes + at + length, size - at - length);
        return size - length;
    default: /* doubled */
        memcpy(room + at + length, bytes + at, size - at);
        return size + length;
    }
}

static void try_file(const struct folder *folder, const char *path) {
    size_t size, refused = 0;
    unsigned char *bytes = bytes_read(path, &size), *room = malloc(2 * size + 1);
    rlt_messages *messages = rlt_messages_create();
    if (walk_bytes_with(folder->open, bytes, size, messages) != RLT_OK)
        fail_msg("%s: %s", path, rlt_messages_text(messages, 0));
    for (size_t i = 0; i < CUTS; i++) {
        rlt_messages_clear(messages);
        refused += walk_bytes_with(folder->open, bytes, i * size / CUTS, messages) != RLT_OK;
    }
    assert_true(refused > 0);
    for (uint64_t i = 0; i < DAMAGES; i++) {
        rlt_messages_clear(messages);
        walk_bytes_with(folder->open, room, damage(bytes, size, i, room), messages);
    }
    rlt_messages_destroy(messages);
    free(bytes);
    free(room);
}

static void test_every_file(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        char path[1024];
        int files = 0;
        snprintf(path, sizeof path, "%s/tests/corpus/%s", RLT_SOURCE_DIR, folders[i].name);
        DIR *folder = opendir(path);
        assert_non_null(folder);
        for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
            if (entry->d_name[0] == '.')
                continue;
            snprintf(path, sizeof path, "%s/tests/corpus/%s/%s", RLT_SOURCE_DIR, folders[i].name,
                     entry->d_name);
            try_file(&folders[i], path);
            files++;
        }
        closedir(folder);
        assert_true(files >= folders[i].files);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_file)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

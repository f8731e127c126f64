/* Files as the torture program needs them: whole, compared, listed, damaged. All paths may be relative. */
#ifndef TORTURE_FILES_H
#define TORTURE_FILES_H

#include <stddef.h>

#include "trial.h"

#define NAME_LIMIT 64

typedef struct bytes {
    char *data; /* NULL: there is no such file, or it cannot be read */
    size_t size;
} bytes;

typedef struct names {
    int count;
    char name[NAME_LIMIT][128];
} names;

int file_exists(const char *path); /* also a link that leads nowhere */
bytes file_read(const char *path);
void bytes_free(bytes *b);
int bytes_equal(const bytes *a, const bytes *b);
/* The first byte that differs; the shorter one's size where none does. */
size_t bytes_differ_at(const bytes *a, const bytes *b);

/* Writes in place: the file keeps its number, and what has it open sees the change. 0 on failure. */
int file_write(const char *path, const void *data, size_t size);

/* Writes a text to inputs/ and to the current folder. */
void file_input(trial *t, const char *name, const char *text);
/* Copies a file of scenes/files there. */
void file_input_copy(trial *t, const char *from, const char *name);

/* Adds names in a folder that begin with `prefix` and are longer, each once, in order of the alphabet. */
void file_list(const char *folder, const char *prefix, names *list);
/* 1 where the same endings follow the two prefixes. */
int file_same_endings(const char *folder_a, const char *prefix_a, const char *folder_b, const char *prefix_b,
                      char *text, size_t text_size);

/* Does a random damage to a file and logs it. */
void file_damage(trial *t, const char *path);
/* Changes the last digit of a number in a text file; size and times stay. 0 where there is none. */
int file_edit_digit(trial *t, const char *path);

void file_remove_tree(const char *path);

#endif

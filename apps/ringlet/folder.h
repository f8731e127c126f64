/* Paths of files the program writes. */
#ifndef RINGLET_APP_FOLDER_H
#define RINGLET_APP_FOLDER_H

/* mkdir -p; 0 with errno set where it failed. */
int folder_make(const char *path);

/* FOLDER/NAME in new memory, or NULL. */
char *folder_join(const char *folder, const char *name);

#endif

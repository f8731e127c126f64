/* A folder that several processes fill with parts of one thing says in a text what that thing is. */
#ifndef RINGLET_APP_CLAIM_H
#define RINGLET_APP_CLAIM_H

/* Writes `text` to `path` where there is no such file, or any file if `force`; of several processes that do
 * so at once one wins. Returns 1 where the file now holds `text`, 0 where it holds another, -1 on failure,
 * with a line printed. */
int claim_take(const char *path, const char *text, int force);

/* 1 where the file holds `text`. The first word of its first line that differs is written to `word`, "" where
 * there is none. */
int claim_holds(const char *path, const char *text, char word[32]);

#endif

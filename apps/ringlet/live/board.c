#include "live/board.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { SCRATCH = 64 }; /* before the bytes: more than the header of a WebSocket message needs */

struct live_board {
    pthread_mutex_t mutex;
    live_document *newest[LIVE_SLOTS];
    unsigned long long versions[LIVE_SLOTS];
    void (*changed)(void *context);
    void *context;
};

live_board *live_board_create(void) {
    live_board *board = calloc(1, sizeof *board);
    if (board != NULL && pthread_mutex_init(&board->mutex, NULL) != 0) {
        free(board);
        board = NULL;
    }
    return board;
}

void live_board_destroy(live_board *board) {
    if (board == NULL)
        return;
    for (int i = 0; i < LIVE_SLOTS; i++)
        free(board->newest[i]);
    pthread_mutex_destroy(&board->mutex);
    free(board);
}

void live_board_watch(live_board *board, void (*changed)(void *context), void *context) {
    pthread_mutex_lock(&board->mutex);
    board->changed = changed;
    board->context = context;
    pthread_mutex_unlock(&board->mutex);
}

live_document *live_document_create(size_t size, int is_text) {
    live_document *document = malloc(sizeof *document + SCRATCH + size);
    if (document == NULL)
        return NULL;
    *document = (live_document){.references = 1, .is_text = is_text, .size = size};
    document->bytes = (unsigned char *)(document + 1) + SCRATCH;
    return document;
}

live_document *live_document_text(const char *text, size_t size) {
    live_document *document = live_document_create(size, 1);
    if (document != NULL)
        memcpy(document->bytes, text, size);
    return document;
}

/* The mutex is held. */
static void drop(live_document *document) {
    if (document != NULL && --document->references == 0)
        free(document);
}

void live_board_publish(live_board *board, live_slot slot, live_document *document) {
    pthread_mutex_lock(&board->mutex);
    drop(board->newest[slot]);
    board->newest[slot] = document;
    board->versions[slot]++;
    if (document != NULL)
        document->version = board->versions[slot];
    void (*changed)(void *context) = board->changed;
    void *context = board->context;
    pthread_mutex_unlock(&board->mutex);
    if (changed != NULL)
        changed(context);
}

live_document *live_board_take(live_board *board, live_slot slot, unsigned long long after) {
    pthread_mutex_lock(&board->mutex);
    live_document *document = board->newest[slot];
    if (document != NULL && document->version > after)
        document->references++;
    else
        document = NULL;
    pthread_mutex_unlock(&board->mutex);
    return document;
}

void live_board_release(live_board *board, live_document *document) {
    pthread_mutex_lock(&board->mutex);
    drop(document);
    pthread_mutex_unlock(&board->mutex);
}

int live_board_has(live_board *board, live_slot slot, unsigned long long after) {
    pthread_mutex_lock(&board->mutex);
    const live_document *document = board->newest[slot];
    int has = document != NULL && document->version > after;
    pthread_mutex_unlock(&board->mutex);
    return has;
}

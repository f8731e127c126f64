/* Documents for pages: the newest of each kind, and no other. A writer replaces a document, readers take the
 * newest when they are ready for one, so nobody waits for anybody and nothing queues up. */
#ifndef RINGLET_APP_LIVE_BOARD_H
#define RINGLET_APP_LIVE_BOARD_H

#include <stddef.h>

/* Kinds of documents, in the order in which a new page needs them. */
typedef enum live_slot {
    LIVE_HELLO,   /* text: schema, scenes, presets */
    LIVE_NOTICE,  /* text: messages, errors of the scene */
    LIVE_STATE,   /* text: values, modes, counts */
    LIVE_GROOM_A, /* strands, widths, rest shape, fill; mesh */
    LIVE_GROOM_B, /* the same of the other side */
    LIVE_RUN,     /* text: the full run that was asked for */
    LIVE_FRAME_A, /* positions of one step */
    LIVE_FRAME_B,
    LIVE_OVERLAY, /* diagnostics of the same */
    LIVE_SLOTS
} live_slot;

/* Bytes that a page gets as one message. Shared: reference counted, never changed once published. */
typedef struct live_document {
    int references;
    int is_text;
    unsigned long long version; /* of the slot; set when it is published */
    size_t size;
    unsigned char *bytes; /* [size], with as much scratch before it as the socket library asks for */
} live_document;

typedef struct live_board live_board;

live_board *live_board_create(void); /* NULL when out of memory */
void live_board_destroy(live_board *board);

/* Called after every change, from the thread that made it. */
void live_board_watch(live_board *board, void (*changed)(void *context), void *context);

/* A document to fill in; NULL when out of memory. */
live_document *live_document_create(size_t size, int is_text);
/* A text document with a copy of `text`. */
live_document *live_document_text(const char *text, size_t size);

/* Makes it the newest of its kind. The board takes it over; NULL takes the slot's document away. */
void live_board_publish(live_board *board, live_slot slot, live_document *document);

/* The newest, where it is newer than version `after`; NULL: it is not. Release it when done. */
live_document *live_board_take(live_board *board, live_slot slot, unsigned long long after);
void live_board_release(live_board *board, live_document *document);

/* Whether there is a document newer than version `after`. */
int live_board_has(live_board *board, live_slot slot, unsigned long long after);

#endif

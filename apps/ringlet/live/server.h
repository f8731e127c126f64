/* The local server: one page over HTTP, and documents and messages over a WebSocket. 127.0.0.1 only. */
#ifndef RINGLET_APP_LIVE_SERVER_H
#define RINGLET_APP_LIVE_SERVER_H

#include <stddef.h>

#include "live/board.h"
#include "ringlet/status.h"

/* A file that the server has: part of the page. */
typedef struct live_asset {
    const char *name; /* "" is the page itself */
    const char *type;
    const unsigned char *bytes, *end;
} live_asset;

typedef struct live_server_def {
    int port;     /* 0: any that is free */
    int or_other; /* 1: another one where that is taken */
    live_board *board;
    const live_asset *assets; /* ends with a NULL name */
    /* A message of the page that has control: one line of text, not terminated. */
    void (*receive)(void *context, const char *text, size_t size);
    /* How many pages there are, whenever that changes. */
    void (*present)(void *context, int pages);
    void *context;
} live_server_def;

/* Counters of what the server did. */
typedef struct live_server_facts {
    long long messages, refused, documents, bytes;
    double cpu_seconds;   /* of the server's own thread */
    double start_seconds; /* of these, until a page had its first frame: the page, what stays of the scene */
} live_server_facts;

typedef struct live_server live_server;

/* RLT_FAILED, with a line printed: the port is taken, no memory. */
rlt_status live_server_create(const live_server_def *def, live_server **server);
void live_server_destroy(live_server *server);

/* "http://127.0.0.1:PORT/TOKEN/" */
const char *live_server_url(const live_server *server);

/* Serves until `stop` returns not 0; it is asked several times a second. */
void live_server_run(live_server *server, int (*stop)(void *context), void *context);

void live_server_facts_get(const live_server *server, live_server_facts *facts);

#endif

/* Who may come in: the token, Host and Origin of a request, and how much a page may send. */
#ifndef RINGLET_APP_LIVE_GATE_H
#define RINGLET_APP_LIVE_GATE_H

#include <stddef.h>

enum {
    GATE_TOKEN = 32,         /* letters of a token: 128 random bits */
    GATE_MESSAGE_MAX = 4096, /* [byte] of one message from a page */
    GATE_RATE = 400,         /* messages a second from one page, in the long run */
    GATE_BURST = 800,        /* and at once */
    GATE_PAGES = 8           /* at the same time */
};

/* A token that nobody can guess. A server on a port that was asked for gets the token that the last one there
 * had, so that its pages find it again: it is kept where only this user can read it, in XDG_RUNTIME_DIR.
 * Returns 0 where the system has no random numbers. */
int gate_token(int port, char token[GATE_TOKEN + 1]);

/* The part after "/TOKEN/" in a path, or NULL where it does not begin so. Takes as long for a wrong token
 * as for a right one. */
const char *gate_path(const char *path, const char *token);

/* 1 where the header is exactly that of this server; `host` and `origin` may be NULL: not sent. */
int gate_host(const char *host, int port);
int gate_origin(const char *origin, int port);

/* Messages a page may still send; starts all zero. */
typedef struct gate_bucket {
    double left, filled; /* console_seconds() */
} gate_bucket;

/* 1: one more is within the limit. */
int gate_allow(gate_bucket *bucket, double now);

#endif

/* A page's stand-in: the client's side of a WebSocket, for `ringlet bench live`. */
#ifndef RINGLET_APP_BENCH_SOCKET_H
#define RINGLET_APP_BENCH_SOCKET_H

#include <stddef.h>

typedef struct bench_socket {
    int file;
    unsigned char *bytes; /* [capacity] the last message */
    size_t size, capacity;
    int is_text;
    int frames; /* that came so far, for whoever acknowledges them */
} bench_socket;

/* Connects to the server of a printed address, "http://127.0.0.1:PORT/TOKEN/". Returns 0 where that fails. */
int bench_socket_open(bench_socket *socket, const char *url);

/* The next message; 0 at the end, or when nothing came for `seconds`. */
int bench_socket_read(bench_socket *socket, double seconds);

/* One line, shorter than 126 bytes. */
int bench_socket_send(bench_socket *socket, const char *text);

void bench_socket_close(bench_socket *socket);

#endif

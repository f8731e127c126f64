#include "bench/socket.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Exactly that many bytes. */
static int read_all(int file, void *bytes, size_t size, int milliseconds) {
    for (size_t got = 0; got < size;) {
        struct pollfd wait = {.fd = file, .events = POLLIN};
        if (poll(&wait, 1, milliseconds) <= 0)
            return 0;
        ssize_t count = read(file, (char *)bytes + got, size - got);
        if (count <= 0)
            return 0;
        got += (size_t)count;
    }
    return 1;
}

static int write_all(int file, const void *bytes, size_t size) {
    for (size_t done = 0; done < size;) {
        ssize_t count = send(file, (const char *)bytes + done, size - done, MSG_NOSIGNAL);
        if (count <= 0)
            return 0;
        done += (size_t)count;
    }
    return 1;
}

/* The answer to the handshake, byte by byte up to its empty line. */
static int read_answer(int file) {
    char text[2048];
    size_t size = 0;
    while (size + 1 < sizeof text && read_all(file, text + size, 1, 5000)) {
        text[++size] = '\0';
        if (size >= 4 && memcmp(text + size - 4, "\r\n\r\n", 4) == 0)
            return strncmp(text, "HTTP/1.1 101", 12) == 0;
    }
    return 0;
}

int bench_socket_open(bench_socket *self, const char *url) {
    char token[64] = "", text[512];
    int port = 0, on = 1;
    *self = (bench_socket){.file = -1};
    if (sscanf(url, "http://127.0.0.1:%d/%63[0-9a-f]/", &port, token) != 2)
        return 0;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((unsigned short)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    self->file = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (self->file < 0 || connect(self->file, (struct sockaddr *)&address, sizeof address) != 0)
        return 0;
    (void)setsockopt(self->file, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    int size = snprintf(
        text, sizeof text,
        "GET /%s/socket HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nOrigin: http://127.0.0.1:%d\r\n"
        "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: cmluZ2xldCByaW5nbGV0IQ==\r\nSec-WebSocket-Protocol: ringlet-live\r\n\r\n",
        token, port, port);
    return write_all(self->file, text, (size_t)size) && read_answer(self->file);
}

/* The head of a frame: its opcode and whether it is the last, and how long it is. */
static int read_head(bench_socket *self, int milliseconds, unsigned char *first, size_t *size) {
    unsigned char head[10];
    if (!read_all(self->file, head, 2, milliseconds))
        return 0;
    *first = head[0];
    *size = head[1] & 127;
    int more = *size == 126 ? 2 : (*size == 127 ? 8 : 0);
    if (more > 0 && !read_all(self->file, head, (size_t)more, milliseconds))
        return 0;
    for (int i = 0; i < more; i++)
        *size = (i == 0 ? 0 : *size << 8) | head[i];
    return 1;
}

int bench_socket_read(bench_socket *self, double seconds) {
    int milliseconds = (int)(1000.0 * seconds);
    unsigned char first = 0;
    size_t size = 0;
    self->size = 0;
    do {
        if (!read_head(self, milliseconds, &first, &size) || (first & 15) == 8)
            return 0;
        if (self->size + size > self->capacity) {
            size_t capacity = 2 * (self->size + size);
            unsigned char *bytes = realloc(self->bytes, capacity);
            if (bytes == NULL)
                return 0;
            self->bytes = bytes;
            self->capacity = capacity;
        }
        if ((first & 15) != 0)
            self->is_text = (first & 15) == 1;
        if (!read_all(self->file, self->bytes + self->size, size, milliseconds))
            return 0;
        self->size += size;
    } while (!(first & 128));
    return 1;
}

int bench_socket_send(bench_socket *self, const char *text) {
    unsigned char bytes[6 + 126] = {0x81};
    size_t size = strlen(text);
    if (size >= 126)
        return 0;
    bytes[1] = (unsigned char)(128 | size); /* masked with zeros, which changes nothing */
    memcpy(bytes + 6, text, size);
    return write_all(self->file, bytes, 6 + size);
}

void bench_socket_close(bench_socket *self) {
    if (self->file >= 0)
        close(self->file);
    free(self->bytes);
    *self = (bench_socket){.file = -1};
}

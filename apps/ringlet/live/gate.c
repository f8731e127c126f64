#include "live/gate.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

static int is_token(const char *text) {
    return strspn(text, "0123456789abcdef") == GATE_TOKEN && text[GATE_TOKEN] == '\0';
}

/* The file that keeps the token of a port; 0 where there is no place for it. */
static int token_file(int port, char *path, size_t size) {
    const char *folder = getenv("XDG_RUNTIME_DIR");
    if (port <= 0 || folder == NULL || folder[0] != '/')
        return 0;
    int length = snprintf(path, size, "%s/ringlet-live-%d.token", folder, port);
    return length > 0 && (size_t)length < size;
}

/* A file that others could have written or read is not taken. */
static int read_token(const char *path, char token[GATE_TOKEN + 1]) {
    int file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (file < 0)
        return 0;
    struct stat facts;
    int good = fstat(file, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_uid == geteuid() &&
               (facts.st_mode & 077) == 0 && read(file, token, GATE_TOKEN + 1) == GATE_TOKEN;
    close(file);
    token[GATE_TOKEN] = '\0';
    return good && is_token(token);
}

static void write_token(const char *path, const char *token) {
    unlink(path);
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0)
        return;
    if (write(file, token, GATE_TOKEN) != GATE_TOKEN)
        unlink(path);
    close(file);
}

int gate_token(int port, char token[GATE_TOKEN + 1]) {
    char path[512];
    int kept = token_file(port, path, sizeof path);
    if (kept && read_token(path, token))
        return 1;
    unsigned char bytes[GATE_TOKEN / 2];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return 0;
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(token + 2 * i, 3, "%02x", bytes[i]);
    if (kept)
        write_token(path, token);
    return 1;
}

const char *gate_path(const char *path, const char *token) {
    size_t length = strlen(path);
    if (length < GATE_TOKEN + 2 || path[0] != '/' || path[GATE_TOKEN + 1] != '/')
        return NULL;
    unsigned different = 0;
    for (int i = 0; i < GATE_TOKEN; i++)
        different |= (unsigned char)path[1 + i] ^ (unsigned char)token[i];
    return different == 0 ? path + GATE_TOKEN + 2 : NULL;
}

int gate_host(const char *host, int port) {
    char wanted[32];
    snprintf(wanted, sizeof wanted, "127.0.0.1:%d", port);
    return host != NULL && strcmp(host, wanted) == 0;
}

int gate_origin(const char *origin, int port) {
    char wanted[40];
    snprintf(wanted, sizeof wanted, "http://127.0.0.1:%d", port);
    return origin != NULL && strcmp(origin, wanted) == 0;
}

int gate_allow(gate_bucket *bucket, double now) {
    if (bucket->filled == 0.0)
        bucket->left = GATE_BURST;
    else
        bucket->left += GATE_RATE * (now - bucket->filled);
    bucket->filled = now;
    if (bucket->left > GATE_BURST)
        bucket->left = GATE_BURST;
    if (bucket->left < 1.0)
        return 0;
    bucket->left -= 1.0;
    return 1;
}

#include "live/server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <libwebsockets.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "console.h"
#include "live/gate.h"

enum {
    CHUNK = 256 * 1024, /* [byte] of a document that are written at once */
    IN_FLIGHT = 2,      /* documents of one kind that a page has not acknowledged, at most */
    ACKNOWLEDGED = 2,   /* by one message */
    HEADERS = 1024,
    TICK = 1000 /* [ms] between two questions whether to stop, which signals bring forward */
};

/* One page, or one request for a file; memory of the socket library, all zero at first. */
typedef struct page {
    int is_page; /* a WebSocket that was let in */
    long long id;
    live_document *sending;
    live_slot slot;
    size_t sent;
    unsigned long long versions[LIVE_SLOTS];
    int in_flight[LIVE_SLOTS]; /* frames that it has not acknowledged */
    int role_sent;             /* of role_version */
    gate_bucket bucket;
    char text[GATE_MESSAGE_MAX];
    size_t text_size;
    const live_asset *asset;
    size_t asset_sent;
} page;

struct live_server {
    live_server_def def;
    struct lws_context *context;
    struct lws_protocols protocols[3];
    lws_sorted_usec_list_t tick;
    char token[GATE_TOKEN + 1], url[96];
    int port;
    int page_count;
    page *pages[GATE_PAGES];
    struct lws *sockets[GATE_PAGES];
    long long next_id, controller; /* the page whose messages count; 0: none */
    int role_version;
    live_server_facts facts;
};

/* ---- pages ---- */

/* The oldest page has control; the others watch. */
static void choose_controller(live_server *server) {
    long long oldest = 0;
    for (int i = 0; i < server->page_count; i++)
        if (oldest == 0 || server->pages[i]->id < oldest)
            oldest = server->pages[i]->id;
    server->controller = oldest;
    server->role_version++;
    for (int i = 0; i < server->page_count; i++)
        lws_callback_on_writable(server->sockets[i]);
    server->def.present(server->def.context, server->page_count);
}

static int page_enters(live_server *server, struct lws *socket, page *self) {
    if (server->page_count >= GATE_PAGES)
        return -1;
    self->is_page = 1;
    self->id = ++server->next_id;
    server->pages[server->page_count] = self;
    server->sockets[server->page_count++] = socket;
    choose_controller(server);
    return 0;
}

static void page_leaves(live_server *server, page *self) {
    if (self == NULL || !self->is_page)
        return;
    if (self->sending != NULL)
        live_board_release(server->def.board, self->sending);
    self->sending = NULL;
    self->is_page = 0;
    for (int i = 0; i < server->page_count; i++)
        if (server->pages[i] == self) {
            server->pages[i] = server->pages[--server->page_count];
            server->sockets[i] = server->sockets[server->page_count];
            break;
        }
    choose_controller(server);
}

/* ---- documents out ---- */

static int is_frame(live_slot slot) {
    return slot == LIVE_FRAME_A || slot == LIVE_FRAME_B || slot == LIVE_OVERLAY;
}

/* The next document that this page has not; NULL: none, or it has not read the frames it got. */
static live_document *next_document(live_server *server, page *self) {
    for (int slot = 0; slot < LIVE_SLOTS; slot++) {
        if (self->in_flight[slot] >= IN_FLIGHT)
            continue;
        live_document *document = live_board_take(server->def.board, (live_slot)slot, self->versions[slot]);
        if (document == NULL)
            continue;
        self->slot = (live_slot)slot;
        self->versions[slot] = document->version;
        return document;
    }
    return NULL;
}

/* Asks the socket library to call back for writing where there is something to write: every call back is a
 * turn through its loop. */
static void ask_to_write(const live_server *server, struct lws *socket, const page *self) {
    int waiting = self->sending != NULL || self->role_sent != server->role_version;
    for (int slot = 0; slot < LIVE_SLOTS && !waiting; slot++)
        waiting = self->in_flight[slot] < IN_FLIGHT &&
                  live_board_has(server->def.board, (live_slot)slot, self->versions[slot]);
    if (waiting)
        lws_callback_on_writable(socket);
}

static int send_role(live_server *server, struct lws *socket, page *self) {
    char text[LWS_PRE + 96];
    int size =
        snprintf(text + LWS_PRE, sizeof text - LWS_PRE, "{\"kind\":\"role\",\"control\":%s,\"pages\":%d}",
                 self->id == server->controller ? "true" : "false", server->page_count);
    self->role_sent = server->role_version;
    return lws_write(socket, (unsigned char *)text + LWS_PRE, (size_t)size, LWS_WRITE_TEXT) < size;
}

static int page_writes(live_server *server, struct lws *socket, page *self) {
    if (self->sending == NULL && self->role_sent != server->role_version) {
        lws_callback_on_writable(socket);
        return send_role(server, socket, self) ? -1 : 0;
    }
    if (self->sending == NULL) {
        self->sending = next_document(server, self);
        self->sent = 0;
        if (self->sending == NULL)
            return 0;
    }
    live_document *document = self->sending;
    size_t left = document->size - self->sent, size = left < CHUNK ? left : CHUNK;
    int is_first = self->sent == 0, is_last = size == left;
    int kind = lws_write_ws_flags(document->is_text ? LWS_WRITE_TEXT : LWS_WRITE_BINARY, is_first, is_last);
    /* The header of each part goes before it, over bytes that were sent: they are put back for other
     * pages. */
    unsigned char before[LWS_PRE], *bytes = document->bytes + self->sent;
    memcpy(before, bytes - LWS_PRE, LWS_PRE);
    int written = lws_write(socket, bytes, size, (enum lws_write_protocol)kind);
    memcpy(bytes - LWS_PRE, before, LWS_PRE);
    if (written < (int)size)
        return -1;
    self->sent += size;
    server->facts.bytes += (long long)size;
    if (is_last) {
        self->in_flight[self->slot] += is_frame(self->slot);
        self->sending = NULL;
        live_board_release(server->def.board, document);
        server->facts.documents++;
    }
    ask_to_write(server, socket, self);
    return 0;
}

/* Something has been published: it goes out without another turn through the library's loop, whatever the
 * socket does not take the library keeps; at most IN_FLIGHT frames. */
static void write_at_once(live_server *server, struct lws *socket, page *self) {
    int is_free = self->sending == NULL && self->role_sent == server->role_version;
    if (is_free && page_writes(server, socket, self) < 0)
        lws_set_timeout(socket, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_ASYNC);
    else if (!is_free)
        ask_to_write(server, socket, self);
}

/* ---- messages in ---- */

static double thread_seconds(void) {
    struct timespec cpu;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
    return (double)cpu.tv_sec + 1e-9 * (double)cpu.tv_nsec;
}

/* Returns -1 where the page has to go. */
static int message_arrives(live_server *server, struct lws *socket, page *self) {
    if (!gate_allow(&self->bucket, console_seconds())) {
        server->facts.refused++;
        lws_close_reason(socket, LWS_CLOSE_STATUS_POLICY_VIOLATION, (unsigned char *)"too many", 8);
        return -1;
    }
    server->facts.messages++;
    if (self->text_size == 5 && memcmp(self->text, "ack ", 4) == 0) {
        int slot = self->text[4] - '0'; /* garbage is harmless: only frames of known slots are counted */
        if (slot >= 0 && slot < LIVE_SLOTS)
            self->in_flight[slot] -=
                self->in_flight[slot] < ACKNOWLEDGED ? self->in_flight[slot] : ACKNOWLEDGED;
        if (server->facts.start_seconds == 0.0)
            server->facts.start_seconds = thread_seconds();
        ask_to_write(server, socket, self);
    } else if (self->id == server->controller) {
        server->def.receive(server->def.context, self->text, self->text_size);
    }
    return 0;
}

static int page_reads(live_server *server, struct lws *socket, page *self, const void *bytes, size_t size) {
    if (lws_is_first_fragment(socket))
        self->text_size = 0;
    if (lws_frame_is_binary(socket) || self->text_size + size > sizeof self->text) {
        server->facts.refused++;
        lws_close_reason(socket, LWS_CLOSE_STATUS_MESSAGE_TOO_LARGE, (unsigned char *)"too large", 9);
        return -1;
    }
    memcpy(self->text + self->text_size, bytes, size);
    self->text_size += size;
    return lws_is_final_fragment(socket) ? message_arrives(server, socket, self) : 0;
}

/* ---- requests ---- */

/* A header of a request; NULL where it is absent or does not fit. */
static const char *header(struct lws *socket, enum lws_token_indexes which, char *text, size_t size) {
    return lws_hdr_total_length(socket, which) > 0 && lws_hdr_copy(socket, text, (int)size, which) > 0 ? text
                                                                                                       : NULL;
}

static int refuse(live_server *server, struct lws *socket, unsigned code) {
    server->facts.refused++;
    return lws_return_http_status(socket, code, NULL) != 0 ? -1 : 1;
}

/* 0: the WebSocket may be opened. */
static int check_upgrade(live_server *server, struct lws *socket) {
    char path[128], host[64], origin[96];
    const char *asked = header(socket, WSI_TOKEN_GET_URI, path, sizeof path);
    const char *rest = asked != NULL ? gate_path(asked, server->token) : NULL;
    if (rest == NULL || strcmp(rest, "socket") != 0 ||
        !gate_host(header(socket, WSI_TOKEN_HOST, host, sizeof host), server->port) ||
        !gate_origin(header(socket, WSI_TOKEN_ORIGIN, origin, sizeof origin), server->port))
        return refuse(server, socket, HTTP_STATUS_FORBIDDEN);
    return server->page_count >= GATE_PAGES ? refuse(server, socket, HTTP_STATUS_SERVICE_UNAVAILABLE) : 0;
}

static int add_headers(const live_server *server, struct lws *socket, unsigned char **at,
                       unsigned char *end) {
    char policy[400];
    int size =
        snprintf(policy, sizeof policy,
                 "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; "
                 "media-src blob:; connect-src 'self' ws://127.0.0.1:%d; frame-ancestors 'none'; "
                 "base-uri 'none'; form-action 'none'",
                 server->port);
    const char *rows[][2] = {{"content-security-policy:", policy},
                             {"x-content-type-options:", "nosniff"},
                             {"referrer-policy:", "no-referrer"},
                             {"cross-origin-opener-policy:", "same-origin"},
                             {"cross-origin-resource-policy:", "same-origin"},
                             {"cache-control:", "no-store"}};
    int bad = size >= (int)sizeof policy;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        bad |=
            lws_add_http_header_by_name(socket, (const unsigned char *)rows[i][0],
                                        (const unsigned char *)rows[i][1], (int)strlen(rows[i][1]), at, end);
    return bad;
}

static int serve(live_server *server, struct lws *socket, page *self, const char *path) {
    char host[64];
    const char *rest = gate_path(path, server->token);
    if (rest == NULL || !gate_host(header(socket, WSI_TOKEN_HOST, host, sizeof host), server->port))
        return refuse(server, socket, HTTP_STATUS_FORBIDDEN);
    if (lws_hdr_total_length(socket, WSI_TOKEN_GET_URI) <= 0)
        return refuse(server, socket, HTTP_STATUS_METHOD_NOT_ALLOWED);
    const live_asset *asset = server->def.assets;
    while (asset->name != NULL && strcmp(asset->name, rest) != 0)
        asset++;
    if (asset->name == NULL)
        return refuse(server, socket, HTTP_STATUS_NOT_FOUND);
    unsigned char bytes[LWS_PRE + HEADERS], *start = bytes + LWS_PRE, *at = start,
                                            *end = bytes + sizeof bytes;
    if (lws_add_http_common_headers(socket, HTTP_STATUS_OK, asset->type,
                                    (lws_filepos_t)(asset->end - asset->bytes), &at, end) ||
        add_headers(server, socket, &at, end) || lws_finalize_write_http_header(socket, start, &at, end))
        return -1;
    self->asset = asset;
    self->asset_sent = 0;
    lws_callback_on_writable(socket);
    return 0;
}

static int serve_more(struct lws *socket, page *self) {
    static _Thread_local unsigned char bytes[LWS_PRE + 16384];
    const live_asset *asset = self->asset;
    if (asset == NULL)
        return -1;
    size_t left = (size_t)(asset->end - asset->bytes) - self->asset_sent, size = left < 16384 ? left : 16384;
    int is_last = size == left;
    memcpy(bytes + LWS_PRE, asset->bytes + self->asset_sent, size);
    if (lws_write(socket, bytes + LWS_PRE, size, is_last ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP) < (int)size)
        return -1;
    self->asset_sent += size;
    if (is_last)
        return lws_http_transaction_completed(socket) ? -1 : 0;
    lws_callback_on_writable(socket);
    return 0;
}

/* ---- the socket library's side ---- */

/* 1: this end of a connection is 127.0.0.1, whatever the library listens to. */
static int is_local(lws_sockfd_type file) {
    struct sockaddr_storage address = {0};
    struct sockaddr_in here;
    socklen_t size = sizeof address;
    if (getsockname(file, (struct sockaddr *)&address, &size) != 0 || address.ss_family != AF_INET)
        return 0;
    memcpy(&here, &address, sizeof here);
    return here.sin_addr.s_addr == htonl(INADDR_LOOPBACK);
}

static int callback(struct lws *socket, enum lws_callback_reasons reason, void *user, void *in, size_t size) {
    live_server *server = lws_context_user(lws_get_context(socket));
    switch ((int)reason) {
    case LWS_CALLBACK_FILTER_NETWORK_CONNECTION:
        return is_local((lws_sockfd_type)(intptr_t)in) ? 0 : 1;
    case LWS_CALLBACK_HTTP:
        return serve(server, socket, user, in);
    case LWS_CALLBACK_HTTP_WRITEABLE:
        return serve_more(socket, user);
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE:
        return check_upgrade(server, socket);
    case LWS_CALLBACK_ESTABLISHED:
        return page_enters(server, socket, user);
    case LWS_CALLBACK_CLOSED:
        page_leaves(server, user);
        return 0;
    case LWS_CALLBACK_SERVER_WRITEABLE:
        return page_writes(server, socket, user);
    case LWS_CALLBACK_RECEIVE:
        return page_reads(server, socket, user, in, size);
    case LWS_CALLBACK_EVENT_WAIT_CANCELLED:
        for (int i = 0; i < server->page_count; i++)
            write_at_once(server, server->sockets[i], server->pages[i]);
        return 0;
    default:
        return 0;
    }
}

static void wake(void *context) {
    lws_cancel_service(((live_server *)context)->context);
}

static void tick(lws_sorted_usec_list_t *list) {
    live_server *server = lws_container_of(list, live_server, tick);
    lws_sul_schedule(server->context, 0, &server->tick, tick, TICK * LWS_US_PER_MS);
}

static int listen_on(live_server *server, int port) {
    struct lws_context_creation_info info = {0};
    info.port = port;
    info.iface = "127.0.0.1";
    info.protocols = server->protocols;
    info.user = server;
    info.gid = info.uid = (unsigned)-1;
    /* a library that knows IPv6 takes no name of an interface for IPv4 alone, and listens to all of them */
    info.options = LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND | LWS_SERVER_OPTION_VALIDATE_UTF8 |
                   LWS_SERVER_OPTION_DISABLE_IPV6;
    info.pt_serv_buf_size = 32 * 1024;
    info.timeout_secs = 10;
    info.keepalive_timeout = 5;
    info.vhost_name = "127.0.0.1";
    server->context = lws_create_context(&info);
    if (server->context == NULL)
        return 0;
    server->port = lws_get_vhost_listen_port(lws_get_vhost_by_name(server->context, "127.0.0.1"));
    return server->port > 0;
}

rlt_status live_server_create(const live_server_def *def, live_server **server) {
    live_server *self = calloc(1, sizeof *self);
    *server = NULL;
    if (self == NULL)
        return console_fail(RLT_FAILED, "out of memory");
    self->def = *def;
    self->protocols[0] = (struct lws_protocols){.name = "http",
                                                .callback = callback,
                                                .per_session_data_size = sizeof(page),
                                                .rx_buffer_size = GATE_MESSAGE_MAX,
                                                .tx_packet_size = CHUNK};
    self->protocols[1] = self->protocols[0];
    self->protocols[1].name = "ringlet-live";
    lws_set_log_level(0, NULL);
    if (!listen_on(self, def->port) && !(def->or_other && listen_on(self, 0))) {
        live_server_destroy(self);
        return console_fail(
            RLT_FAILED,
            "live: port %d: cannot be opened on 127.0.0.1, another program has it or it is not "
            "allowed; --port 0 takes a free one",
            def->port);
    }
    if (!gate_token(self->port == def->port ? def->port : 0, self->token)) {
        live_server_destroy(self);
        return console_fail(RLT_FAILED, "live: the system gives no random numbers: %s", strerror(errno));
    }
    snprintf(self->url, sizeof self->url, "http://127.0.0.1:%d/%s/", self->port, self->token);
    live_board_watch(def->board, wake, self);
    *server = self;
    return RLT_OK;
}

void live_server_destroy(live_server *server) {
    if (server == NULL)
        return;
    live_board_watch(server->def.board, NULL, NULL);
    if (server->context != NULL)
        lws_context_destroy(server->context);
    free(server);
}

const char *live_server_url(const live_server *server) {
    return server->url;
}

void live_server_run(live_server *server, int (*stop)(void *context), void *context) {
    tick(&server->tick);
    while (!stop(context) && lws_service(server->context, 0) >= 0)
        ;
    server->facts.cpu_seconds = thread_seconds();
    lws_sul_cancel(&server->tick);
}

void live_server_facts_get(const live_server *server, live_server_facts *facts) {
    *facts = server->facts;
}

// A stand-in vendor for benchmarks: one epoll thread, keep-alive HTTP/1.1, canned bodies.
//
//   upstream PORT BODY_DIR [first_byte_ms] [chunk_interval_ms]
//
// A request whose body holds "stream":true, or whose path holds streamGenerateContent, is answered
// with NAME.sse as chunked events, paced by chunk_interval_ms (0: all in one write); any other with
// NAME.json. NAME is read from the path: messages, responses, embeddings, generate, else chat.
// It parses just what the bench sends and is meant for nothing but measuring.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { ROUTES = 5, EVENTS_MAX = 4096, READ_MIN = 8192, WHOLE = -1, FIRST = 0, NEXT = 1 };

typedef struct { char *at; size_t size; } Bytes;

typedef struct {
    const char *name, *mark;  // mark: what the request line holds
    Bytes json, events[EVENTS_MAX];
    int count;
} Route;

typedef struct Connection {
    int fd, position, queued, dead;  // position: next event of the stream, or WHOLE
    char *in, *out;
    size_t in_size, in_room, out_size, out_sent, out_room;
    Route *route;
    double due_ms;
    struct Connection *next;
} Connection;

// Two queues, each in order of time because its delay is constant: first bytes, further events.
typedef struct { Connection *head, *tail; } Queue;

static Route routes[ROUTES] = {
    {.name = "chat", .mark = "/chat/"},
    {.name = "messages", .mark = "/messages"},
    {.name = "responses", .mark = "/responses"},
    {.name = "embeddings", .mark = "/embeddings"},
    {.name = "generate", .mark = "enerateContent"},
};
static Queue queues[2];
static double first_ms, gap_ms;
static int poller;

static double now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

static Bytes read_file(const char *folder, const char *name, const char *kind) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.%s", folder, name, kind);
    FILE *file = fopen(path, "rb");
    if (!file) return (Bytes){0};
    fseek(file, 0, SEEK_END);
    Bytes out = {.size = ftell(file)};
    rewind(file);
    out.at = calloc(out.size + 1, 1);
    if (fread(out.at, 1, out.size, file) != out.size) exit(1);
    fclose(file);
    return out;
}

static void load(Route *route, const char *folder) {
    route->json = read_file(folder, route->name, "json");
    char *at = read_file(folder, route->name, "sse").at;
    while (at && *at && route->count < EVENTS_MAX) {
        char *end = strstr(at, "\n\n");
        size_t size = end ? (size_t)(end - at) + 2 : strlen(at);
        route->events[route->count++] = (Bytes){at, size};
        at += size;
    }
}

static void put(Connection *c, const char *at, size_t size) {
    if (c->out_size + size > c->out_room) {
        c->out_room = (c->out_size + size) * 2;
        c->out = realloc(c->out, c->out_room);
    }
    memcpy(c->out + c->out_size, at, size);
    c->out_size += size;
}

static void put_text(Connection *c, const char *text) { put(c, text, strlen(text)); }

static void put_chunk(Connection *c, Bytes data) {
    char head[32];
    snprintf(head, sizeof head, "%zx\r\n", data.size);
    put_text(c, head);
    put(c, data.at, data.size);
    put_text(c, "\r\n");
}

static void watch(Connection *c, unsigned events) {
    struct epoll_event event = {events, {.ptr = c}};
    epoll_ctl(poller, EPOLL_CTL_MOD, c->fd, &event);
}

static int flush(Connection *c) {  // 1: all sent, 0: the rest waits, -1: the other side is gone
    while (c->out_sent < c->out_size) {
        ssize_t sent = send(c->fd, c->out + c->out_sent, c->out_size - c->out_sent, MSG_NOSIGNAL);
        if (sent < 0 && errno != EAGAIN) return -1;
        if (sent < 0) {
            watch(c, EPOLLIN | EPOLLOUT);
            return 0;
        }
        c->out_sent += sent;
    }
    c->out_sent = c->out_size = 0;
    return 1;
}

static void release(Connection *c) {
    free(c->in);
    free(c->out);
    free(c);
}

static void drop(Connection *c) {
    close(c->fd);
    c->dead = 1;
    if (!c->queued) release(c);  // else when its turn comes
}

static void enqueue(Connection *c, int which, double due_ms) {
    Queue *queue = &queues[which];
    c->due_ms = due_ms;
    c->next = NULL;
    c->queued = 1;
    if (queue->tail) queue->tail->next = c;
    else queue->head = c;
    queue->tail = c;
}

static void put_rest(Connection *c) {
    while (c->position < c->route->count) put_chunk(c, c->route->events[c->position++]);
}

static void answer(Connection *c, Route *route, int stream) {
    static const char *head = "HTTP/1.1 200 OK\r\nContent-Type: %s\r\nx-request-id: req_bench\r\n";
    char text[256];
    c->route = route;
    snprintf(text, sizeof text, head, stream ? "text/event-stream" : "application/json");
    put_text(c, text);
    if (stream) {
        put_text(c, "Transfer-Encoding: chunked\r\n\r\n");
        c->position = 0;
    } else {
        snprintf(text, sizeof text, "Content-Length: %zu\r\n\r\n", route->json.size);
        put_text(c, text);
        put(c, route->json.at, route->json.size);
        c->position = WHOLE;
    }
    if (first_ms > 0 || (stream && gap_ms > 0)) {
        enqueue(c, FIRST, now_ms() + first_ms);
    } else if (stream) {
        put_rest(c);
        put_text(c, "0\r\n\r\n");
    }
}

static int holds(const char *at, size_t size, const char *text) {
    return memmem(at, size, text, strlen(text)) != NULL;
}

static size_t request_size(Connection *c, size_t *head_size) {  // 0: not all of it is here yet
    char *end = memmem(c->in, c->in_size, "\r\n\r\n", 4);
    if (!end) return 0;
    *head_size = end - c->in + 4;
    *end = 0;
    char *length = strcasestr(c->in, "\r\ncontent-length:");
    int chunked = !length && strcasestr(c->in, "transfer-encoding: chunked");
    *end = '\r';
    if (chunked) {
        char *last = memmem(end + 2, c->in_size - *head_size + 2, "\r\n0\r\n\r\n", 7);
        return last ? last + 7 - c->in : 0;
    }
    size_t size = *head_size + (length ? strtoul(length + 17, NULL, 10) : 0);
    return c->in_size >= size ? size : 0;
}

static void serve(Connection *c) {
    size_t size, head;
    while (!c->queued && (size = request_size(c, &head))) {
        size_t line = (char *)memchr(c->in, '\n', c->in_size) - c->in;
        Route *route = &routes[0];
        for (int i = 1; i < ROUTES; i++)
            if (holds(c->in, line, routes[i].mark)) route = &routes[i];
        int stream = holds(c->in, line, "streamGenerate") ||
                     holds(c->in + head, size - head, "\"stream\":true") ||
                     holds(c->in + head, size - head, "\"stream\": true");
        memmove(c->in, c->in + size, c->in_size - size);
        c->in_size -= size;
        answer(c, route, stream);
    }
}

static int receive(Connection *c) {  // -1: the other side is gone
    for (;;) {
        if (c->in_room - c->in_size < READ_MIN) c->in = realloc(c->in, c->in_room *= 2);
        size_t room = c->in_room - c->in_size - 1;
        ssize_t got = recv(c->fd, c->in + c->in_size, room, 0);
        if (got == 0 || (got < 0 && errno != EAGAIN)) return -1;
        if (got < 0) return 0;
        c->in_size += got;
        if ((size_t)got < room) return 0;
    }
}

static void ready(Connection *c, unsigned events) {
    int sent = events & EPOLLOUT ? flush(c) : 0;
    if (sent > 0) watch(c, EPOLLIN);
    int gone = sent < 0 || (events & (EPOLLIN | EPOLLHUP | EPOLLERR) && receive(c) < 0);
    if (!gone) {
        serve(c);
        gone = !c->queued && c->out_size && flush(c) < 0;
    }
    if (gone) drop(c);
}

static void due(Connection *c) {
    if (c->dead) {
        release(c);
        return;
    }
    if (c->position != WHOLE) {
        if (gap_ms <= 0) put_rest(c);
        else if (c->position < c->route->count) put_chunk(c, c->route->events[c->position++]);
        if (c->position < c->route->count) enqueue(c, NEXT, c->due_ms + gap_ms);
        else put_text(c, "0\r\n\r\n");
    }
    if (flush(c) < 0) {
        drop(c);
    } else if (!c->queued) {
        serve(c);
        if (!c->queued && c->out_size && flush(c) < 0) drop(c);
    }
}

static void welcome(int listener) {
    int fd, one = 1;
    while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0) {
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        Connection *c = calloc(1, sizeof *c);
        c->fd = fd;
        c->in = malloc(c->in_room = 2 * READ_MIN);
        struct epoll_event event = {EPOLLIN, {.ptr = c}};
        epoll_ctl(poller, EPOLL_CTL_ADD, fd, &event);
    }
}

static int wait_ms(void) {
    int out = -1;
    for (int i = 0; i < 2; i++) {
        if (!queues[i].head) continue;
        double left = queues[i].head->due_ms - now_ms();
        int whole = left < 0 ? 0 : (int)left + 1;
        if (out < 0 || whole < out) out = whole;
    }
    return out;
}

int main(int argc, char **argv) {
    if (argc < 3) {
        fprintf(stderr, "usage: upstream PORT BODY_DIR [first_byte_ms] [chunk_interval_ms]\n");
        return 2;
    }
    first_ms = argc > 3 ? atof(argv[3]) : 0;
    gap_ms = argc > 4 ? atof(argv[4]) : 0;
    for (int i = 0; i < ROUTES; i++) load(&routes[i], argv[2]);
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), one = 1;
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    struct sockaddr_in address = {
        .sin_family = AF_INET,
        .sin_port = htons(atoi(argv[1])),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
    };
    if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 4096)) {
        perror("upstream");
        return 1;
    }
    poller = epoll_create1(0);
    struct epoll_event event = {EPOLLIN, {.ptr = NULL}}, events[512];
    epoll_ctl(poller, EPOLL_CTL_ADD, listener, &event);
    for (;;) {
        int count = epoll_wait(poller, events, 512, wait_ms());
        for (int i = 0; i < count; i++) {
            if (events[i].data.ptr) ready(events[i].data.ptr, events[i].events);
            else welcome(listener);
        }
        double now = now_ms();
        for (int i = 0; i < 2; i++) {
            while (queues[i].head && queues[i].head->due_ms <= now) {
                Connection *c = queues[i].head;
                queues[i].head = c->next;
                if (!c->next) queues[i].tail = NULL;
                c->queued = 0;
                due(c);
            }
        }
    }
}

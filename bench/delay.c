// How long a piece of a stream is under way: a vendor that writes the time into each piece, and the
// callers who read it, in one thread, so that both look at one clock.
//
//   delay VENDOR_PORT TARGET_PORT STREAMS PIECES GAP_MS PATH BODY_FILE [HEADER ...]
//
// Opens STREAMS requests at TARGET_PORT (a gateway whose upstream is VENDOR_PORT, or that port
// itself: the least there is), spread over GAP_MS so that no two are due at once, each answered with
// PIECES chunks of the chat shape, GAP_MS apart. Prints pieces, the delays' 50th, 90th, 99th and
// 99.9th percentile and the longest in milliseconds. Ends with 1 unless every piece came.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { MAX = 65536, TAIL = 22, DIGITS = 20, QUIET_S = 20 };
enum kind { NONE, LISTENER, VENDOR, CALLER };
struct line {
    enum kind kind;
    int asked;            // of a vendor's: bytes of the request that are still to come, -1 none yet
    int left;             // pieces to send
    int64_t due;          // when the next is, ns
    char tail[TAIL + 1];  // of a caller's: the end of what was read, where a time may be cut
    int tail_size;
};
static struct line lines[MAX];
static float *delays;
static long found, wanted;
static char request[1 << 20], piece[512], last[512];
static int request_size, gap_ms, pieces;

static int64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void die(const char *what) {
    fprintf(stderr, "delay: %s: %s\n", what, strerror(errno));
    exit(2);
}

static void put(int fd, const char *data, int size) {
    if (write(fd, data, size) != size) die("a write was cut");
}

static int chunk(char *to, const char *data) { return sprintf(to, "%x\r\n%s\r\n", (int)strlen(data), data); }

static void ask(int poll, int port) {
    int fd = socket(AF_INET, SOCK_STREAM, 0), one = 1;
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    if (fd < 0 || fd >= MAX || connect(fd, (struct sockaddr *)&to, sizeof to)) die("connect");
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    lines[fd] = (struct line){.kind = CALLER};
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
    epoll_ctl(poll, EPOLL_CTL_ADD, fd, &event);
    put(fd, request, request_size);
}

static void serve(int fd, const char *data, int size) {
    struct line *it = &lines[fd];
    if (it->asked < 0) {  // the head comes in one read: it is short, and so is the body
        const char *end = memmem(data, size, "\r\n\r\n", 4), *length = strcasestr(data, "content-length:");
        if (!end || !length) { errno = EPROTO; die("the request's head was cut"); }
        it->asked = atoi(length + 15);
        size -= end + 4 - data;
    }
    it->asked -= size;
    if (it->asked > 0) return;
    static const char head[] = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
    put(fd, head, sizeof head - 1);
    it->left = pieces;
    it->due = now() + (int64_t)gap_ms * 1000000 * (rand() % 1000) / 1000;
}

static void step(int fd) {
    struct line *it = &lines[fd];
    char text[1024], out[1200];
    if (it->left-- > 0) {
        sprintf(text, piece, (long long)now());
        put(fd, out, chunk(out, text));
        it->due += (int64_t)gap_ms * 1000000;
        return;
    }
    int size = chunk(out, last);
    size += sprintf(out + size, "0\r\n\r\n");
    put(fd, out, size);
    it->left = 0;
    it->due = 0;
    it->asked = -1;
}

static void hear(int fd, char *data, int size) {
    struct line *it = &lines[fd];
    static char joined[TAIL + 262144 + 1];
    int64_t at = now();
    memcpy(joined, it->tail, it->tail_size);
    memcpy(joined + it->tail_size, data, size);
    int whole = it->tail_size + size, from = 0;
    joined[whole] = 0;
    for (char *mark; (mark = memmem(joined + from, whole - from, "t=", 2)) && mark - joined + 2 + DIGITS <= whole;) {
        long long sent = atoll(mark + 2);
        if (found < wanted) delays[found] = (at - sent) / 1e6;
        found++;
        from = mark - joined + 2 + DIGITS;
    }
    int keep = whole - from < TAIL - 1 ? whole - from : TAIL - 1;
    memcpy(it->tail, joined + whole - keep, keep);
    it->tail_size = keep;
}

static int order(const void *a, const void *b) {
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv) {
    if (argc < 8) {
        fprintf(stderr, "usage: delay VENDOR_PORT TARGET_PORT STREAMS PIECES GAP_MS PATH BODY_FILE [HEADER ...]\n");
        return 2;
    }
    int port = atoi(argv[1]), target = atoi(argv[2]), streams = atoi(argv[3]);
    pieces = atoi(argv[4]);
    gap_ms = atoi(argv[5]);
    wanted = (long)streams * pieces;
    delays = malloc(sizeof(float) * wanted);
    struct rlimit files = {MAX, MAX};
    setrlimit(RLIMIT_NOFILE, &files);
    static char body[1 << 19];
    FILE *file = fopen(argv[7], "r");
    if (!file) die(argv[7]);
    int size = fread(body, 1, sizeof body, file);
    request_size = sprintf(request, "POST %s HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: %d\r\n", argv[6], size);
    for (int i = 8; i < argc; i++) request_size += sprintf(request + request_size, "%s\r\n", argv[i]);
    request_size += sprintf(request + request_size, "\r\n");
    memcpy(request + request_size, body, size);
    request_size += size;
    static const char lead[] = "data: {\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"bench-model\",";
    sprintf(piece, "%s\"choices\":[{\"index\":0,\"delta\":{\"content\":\"t=%%020lld\"},\"finish_reason\":null}]}\n\n", lead);
    sprintf(last, "%s\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":%d,\"total_tokens\":%d}}\n\ndata: [DONE]\n\n", lead, pieces, pieces + 9);
    int poll = epoll_create1(0), listener = socket(AF_INET, SOCK_STREAM, 0), one = 1;
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    struct sockaddr_in own = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    if (bind(listener, (struct sockaddr *)&own, sizeof own) || listen(listener, 4096)) die("listen");
    lines[listener].kind = LISTENER;
    struct epoll_event event = {.events = EPOLLIN, .data.fd = listener}, events[256];
    epoll_ctl(poll, EPOLL_CTL_ADD, listener, &event);
    int64_t begun = now(), heard = begun;
    static char data[262144];
    for (int asked = 0; found < wanted && now() - heard < QUIET_S * 1000000000LL;) {
        while (asked < streams && now() - begun > (int64_t)asked * gap_ms * 4000000 / streams) ask(poll, target), asked++;
        int count = epoll_wait(poll, events, 256, 1);
        for (int i = 0; i < count; i++) {
            int fd = events[i].data.fd;
            if (lines[fd].kind == LISTENER) {
                int got = accept4(fd, 0, 0, SOCK_NONBLOCK);
                if (got < 0 || got >= MAX) die("accept");
                setsockopt(got, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
                lines[got] = (struct line){.kind = VENDOR, .asked = -1};
                event.data.fd = got;
                epoll_ctl(poll, EPOLL_CTL_ADD, got, &event);
                continue;
            }
            int size = read(fd, data, sizeof data - 1);
            if (size <= 0) {
                close(fd);
                lines[fd].kind = NONE;
                continue;
            }
            data[size] = 0;
            heard = now();
            lines[fd].kind == VENDOR ? serve(fd, data, size) : hear(fd, data, size);
        }
        int64_t at = now();
        for (int fd = 0; fd < MAX && fd < 2 * streams + 64; fd++)
            if (lines[fd].kind == VENDOR && lines[fd].due && lines[fd].due <= at) step(fd);
    }
    long came = found < wanted ? found : wanted;
    qsort(delays, came, sizeof *delays, order);
    float shares[] = {0.5, 0.9, 0.99, 0.999};
    printf("%ld of %ld", found, wanted);
    for (int i = 0; i < 4 && came; i++) printf(" %.2f", delays[(long)(shares[i] * (came - 1))]);
    printf(" %.2f\n", came ? delays[came - 1] : 0);
    return found != wanted;
}

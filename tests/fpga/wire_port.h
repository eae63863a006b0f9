/* SPDX-License-Identifier: Apache-2.0
 * A simulated board's process at the end of a socket pair, as a byte stream (bridge/stream/stream.h): the requests of
 * fpga/sim/wire.h without libusb, as a host would send them.  For tests of the chip and the board; times are the
 * board's own.
 */
#ifndef WIRE_PORT_H
#define WIRE_PORT_H
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bridge/stream/stream.h"
#include "fpga/sim/wire.h"

#define WIRE_IN 1024 /* bytes of each transfer to the host: it acknowledges long before a board has its buffer full */
#define WIRE_INS 16  /* of them under way */

struct wire_port {
    int fd;
    pid_t pid;
    bool gone;
    uint64_t now;            /* cycles of the chip */
    uint32_t ids, under_way; /* OUT transfers */
    uint8_t held[WIRE_IN];   /* of a transfer that has come */
    size_t held_at, held_end;
};

static inline bool wire_all(struct wire_port *w, void *bytes, size_t n, bool out)
{
    for (char *at = (char *)bytes; n && !w->gone;) {
        const ssize_t k = out ? send(w->fd, at, n, MSG_NOSIGNAL) : recv(w->fd, at, n, 0);
        w->gone = k <= 0;
        at += k;
        n -= (size_t)k;
    }
    return !w->gone;
}

static inline bool wire_answer(struct wire_port *w, struct wire_answer *a)
{
    if (!wire_all(w, a, sizeof *a, false))
        return false;
    w->now = a->now;
    return true;
}

static inline int wire_control(struct wire_port *w, uint8_t type, uint8_t request, uint16_t value, uint8_t *in)
{
    struct wire_ask ask = {
        WIRE_CONTROL,
        ++w->ids,
        0,
        (uint32_t)(type & 0x80 ? 2 : 0),
        0,
        {type, request, (uint8_t)value, (uint8_t)(value >> 8), 1, 0, (uint8_t)(type & 0x80 ? 2 : 0), 0}};
    struct wire_answer a;
    if (!wire_all(w, &ask, sizeof ask, true) || !wire_answer(w, &a) ||
        (in && a.length && !wire_all(w, in, a.length, false)))
        return -1;
    return a.status;
}

static inline void wire_submit_in(struct wire_port *w)
{
    struct wire_ask ask = {WIRE_SUBMIT, ++w->ids, 0x81, WIRE_IN, 0, {0}};
    wire_all(w, &ask, sizeof ask, true);
}

static inline ssize_t wire_write(void *ctx, const void *bytes, size_t n)
{
    struct wire_port *w = (struct wire_port *)ctx;
    if (w->under_way >= 32)
        return 0;
    n = n < 16384 ? n : 16384;
    struct wire_ask ask = {WIRE_SUBMIT, ++w->ids, 0x02, (uint32_t)n, 0, {0}};
    w->under_way++;
    return wire_all(w, &ask, sizeof ask, true) && wire_all(w, (void *)bytes, n, true) ? (ssize_t)n : -1;
}

static inline ssize_t wire_read(void *ctx, void *bytes, size_t room, unsigned ms)
{
    struct wire_port *w = (struct wire_port *)ctx;
    const uint64_t until = w->now + (uint64_t)ms * 1000 * WIRE_MHZ;
    while (!w->gone) {
        if (w->held_at < w->held_end) {
            const size_t n = room < w->held_end - w->held_at ? room : w->held_end - w->held_at;
            memcpy(bytes, w->held + w->held_at, n);
            w->held_at += n;
            return (ssize_t)n;
        }
        struct wire_ask ask = {WIRE_WAIT, 0, 0, 0, until, {0}};
        struct wire_answer a;
        static uint8_t packets[WIRE_IN];
        if (!wire_all(w, &ask, sizeof ask, true) || !wire_answer(w, &a))
            break;
        if (a.id == 0 && w->now + 1 >= until)
            return 0;
        if (a.id == 0)
            continue;
        if (a.endpoint == 0x02) {
            w->under_way--;
            continue;
        }
        if (a.length > WIRE_IN || !wire_all(w, packets, a.length, false))
            break;
        wire_submit_in(w);
        w->held_at = w->held_end = 0;
        for (size_t at = 0; at + 2 <= a.length; at += 512) {
            const size_t n = (a.length - at < 512 ? a.length - at : 512) - 2;
            memcpy(w->held + w->held_end, packets + at + 2, n);
            w->held_end += n;
        }
    }
    return -1;
}

static inline const char *wire_why(void *ctx)
{
    (void)ctx;
    return "the board's process has closed the socket";
}

static inline uint64_t wire_now_ms(void *ctx)
{
    return ((struct wire_port *)ctx)->now / (1000 * WIRE_MHZ);
}

/* Starts the board's process. */
static inline bool wire_start(struct wire_port *w, const char *path)
{
    int ends[2];
    memset(w, 0, sizeof *w);
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
        return false;
    w->pid = fork();
    if (w->pid == 0) {
        char number[16];
        snprintf(number, sizeof number, "%d", ends[1]);
        close(ends[0]);
        execl(path, path, "--fd", number, (char *)NULL);
        perror(path);
        _exit(127);
    }
    close(ends[1]);
    w->fd = ends[0];
    return w->pid > 0;
}

/* Starts the board and sets its chip up. */
static inline bool wire_open(struct wire_port *w, const char *path, struct stream_port *port)
{
    if (!wire_start(w, path))
        return false;
    *port = (struct stream_port){w, wire_write, wire_read, wire_why, wire_now_ms};
    uint8_t word[2];
    bool ok = wire_control(w, 0x40, 0, 0, NULL) == 0 && wire_control(w, 0x40, 9, 2, NULL) == 0 &&
              wire_control(w, 0xc0, 5, 0, word) == 0 && wire_control(w, 0x40, 0x0b, 0x4000, NULL) == 0 &&
              wire_control(w, 0x40, 0, 2, NULL) == 0;
    for (int i = 0; ok && i < WIRE_INS; i++)
        wire_submit_in(w);
    return ok && !w->gone;
}

/* Its exit status. */
static inline int wire_close(struct wire_port *w)
{
    int status = -1;
    if (w->fd >= 0)
        close(w->fd);
    waitpid(w->pid, &status, 0);
    return status;
}
#endif

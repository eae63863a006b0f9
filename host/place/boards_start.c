/* SPDX-License-Identifier: Apache-2.0
 * The boards of this process (boards.h): a simulated one is a process at the other end of a socket, started with
 * `--fd N`; a program that plays a board gets the library of its partition and the HELLO it shall give, too:
 * `--model FILE --hello BYTES`.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/words.h"
#include "base/xalloc.h"
#include "bridge/board/usb.h"
#include "machine/sim_private.h"
#include "place/boards_private.h"

static void played_words(struct words *w, const struct one_board *b)
{
    const uint8_t *bytes = (const uint8_t *)&b->wanted;
    char *hex = xcalloc(2 * sizeof b->wanted + 1, 1);
    for (size_t i = 0; i < sizeof b->wanted; i++)
        sprintf(hex + 2 * i, "%02x", bytes[i]);
    words_add(w, xstrdup("--model"));
    words_add(w, xasprintf("/proc/%d/fd/%d", (int)getpid(), b->plain->fd));
    words_add(w, xstrdup("--hello"));
    words_add(w, hex);
}

static bool process_start(struct one_board *b, bool played, char *why, size_t room)
{
    struct words w = {0};
    words_add(&w, xstrdup(b->path));
    words_add(&w, xstrdup("--fd"));
    words_add(&w, xasprintf("%d", BOARD_PROCESS_FD));
    if (played)
        played_words(&w, b);
    const bool ok = board_process_start(&b->process, w.list, why, room);
    words_fini(&w);
    return ok;
}

/* Beside the command: build/bin and build/lib, or PREFIX/bin and PREFIX/lib. */
static char *standin_path(void)
{
    char exe[4096];
    ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    exe[n > 0 ? n : 0] = 0;
    char *slash = strrchr(exe, '/');
    if (slash)
        *slash = 0;
    return xasprintf("%s/../lib/gantry/libusb-1.0.so.0", exe);
}

/* The process ends when both copies of the socket are closed. */
static struct usb_board *simulated_open(struct one_board *b, char *why, size_t room)
{
    char *library = standin_path();
    int fd = fcntl(b->process.fd, F_DUPFD_CLOEXEC, 0);
    struct usb_board *usb = usb_open_sim(fd, b->on.part, library, why, room);
    free(library);
    return usb;
}

static bool process_here(void *ctx)
{
    return board_process_runs(ctx);
}

/* The byte stream: false with the cause. */
static bool port_open(struct one_board *b, char *why, size_t room)
{
    const bool played = getenv("GANTRY_BOARD_PROGRAM");
    if ((played || !*b->on.serial) && !process_start(b, played, why, room))
        return false;
    if (played) {
        b->socket = (struct board_socket){.fd = b->process.fd, .here = process_here, .ctx = &b->process};
        b->port = board_socket_port(&b->socket);
        return true;
    }
    b->usb = *b->on.serial ? usb_open(b->on.serial, why, room) : simulated_open(b, why, room);
    if (b->usb == NULL)
        return false;
    if (!*b->on.serial)
        usb_watch(b->usb, process_here, &b->process);
    b->port = *usb_port(b->usb);
    return true;
}

/* Their libusb is one for all. */
static pthread_mutex_t simulated = PTHREAD_MUTEX_INITIALIZER;

/* On the thread of a visit: whoever runs the machine looks soon. */
static void lost_note(void *ctx)
{
    ((struct sim *)ctx)->sched.stop = true;
}

static bool lost_ask(void *ctx)
{
    return boards_lost(ctx) != STATUS_OK;
}

static enum gantry_status one_start(struct one_board *b, struct sim *sim)
{
    char why[300] = "";
    if (!port_open(b, why, sizeof why)) {
        diag(b->on.part, "%s%s: %s", *b->on.serial ? "usb:" : "simulated board", b->on.serial, why);
        return STATUS_IO;
    }
    b->board = board_new(b->on.part, b->plain->api, &b->wanted, &b->port, lost_note, sim);
    if (b->usb && !*b->on.serial)
        board_lock(b->board, &simulated);
    const enum gantry_status status = board_attach(b->board, (uint16_t)(b->place.gpu << 8 | b->place.index));
    if (status != STATUS_OK)
        one_board_tell(b);
    return status;
}

bool boards_start(struct boards *boards, struct sim *sim)
{
    enum gantry_status status = STATUS_OK;
    if (boards == NULL || sim->self == SIM_NOWHERE)
        return true;
    boards->sim = sim;
    for (unsigned i = 0; i < boards->count && status == STATUS_OK; i++) {
        struct one_board *b = &boards->list[i];
        if (sim_has(sim, b->place.gpu) && !sim_elsewhere(sim, b->place.gpu))
            status = one_start(b, sim);
    }
    sim->sched.lost = lost_ask;
    sim->sched.lost_ctx = boards;
    boards->told = status != STATUS_OK;
    if (boards->told && sim->options.failure)
        *sim->options.failure = status;
    return !boards->told;
}

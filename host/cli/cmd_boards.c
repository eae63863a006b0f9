/* SPDX-License-Identifier: Apache-2.0
 * gantry boards: the FTDI chips that are plugged in and what answers behind them; with --echo what one of them carries.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "bridge/board/usb.h"
#include "bridge/board/usb_echo.h"
#include "cli/cli.h"
#include "cli/option_table.h"

#define SILENT_HINT "is the bitstream loaded, the chip's EEPROM set to 245 FIFO? (fpga/README.md)"

/* "rdma" */
static const char *kind_text(uint64_t kind, char text[8 * 4 + 1])
{
    char raw[9] = "";

    memcpy(raw, &kind, sizeof kind);
    text_escape(text, 8 * 4 + 1, raw);
    return text;
}

/* A session in which the board only tells what it is (flags 0), or begins anew (HELLO_ATTACH). */
static struct stream *board_greet(struct usb_board *board, uint8_t flags, struct stream_hello *theirs, char *why,
                                  size_t room)
{
    const struct stream_hello mine = {.version = STREAM_VERSION, .flags = flags};
    struct stream *stream = stream_new(usb_port(board));

    if (!stream_hello(stream, &mine, theirs)) {
        snprintf(why, room, "%s: " SILENT_HINT, stream_why(stream));
    } else if (theirs->version != STREAM_VERSION) {
        snprintf(why, room, "speaks version %u of the protocol, this gantry %u", theirs->version, STREAM_VERSION);
    } else {
        return stream;
    }
    stream_free(stream);
    return NULL;
}

struct listed { /* kept, since a board is not opened while others are looked at */
    char *serial, *chip, *why;
};
struct list {
    struct listed *boards;
    size_t count, room;
};

static void list_add(void *arg, const struct usb_found *found)
{
    struct list *list = arg;

    list->boards = xgrow(list->boards, &list->room, list->count + 1, sizeof *list->boards);
    list->boards[list->count++] =
        (struct listed){text_escaped(found->serial), xstrdup(found->chip), found->why ? xstrdup(found->why) : NULL};
}

static void board_tell(const struct listed *listed)
{
    struct stream_hello theirs;
    char why[600] = "", text[40];

    printf("%-16s %-8s ", *listed->serial ? listed->serial : "-", listed->chip);
    if (listed->why || !*listed->serial) {
        printf("%s\n", listed->why ? listed->why : "has no serial number, by which it could be opened");
        return;
    }
    struct usb_board *board = usb_open(listed->serial, why, sizeof why);
    struct stream *stream = board ? board_greet(board, 0, &theirs, why, sizeof why) : NULL;
    if (stream)
        printf("%s rtl=%016" PRIx64 " keys=%016" PRIx64 " graph=%016" PRIx64 " links=%016" PRIx64 "\n",
               kind_text(theirs.kind, text), theirs.rtl, theirs.keys, theirs.graph, theirs.links);
    else
        printf("%s\n", why);
    stream_free(stream);
    usb_close(board);
}

static enum gantry_status boards_list(void)
{
    struct list list = {NULL, 0, 0};
    char why[200];

    if (usb_list(list_add, &list, why, sizeof why) < 0) {
        diag("boards", "%s", why);
        return STATUS_IO;
    }
    if (list.count == 0)
        puts("no FTDI chip is plugged in");
    for (size_t n = 0; n < list.count; n++) {
        board_tell(&list.boards[n]);
        free(list.boards[n].serial);
        free(list.boards[n].chip);
        free(list.boards[n].why);
    }
    free(list.boards);
    return STATUS_OK;
}

/* ---- --echo */
static bool echo_print(struct stream *stream, const struct stream_port *port, bool *other)
{
    static const unsigned payloads[] = {0, 56, 502, ECHO_PAYLOAD};
    enum { TRIPS = 200, BLOCKS = 1024, AHEAD = 4 };
    uint64_t ms;

    for (unsigned n = 0; n < sizeof payloads / sizeof *payloads; n++) {
        if (!usb_echo(stream, port, TRIPS, payloads[n], 1, &ms, other))
            return false;
        printf("%5u bytes and back: %8.1f us\n", payloads[n] + 8, (double)ms * 1000 / TRIPS);
    }
    if (!usb_echo(stream, port, BLOCKS, ECHO_PAYLOAD, AHEAD, &ms, other))
        return false;
    const uint64_t bytes = (uint64_t)BLOCKS * (ECHO_PAYLOAD + 8);
    printf("%" PRIu64 " bytes each way: %.1f MB/s each way\n", bytes, (double)bytes / 1000 / (double)(ms ? ms : 1));
    return true;
}

static enum gantry_status board_echo(const char *serial)
{
    struct stream_hello theirs;
    char why[600], text[40];
    bool other = false, done = false;

    struct usb_board *board = usb_open(serial, why, sizeof why);
    struct stream *stream = board ? board_greet(board, HELLO_ATTACH, &theirs, why, sizeof why) : NULL;
    if (stream) {
        printf("%s %s %s\n", serial, usb_chip(board), kind_text(theirs.kind, text));
        done = echo_print(stream, usb_port(board), &other);
        const struct stream_counts *c = stream_counts(stream);
        printf("frames: %" PRIu64 " sent, %" PRIu64 " taken, %" PRIu64 " sent again, %" PRIu64 " damaged, %" PRIu64
               " gaps, %" PRIu64 " NAKs\n",
               c->frames_sent, c->frames_taken, c->resent, c->damaged, c->gaps, c->naks);
        if (!done)
            snprintf(why, sizeof why, "%s", other ? "other bytes came back than were sent" : stream_why(stream));
        stream_bye(stream);
    }
    if (!done)
        diag(serial, "%s", why);
    stream_free(stream);
    usb_close(board);
    return done ? STATUS_OK : STATUS_IO;
}

int cmd_boards(int argc, char **argv)
{
    struct option longs[OPTIONS_MOST];
    const char *serial = NULL;
    enum gantry_status status = STATUS_OK;
    int c;

    option_longs(OPTION_BOARDS, longs);
    opterr = optind = 0;
    while ((c = getopt_long(argc, argv, option_shorts(OPTION_BOARDS), longs, NULL)) != -1 && status == STATUS_OK) {
        if (c != OPT_ECHO)
            return status_exit(option_refused("boards", c, argv));
        serial = optarg;
        status = option_name_check("--echo", optarg);
    }
    if (status == STATUS_OK && optind < argc) {
        diag("boards", "unexpected argument %s", argv[optind]);
        status = STATUS_USAGE;
    }
    if (status == STATUS_OK)
        status = serial ? board_echo(serial) : boards_list();
    if (fflush(stdout) != 0 && status == STATUS_OK) {
        diag("stdout", "%m");
        status = STATUS_IO;
    }
    return status_exit(status);
}

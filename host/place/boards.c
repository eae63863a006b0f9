/* SPDX-License-Identifier: Apache-2.0
 * Boards of a machine; contract in boards.h.
 */
#include "place/boards.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/log.h"
#include "base/xalloc.h"
#include "bridge/board/usb.h"
#include "bridge/part/part.h"
#include "machine/sim_private.h"
#include "place/boards_private.h"

#define LOOK_MS 100 /* between two looks at boards that nobody waits for */
#define END_MS 100  /* until a process that has closed its socket has ended, too */

static struct one_board *found(const struct boards *boards, struct rtl_place place)
{
    for (unsigned i = 0; boards && i < boards->count; i++) {
        const struct one_board *b = &boards->list[i];
        if (b->place.gpu == place.gpu && b->place.kind == place.kind && b->place.index == place.index)
            return (struct one_board *)(uintptr_t)b;
    }
    return NULL;
}

struct library boards_library(const struct boards *boards, struct rtl_place place, const struct library *plain)
{
    const struct one_board *b = found(boards, place);
    struct library library = *plain;
    if (b && b->board)
        library.api = board_api(b->board);
    return library;
}

void boards_connected(struct boards *boards, struct rtl_place place, const struct part *part)
{
    const struct one_board *b = found(boards, place);
    if (b == NULL || b->board == NULL)
        return;
    uint32_t *depths = xcalloc(part->outs + 1, sizeof *depths);
    for (uint32_t i = 0; i < part->outs; i++)
        depths[i] = part->out[i] ? part->out[i]->channel.depth : 0;
    board_bounds(b->board, depths);
    free(depths);
}

void one_board_tell(struct one_board *b)
{
    char end[80] = "";
    if (b->process.fd >= 0 && (!board_process_runs(&b->process) || board_process_ended(&b->process, END_MS)))
        board_process_end(&b->process, end, sizeof end);
    diag(b->on.part, "%s%s%s", board_why(b->board), *end ? "; " : "", end);
}

void boards_free(struct boards *boards)
{
    for (unsigned i = 0; boards && i < boards->count; i++) {
        struct one_board *b = &boards->list[i];
        board_free(b->board);
        usb_close(b->usb);
        board_process_finish(&b->process);
        free(b->path);
    }
    free(boards);
}

/* ---- boards that are lost */
static bool due(struct boards *boards)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    const unsigned long long ms = (unsigned long long)now.tv_sec * 1000 + (unsigned long long)now.tv_nsec / 1000000;
    if (ms - boards->looked < LOOK_MS)
        return false;
    boards->looked = ms;
    return true;
}

static bool one_lost(struct one_board *b, bool look)
{
    if (b->board == NULL)
        return false;
    if (look && b->process.fd >= 0 && !board_process_runs(&b->process))
        board_give_up(b->board, "nobody answers any more");
    else if (look && b->process.fd < 0)
        board_alive(b->board);
    return board_why(b->board);
}

enum gantry_status boards_lost(struct boards *boards)
{
    if (boards == NULL || boards->told || boards->sim == NULL)
        return boards && boards->told ? STATUS_IO : STATUS_OK;
    const bool look = due(boards);
    for (unsigned i = 0; i < boards->count && !boards->told; i++) {
        struct one_board *b = &boards->list[i];
        if (!one_lost(b, look))
            continue;
        one_board_tell(b);
        boards->told = true;
        if (boards->sim->options.failure)
            *boards->sim->options.failure = STATUS_IO;
    }
    return boards->told ? STATUS_IO : STATUS_OK;
}

/* ---- figures */
void boards_figures(const struct boards *boards, void (*fn)(void *arg, const struct sim_board *board), void *arg)
{
    for (unsigned i = 0; boards && i < boards->count; i++) {
        const struct one_board *b = &boards->list[i];
        if (b->board == NULL)
            continue;
        const struct board_figures f = board_figures(b->board);
        struct sim_board row = {.exchanges = f.exchanges,
                                .bytes_sent = f.bytes_sent,
                                .bytes_taken = f.bytes_taken,
                                .resent = f.resent,
                                .cycles = f.cycles,
                                .seconds = (double)f.ns * 1e-9};
        snprintf(row.part, sizeof row.part, "%s", b->on.part);
        snprintf(row.where, sizeof row.where, "%s%s", *b->on.serial ? "usb:" : "sim", b->on.serial);
        fn(arg, &row);
    }
}

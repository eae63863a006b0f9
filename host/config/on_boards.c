/* SPDX-License-Identifier: Apache-2.0
 * Partitions on boards; contract in on_boards.h.
 */
#include "config/on_boards.h"

#include <stdio.h>
#include <string.h>

#include "gantry_cfg.h"

#define USB "usb:"

/* What stands behind the "=": false with the cause. */
static bool board_read(const char *text, struct on_board *board, char *why, size_t room)
{
    const char *serial = text + strlen(USB);
    *board->serial = 0;
    if (strcmp(text, "sim") == 0)
        return true;
    if (strncmp(text, USB, strlen(USB)) != 0) {
        snprintf(why, room, "%s: no such kind of board (sim, or usb:SERIAL; gantry boards lists what is plugged in)",
                 text);
        return false;
    }
    if (*serial == 0 || strlen(serial) >= sizeof board->serial) {
        snprintf(why, room, "%s: a serial number has 1 to %zu characters", text, sizeof board->serial - 1);
        return false;
    }
    strcpy(board->serial, serial);
    return true;
}

/* Neither is there twice. */
static bool once(const struct on_boards *boards, const struct on_board *board, char *why, size_t room)
{
    for (unsigned i = 0; i < boards->count; i++) {
        const struct on_board *other = &boards->list[i];
        if (strcmp(other->part, board->part) == 0) {
            snprintf(why, room, "%s is placed twice", board->part);
            return false;
        }
        if (*board->serial && strcmp(other->serial, board->serial) == 0) {
            snprintf(why, room, "%s and %s on one board: usb:%s holds one partition", other->part, board->part,
                     board->serial);
            return false;
        }
    }
    return true;
}

/* "gpu0.rdma=sim" */
static bool entry_read(struct on_boards *boards, const char *word, char *why, size_t room)
{
    const char *equals = strchr(word, '=');
    struct on_board *board = &boards->list[boards->count];
    const size_t n = equals ? (size_t)(equals - word) : 0;
    if (n == 0 || n >= sizeof board->part || boards->count == ON_BOARDS) {
        snprintf(why, room, "%s: expected PARTITION=BOARD, as in gpu0.rdma=sim", word);
        return false;
    }
    memcpy(board->part, word, n);
    board->part[n] = 0;
    if (!board_read(equals + 1, board, why, room) || !once(boards, board, why, room))
        return false;
    boards->count++;
    return true;
}

bool on_boards_read(const struct gantry_cfg *cfg, struct on_boards *boards, char *why, size_t room)
{
    char text[CFG_STRING_MAX], *rest = text;
    boards->count = 0;
    snprintf(text, sizeof text, "%s", cfg->place_boards);
    for (char *word; (word = strsep(&rest, " ,"));)
        if (*word && !entry_read(boards, word, why, room))
            return false;
    return true;
}

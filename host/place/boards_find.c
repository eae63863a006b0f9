/* SPDX-License-Identifier: Apache-2.0
 * What a machine's boards have to be (boards.h): sw/tools/builder/models.py is asked, `--hello KIND...` for a line
 * "KIND RTL KEYS GRAPH LINKS" each, `--board KIND...` for "KIND PATH".
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/log.h"
#include "base/xalloc.h"
#include "bridge/verilated/library_ask.h"
#include "gantry_cfg.h"
#include "machine/sim.h"
#include "place/boards_check.h"
#include "place/boards_private.h"

static uint64_t kind_number(const char *kind)
{
    uint64_t number = 0;
    for (unsigned i = 0; i < 8 && kind[i]; i++)
        number |= (uint64_t)(uint8_t)kind[i] << 8 * i;
    return number;
}

/* "KIND RTL KEYS GRAPH LINKS" */
static bool hello_line(struct one_board *b, const char *words)
{
    struct stream_hello *w = &b->wanted;
    int end = 0;
    return sscanf(words, "%16" SCNx64 " %16" SCNx64 " %16" SCNx64 " %16" SCNx64 "%n", &w->rtl, &w->keys, &w->graph,
                  &w->links, &end) == 4 &&
           words[end] == 0;
}

static bool path_line(struct one_board *b, const char *words)
{
    free(b->path);
    b->path = xstrdup(words);
    return *words == '/';
}

/* Each line is for the boards of its kind. */
static bool answer_read(struct boards *boards, char *answer, bool (*line_read)(struct one_board *b, const char *words))
{
    for (char *rest = answer, *line; (line = strsep(&rest, "\n")) && (rest || *line);) {
        char *words = strchr(line, ' ');
        if (words)
            *words++ = 0;
        for (unsigned i = 0; i < boards->count; i++) {
            struct one_board *b = &boards->list[i];
            if (strcmp(line, rtl_kind_name(b->place.kind)) != 0)
                continue;
            if (words == NULL || !line_read(b, words)) {
                diag("models", "the builder answers \"%s %s\"", line, words ? words : "");
                return false;
            }
        }
    }
    return true;
}

/* Kinds of all boards, or of simulated ones, each once. */
static unsigned kinds_list(const struct boards *boards, bool simulated, const char *kinds[KIND_COUNT])
{
    unsigned count = 0;
    bool there[KIND_COUNT] = {false};
    for (unsigned i = 0; i < boards->count; i++) {
        const struct one_board *b = &boards->list[i];
        if (there[b->place.kind] || (simulated && *b->on.serial))
            continue;
        there[b->place.kind] = true;
        kinds[count++] = rtl_kind_name(b->place.kind);
    }
    return count;
}

static bool ask(struct boards *boards, const struct library_source *source, bool simulated)
{
    const char *kinds[KIND_COUNT];
    const unsigned count = kinds_list(boards, simulated, kinds);
    if (count == 0)
        return true;
    char *answer = library_ask(source, simulated ? "--board" : "--hello", kinds, count);
    const bool ok = answer && answer_read(boards, answer, simulated ? path_line : hello_line);
    if (answer && !ok && source->failure)
        *source->failure = STATUS_INTERNAL;
    free(answer);
    return ok;
}

/* With a program that plays the board there is no RTL text of a board: the library tells what both have. */
static bool played(struct boards *boards, const char *program)
{
    for (unsigned i = 0; i < boards->count; i++) {
        struct one_board *b = &boards->list[i];
        b->path = xstrdup(program);
        b->wanted.rtl = b->wanted.keys = b->wanted.graph = b->wanted.links =
            XXH64(b->plain->key, strlen(b->plain->key), 0);
    }
    return true;
}

/* One program stands for every simulated board; what it says of itself must be right all the same. */
static bool replaced(struct boards *boards, const char *path)
{
    for (unsigned i = 0; i < boards->count; i++)
        if (!*boards->list[i].on.serial)
            boards->list[i].path = xstrdup(path);
    return true;
}

/* Observation ports are for those who look in: no board has them. */
static struct library_source source_plain(const struct library_source *source)
{
    struct library_source plain = *source;
    plain.words = (struct words){0};
    for (size_t i = 0; i < source->words.count; i++)
        if (strcmp(source->words.list[i], "--observe") != 0)
            words_add(&plain.words, xstrdup(source->words.list[i]));
    return plain;
}

bool boards_find(struct boards **boards, const struct gantry_cfg *cfg, const struct sim_options *options,
                 const struct library_source *source, const struct library *plain)
{
    struct on_boards on;
    char why[300];
    const char *program = getenv("GANTRY_BOARD_PROGRAM"), *sim = getenv("GANTRY_BOARD_SIM");
    *boards = NULL;
    if (!*cfg->place_boards)
        return true;
    const enum gantry_status status = boards_check(cfg, options);
    if (status != STATUS_OK && source->failure)
        *source->failure = status;
    if (status != STATUS_OK || !on_boards_read(cfg, &on, why, sizeof why) || on.count == 0)
        return status == STATUS_OK;
    struct boards *all = xzalloc(sizeof *all + on.count * sizeof *all->list);
    for (; all->count < on.count; all->count++) {
        struct one_board *b = &all->list[all->count];
        b->on = on.list[all->count];
        rtl_kind_find(cfg, b->on.part, &b->place);
        b->plain = &plain[b->place.kind];
        b->wanted.version = STREAM_VERSION;
        b->wanted.kind = kind_number(b->plain->kind);
        b->process.fd = -1;
    }
    struct library_source words = source_plain(source);
    const bool ok =
        program ? played(all, program) : ask(all, &words, false) && (sim ? replaced(all, sim) : ask(all, &words, true));
    words_fini(&words.words);
    if (ok)
        *boards = all;
    else
        boards_free(all);
    return ok;
}

// SPDX-License-Identifier: Apache-2.0
// A toy instead of the verilated models: library_load of this file takes the place of that of
// bridge/verilated/library.c in every program that includes it, and hands out models written in C (toy_parts.h) for the
// kinds that it is asked for. Their ports, counters and observations come from the tables of the verilated ones
// (build/gen/gantry_ports.h), the numbers of lanes from the constants that models.py would be given, so that a machine
// cannot tell them apart. A test sees what was asked for and can refuse it.  Not responsible for: what a toy does.
#ifndef TOY_LIBRARY_H
#define TOY_LIBRARY_H
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "bridge/verilated/library.h"
#include "gantry_ports.h"

#define TOY_ASKED 8u

struct toy_kind {
    struct model_api api;
    struct model_port ports[16];
    struct model_counter counters[32];
    struct model_obs obs[8];
    unsigned slices, cus, agents; // L2Slices, CuCount, CtlCount
    bool traced;
};

// The newest tables of each kind, for create(): which is called behind library_load and has no name for its library.
static struct toy_kind *toy_newest[2][16];
static const char *const toy_names[] = {"cu", "sqc", "noc", "l2", "utcl2", "rdma", "dispatch", "gpu", NULL};

// What was asked for, call by call.
static struct {
    char words[4000]; // "--cc=clang --set=CuCount=1 ..."
    char kinds[100];  // "cu noc"
    const char *root;
    bool trace;
} toy_asked[TOY_ASKED];
static unsigned toy_calls, toy_libraries; // toy_libraries: loaded and not unloaded
static int toy_refuse = -1;               // the call that fails

static const struct model_api toy_api; // toy_parts.h: what it does

static unsigned toy_kind_number(const char *kind)
{
    unsigned n = 0;
    while (toy_names[n] && strcmp(toy_names[n], kind) != 0)
        n++;
    return n;
}

static unsigned toy_constant(const struct words *words, const char *name)
{
    char start[64];
    size_t length = (size_t)snprintf(start, sizeof start, "--set=%s=", name);
    for (size_t i = 0; i < words->count; i++)
        if (strncmp(words->list[i], start, length) == 0)
            return (unsigned)strtoul(words->list[i] + length, NULL, 10);
    if (strcmp(name, "CtlCount") == 0) // as in sw/tools/gen/gen_wrappers.py
        return 3 + toy_constant(words, "SqcCount") + toy_constant(words, "L2Slices") + toy_constant(words, "CuCount");
    fprintf(stderr, "toy: no constant %s\n", name);
    abort();
}

// Slots as gen_wrappers.py counts them: the lanes of all ports first, then the credits that come back.
static void toy_ports(struct toy_kind *k, const struct words *words)
{
    uint32_t slot[2] = {0, 0}, n = 0;
    for (const struct port_row *row = port_rows; row->kind; row++) {
        if (strcmp(row->kind, k->api.kind) != 0)
            continue;
        struct model_port *port = &k->ports[n++];
        *port = (struct model_port){.name = row->name, .out = (uint8_t)row->out, .credit = (uint8_t)row->credit};
        port->bytes = row->bytes;
        port->count = *row->count ? (uint16_t)toy_constant(words, row->count) : 1;
        port->slot = slot[row->out];
        slot[row->out] += port->count;
    }
    for (uint32_t i = 0; i < n; i++) {
        struct model_port *port = &k->ports[i];
        if (port->credit) {
            port->credit_slot = slot[!port->out];
            slot[!port->out] += port->count;
        }
    }
    k->api.ports = k->ports;
    k->api.port_count = n;
    k->api.ins = slot[0];
    k->api.outs = slot[1];
}

static void toy_shown(struct toy_kind *k)
{
    for (const struct counter_row *row = counter_rows; row->kind; row++)
        if (strcmp(row->kind, k->api.kind) == 0)
            k->counters[k->api.counter_count++] = row->counter;
    for (const struct obs_row *row = obs_rows; row->kind; row++)
        if (strcmp(row->kind, k->api.kind) == 0)
            k->obs[k->api.obs_count++] = row->obs;
    k->api.counters = k->counters;
    k->api.obs = k->obs;
}

static void *toy_create_traced(const struct model_api *api, const char *name, uint16_t id, uint64_t seed);
static bool toy_trace(void *model, const char *file, uint64_t from, uint64_t to);
static void toy_set_bug(void (*bug)(const char *name, uint64_t cycle, const char *text));

static struct toy_kind *toy_kind_new(const char *kind, const struct words *words, bool traced)
{
    struct toy_kind *k = xcalloc(1, sizeof *k);
    k->api = toy_api;
    k->api.abi = MODEL_ABI;
    k->api.kind = toy_names[toy_kind_number(kind)];
    if (traced) {
        k->api.create = toy_create_traced;
        k->api.trace = toy_trace;
    }
    k->traced = traced;
    k->slices = toy_constant(words, "L2Slices");
    k->cus = toy_constant(words, "CuCount");
    k->agents = toy_constant(words, "CtlCount");
    toy_ports(k, words);
    toy_shown(k);
    return k;
}

static void toy_note(const struct library_source *source, bool trace, const struct library *libraries, unsigned count)
{
    if (toy_calls == TOY_ASKED)
        memmove(toy_asked, toy_asked + 1, --toy_calls * sizeof *toy_asked);
    char *to = toy_asked[toy_calls].words, *kinds = toy_asked[toy_calls].kinds;
    *to = *kinds = 0;
    for (size_t i = 0; i < source->words.count; i++)
        to += sprintf(to, "%s%s", i ? " " : "", source->words.list[i]);
    for (unsigned i = 0; i < count; i++)
        kinds += sprintf(kinds, "%s%s", i ? " " : "", libraries[i].kind);
    toy_asked[toy_calls].root = source->root;
    toy_asked[toy_calls++].trace = trace;
}

bool library_load(const struct library_source *source, bool trace, struct library *libraries, unsigned count)
{
    if (count == 0)
        return true;
    toy_note(source, trace, libraries, count);
    if (source->unwanted && source->unwanted(source->unwanted_arg))
        return false;
    if (toy_refuse == (int)toy_calls - 1) {
        fprintf(stderr, "gantry: models: refused\n");
        if (source->failure)
            *source->failure = STATUS_IO;
        return false;
    }
    for (unsigned i = 0; i < count; i++) {
        struct toy_kind *k = toy_kind_new(libraries[i].kind, &source->words, trace);
        toy_newest[trace][toy_kind_number(libraries[i].kind)] = k;
        toy_libraries++;
        libraries[i].api = &k->api;
        libraries[i].handle = k;
        libraries[i].key = xasprintf("%s-toy%s", libraries[i].kind, trace ? "-traced" : "");
        libraries[i].tools = xasprintf("toy of %s", libraries[i].kind);
    }
    return true;
}

void library_unload(struct library *libraries, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        if (libraries[i].handle == NULL)
            continue;
        toy_libraries--;
        free(libraries[i].handle);
        free(libraries[i].key);
        free(libraries[i].tools);
        libraries[i] = (struct library){.kind = libraries[i].kind};
    }
}
#endif

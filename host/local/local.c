/* SPDX-License-Identifier: Apache-2.0
 * The client inside the simulator (local.h): a flat allocator, an AQL queue with amd_queue_t and one signal, laid out
 * as ROCr lays them out, so that the command processor cannot tell the difference.
 */
#include "local/local.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/xalloc.h"
#include "driver/datahash.h"
#include "loader/lines.h"
#include "local/local_private.h"
#include "memory/nearest_allocation.h"
#include "vm/pagetable.h"
#include "vm/pmem.h"

#define PAGE UINT64_C(4096)
#define RING_PACKETS 64u
#define VMID 1u
#define VA_BASE UINT64_C(0x100000000)

static void on_event(void *ctx, void *owner, uint32_t event_id)
{
    (void)ctx, (void)owner, (void)event_id;
}

/* Behind the text of a fault: where in the kernel, and for an address the allocation it belongs to. */
static void place_tell(struct local *l, const struct msg_cp_evt *evt)
{
    char source[256] = "", *text = l->result->text;
    const size_t room = sizeof l->result->text;
    struct near near = {0};
    lines_find(l->code, l->code_bytes, evt->pc - l->code_base, source, sizeof source);
    cp_place_text(machine_cp(l->machine, l->gpu), evt, source, text, room);
    if (evt->status < FAULT_NOT_PRESENT || evt->status > FAULT_BUS)
        return;
    for (size_t i = 0; i < l->region_count; i++)
        near_offer(&near, evt->va, l->regions[i].va, l->regions[i].bytes,
                   l->regions[i].place == LOCAL_VRAM ? "VRAM" : "host-memory");
    snprintf(text + strlen(text), room - strlen(text), "; ");
    near_text(&near, evt->va, text + strlen(text), room - strlen(text));
}

static void on_memory_fault(void *ctx, void *owner, unsigned gpu, const struct msg_cp_evt *evt)
{
    struct local *l = ctx;
    (void)owner;
    if (!l->result || l->finished)
        return;
    l->finished = true;
    l->result->outcome = LOCAL_MEMORY_FAULT;
    l->result->fault_va = evt->va;
    l->result->pc = evt->pc;
    l->result->fault_kind = (enum fault_kind)evt->status;
    cp_memory_fault_text(gpu, evt, l->result->text, sizeof l->result->text);
    place_tell(l, evt);
}

static void on_queue_error(void *ctx, void *owner, unsigned gpu, unsigned queue, uint32_t code,
                           const struct msg_cp_evt *evt)
{
    struct local *l = ctx;
    (void)owner;
    if (!l->result || l->finished)
        return;
    l->finished = true;
    l->result->outcome = LOCAL_QUEUE_ERROR;
    l->result->error = code;
    l->result->pc = evt ? evt->pc : 0;
    l->result->instruction = evt ? evt->data : 0;
    cp_fault_text(gpu, code, evt, l->result->text, sizeof l->result->text);
    if (evt)
        place_tell(l, evt);
    else
        cp_limit_text(machine_cp(l->machine, gpu), queue, code, l->result->text, sizeof l->result->text);
}

static void on_halted(void *ctx, void *owner, unsigned gpu, const struct msg_cp_evt *evt)
{
    (void)ctx, (void)owner, (void)gpu, (void)evt; /* the report of a run without progress tells of it */
}

static void on_interrupt(void *ctx, void *owner)
{
    (void)ctx, (void)owner;
}

static void on_kernel(void *ctx, void *owner, const struct kernel_row *row)
{
    struct local *l = ctx;
    (void)owner;
    if (!l->result)
        return;
    l->result->row = *row;
    l->result->launched = true;
    local_moves_step(l); /* pages of golden GPUs wait for this */
}

static void on_space_closed(void *ctx, struct cp_space *space)
{
    (void)ctx, (void)space;
}

static void on_answered(void *ctx)
{
    local_moves_step(ctx);
}

uint64_t local_alloc(struct local *l, enum local_place place, uint64_t bytes, void **host)
{
    struct pmem *pm = machine_memory(l->machine);
    const uint64_t align = pagetable_align(bytes);
    const uint64_t asked = bytes;
    uint64_t *next = &l->next[place];
    uint64_t end = l->end[place];
    local_moves_rest(l);
    bytes = bytes ? (bytes + PAGE - 1) & ~(PAGE - 1) : PAGE;
    uint64_t offset = (*next + align - 1) & ~(align - 1);
    if (bytes > end || offset > end - bytes)
        return 0;
    uint64_t va = (l->next_va + align - 1) & ~(align - 1);
    uint32_t flags = PTE_R | PTE_W | PTE_X | (place == LOCAL_HOST ? PTE_UNCACHED : 0);
    if (pagetable_map(l->space.pt, va, pmem_addr(place == LOCAL_VRAM ? l->gpu + 1 : 0, offset), bytes, flags) < 0)
        return 0;
    *next = offset + bytes;
    l->regions = xgrow(l->regions, &l->region_room, l->region_count + 1, sizeof *l->regions);
    l->regions[l->region_count++] = (struct region){va, asked, place, offset, bytes, place == LOCAL_VRAM};
    l->next_va = va + bytes + PAGE;
    *host = place == LOCAL_VRAM ? pmem_pages(pm, l->gpu, offset, bytes) : pmem_gtt(pm, offset, bytes);
    return va;
}

static void put16(uint8_t *at, uint16_t value)
{
    memcpy(at, &value, sizeof value);
}

static void put32(uint8_t *at, uint32_t value)
{
    memcpy(at, &value, sizeof value);
}

static void put64(uint8_t *at, uint64_t value)
{
    memcpy(at, &value, sizeof value);
}

static bool queue_make(struct local *l)
{
    void *host = NULL;
    l->ring = local_alloc(l, LOCAL_HOST, RING_PACKETS * 64, &host);
    l->ring_host = host;
    l->amd_queue = local_alloc(l, LOCAL_HOST, PAGE, &host);
    l->amd_host = host;
    l->signal = local_alloc(l, LOCAL_HOST, PAGE, &host);
    l->signal_host = host;
    if (!l->ring || !l->amd_queue || !l->signal)
        return false;
    for (unsigned i = 0; i < RING_PACKETS; i++)
        l->ring_host[64 * i] = 1; /* INVALID */
    l->inactive = l->signal + 64;
    put64(l->amd_host + 0x08, l->ring);
    put32(l->amd_host + 0x18, RING_PACKETS);
    put32(l->amd_host + 0x40, 0x20000000);
    put32(l->amd_host + 0x44, 0x20000001);
    put32(l->amd_host + 0x88, 0x80);
    put32(l->amd_host + 0xb4, 2 | 8);
    put64(l->amd_host + 0xc0, l->inactive);
    struct cp_queue_args args = {.number = 0,
                                 .ring = l->ring,
                                 .packets = RING_PACKETS,
                                 .write_index = l->amd_queue + 0x50,
                                 .read_index = l->amd_queue + 0x80};
    l->queue = cp_queue_open(machine_cp(l->machine, l->gpu), &l->space, &args);
    return l->queue != NULL;
}

struct local *local_open(const struct gantry_cfg *cfg, const struct sim_options *options, unsigned gpu)
{
    struct local *l = xcalloc(1, sizeof *l);
    const struct cp_host user = {.ctx = l,
                                 .event = on_event,
                                 .memory_fault = on_memory_fault,
                                 .queue_error = on_queue_error,
                                 .halted = on_halted,
                                 .interrupt = on_interrupt,
                                 .kernel = on_kernel,
                                 .space_closed = on_space_closed,
                                 .shootdown = on_answered,
                                 .tables = on_answered};
    l->gpu = gpu;
    l->next_va = VA_BASE;
    l->machine = machine_new(cfg, options, &user);
    if (!l->machine || machine_start(l->machine) < 0)
        goto fail;
    struct pmem *pm = machine_memory(l->machine);
    pagetable_sink_set(pm, NULL, NULL); /* buffers are prepared while nothing runs */
    l->end[LOCAL_VRAM] = pmem_vram_bytes(pm) - pmem_table_bytes(pm);
    l->end[LOCAL_HOST] = pmem_gtt_bytes(pm);
    l->moves = local_moves_new(l);
    l->space = (struct cp_space){.pt = pagetable_new(pm, gpu), .vmid = VMID, .owner = l};
    if (l->space.pt) {
        cp_space_open(machine_cp(l->machine, gpu), &l->space);
        if (queue_make(l))
            return l;
    }
    diag(NULL, "no memory for the queue of gpu%u", gpu);
fail:
    local_close(l);
    return NULL;
}

void local_close(struct local *l)
{
    if (!l)
        return;
    pagetable_free(l->space.pt);
    local_moves_free(l->moves);
    machine_delete(l->machine);
    free(l->regions);
    free(l);
}

void local_code(struct local *l, uint64_t base, const void *elf, size_t bytes)
{
    l->code = elf;
    l->code_bytes = bytes;
    l->code_base = base;
}

struct machine *local_machine(struct local *l)
{
    return l->machine;
}

static void packet_write(struct local *l, const struct local_dispatch *d)
{
    uint8_t *packet = l->ring_host + l->packets % RING_PACKETS * 64;
    memset(packet, 0, 64);
    put16(packet + 2, 3);
    for (unsigned i = 0; i < 3; i++) {
        put16(packet + 4 + 2 * i, d->group[i]);
        put32(packet + 0xc + 4 * i, d->grid[i]);
    }
    put32(packet + 0x18, d->private_bytes);
    put32(packet + 0x1c, d->group_bytes);
    put64(packet + 0x20, d->kernel_object);
    put64(packet + 0x28, d->kernarg);
    put64(packet + 0x38, l->signal);
    put16(packet, 0x1502); /* kernel, barrier bit, system scopes */
    put64(l->amd_host + 0x50, ++l->packets);
}

/* Scratch as ROCr lays it out: a slot for each wavefront the GPU can hold, or as many as a quarter of VRAM takes. */
static bool scratch_give(struct local *l, uint32_t private_bytes)
{
    struct pmem *pm = machine_memory(l->machine);
    const uint64_t wave_bytes = ((uint64_t)private_bytes * 64 + 1023) & ~UINT64_C(1023);
    uint64_t waves = (uint64_t)machine_cus(l->machine) * 32;
    while (waves > 4 && waves * wave_bytes > pmem_vram_bytes(pm) / 4)
        waves /= 2;
    void *host = NULL;
    uint64_t va = local_alloc(l, LOCAL_VRAM, waves * wave_bytes, &host);
    if (!va)
        return false;
    l->space.scratch_base = va;
    l->regions[l->region_count - 1].data = false; /* contents depend on placement */
    put32(l->amd_host + 0x8c, (wave_bytes / 1024) << 12 | waves);
    put64(l->amd_host + 0x90, va); /* SRD: base, swizzled, 4-byte elements, index stride 64 */
    put32(l->amd_host + 0x94, (va >> 32) | 0x80000000u);
    put32(l->amd_host + 0x98, waves * wave_bytes);
    put32(l->amd_host + 0x9c, 0x00ea4fac);
    put64(l->amd_host + 0xa8, waves * wave_bytes);
    put32(l->amd_host + 0xb0, private_bytes);
    l->scratch_private = private_bytes;
    return true;
}

/* How the run has ended, into the result; false: it has not. */
static bool outcome_find(struct local *l, enum machine_result end, const struct local_watch *watch)
{
    struct local_result *result = l->result;
    const bool runs = *(const int64_t *)(const void *)(l->signal_host + 8) != 0 && !l->finished,
               waits = runs || (local_moves_busy(l->moves) && !l->finished);
    if (watch && watch->stop && *watch->stop) {
        result->outcome = LOCAL_STOPPED;
        if (*watch->stop == SIGALRM) /* time is over */
            sim_where(machine_sim(l->machine));
    } else if (end == MACHINE_LOST)
        result->outcome = LOCAL_LOST;
    else if (end == MACHINE_MAX_CYCLES)
        result->outcome = LOCAL_MAX_CYCLES;
    else if (end == MACHINE_NO_PROGRESS || (end == MACHINE_IDLE && waits)) {
        result->outcome = LOCAL_NO_PROGRESS;
        local_stuck(l);
    } else if (end == MACHINE_UNTIL || waits)
        return false; /* a slice's border, which the host's time has chosen, is no end: what is told comes later */
    return true;
}

bool local_run(struct local *l, uint64_t until, const struct local_watch *watch)
{
    struct sim *sim = machine_sim(l->machine);
    for (;;) {
        const uint64_t now = sim_now(sim), most = until > now ? until - now : 0;
        if (most == 0)
            return false;
        slice_begin(&l->slice, now);
        sim_still(sim, l->still);
        l->still = true; /* all that is changed is changed before the launch */
        enum machine_result end = machine_run(l->machine, now + (l->slice.cycles < most ? l->slice.cycles : most));
        slice_end(&l->slice, sim_now(sim));
        if (watch && watch->progress)
            watch->progress(watch->arg, l->machine);
        if (!outcome_find(l, end, watch))
            continue;
        machine_unfinished(l->machine); /* none, unless it ended badly */
        l->result = NULL;
        return true;
    }
}

bool local_begin(struct local *l, const struct local_dispatch *d, struct local_result *result)
{
    memset(result, 0, sizeof *result);
    l->result = result;
    l->finished = l->still = false;
    l->slice = (struct slice)SLICE_INIT;
    put64(l->signal_host + 8, 1);
    if (d->private_bytes > l->scratch_private && !scratch_give(l, d->private_bytes)) {
        result->outcome = LOCAL_QUEUE_ERROR;
        snprintf(result->text, sizeof result->text, "no memory for %u bytes of scratch a work-item", d->private_bytes);
        l->result = NULL;
        return false;
    }
    packet_write(l, d);
    cp_doorbell(machine_cp(l->machine, l->gpu), l->queue);
    return true;
}

void local_dispatch(struct local *l, const struct local_dispatch *d, const struct local_watch *watch,
                    struct local_result *result)
{
    if (local_begin(l, d, result))
        local_run(l, UINT64_MAX, watch);
}

void *local_host(struct local *l, uint64_t va, uint64_t bytes, enum local_place *place)
{
    struct pmem *pm = machine_memory(l->machine);
    for (size_t i = 0; i < l->region_count; i++) {
        const struct region *r = &l->regions[i];
        const uint64_t at = va - r->va;
        if (va < r->va || at >= r->room || bytes > r->room - at)
            continue;
        *place = r->place;
        return r->place == LOCAL_VRAM ? pmem_pages(pm, l->gpu, r->offset + at, bytes)
                                      : pmem_gtt(pm, r->offset + at, bytes);
    }
    return NULL;
}

uint64_t local_data_hash(struct local *l)
{
    struct datahash hash = {0};
    for (size_t i = 0; i < l->region_count; i++) {
        const struct region *r = &l->regions[i];
        if (r->data)
            datahash_add(&hash, pmem_pages(machine_memory(l->machine), l->gpu, r->offset, r->room), r->room);
    }
    return hash.value;
}

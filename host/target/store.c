/* SPDX-License-Identifier: Apache-2.0
 * Partition `store`: contents of one GPU's VRAM; contract in memory_parts.h.
 */
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/xalloc.h"
#include "bridge/run/sched.h"
#include "gantry_msg.h"
#include "record/shadow.h"
#include "saved/state_io.h"
#include "target/hash_state.h"
#include "target/memory_parts.h"
#include "vm/pmem.h"

struct store {
    struct pmem *memory;
    unsigned gpu;
    const bool *moved;     /* a page is away */
    const uint8_t *guards; /* of frames while pages move, NULL: nobody checks */
    uint8_t *vram;
    struct shadow *shadow; /* a recording's, else NULL */
    uint64_t bytes;
    XXH64_state_t *hash;
    uint64_t reads, writes;
};

static void line_write(uint8_t *line, const struct msg_dram_req *req)
{
    const uint8_t *data = (const uint8_t *)req->data;
    if (req->mask == UINT64_MAX) {
        memcpy(line, data, 64);
        return;
    }
    for (uint64_t bits = req->mask; bits; bits &= bits - 1) {
        unsigned i = (unsigned)__builtin_ctzll(bits);
        line[i] = data[i];
    }
}

static inline uint8_t *line_at(const struct store *s, uint64_t addr)
{
    return __builtin_expect(*s->moved, 0) ? pmem_vram(s->memory, s->gpu, addr, 64) : s->vram + addr;
}

static void guard_check(struct part *part, const struct store *s, uint64_t cycle, const struct msg_dram_req *req)
{
    const char *wrong = pmem_guard_wrong(s->guards[req->addr / 4096], req->write);
    PART_CHECK(!wrong, part, cycle, "line 0x%llx of frame 0x%llx is %s: %s", (unsigned long long)req->addr % 4096 / 64,
               (unsigned long long)pmem_addr(s->gpu + 1, req->addr & ~UINT64_C(4095)), req->write ? "written" : "read",
               wrong);
}

static void store_take(struct part *part, struct store *s, uint64_t cycle, uint32_t slot,
                       const struct msg_dram_req *req)
{
    PART_CHECK(req->addr % 64 == 0 && req->addr < s->bytes && s->bytes - req->addr >= 64, part, cycle,
               "slice %u asks for address 0x%llx", slot, (unsigned long long)req->addr);
    if (__builtin_expect(s->guards != NULL, 0))
        guard_check(part, s, cycle, req);
    if (req->write) {
        uint8_t line[64] = {0};
        line_write(line_at(s, req->addr), req);
        if (s->shadow)
            line_write(shadow_line(s->shadow, req->addr), req);
        line_write(line, req);
        XXH64_update(s->hash, &req->addr, 16); /* address and mask are neighbours */
        XXH64_update(s->hash, line, 64);
        s->writes++;
        return;
    }
    struct msg_dram_rsp rsp = {.tag = req->tag};
    memcpy(rsp.data, s->shadow ? s->shadow->copy + req->addr : line_at(s, req->addr), 64);
    s->reads++;
    sched_send(part, slot, cycle, &rsp);
}

static void store_visit(struct part *part, uint64_t from)
{
    for (unsigned c = 0; c < PART_WINDOW; c++) {
        for (uint32_t i = 0; i < part->due_count[c]; i++)
            store_take(part, part->own, from + c, part->due[c][i].slot, part->due[c][i].data);
    }
}

static void store_counters(struct part *part, part_counter_fn fn, void *arg)
{
    struct store *s = part->own;
    fn(arg, part->name, "reads", s->reads, "count");
    fn(arg, part->name, "writes", s->writes, "count");
}

static void store_free(struct part *part)
{
    struct store *s = part->own;
    XXH64_freeState(s->hash);
    free(s);
}

/* The contents themselves are memory (host/vm/pmem_save.h). */
static void store_save(struct part *part, struct state_writer *to)
{
    const struct store *s = part->own;
    STATE_PUT(to, s->reads);
    STATE_PUT(to, s->writes);
    hash_state_save(s->hash, to);
}

static bool store_restore(struct part *part, struct state_reader *from)
{
    struct store *s = part->own;
    return STATE_GET(from, s->reads) && STATE_GET(from, s->writes) && hash_state_restore(s->hash, from);
}

static const struct part_ops store_ops = {
    .visit = store_visit, .counters = store_counters, .free = store_free, .save = store_save, .restore = store_restore};

struct part *store_new(struct pmem *memory, unsigned gpu, uint64_t vram_bytes, unsigned slices)
{
    char name[32];
    static_assert(offsetof(struct msg_dram_req, mask) == offsetof(struct msg_dram_req, addr) + 8, "hashed together");
    struct store *s = xcalloc(1, sizeof *s);
    s->memory = memory;
    s->gpu = gpu;
    s->moved = pmem_moved(memory);
    s->guards = pmem_guards(memory, gpu);
    s->vram = pmem_pages(memory, gpu, 0, vram_bytes);
    s->bytes = vram_bytes;
    s->hash = XXH64_createState();
    snprintf(name, sizeof name, "gpu%u.store", gpu);
    PART_CHECK(s->vram && s->hash, NULL, 0, "%s: no memory of %llu bytes", name, (unsigned long long)vram_bytes);
    XXH64_reset(s->hash, 0);
    return part_new(&store_ops, name, slices, slices, s);
}

uint64_t store_hash(const struct part *store)
{
    return XXH64_digest(((struct store *)store->own)->hash);
}

void store_shadow(struct part *store, struct shadow *shadow)
{
    ((struct store *)store->own)->shadow = shadow;
}

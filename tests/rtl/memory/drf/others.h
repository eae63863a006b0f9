// SPDX-License-Identifier: Apache-2.0
// The other agents, on the same bytes by the same claims: scalar loads and stores, instruction fetches, the host and another GPU
// behind the far ports, and who owns far memory.  One scalar and one fetching agent a CU.
#ifndef TESTS_DRF_OTHERS_H
#define TESTS_DRF_OTHERS_H
#include "vector.h"

static uint64_t scalar_loads, scalar_stores, fetches, far_requests, host_accesses;
static unsigned new_name() // of an episode that is not counted
{
    static unsigned names;
    return 0x80000000 + ++names;
}

// Bytes of a space from va on as the reference has them, which become those of `store`, if there is one; nothing, if some byte may
// not be had.
static bool claim_range(Claims &claims, uint64_t va, unsigned bytes, bool write, uint8_t *value, const uint8_t *store = nullptr)
{
    struct {
        uint8_t *at;
        unsigned bytes;
    } piece[2] = {};
    unsigned pieces = 0;
    for (unsigned done = 0; done < bytes; pieces++) {
        int p = page_at(claims.of_space, va + done);
        unsigned from = (va + done) & 4095, n = 4096 - from < bytes - done ? 4096 - from : bytes - done;
        if (p < 0 || !claims.use_page(p) || !claims.claim(space[claims.of_space].page[p].frame, from, n, write))
            return false;
        piece[pieces] = {frames[space[claims.of_space].page[p].frame]->value + from, n};
        done += n;
    }
    for (unsigned k = 0, done = 0; k < pieces; done += piece[k++].bytes) {
        if (value)
            memcpy(value + done, piece[k].at, piece[k].bytes);
        if (store)
            memcpy(piece[k].at, store + done, piece[k].bytes);
    }
    return true;
}

static uint64_t random_va(unsigned n, Rng &rng, unsigned align)
{
    if (auto &b = left_behind[(episodes_done + 7 - rng.pick(3)) % 8]; b.bytes && rng.one_in(2))
        for (unsigned i = 0; i < params.pages && i < FirstSync; i++)
            if (space[n].page[i].frame == b.frame)
                return space[n].page[i].va + (b.from + rng.pick(b.bytes)) % 4096 / align * align;
    return space[n].page[random_page(rng)].va + rng.pick(rng.one_in(3) ? 4096 : 1024) / align * align;
}

struct Scalar {
    struct Access {
        bool store, stray;
        unsigned dwords;
        uint64_t va;
        uint32_t value[16];
    };
    unsigned cu;
    Rng rng, straying;
    Claims claims;
    std::deque<Access> todo;
    std::unordered_map<uint32_t, Access> flying;
    uint64_t wake = 0;
    int left = 0;
    uint32_t tag = 0;
    bool active = false;

    void begin()
    {
        claims.episode = new_name(), claims.of_space = rng.pick(params.spaces), active = true;
        if (strays() && straying.one_in(3)) { // the first, or the last one
            Access a = {};
            a.stray = true, a.dwords = 1u << straying.pick(5), a.va = stray_va(straying, 4);
            todo.push_back(a);
        }
        uint64_t near = random_va(claims.of_space, rng, 64); // so that it meets its own lines
        for (unsigned k = 0, n = 2 + rng.pick(10); k < n; k++) {
            Access a = {};
            a.store = rng.one_in(5), a.dwords = 1u << rng.pick(a.store ? 3 : 5);
            a.va = rng.one_in(3) ? random_va(claims.of_space, rng, 4) : near + rng.pick(32) * 4;
            for (unsigned i = 0; i < 16; i++)
                a.value[i] = rng();
            if (a.store ? claim_range(claims, a.va, a.dwords * 4, true, nullptr, (uint8_t *)a.value)
                        : claim_range(claims, a.va, a.dwords * 4, false, (uint8_t *)a.value))
                todo.push_back(a);
        }
        if (rng.one_in(2))
            command_block(block_of_group(cu), {CACHE_INV_L1K, 0, 0, &left});
        else
            ask(SMEM_DCACHE_INV, 0, 0), left = 1;
    }
    void ask(unsigned op, unsigned dwords, uint64_t va)
    {
        msg_smem_req q = {};
        q.op = op, q.wave = 0x11, q.vmid = space[claims.of_space].vmid, q.dwords = dwords, q.tag = tag, q.va = va;
        gpu_of_cu(cu).smem_out[cu % Cus].push(q);
    }
    void step()
    {
        if (cycle < wake || left)
            return;
        if (!active) {
            if (!paused() && episodes_done < params.episodes)
                begin();
            return;
        }
        if (todo.empty()) {
            if (flying.empty())
                claims.release(), active = false, wake = cycle + rng.pick(600);
            return;
        }
        Access &a = todo.front();
        bool store_flies = flying.size() == 1 && flying.begin()->second.store;
        if (flying.size() >= 8 || store_flies || (a.store && !flying.empty()))
            return; // loads of one wavefront pass each other, so a store waits for them and they for it
        tag++;
        if (a.store) {
            for (unsigned half = 0; half < 2; half++)
                ask(SMEM_DATA, half, (uint64_t)a.value[2 * half + 1] << 32 | a.value[2 * half]);
            scalar_stores++;
        }
        ask(a.store ? SMEM_STORE : SMEM_LOAD, a.dwords, a.va);
        flying[tag] = a;
        todo.pop_front();
        wake = cycle + (rng.one_in(3) ? rng.pick(60) : 1);
    }
    void answer(const msg_smem_rsp &r)
    {
        if (r.op == SMEM_DCACHE_INV) {
            left = 0;
            return;
        }
        auto it = flying.find(r.tag);
        if (it == flying.end())
            fail("scalar answer", "CU %u: tag %x of no request", cu, r.tag);
        Access &a = it->second;
        if (a.stray) {
            if (!r.status || r.op != SMEM_LOAD)
                fail("stray", "CU %u: scalar load of %llx, where no page is, ends with %u, operation %u", cu, (unsigned long long)a.va, r.status, r.op);
            strayed++, flying.erase(it);
            return;
        }
        if (r.status || r.op != (a.store ? SMEM_STORE : SMEM_LOAD))
            fail("scalar status", "CU %u: %llx ends with %u, operation %u", cu, (unsigned long long)a.va, r.status, r.op);
        for (unsigned i = 0; i < a.dwords && !a.store; i++)
            if (uint32_t got = r.data[i / 2] >> i % 2 * 32; got != a.value[i])
                fail("scalar load", "CU %u: address %llx (space %u), dword %u of %u: got %x, want %x", cu, (unsigned long long)a.va,
                     space[claims.of_space].vmid, i, a.dwords, got, a.value[i]);
        scalar_loads += !a.store;
        flying.erase(it);
    }
};

struct Fetch {
    struct Line {
        uint64_t va;
        uint8_t value[32];
        bool stray;
    };
    unsigned cu;
    Rng rng, straying;
    Claims claims;
    std::deque<Line> todo;
    std::unordered_map<unsigned, Line> flying;
    uint64_t wake = 0;
    int left = 0;
    uint8_t epoch = 0;
    bool active = false;

    void step()
    {
        if (cycle < wake || left)
            return;
        if (!active) {
            if (paused() || episodes_done >= params.episodes)
                return;
            claims.episode = new_name(), claims.of_space = rng.pick(params.spaces), active = true;
            if (strays() && straying.one_in(3))
                todo.push_back({stray_va(straying, 32), {}, true});
            for (unsigned k = 0, n = 2 + rng.pick(10); k < n; k++) {
                Line l = {};
                l.va = random_va(claims.of_space, rng, 32);
                if (claim_range(claims, l.va, 32, false, l.value))
                    todo.push_back(l);
            }
            command_block(block_of_group(cu), {CACHE_INV_L1I, 0, 0, &left});
        } else if (todo.empty()) {
            if (flying.empty())
                claims.release(), active = false, wake = cycle + rng.pick(900);
        } else if (flying.size() < 8) {
            msg_ifetch_req q = {};
            q.wave = 0x21, q.vmid = space[claims.of_space].vmid, q.cu = cu % SqcCus, q.epoch = ++epoch, q.va = todo.front().va;
            flying[epoch] = todo.front();
            todo.pop_front();
            gpu_of_cu(cu).fetch_out[cu % Cus].push(q);
            wake = cycle + (rng.one_in(3) ? rng.pick(60) : 1);
        }
    }
    void answer(const msg_ifetch_rsp &r)
    {
        auto it = flying.find(r.epoch);
        if (it == flying.end() || r.wave != 0x21)
            fail("fetch answer", "CU %u: epoch %u of no request", cu, r.epoch);
        if (it->second.stray) {
            if (!r.status)
                fail("stray", "CU %u: fetch of %llx, where no page is, ends well", cu, (unsigned long long)it->second.va);
            strayed++, flying.erase(it);
            return;
        }
        if (r.status)
            fail("fetch status", "CU %u: %llx ends with %u", cu, (unsigned long long)it->second.va, r.status);
        for (unsigned i = 0; i < 32; i++)
            if (uint8_t got = r.data[i / 8] >> i % 8 * 8; got != it->second.value[i])
                fail("fetch", "CU %u: address %llx (space %u): got %x, want %x", cu, (unsigned long long)it->second.va + i, space[claims.of_space].vmid, got,
                     it->second.value[i]);
        fetches++;
        flying.erase(it);
    }
};

// The host (port 0) or another GPU (port 2) in this GPU's memory, by physical address.
struct Far {
    struct Request {
        msg_mem_req q;
        uint64_t mask; // bytes of the line that are known
        uint8_t value[64];
        int *left; // of a table write
    };
    unsigned port;
    Rng rng;
    Claims claims;
    std::deque<Request> todo;
    std::unordered_map<uint32_t, Request> flying;
    uint64_t wake = 0;
    uint32_t tag = 0;
    bool active = false;

    void begin()
    {
        claims.episode = new_name(), claims.of_space = 0, active = true;
        for (unsigned k = 0, n = 3 + rng.pick(16); k < n; k++) {
            unsigned f = rng.pick(frames.size()), line = rng.pick(rng.one_in(3) ? 64 : 16) * 64, kind = rng.pick(7);
            Frame &frame = *frames[f];
            if (frame.pa >> 48 != 1 || frame.pa == frames[space[0].page[FirstSync].frame]->pa)
                continue;
            Request r = {};
            r.q.addr = frame.pa | line, r.q.gpu = port ? port - 1 : 255, r.q.source = rng() % 255; // 255 is the page-move engine
            if (kind == 0 && on(Atomics)) {
                unsigned size = 4 << rng.pick(2), from = line + rng.pick(64 / size) * size;
                if (!claims.claim(f, from, size, true))
                    continue;
                r.q.op = MEM_ATOMIC, r.q.addr = frame.pa | from, r.q.size = size, r.q.atomic = rng.pick(13), r.q.data[0] = rng(), r.q.data[1] = rng();
                uint64_t old = 0, now;
                memcpy(&old, frame.value + from, size);
                now = atomic_result(r.q.atomic, size, old, r.q.data[0], r.q.data[1]);
                memcpy(frame.value + from, &now, size);
                r.mask = (1ull << size) - 1, memcpy(r.value, &old, 8);
            } else if (kind == 1 && on(Atomics)) { // words of a line, in their places
                unsigned size = 4 << rng.pick(2);
                r.q.op = MEM_ATOMIC, r.q.size = size, r.q.atomic = rng.pick(13);
                if (r.q.atomic == ATOMIC_CMPSWAP)
                    continue;
                memcpy(r.value, frame.value + line, 64);
                for (unsigned i = 0; i < 64; i += size) {
                    r.q.data[i / 8] |= (size == 8 ? (uint64_t)rng() << 32 | rng() : (uint64_t)rng() % (1ull << 32) << i % 8 * 8);
                    if (rng.one_in(3) || !claims.claim(f, line + i, size, true))
                        continue;
                    uint64_t old = 0, operand = 0, now;
                    memcpy(&old, r.value + i, size), memcpy(&operand, (const uint8_t *)r.q.data + i, size);
                    now = atomic_result(r.q.atomic, size, old, operand, 0);
                    memcpy(frame.value + line + i, &now, size);
                    r.q.mask |= ((1ull << size) - 1) << i;
                }
                if (!(r.mask = r.q.mask))
                    continue;
            } else {
                bool write = kind < 4;
                unsigned from = rng.one_in(2) ? 0 : rng.pick(48), bytes = rng.one_in(2) ? 64 - from : 1 + rng.pick(64 - from);
                uint64_t wanted = rng.one_in(2) ? ~0ull : rng();
                for (unsigned i = from; i < from + bytes; i++)
                    if (wanted >> i & 1 && claims.claim(f, line + i, 1, write)) {
                        r.mask |= 1ull << i;
                        if (write)
                            frame.value[line + i] = rng();
                        r.value[i] = frame.value[line + i];
                    }
                if (!r.mask)
                    continue;
                r.q.op = write ? MEM_WRITE : MEM_READ, r.q.mask = write ? r.mask : 0;
                for (unsigned i = 0; i < 64 && write; i++)
                    r.q.data[i / 8] |= (uint64_t)r.value[i] << i % 8 * 8;
            }
            todo.push_back(r);
        }
    }
    void write(uint64_t pa, const uint64_t *words, unsigned n, int *left)
    {
        Request r = {};
        r.q.op = MEM_WRITE, r.q.addr = pa & ~63ull, r.q.gpu = 255, r.left = left, ++*left;
        for (unsigned i = 0; i < n; i++)
            r.q.data[(pa & 63) / 8 + i] = words[i], r.q.mask |= 0xffull << ((pa & 63) + 8 * i);
        todo.push_front(r);
    }
    void step()
    {
        if (!todo.empty() && gpu[0].far_credits[port] && cycle >= wake) {
            Request r = todo.front();
            todo.pop_front();
            r.q.tag = ++tag;
            flying[tag] = r;
            gpu[0].far_in[port].push(r.q), gpu[0].far_credits[port]--, far_requests++;
            wake = cycle + (rng.one_in(4) ? rng.pick(40) : 1);
        } else if (active && todo.empty() && flying.empty()) {
            claims.release(), active = false, wake = cycle + rng.pick(1500);
        } else if (!active && cycle >= wake && params.others & Fars && !paused() && episodes_done < params.episodes) {
            begin();
        }
    }
    void answer(const msg_mem_rsp &a)
    {
        auto it = flying.find(a.tag);
        if (it == flying.end())
            fail("far answer", "port %u: tag %x of no request", port, a.tag);
        Request &r = it->second;
        if (a.status || a.op != r.q.op || a.source != r.q.source)
            fail("far status", "port %u: %llx, operation %u ends with %u, source %u for %u", port, (unsigned long long)r.q.addr, r.q.op, a.status, a.source,
                 r.q.source);
        for (unsigned i = 0; i < 64 && r.q.op != MEM_WRITE; i++)
            if (uint8_t got = a.data[i / 8] >> i % 8 * 8; r.mask >> i & 1 && got != r.value[i])
                fail(r.q.op == MEM_READ ? "far load" : "far atomic", "port %u: memory %llx, byte %u: got %x, want %x", port, (unsigned long long)r.q.addr, i, got,
                     r.value[i]);
        if (r.left)
            --*r.left;
        flying.erase(it);
    }
};

static Scalar scalars[AllCus];
static Fetch fetchers[AllCus];
static Far fars[2] = {};
static Rng owner; // of far memory: at once

static void step_owner()
{
    unsigned f = far_frames[owner.pick(far_frames.size())], from = owner.pick(4096 - 16), n = 1 + owner.pick(16);
    Frame &frame = *frames[f];
    Claims c;
    c.episode = new_name();
    for (unsigned i = from; i < from + n; i++)
        if (c.claim(f, i, 1, true)) {
            uint8_t *p = at(frame.pa + i);
            if (*p != frame.value[i])
                fail("owner's load", "memory %llx: got %x, want %x", (unsigned long long)frame.pa + i, *p, frame.value[i]);
            *p = frame.value[i] = owner(), host_accesses++;
        }
    c.release();
}

static void make_others()
{
    for (unsigned c = 0; c < cu_count(); c++) {
        scalars[c].cu = fetchers[c].cu = c;
        scalars[c].rng = rng_of(c < 16 ? 100 + c : 300 + c), fetchers[c].rng = rng_of(c < 16 ? 120 + c : 400 + c),
        scalars[c].straying = rng_of(2000 + c), fetchers[c].straying = rng_of(3000 + c);
    }
    fars[0].port = 0, fars[0].rng = rng_of(140), fars[1].port = 2, fars[1].rng = rng_of(141);
    owner = rng_of(142);
    on_fetched = [](unsigned cu, const msg_ifetch_rsp &r) { fetchers[cu].answer(r); };
    on_scalar = [](unsigned cu, const msg_smem_rsp &r) { scalars[cu].answer(r); };
    on_block = block_done;
    if (params.gpus > 1)
        return;
    on_far_served = [](unsigned, unsigned port, const msg_mem_rsp &r) { fars[port == 2].answer(r); };
    on_report = report;
    on_request = [](unsigned, unsigned n, const msg_mem_req &q) {
        if (q.addr >> 12 == locked_frame)
            fail("lock", "%s %u accesses %llx, whose page is locked", name_of_initiator(n), n, (unsigned long long)q.addr);
    };
    write_vram = [](uint64_t pa, const uint64_t *words, unsigned n, int *left) { fars[0].write(pa, words, n, left); };
}
static void step_others()
{
    for (unsigned c = 0; c < cu_count(); c++) {
        if (params.others & Scalars)
            scalars[c].step();
        if (params.others & Fetches)
            fetchers[c].step();
    }
    if (params.gpus == 1)
        fars[0].step(), fars[1].step();
    if (params.others & Hosts && owner.one_in(100))
        step_owner();
}
static bool others_rest()
{
    bool rest = true;
    for (unsigned c = 0; c < cu_count(); c++)
        rest &= !scalars[c].active && !fetchers[c].active && !scalars[c].left && !fetchers[c].left;
    for (auto &f : fars)
        rest &= !f.active && f.todo.empty() && f.flying.empty();
    return rest;
}
#endif

// SPDX-License-Identifier: Apache-2.0
// Several GPUs: the command processor of each as an agent, which reads, writes and counts down bytes of a space by its own accesses
// (host/firmware/access.h); they wait while the page is locked.  Not responsible for: how they go.
#ifndef TESTS_DRF_FIRM_H
#define TESTS_DRF_FIRM_H
#include "moves.h"
#include "others.h"

struct Firm {
    struct Part {
        unsigned kind, bytes; // 0 read, 1 write, 2 count down
        uint64_t va;
        uint8_t value[16], got[16];
    };
    unsigned g;
    Rng rng, straying;
    Claims claims;
    struct cp_queue queue = {};
    struct transfer transfer = {};
    std::vector<Part> parts;
    uint64_t wake = 0, ended = 0;
    unsigned left = 0;
    bool active = false, open = false, stray = false;

    void begin()
    {
        claims.episode = new_name(), claims.of_space = rng.pick(params.spaces), active = true, left = 1 + rng.pick(6);
        queue.space = &cp_spaces[claims.of_space][g];
    }
    // Of no page: the transfer faults, and what is read is 0.
    void access_nothing()
    {
        Part p = {(unsigned)straying.pick(3), 8, stray_va(straying, 8), {}, {}};
        memset(p.got, 0xa5, sizeof p.got);
        parts.push_back(p);
        if (p.kind == 0)
            access_read(cps[g], &transfer, p.va, parts[0].got, p.bytes, straying.one_in(2));
        else if (p.kind == 1)
            access_write(cps[g], &transfer, p.va, p.value, p.bytes);
        else
            access_count_down(cps[g], &transfer, p.va);
    }
    void access()
    {
        parts.clear();
        if ((stray = strays() && straying.one_in(6))) {
            transfer_begin(&transfer, &queue, nullptr, over);
            of(&transfer) = this, open = true;
            access_nothing();
            if (transfer.open == 0)
                over(cps[g], &transfer);
            return;
        }
        for (unsigned k = 1 + rng.pick(3); k; k--) {
            Part p = {(unsigned)rng.pick(3), 0, 0, {}, {}};
            p.bytes = p.kind == 2 ? 8 : 1 + rng.pick(16), p.va = random_va(claims.of_space, rng, 8);
            bool apart = true; // what was asked for together may take effect in any order in two memories
            for (const Part &q : parts)
                apart &= p.va + p.bytes <= q.va || q.va + q.bytes <= p.va;
            uint64_t fresh[2] = {rng(), rng()};
            if (!apart || !claim_range(claims, p.va, p.bytes, p.kind != 0, p.value, p.kind == 1 ? (uint8_t *)fresh : nullptr))
                continue;
            if (p.kind == 1)
                memcpy(p.value, fresh, 16);
            if (p.kind == 2) {
                uint64_t v;
                memcpy(&v, p.value, 8), v--;
                claim_range(claims, p.va, 8, true, nullptr, (uint8_t *)&v);
            }
            parts.push_back(p);
        }
        transfer_begin(&transfer, &queue, nullptr, over);
        of(&transfer) = this, open = true;
        for (Part &p : parts)
            if (p.kind == 0)
                access_read(cps[g], &transfer, p.va, p.got, p.bytes, rng.one_in(2));
            else if (p.kind == 1)
                access_write(cps[g], &transfer, p.va, p.value, p.bytes);
            else
                access_count_down(cps[g], &transfer, p.va);
        if (transfer.open == 0)
            over(cps[g], &transfer);
    }
    static Firm *&of(struct transfer *t)
    {
        static std::unordered_map<struct transfer *, Firm *> known;
        return known[t];
    }
    static void over(struct cp *, struct transfer *t)
    {
        Firm &f = *of(t);
        if (t->fault != f.stray)
            fail("command processor", "GPU %u: an access %s", f.g, f.stray ? "of no page ends well" : "faults");
        strayed += f.stray;
        for (Part &p : f.parts)
            if (p.kind == 0 && memcmp(p.got, p.value, p.bytes)) {
                unsigned i = 0;
                while (p.got[i] == p.value[i])
                    i++;
                fail("command processor", "GPU %u reads %llx (space %u): byte %u of %u: got %x, want %x", f.g, (unsigned long long)p.va,
                     space[f.claims.of_space].vmid, i, p.bytes, p.got[i], p.value[i]);
            }
        f.open = false, f.ended += f.parts.size(), f.left--;
        f.wake = cycle + f.rng.pick(200);
    }
    void step()
    {
        if (cycle < wake || open)
            return;
        if (active && left == 0)
            claims.release(), active = false, wake = cycle + rng.pick(1500);
        else if (active)
            access();
        else if (!paused() && episodes_done < params.episodes)
            begin();
    }
};
static Firm firms[MaxGpus];
static bool firms_rest()
{
    bool rest = true;
    for (const Firm &f : firms)
        rest &= !f.active;
    return rest;
}

static void make_driver()
{
    build_driver();
    driver = rng_of(203);
    on_report = page_waits, on_moved = page_moved;
    on_far_served = [](unsigned g, unsigned port, const msg_mem_rsp &r) {
        if (port)
            fail("far answer", "GPU %u: at port %u, where nobody is", g, port);
        ports[g + 1].answered(r);
    };
    for (unsigned g = 0; g < params.gpus; g++)
        firms[g].g = g, firms[g].rng = rng_of(500 + g), firms[g].straying = rng_of(4000 + g);
}
#endif

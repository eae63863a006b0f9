// SPDX-License-Identifier: Apache-2.0
// Vector agents: wavefronts of a CU that run episodes of an acquire, instructions on bytes that they have claimed (or whose lock
// they hold), a release.  Responsible for: making instructions and what each lane must return, issue, completion, VGPRs.
// Not responsible for: what others may do meanwhile (world.h).
#ifndef TESTS_DRF_VECTOR_H
#define TESTS_DRF_VECTOR_H
#include "maintenance.h"

enum { Flat, Mubuf, Inv };
enum Purpose { Plain, Count, TryLock, FreeLock, Alone /* whoever issued it looks at it */, Stray };
enum : unsigned { VectorsPerCu = 4, Vectors = AllCus * VectorsPerCu /* at most */, Blocks_ = 4 /* of registers, of a wavefront */ };

struct Instr {
    unsigned kind = Flat, size = 2, dwords = 1, atomic_op = 0, regs = 0, results = 0, tag = 0, counter_page = 0;
    bool store = false, atomic = false, glc = false, sext = false;
    Purpose purpose = Plain;
    uint64_t exec = 0, base = 0, issued = 0;
    uint64_t va[64];
    uint32_t data[4][64], want[4][64];
    uint8_t word[64];
    unsigned bytes() const { return size < 2 ? 1u << size : dwords * 4; }
    const char *name() const { return kind == Inv ? "invalidation" : atomic ? "atomic" : store ? "store" : "load"; }
};

static uint32_t vgpr[AllCus][4][256][64];
static uint64_t lane_accesses, loads_checked, counted, lock_tries, locks_taken, unsaturated;

struct Packer {
    uint32_t words[17] = {};
    unsigned at = 0;
    void put(uint64_t v, unsigned bits)
    {
        while (bits) {
            unsigned n = 32 - at % 32 < bits ? 32 - at % 32 : bits;
            words[at / 32] |= (uint32_t)(v & ((1ull << n) - 1)) << at % 32;
            v >>= n, at += n, bits -= n;
        }
    }
};
static uint64_t bits_of(const uint32_t *w, unsigned at, unsigned n)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < n; i++)
        v |= (uint64_t)(w[(at + i) / 32] >> ((at + i) % 32) & 1) << i;
    return v;
}

struct Window { // where an episode looks mostly
    unsigned page, from, bytes;
};
static struct {
    unsigned frame, from, bytes;
} left_behind[8]; // by the last episodes: whoever comes next there needs what they have stored

struct Vector {
    enum State { Idle, Acquiring, Trying, Tried, Running, Releasing, Freeing } state = Idle;
    unsigned id, cu, wave, serial = 0, n = 0 /* space */, waits = 0, accesses = 0;
    int lock = -1, left = 0;
    bool fresh = false /* glc instead of an acquire */, drain = false;
    uint64_t wake = 0, episode = 0;
    Rng rng, straying;
    Claims claims;
    std::deque<Instr> todo, flying;
    Window window[3];

    unsigned simd() const { return wave >> 4; }
    unsigned registers(unsigned k) const { return (wave & 1) * 128 + k % Blocks_ * 32; }

    // ---- what a lane does to its bytes, in program order
    bool lane(Instr &v, unsigned l, uint64_t va)
    {
        unsigned bytes = v.bytes(), first = 4096 - (va & 4095) < bytes ? 4096 - (va & 4095) : bytes;
        int p[2] = {page_at(n, va), first < bytes ? page_at(n, va + first) : -2};
        if (p[0] < 0 || p[1] == -1)
            return false;
        bool write = v.store || v.atomic;
        uint8_t *b[2] = {nullptr, nullptr};
        for (unsigned k = 0; k < 2 && p[k] >= 0; k++) {
            unsigned from = k ? 0 : va & 4095, count = k ? bytes - first : first;
            if (!claims.use_page(p[k]) || !claims.claim(space[n].page[p[k]].frame, from, count, write, lock < 0 ? 0 : 1 + lock))
                return false;
            b[k] = frames[space[n].page[p[k]].frame]->value + from;
        }
        v.va[l] = va, v.exec |= 1ull << l;
        uint8_t got[16] = {};
        for (unsigned i = 0; i < bytes; i++)
            got[i] = i < first ? b[0][i] : b[1][i - first];
        uint32_t d[4] = {v.data[0][l], v.data[1][l], v.data[2][l], v.data[3][l]};
        uint64_t now[2];
        memcpy(now, d, 16);
        if (v.atomic) {
            uint64_t old = 0;
            memcpy(&old, got, bytes);
            now[0] = atomic_result(v.atomic_op, bytes, old, bytes == 8 ? now[0] : d[0], bytes == 8 ? now[1] : d[1]);
        }
        if (write)
            for (unsigned i = 0; i < bytes; i++)
                (i < first ? b[0][i] : b[1][i - first]) = ((uint8_t *)now)[i];
        uint32_t word[4];
        memcpy(word, got, 16);
        if (v.sext)
            word[0] = bytes == 1 ? (uint32_t)(int8_t)got[0] : (uint32_t)(int16_t)word[0];
        for (unsigned k = 0; k < 4; k++)
            v.want[k][l] = word[k];
        return true;
    }

    void random_data(Instr &v)
    {
        for (unsigned l = 0; l < 64; l++)
            for (unsigned k = 0; k < 4; k++)
                v.data[k][l] = rng.one_in(4) ? rng.pick(4) : (uint32_t)rng();
    }

    unsigned repeat = 0; // so many more of the last one
    // One instruction on claimed bytes; false if no lane got any.
    bool plain(Instr &v)
    {
        unsigned what = rng.pick(20), lanes = 0;
        v.atomic = on(Atomics) && what < 3, v.store = !v.atomic && what < 9;
        v.size = v.atomic ? 2 : rng.one_in(3) ? rng.pick(2) : 2;
        v.dwords = v.size < 2 ? 1 : v.atomic ? 1 + rng.pick(2) : 1 + rng.pick(4);
        if (lock >= 0 && v.dwords > 2)
            v.dwords = 2;
        v.atomic_op = rng.pick(13), v.sext = v.size < 2 && !v.store && rng.one_in(2);
        v.glc = v.atomic || v.store ? rng.one_in(2) : fresh || (on(Glc) && rng.one_in(8));
        v.kind = rng.one_in(2) ? Mubuf : Flat;
        Window w = window[rng.pick(3)];
        if (rng.one_in(12))
            w = {random_page(rng), 0, 4096};
        unsigned bytes = v.bytes(), natural = v.atomic ? bytes : bytes < 4 ? bytes : 4, shape = rng.pick(6);
        bool odd = on(Odd) && !v.atomic && rng.one_in(8);
        unsigned start = w.from + rng.pick(w.bytes), stride = bytes * (1 + rng.pick(3)) + (rng.one_in(3) ? rng.pick(40) : 0);
        uint64_t mask = shape < 2 && rng.one_in(2) ? ~0ull : rng() & rng(), base = space[n].page[w.page].va;
        random_data(v);
        for (unsigned l = 0; l < 64; l++) {
            if (!(mask >> l & 1))
                continue;
            unsigned o = shape == 0 ? start + l * bytes : shape == 1 ? start + (63 - l) * bytes : shape == 2 ? start + l * stride
                         : shape == 3 && !v.store ? start : w.from + rng.pick(w.bytes);
            if (lock >= 0)
                o = (w.from + rng.pick(w.bytes)) / 64 * 64 + 48 + lock * 8 + rng.pick(9 - bytes);
            if (!odd)
                o -= o % natural;
            lanes += lane(v, l, base + o);
        }
        v.base = v.kind == Mubuf ? base & ~0xfffull : 0;
        v.results = v.store ? 0 : v.atomic ? (v.glc ? v.dwords : 0) : v.dwords;
        accesses += lanes;
        if (lanes && !v.store && !v.atomic && !v.glc && shape == 0 && rng.one_in(4)) // until loads hit, and lines are looked up in pairs
            repeat = 4 + rng.pick(12);
        return lanes;
    }

    // Additions to words that all agents count with, at any time: what they return is checked when all is known.
    bool count(Instr &v)
    {
        v.counter_page = rng.pick(SyncPages);
        if (!claims.use_page(FirstSync + v.counter_page))
            return false;
        v.atomic = true, v.atomic_op = ATOMIC_ADD, v.purpose = Count, v.glc = rng.one_in(2), v.results = v.glc;
        v.exec = rng() & rng() & rng();
        for (unsigned l = 0; l < 64; l++)
            if (v.exec >> l & 1) {
                v.word[l] = rng.pick(CounterWords), v.data[0][l] = 1;
                v.va[l] = SyncVa + v.counter_page * 0x1000 + sync_offset(v.word[l]);
            }
        return v.exec;
    }

    // Lanes at addresses of no page, one or two of them: nothing is loaded or stored.
    Instr stray()
    {
        Instr v;
        const unsigned what = straying.pick(3);
        v.purpose = Stray, v.atomic = what == 0, v.store = what == 1, v.atomic_op = straying.pick(13), v.glc = straying.one_in(2);
        v.dwords = 1 + straying.pick(v.atomic ? 2 : 4), v.results = v.store || (v.atomic && !v.glc) ? 0 : v.dwords;
        v.exec = straying() & straying();
        const uint64_t va[2] = {stray_va(straying, 16), stray_va(straying, 16)};
        for (unsigned l = 0; l < 64; l++)
            v.va[l] = va[straying.pick(2)] & ~0xfull;
        v.exec |= 1;
        return v;
    }

    void make_instructions()
    {
        for (auto &w : window) {
            w = {random_page(rng), 0, 0};
            w.from = rng.pick(rng.one_in(3) ? 64 : 16) * 64, w.bytes = 64 << rng.pick(3);
            if (auto &b = left_behind[(episodes_done + 7 - rng.pick(fresh ? 2 : 8)) % 8]; b.bytes && rng.one_in(2))
                for (unsigned i = 0; i < params.pages && i < FirstSync; i++)
                    if (space[n].page[i].frame == b.frame)
                        w = {i, b.from, b.bytes};
            if (lock >= 0)
                w.page = rng.pick(params.pages < 4 ? params.pages : 4), w.from %= 1024;
        }
        accesses = 0;
        for (unsigned tries = 0; tries < 60 && accesses < params.accesses; tries++) {
            todo.emplace_back();
            if (strays() && straying.one_in(16))
                todo.back() = stray(), todo.emplace_back();
            bool made = on(Counters) && rng.one_in(16) ? count(todo.back()) : plain(todo.back());
            if (!made)
                todo.pop_back();
            for (; repeat; repeat--)
                todo.push_back(todo.back());
        }
        if (accesses < params.accesses)
            unsaturated++;
        lane_accesses += accesses;
    }

    Instr lock_instr(bool take)
    {
        Instr v;
        v.exec = 1ull << rng.pick(64), v.purpose = take ? TryLock : FreeLock;
        v.atomic = take || rng.one_in(2), v.store = !v.atomic, v.atomic_op = take ? ATOMIC_CMPSWAP : ATOMIC_SWAP;
        v.glc = take, v.results = take;
        for (unsigned l = 0; l < 64; l++)
            v.va[l] = SyncVa + lock * 0x1000 + lock_offset(lock), v.data[0][l] = take ? (uint32_t)claims.episode : 0, v.data[1][l] = 0;
        return v;
    }

    void begin()
    {
        episode = ++episodes_begun;
        static unsigned names;
        claims.episode = id + 1 + 64 * ++names, n = claims.of_space = rng.one_in(4) ? rng.pick(params.spaces) : n;
        fresh = on(Glc) && rng.one_in(5), drain = false, todo.clear();
        lock = on(Locks) && rng.one_in(10) ? (int)rng.pick(Locks_) : -1;
        if (lock >= 0 && claims.use_page(FirstSync + lock)) {
            todo.push_back(lock_instr(true)), state = Trying;
            return;
        }
        lock = -1;
        make_instructions();
        acquire();
    }

    void acquire()
    {
        unsigned how = rng.pick(3);
        state = Running, left = 0;
        if (fresh)
            return; // its loads are all glc
        if (how == 2) {
            command_cu(cu, {CACHE_INV_L1V, 0, 0, &left}), state = Acquiring;
        } else {
            Instr v;
            v.kind = Inv;
            todo.push_front(v);
            drain = how == 1; // waits for it
        }
    }

    void issue(Instr &&v)
    {
        v.regs = registers(serial), v.tag = serial++ & 255, v.issued = cycle;
        unsigned r = v.regs, s = simd();
        for (unsigned l = 0; l < 64; l++) {
            uint64_t a = v.exec >> l & 1 ? v.va[l] - v.base : rng();
            vgpr[cu][s][r][l] = a, vgpr[cu][s][r + 1][l] = v.kind == Flat ? a >> 32 : rng();
            for (unsigned k = 0; k < 4; k++)
                vgpr[cu][s][r + 4 + k][l] = v.data[k][l], vgpr[cu][s][r + 16 + k][l] = 0xdead0000 + l;
        }
        Packer p;
        p.put(0, 64);                                                                                            // flat_scratch
        p.put(v.base & 0xffffffff, 32), p.put(v.base >> 32 & 0xffff, 32), p.put(0xffffffff, 32), p.put(0, 32); // rsrc
        p.put(0, 32), p.put(0, 12), p.put(1, 1), p.put(0, 1);                                                   // soffset, offset, offen, idxen
        p.put(512, 17), p.put(0, 17), p.put(0x20000001, 32), p.put(0x20000000, 32), p.put(1, 1);
        p.put(space[n].vmid, 8), p.put(v.exec, 64), p.put(r + 16, 8), p.put(r + 4, 8), p.put(r, 8), p.put(serial % 8 == 3 /* slc */, 1), p.put(v.glc, 1), p.put(v.sext, 1);
        p.put(v.dwords, 3), p.put(v.size, 3), p.put(v.atomic_op, 4), p.put(v.atomic, 1), p.put(v.store, 1), p.put(v.kind, 2), p.put(v.tag, 8), p.put(wave, 6);
        p.put(0, 15), p.put(0, 1), p.put(episode, 48);
        Vdrf_top *dut = gpu_of_cu(cu).dut;
        memcpy(dut->issue_i[cu % Cus].data(), p.words, sizeof p.words);
        set_bit(dut->issue_valid_i, cu % Cus);
        if (v.purpose == Count)
            for (unsigned l = 0; l < 64; l++)
                if (v.exec >> l & 1)
                    counter[v.counter_page][v.word[l]].issued++;
        flying.push_back(std::move(v));
    }

    // One step of a cycle; `may_issue`: the unit takes an instruction.  True if it was given one.
    bool step(bool may_issue)
    {
        switch (state) {
        case Idle:
            if (cycle >= wake && !paused() && episodes_begun < params.episodes)
                begin();
            return false;
        case Acquiring:
            if (!left)
                state = Running;
            return false;
        case Tried:
            return false; // complete() goes on
        case Releasing:
            if (!flying.empty())
                return false;
            if (lock >= 0) {
                lock_holder[lock] = NoOne; // who takes it from here on is right
                todo.push_back(lock_instr(false)), state = Freeing;
                return false;
            }
            finish();
            return false;
        case Freeing:
            if (todo.empty() && flying.empty())
                finish();
            break;
        case Trying:
        case Running:
            if (todo.empty()) {
                state = Releasing;
                return false;
            }
            break;
        }
        drain &= !flying.empty();
        if (todo.empty() || !may_issue || cycle < wake || flying.size() >= Blocks_ || drain)
            return false;
        bool first = todo.front().kind == Inv;
        issue(std::move(todo.front()));
        todo.pop_front();
        if (state == Trying)
            state = Tried, lock_tries++;
        if (!first)
            drain = rng.one_in(12);
        wake = cycle + (rng.one_in(5) ? rng.pick(80) : 0);
        return true;
    }

    void finish()
    {
        const Window &w = window[rng.pick(3)];
        left_behind[episodes_done % 8] = {space[n].page[w.page].frame, w.from, w.bytes};
        claims.release();
        episodes_done++, state = Idle, lock = -1;
        wake = cycle + (rng.one_in(6) ? rng.pick(300) : 0);
    }

    [[noreturn]] void wrong(const Instr &v, unsigned l, const char *kind, uint64_t got, uint64_t want)
    {
        int p = page_at(n, v.va[l]);
        uint64_t pa = p < 0 ? 0 : place_of(frames[space[n].page[p].frame]->pa | (v.va[l] & 4095));
        fail(kind, "CU %u wavefront %02x, its episode %llu%s: %s of %u bytes%s, lane %u, address %llx (space %u, memory %llx): got %llx, want %llx", cu, wave,
             (unsigned long long)episode, fresh ? " (glc)" : lock >= 0 ? " (locked)" : "", v.name(), v.bytes(), v.glc ? " glc" : "", l,
             (unsigned long long)v.va[l], space[n].vmid, (unsigned long long)pa, (unsigned long long)got, (unsigned long long)want);
    }

    void complete(const uint32_t *w)
    {
        if (flying.empty())
            fail("completion", "CU %u wavefront %02x: completion without instruction", cu, wave);
        Instr v = std::move(flying.front());
        flying.pop_front();
        if (bits_of(w, 74, 8) != v.tag)
            fail("completion", "CU %u wavefront %02x: tag %llx, want %x", cu, wave, (unsigned long long)bits_of(w, 74, 8), v.tag);
        const uint64_t status = bits_of(w, 64, 8), where = bits_of(w, 0, 64);
        if (v.purpose == Stray) {
            bool asked = false;
            for (unsigned l = 0; l < 64; l++)
                asked |= v.exec >> l & 1 && v.va[l] >> 12 == where >> 12;
            if (!status || !asked)
                fail("stray", "CU %u wavefront %02x, episode %llu: %s at %llx, where no page is, ends with status %llu, address %llx", cu, wave,
                     (unsigned long long)episode, v.name(), (unsigned long long)v.va[0], (unsigned long long)status, (unsigned long long)where);
            strayed++;
            return;
        }
        if (status)
            fail("fault", "CU %u wavefront %02x, episode %llu: %s ends with status %llu, address %llx", cu, wave, (unsigned long long)episode, v.name(),
                 (unsigned long long)status, (unsigned long long)where);
        for (unsigned l = 0; l < 64 && v.purpose == Plain; l++)
            for (unsigned k = 0; k < v.results; k++) {
                uint32_t got = vgpr[cu][simd()][v.regs + 16 + k][l], want = v.exec >> l & 1 ? v.want[k][l] : 0xdead0000 + l;
                if (got != want)
                    wrong(v, l, v.atomic ? "atomic" : "load", got, want);
            }
        loads_checked += v.results && v.purpose == Plain ? __builtin_popcountll(v.exec) : 0;
        if (v.purpose == Count)
            check_count(v);
        if (v.purpose == TryLock) {
            if (uint32_t old = vgpr[cu][simd()][v.regs + 16][__builtin_ctzll(v.exec)]) {
                todo.push_back(lock_instr(true)), state = Trying, wake = cycle + 50 + rng.pick(400);
                return;
            } else if (lock_holder[lock] != NoOne) {
                wrong(v, __builtin_ctzll(v.exec), "lock", old, lock_holder[lock]);
            }
            lock_holder[lock] = claims.episode, locks_taken++;
            make_instructions();
            acquire();
        }
    }

    void check_count(const Instr &v)
    {
        for (unsigned l = 0; l < 64; l++) {
            if (!(v.exec >> l & 1))
                continue;
            counted++;
            Counter &c = counter[v.counter_page][v.word[l]];
            if (!v.results)
                continue;
            uint32_t got = vgpr[cu][simd()][v.regs + 16][l];
            if (c.seen.size() <= c.issued)
                c.seen.resize(2 * c.issued + 64);
            if (got >= c.issued || c.seen[got])
                wrong(v, l, "counter", got, c.issued);
            c.seen[got] = true, c.got++;
        }
    }
};

static Vector vectors[Vectors];
static unsigned vector_count() { return cu_count() * VectorsPerCu; }

static void make_vectors()
{
    for (unsigned a = 0; a < vector_count(); a++) {
        Vector &v = vectors[a];
        const unsigned k = a / cu_count();
        v.id = a, v.cu = a % cu_count(), v.wave = (k % 4) << 4 | k / 4, v.rng = rng_of(1 + a), v.straying = rng_of(1000 + a);
        v.wake = v.rng.pick(400);
    }
}
static bool vector_on(unsigned a) { return params.vectors >> a & 1; }

// ---- VGPRs of all CUs, before the edge
static struct {
    unsigned simds, row[4]; // a bit and a row of each SIMD
} reads[AllCus];
static void before_edge()
{
    for (unsigned c = 0; c < cu_count(); c++) {
        const Vdrf_top *dut = gpu_of_cu(c).dut;
        const unsigned own = c % Cus;
        reads[c] = {dut->vrd_valid_o[own], {}};
        for (unsigned s = 0; s < 4; s++)
            reads[c].row[s] = dut->vrd_row_o[own][s];
        if (!dut->vwr_valid_o[own])
            continue;
        for (unsigned s = 0; s < 4; s++) {
            if (!(dut->vwr_valid_o[own] >> s & 1) || !(dut->vwr_ready_i[own][s] & 2))
                continue;
            const uint32_t *w = dut->vwr_o[own][s].data();
            unsigned lanes = bits_of(w, 512, 16), row = bits_of(w, 528, 10);
            for (unsigned l = 0; l < 16; l++)
                if (lanes >> l & 1)
                    vgpr[c][s][row >> 2][(row & 3) * 16 + l] = w[l];
        }
    }
}
static bool busy_simds; // vector ALUs take the write ports now and then
static void after_edge()
{
    for (unsigned c = 0; c < cu_count(); c++) {
        Vdrf_top *dut = gpu_of_cu(c).dut;
        const unsigned own = c % Cus;
        for (unsigned s = 0; s < 4; s++) {
            for (unsigned l = 0; l < 16 && reads[c].simds >> s & 1; l++)
                dut->vrd_data_i[own][s][l] = vgpr[c][s][reads[c].row[s] >> 2][(reads[c].row[s] & 3) * 16 + l];
            dut->vwr_ready_i[own][s] = busy_simds ? sky.pick(4) : 3;
        }
    }
}
#endif

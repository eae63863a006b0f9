/* SPDX-License-Identifier: Apache-2.0
 * Wavefronts of an RTL GPU; contract in rtl_where.h, the word that a CU shows in docs/contracts.md.
 */
#include "target/rtl_where.h"

#include "gantry_cfg.h"
#include "isa/disasm.h"
#include "machine/sim_private.h"
#include "target/rtl_gpu.h"
#include "target/rtl_kinds.h"
#include "vm/pagetable.h"
#include "vm/pmem.h"

#define TRIES 256 /* looks at a wavefront, each of which takes three to ten cycles */

/* Bits of the word. */
enum {
    SHOWN_TURN = 1 << 0,
    SHOWN_ENDING = 1 << 1,
    SHOWN_FAULTED = 1 << 2,
    SHOWN_BARRIER = 1 << 4,
    SHOWN_DECODED = 1 << 5,
    SHOWN_LIVE = 1 << 6,
    SHOWN_USED = 1 << 7,
};

static unsigned state_bits(uint64_t word)
{
    return word >> 56;
}

static const char *state_of(unsigned state)
{
    return state & SHOWN_FAULTED   ? "has faulted"
           : state & SHOWN_ENDING  ? "waits for its accesses to end"
           : !(state & SHOWN_LIVE) ? "has halted"
           : state & SHOWN_BARRIER ? "at a barrier"
                                   : "running";
}

/* The PC of a branch's target is there some cycles after its issue: an instruction that its SIMD could choose in this
 * turn is the next one. */
static uint64_t look(struct sim *sim, unsigned gpu, unsigned cu, unsigned wave)
{
    uint64_t word = rtl_machine_look(sim->rtl, gpu, cu, wave);
    const unsigned certain = SHOWN_TURN | SHOWN_DECODED;
    for (unsigned n = 0; n < TRIES && (state_bits(word) & SHOWN_LIVE) && (state_bits(word) & certain) != certain; n++)
        word = rtl_machine_look(sim->rtl, gpu, cu, wave);
    return word;
}

static void wave_where(struct sim *sim, unsigned gpu, unsigned cu, unsigned wave, uint64_t word, struct disasm *d,
                       FILE *out)
{
    uint64_t pc = word & PMEM_OFFSET_MASK, root = sim->gpus[gpu].roots[word >> 48 & 255];
    uint32_t dwords[2] = {0, 0};
    char text[160] = "no code there", name[40];
    if (pagetable_walk_read(sim->memory, root, pc, &dwords[0], 4) == 0) {
        pagetable_walk_read(sim->memory, root, pc + 4, &dwords[1], 4); /* may be on a page that is not there */
        disasm_text(d, pc, dwords[0] | (uint64_t)dwords[1] << 32, text, sizeof text);
    }
    rtl_kind_title(name, sizeof name, gpu, KIND_CU, cu);
    fprintf(out, "  %s: CU %u wavefront %u, %s, before pc 0x%llx: %s\n", name, cu, wave, state_of(state_bits(word)),
            (unsigned long long)pc, text);
}

void rtl_where(struct sim *sim, unsigned gpu, unsigned most, FILE *out)
{
    struct disasm *d = disasm_new();
    unsigned told = 0, more = 0;
    for (unsigned cu = 0; d && cu < rtl_machine_cus(sim->rtl); cu++) {
        for (unsigned n = 0; n < sim->cfg->gpu_cu_simds * sim->cfg->gpu_cu_waves_per_simd; n++) {
            unsigned wave = n % sim->cfg->gpu_cu_simds << 4 | n / sim->cfg->gpu_cu_simds;
            uint64_t word = rtl_machine_look(sim->rtl, gpu, cu, wave);
            if (!(state_bits(word) & SHOWN_USED))
                continue;
            if (told < most) {
                word = look(sim, gpu, cu, wave);
                wave_where(sim, gpu, cu, wave, word, d, out);
                told++;
            } else {
                more++;
            }
        }
    }
    if (more)
        fprintf(out, "  gpu%u: and %u more wavefronts\n", gpu, more);
    disasm_free(d);
}

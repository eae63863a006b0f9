// SPDX-License-Identifier: Apache-2.0
// Random programs of the bench of cu: blocks of scalar and vector instructions around memory instructions whose results are
// waited for; every wavefront has its own memory and LDS, and two barriers with its group.
#pragma once
#include "tests/rtl/cu/harness.h"

struct Generator {
    Random &r;
    std::string out;
    void line(const char *format, ...)
    {
        char text[200];
        va_list args;
        va_start(args, format);
        vsnprintf(text, sizeof text, format, args);
        va_end(args);
        out += std::string("  ") + text + "\n";
    }
    // scalar operand: s8..s63, vcc_lo, m0, constants
    std::string ss(bool wide = false)
    {
        char t[40];
        unsigned n = 8 + r.below(28) * 2;
        switch (r.below(9)) {
        case 0: snprintf(t, sizeof t, "%d", (int)r.below(81) - 16); break;
        case 1: snprintf(t, sizeof t, wide ? "vcc" : "vcc_lo"); break;
        case 2: snprintf(t, sizeof t, "%s", r.below(2) ? "1.0" : "-4.0"); break;
        default: snprintf(t, sizeof t, wide ? "s[%u:%u]" : "s%u", n, n + 1);
        }
        return t;
    }
    std::string sd(bool wide = false)
    {
        char t[40];
        unsigned n = 8 + r.below(28) * 2;
        if (r.below(12) == 0)
            return wide ? "vcc" : "vcc_hi";
        snprintf(t, sizeof t, wide ? "s[%u:%u]" : "s%u", wide ? n : n + r.below(2), n + 1);
        return t;
    }
    unsigned v() { return 4 + r.below(24); }
    void scalar()
    {
        static const char *const two[] = {"s_add_u32", "s_sub_u32", "s_addc_u32", "s_subb_u32", "s_add_i32", "s_sub_i32", "s_min_i32",
            "s_max_u32", "s_and_b32", "s_or_b32", "s_xor_b32", "s_andn2_b32", "s_nor_b32", "s_lshl_b32", "s_lshr_b32", "s_ashr_i32",
            "s_mul_i32", "s_bfe_u32", "s_bfe_i32", "s_bfm_b32", "s_absdiff_i32", "s_cselect_b32"};
        static const char *const two64[] = {"s_and_b64", "s_or_b64", "s_xor_b64", "s_orn2_b64", "s_nand_b64", "s_cselect_b64"};
        static const char *const one[] = {"s_mov_b32", "s_not_b32", "s_brev_b32", "s_bcnt1_i32_b32", "s_ff1_i32_b32", "s_flbit_i32",
            "s_sext_i32_i8", "s_abs_i32", "s_cmov_b32", "s_ff0_i32_b32"};
        static const char *const one64[] = {"s_mov_b64", "s_not_b64", "s_brev_b64", "s_cmov_b64"};
        static const char *const cmp[] = {"s_cmp_lt_i32", "s_cmp_ge_u32", "s_cmp_eq_u32", "s_cmp_lg_i32", "s_bitcmp1_b32"};
        switch (r.below(8)) {
        case 0: case 1: case 2: line("%s %s, %s, %s", two[r.below(22)], sd().c_str(), ss().c_str(), ss().c_str()); break;
        case 3: line("%s %s, %s, %s", two64[r.below(6)], sd(true).c_str(), ss(true).c_str(), ss(true).c_str()); break;
        case 4: line("%s %s, %s", one[r.below(10)], sd().c_str(), ss().c_str()); break;
        case 5: line("%s %s, %s", one64[r.below(4)], sd(true).c_str(), ss(true).c_str()); break;
        case 6: line("%s %s, %s", cmp[r.below(5)], ss().c_str(), ss().c_str()); break;
        default: line("s_%s %s, 0x%x", r.below(2) ? "addk_i32" : "mulk_i32", sd().c_str(), r.below(0x7fff)); break;
        }
    }
    void vector()
    {
        static const char *const two[] = {"v_and_b32", "v_or_b32", "v_xor_b32", "v_lshlrev_b32", "v_lshrrev_b32", "v_ashrrev_i32",
            "v_min_u32", "v_max_i32", "v_mul_u32_u24", "v_add_f32", "v_mul_f32", "v_mac_f32"};
        static const char *const three[] = {"v_bfe_u32", "v_bfi_b32", "v_alignbit_b32", "v_mad_u32_u24", "v_perm_b32", "v_fma_f32", "v_med3_i32"};
        char src[20];
        snprintf(src, sizeof src, "%s", r.below(3) ? ("v" + std::to_string(v())).c_str() : ss().c_str());
        switch (r.below(14)) {
        case 0: case 1: case 2: line("%s v%u, %s, v%u", two[r.below(12)], v(), src, v()); break;
        case 3: line("%s v%u, v%u, v%u, %s", three[r.below(7)], v(), v(), v(), src); break;
        case 4: line("v_add_u32 v%u, vcc, %s, v%u", v(), src, v()); break;
        case 5: line("v_addc_u32 v%u, vcc, v%u, v%u, vcc", v(), v(), v()); break;
        case 6: line("v_cmp_lt_i32 vcc, %s, v%u", src, v()); break;
        case 7: { unsigned n = 8 + r.below(28) * 2; line("v_cmp_ne_u32 s[%u:%u], v%u, v%u", n, n + 1, v(), v()); break; }
        case 8: line("v_cndmask_b32 v%u, v%u, v%u, vcc", v(), v(), v()); break;
        case 9: line("v_mul_lo_u32 v%u, v%u, %s", v(), v(), src); break;
        case 10: line("v_readlane_b32 s%u, v%u, %u", 8 + r.below(56), v(), r.below(64)); break;
        case 11: case 12: real(); break;
        default: { unsigned n = 4 + r.below(12) * 2; line("v_lshlrev_b64 v[%u:%u], v%u, v[%u:%u]", n, n + 1, v(), n, n + 1); }
        }
    }
    // double precision
    void real()
    {
        static const char *const one[] = {"v_rcp_f64", "v_floor_f64", "v_fract_f64", "v_frexp_mant_f64"};
        unsigned d = 4 + r.below(23), a = 4 + r.below(23), b = 4 + r.below(23), n = 8 + r.below(28) * 2;  // loads write from v28 on
        std::string src = r.below(3) ? "v[" + std::to_string(a) + ":" + std::to_string(a + 1) + "]" : ss(true);
        switch (r.below(8)) {
        case 0: line("v_add_f64 v[%u:%u], %s, -v[%u:%u]", d, d + 1, src.c_str(), b, b + 1); break;
        case 1: line("v_fma_f64 v[%u:%u], v[%u:%u], %s, v[%u:%u]", d, d + 1, a, a + 1, src.c_str(), b, b + 1); break;
        case 2: line("%s v[%u:%u], %s", one[r.below(4)], d, d + 1, r.below(4) ? src.c_str() : "0x40490fdb"); break;
        case 3: line("v_cvt_f64_i32 v[%u:%u], v%u", d, d + 1, a); break;
        case 4: line("v_cvt_i32_f64 v%u, %s", d, src.c_str()); break;
        case 5: line("v_cmp_lt_f64 vcc, %s, v[%u:%u]", src.c_str(), b, b + 1); break;
        case 6: line("v_div_fmas_f64 v[%u:%u], v[%u:%u], v[%u:%u], 1.0", d, d + 1, a, a + 1, b, b + 1); break;
        default: line("v_div_scale_f64 v[%u:%u], s[%u:%u], v[%u:%u], v[%u:%u], v[%u:%u]", d, d + 1, n, n + 1, a, a + 1, a, a + 1, b, b + 1);
        }
    }
    void some(unsigned n)
    {
        for (unsigned i = 0; i < n; i++)
            r.below(5) < 2 ? scalar() : vector();
    }
    // v0 item, v1 byte offset, v[2:3] address, v[32:33] in the LDS, v[34:35] by lane there or in memory; results of loads go to v28..v31 and s64..s79
    void memory()
    {
        switch (r.below(13)) {
        case 7: line("flat_load_dwordx4 v[28:31], v[%s]", r.below(2) ? "32:33" : "34:35"); break;
        case 8: line("flat_store_dwordx2 v[%s], v[%u:%u]", r.below(2) ? "32:33" : "34:35", 4, 5); break;
        case 9: line("flat_atomic_umax v29, v[%s], v%u glc", r.below(2) ? "32:33" : "34:35", v()); break;
        case 10: line("flat_store_short v[32:33], v%u", v()); line("ds_read_b32 v29, v1"); break;
        case 11: line("ds_write_b32 v1, v%u offset:4", v()); line("flat_load_dwordx3 v[28:30], v[32:33]"); break;
        case 12: line("flat_load_ubyte v31, v[%s]", r.below(2) ? "32:33" : "34:35"); break;
        case 0: line("flat_load_dword v28, v[2:3]"); break;
        case 1: line("flat_load_dwordx4 v[28:31], v[2:3]"); break;
        case 2: line("flat_store_dword v[2:3], v%u", v()); break;
        case 3: line("ds_write_b32 v1, v%u offset:%u", v(), r.below(4) * 4); break;
        case 4: line("ds_read_b32 v29, v1 offset:%u", r.below(4) * 4); break;
        case 5: line("s_load_dwordx%u s[64:%u], s[0:1], 0x%x", 4u, 67u, r.below(60) * 4); break;
        default: line("flat_atomic_add v30, v[2:3], v%u glc", v()); break;
        }
        some(r.below(4));
        line("s_waitcnt vmcnt(0) lgkmcnt(0)");
        if (r.below(2))
            line("v_xor_b32 v%u, v%u, v%u", v(), 28 + r.below(4), v());
        else
            line("s_add_u32 s%u, s%u, s%u", 8 + r.below(56), 64 + r.below(4), 8 + r.below(56));
    }
    std::string program(unsigned blocks)
    {
        line("s_mov_b64 s[4:5], exec");
        line("s_mov_b64 exec, -1");  // initial values in all lanes
        line("s_mov_b32 m0, -1");
        line("v_lshlrev_b32 v1, 4, v0");
        line("v_add_u32 v2, vcc, s0, v1");
        line("v_mov_b32 v3, s1");
        line("v_mov_b32 v32, v1");
        line("v_mov_b32 v33, 0x20000000");
        line("v_cmp_lt_u32 vcc, %u, v0", r.below(64));
        line("v_cndmask_b32 v34, v2, v32, vcc");
        line("v_cndmask_b32 v35, v3, v33, vcc");
        for (unsigned i = 4; i < 32; i++)
            line("v_mul_u32_u24 v%u, 0x%x, v0", i, r.below(1 << 20) * 2 + 1);
        for (unsigned i = 24; i < 80; i++)
            line("s_mov_b32 s%u, 0x%x", i, r());
        for (unsigned i = 0; i < 4; i++)
            line("ds_write_b32 v1, v%u offset:%u", 4 + i, 4 * i);
        line("s_mov_b64 exec, s[4:5]");
        line("s_movk_i32 s7, 0x%x", 1 + r.below(3));
        for (unsigned k = 0; k < blocks; k++) {
            if (k == blocks / 2)
                out += "loop:\n";
            some(2 + r.below(6));
            if (r.below(4) == 0) {
                line("v_cmp_gt_u32 vcc, %u, v%u", r.below(64), r.below(2) ? 0 : v());
                line("s_and_saveexec_b64 s[4:5], vcc");
                line("s_cbranch_execz skip%u", k);
                some(3);
                memory();
                out += "skip" + std::to_string(k) + ":\n";
                line("s_mov_b64 exec, s[4:5]");
            } else {
                memory();
            }
        }
        line("s_barrier");
        line("s_sub_u32 s7, s7, 1");
        line("s_cmp_lg_u32 s7, 0");
        line("s_cbranch_scc1 loop");
        line("s_endpgm");
        return out;
    }
};

static void run_random(Bench &b, unsigned count)
{
    b.waves.clear();
    std::vector<Wave *> set;
    uint64_t pc = MemBase, start = b.evaluated;
    size_t total = 0;
    for (unsigned n = 0; n < count; n++) {
        Generator g{b.rnd, {}};
        auto code = assemble(g.program(12));
        b.mem.put(pc, code);
        WaveSetup q;
        q.pc = pc;
        q.simd = n & 3;
        q.slot = (n >> 2) * 3 % 10;
        q.group = n;
        q.vgpr_base = (n >> 2) * 40;
        q.sgpr_base = (n >> 2) * 80 + 16;
        q.lds_base = n * 1024 + 512;
        q.lds_bytes = 1024;
        q.exec = b.rnd.below(3) ? ~0ull : (uint64_t)b.rnd() << 32 | b.rnd();
        q.sgpr = {0x200000 + n * 0x1000, 0};
        set.push_back(b.add(q));
        pc = (pc + code.size() * 4 + 319) & ~63ull;
    }
    b.golden_mem = b.mem;
    b.observe = true;
    // lanes that EXEC switches off and registers that no instruction writes keep what earlier wavefronts left
    b.compare_registers = false;
    b.golden_run(set);
    b.run(set);
    b.same_memory();
    for (Wave *w : set)
        total += w->trace.size();
    std::printf("random: %u wavefronts, %zu instructions, %llu cycles\n", count, total, (unsigned long long)(b.evaluated - start));
}

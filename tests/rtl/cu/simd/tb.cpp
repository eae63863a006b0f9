// SPDX-License-Identifier: Apache-2.0
// Bench of cu_simd against the golden model (host/valu): random encodings of every implemented vector instruction
// with random modifiers, SDWA, DPP, EXEC, MODE and corner values, issued back to back so that dependent rows are
// bypassed; every row write is compared through the observation port, every mask through `done`, all VGPRs at the
// end of a batch through the memory read port.  Writes of memory units and reads are mixed in.  The argument `speed`
// prints ns a cycle instead (`speed NAME`: of one kind); `op NAME` tests one instruction;
// `host N` is the comparison with the host's arithmetic alone (host_ieee.h), N vectors a family.
// Registers start with random bits: nothing may depend on them (C.2).
// top: cu_simd
// args: -Wno-UNUSEDPARAM --x-initial unique --x-assign unique
// lib: yes
// limit: 7200
// mutant: -DGANTRY_CU_FAULT=16
// mutant: -DGANTRY_CU_FAULT=24
// mutant: -DGANTRY_CU_FAULT=30
// mutant: -DGANTRY_CU_FAULT=31
#include "tests/rtl/case_done.h"
#include "drive.h"
#include "host_ieee.h"
#include "speed.h"
#include "tests/rtl/cu/pinned.h"

int main(int argc, char **argv)
{
    Verilated::randReset(2);
    Verilated::randSeed(11);
    dut = new Vcu_simd;
    wave.v = golden;
    wave.vgprs = Regs;
    wave.sgprs = 100;
    wave.s[SREG_M0] = 3;
    reset();
    if (argc > 2 && strcmp(argv[1], "host") == 0) {
        host::run(strtoull(argv[2], NULL, 0));
        return failures != 0;
    }
    if (argc > 1 && strcmp(argv[1], "speed") == 0) {
        speed(argc > 2 ? argv[2] : NULL);
        return 0;
    }
    for (unsigned n = 1; n < GCN3_OP_COUNT; n++)
        if (in_scope(gcn3_op_table[n]))
            ops.push_back(&gcn3_op_table[n]);
    if (argc > 2 && strcmp(argv[1], "op") == 0) {
        const struct gcn3_op *o = find(argv[2]);
        for (unsigned n = 0; n < 40; n++)
            batch(150, o);
    } else {
        for (unsigned n = 0; n < 150 && failures < 200; n++)
            batch(300, NULL);
        delete dut;
        Verilated::randSeed(12);
        dut = new Vcu_simd;
        reset();
        for (const struct gcn3_op *o : ops)
            for (unsigned n = 0, before = failures; n < 3 && failures - before < 1 && failures < 2000; n++)
                batch(50, o);
        for (unsigned n = 0; n < 150 && failures < 200; n++)
            batch(300, NULL);
        if (failures == 0 && LANES != 8)
            pinned("cycles of the batches", cycle, LANES == 16 ? 3072829 : 7512206);
        const char *nightly = getenv("GANTRY_NIGHTLY");
        if (failures == 0)
            host::run(nightly && *nightly == '1' ? NIGHTLY_VECTORS : 100000);
    }
    case_done("every instruction", "C.2");
    failures += pins_differ;
    if (LANES == 16 && argc == 1 && (masks_handed[0] < 200 || masks_handed[1] < 200)) {
        printf("only %llu and %llu masks were handed on\n", (unsigned long long)masks_handed[0], (unsigned long long)masks_handed[1]);
        failures++;
    }
    printf("%zu instructions, %llu lane results, %llu rows, %llu masks, %llu cycles, %d failures\n", ops.size(),
           (unsigned long long)lane_results, (unsigned long long)rows_seen, (unsigned long long)masks_seen, (unsigned long long)cycle, failures);
    return failures != 0;
}

// SPDX-License-Identifier: Apache-2.0
// Bench of cu_simd: issues instructions to the SIMD and to the golden model, writes rows as a memory unit does, compares.
#pragma once
#include "encodings.h"

// Issue record as the front end makes it.
// mask_from: 0 the mask is in the record, 1 and 2 it is the result of the last instruction or of the one before (the
// record has another)
static void drive(const struct gcn3_inst &i, unsigned tag, unsigned mask_from = 0)
{
    Packer p;
    bool half = i.info->flags & FLAG_HALF;
    p.put(WAVE_EXEC(&wave), 64);
    p.put(mask_from ? rng() : i.src2_mask ? scalar_read64(&wave, &i, i.src[2]) : WAVE_VCC(&wave), 64);
    unsigned is_vgpr = 0;
    for (unsigned n = 0; n < 3; n++) {
        uint64_t v = 0;
        if (i.src[n] >= 256 && i.srcw[n])
            is_vgpr |= 1u << n;
        else if (i.srcw[n] == 2 && !(n == 2 && i.src2_mask)) {
            v = scalar_read64(&wave, &i, i.src[n]);
            if (i.src[n] == SREG_LITERAL && i.info->rate == RATE_F64)
                v <<= 32;
        }
        else if (i.srcw[n] == 1)
            v = scalar_read32(&wave, &i, i.src[n], half);
        p.put(v, 64);
    }
    p.put(i.ext, 32);
    for (unsigned n = 0; n < 3; n++)
        p.put(i.src[n] & 255, 8);
    p.put(i.vdst, 8);
    p.put(i.dpp, 1);
    p.put(i.sdwa, 1);
    p.put(i.clamp, 1);
    p.put(wave.ieee ? 0 : i.omod, 2); // as cu_scalar does
    p.put(i.abs, 3);
    p.put(i.neg, 3);
    p.put(wave.ieee, 1);
    p.put(wave.mode, 8);
    p.put(tag, 8);
    p.put(0, 4);
    p.put(i.op, 10);
    p.put(is_vgpr, 3);
    p.put(i.vdst_w != 0, 1);
    p.put(wave.dx10_clamp, 1);
    p.put(mask_from, 2);
    for (unsigned w = 0; w < 14; w++)
        dut->issue_i[w] = p.words[w];
}

static void remember_sources(Expected &e, const struct gcn3_inst &i)
{
    for (unsigned n = 0; n < 3; n++)
        for (unsigned l = 0; l < 64; l++)
            e.src[n][l] = !i.srcw[n] ? 0 : i.src[n] >= 256 ? golden[i.src[n] - 256][l]
                          : scalar_read32(&wave, &i, i.src[n], i.info->flags & FLAG_HALF);
}

// Results of the last two instructions.
static struct {
    bool whole; // a lane mask that the SIMD hands on
    uint64_t mask;
} made[2];
static uint64_t masks_handed[2];

static void one_instruction(const struct gcn3_op &o, unsigned tag)
{
    struct gcn3_inst i;
    uint64_t inst;
    do {
        inst = encode(o);
        gcn3_decode(inst, &i);
    } while (i.illegal || i.vgprs > Regs);
    WAVE_EXEC(&wave) = random_exec();
    Expected &e = expected[tag];
    e.used = true;
    e.any = false;
    e.name = o.name;
    e.inst = inst;
    e.vdst = i.vdst;
    e.width = i.vdst_w;
    e.mode = wave.mode;
    e.exec = WAVE_EXEC(&wave);
    // a mask that one of the last two instructions made: hardware reads it beat by beat, so 4 cycles later
    bool reads = i.src2_mask || (i.info->flags & FLAG_VCC_R), fmas = o.op == OP_V_DIV_FMAS_F32 || o.op == OP_V_DIV_FMAS_F64;
    unsigned mask_from = LANES == 16 && reads && !fmas && chance(70) ? 1 + below(2) : 0;
    if (mask_from && !made[mask_from - 1].whole)
        mask_from = 0;
    if (mask_from) {
        scalar_write64(&wave, i.src2_mask ? i.src[2] : SREG_VCC, made[mask_from - 1].mask);
        masks_handed[mask_from - 1]++;
    }
    remember_sources(e, i);
    drive(i, tag, mask_from);
    if (valu_execute(&wave, &i)) {
        printf("golden model does not know %s\n", o.name);
        exit(1);
    }
    e.has_result = i.sdst_w != 0;
    e.result = i.sdst_mask ? scalar_read64(&wave, &i, i.sdst) : i.sdst_w ? scalar_read32(&wave, &i, i.sdst, false) : 0;
    made[1] = made[0];
    made[0] = { i.sdst_mask && o.rate != RATE_F64, e.result };
    for (unsigned n = 0; n < i.vdst_w; n++)
        memcpy(e.data[n], golden[i.vdst + n], 256);
    // rows of other beats are not bypassed: one turn between (software leaves two before any DPP), or two
    for (unsigned n = 0; crosses_rows(i) && n < 4 + 4 * OPERAND_STAGES; n++)
        tick();
    dut->valid_i = 1;
    tick();
    dut->valid_i = 0;
    for (unsigned left = slots(o, i.dpp, crosses_rows(i)) - 1; left; left--)
        tick();
}

// A memory unit writes one row of a register that nothing else uses; returns after it was taken.
static void memory_write(unsigned unit)
{
    unsigned reg = Regs - 1, beat = below(4), lanes = below(65536);
    Packer p;
    for (unsigned l = 0; l < 16; l++) {
        uint32_t x = rng();
        p.put(x, 32);
        if (lanes >> l & 1)
            golden[reg][beat * 16 + l] = x;
    }
    p.put(lanes, 16);
    p.put(reg * 4 + beat, 10);
    p.put(255, 8);
    for (unsigned w = 0; w < 18; w++)
        (unit ? dut->vwr1_i : dut->vwr0_i)[w] = p.words[w];
    dut->vwr_valid_i = 1u << unit;
    for (unsigned n = 0;; n++) {
        dut->clk_i = 0;
        dut->eval();
        bool ready = dut->vwr_ready_o >> unit & 1;
        tick();
        if (ready)
            break;
        if (n > 50) {
            printf("memory write never taken\n");
            exit(1);
        }
    }
    dut->vwr_valid_i = 0;
}

static void compare_registers()
{
    for (unsigned n = 0; n < 24; n++)
        tick();
    for (unsigned row = 0; row < Regs * 4; row++) {
        dut->vrd_valid_i = 1;
        dut->vrd_row_i = row;
        for (unsigned n = 0; n < Parts; n++)
            tick();
        dut->vrd_valid_i = 0;
        for (unsigned l = 0; l < 16; l++)
            if (dut->vrd_data_o[l] != golden[row / 4][row % 4 * 16 + l] && ++failures <= 20)
                printf("v%u lane %u at the end: got %08x, want %08x\n", row / 4, row % 4 * 16 + l, dut->vrd_data_o[l],
                       golden[row / 4][row % 4 * 16 + l]);
    }
    tick();
    if (!dut->idle_o && ++failures <= 20)
        printf("not idle at the end of a batch\n");
}

static void batch(unsigned instructions, const struct gcn3_op *only)
{
    wave.mode = chance(50) ? 0xc0 : (uint8_t)rng();
    wave.ieee = chance(70);
    wave.dx10_clamp = chance(70);
    fill_registers();
    retired = 0;
    for (unsigned n = 0; n < instructions; n++) {
        one_instruction(only ? *only : *ops[below(ops.size())], n % 200);
        if (chance(3)) {
            unsigned writes = 1 + below(5);
            while (writes--)
                memory_write(below(2));
        }
    }
    compare_registers();
    if (retired != instructions && ++failures <= 20)
        printf("%u instructions done, want %u\n", retired, instructions);
}

static void reset()
{
    made[0] = made[1] = {};
    dut->rst_ni = 0;
    dut->valid_i = dut->vwr_valid_i = dut->init_valid_i = dut->vrd_valid_i = 0;
    dut->obs_en_i = 1;
    for (unsigned n = 0; n < 3; n++)
        tick();
    dut->rst_ni = 1;
    tick();
}

static const struct gcn3_op *find(const char *name)
{
    for (unsigned n = 1; n < GCN3_OP_COUNT; n++)
        if (strcmp(gcn3_op_table[n].name, name) == 0)
            return &gcn3_op_table[n];
    printf("no instruction %s\n", name);
    exit(2);
}

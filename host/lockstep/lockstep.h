/* SPDX-License-Identifier: Apache-2.0
 * Lock step: every instruction that an RTL compute unit retires is executed by the golden model from the same
 * architectural state and compared: PC, register writes, EXEC, VCC, SCC, M0, stores and atomics that leave the CU.
 * Loaded data is taken from the RTL and compared with memory apart.  The caller (bridge) feeds events of each CU in the
 * order of their cycles.  Not responsible for: time, the channels, who started what.
 */
#ifndef GANTRY_LOCKSTEP_H
#define GANTRY_LOCKSTEP_H
#include <stdbool.h>
#include <stdint.h>

#include "gantry_msg.h"

struct lockstep;
struct pmem;

/* First difference, as one paragraph of text.  NULL at lockstep_new: printed, then CHECK (exit 70). */
typedef void (*lockstep_fail_fn)(void *ctx, const char *text);

struct lockstep *lockstep_new(struct pmem *memory, unsigned gpus, unsigned cus, lockstep_fail_fn fail, void *ctx);
/* SIMDs of a CU, 4 unless told: scratch slots are numbered by them. */
void lockstep_simds(struct lockstep *ls, unsigned simds);
void lockstep_free(struct lockstep *ls);
/* Warn of LDS accesses outside the allocation (check.lds). */
void lockstep_check_lds(struct lockstep *ls, bool on);

/* A command that reached the dispatcher: page-table roots (CP_VMID), launches, kills. */
void lockstep_cp_cmd(struct lockstep *ls, unsigned gpu, uint64_t cycle, const struct msg_cp_cmd *cmd);
/* What the dispatcher sends, in its order: a wavefront's start follows from its launch, and a launch ends when all of
 * its wavefronts have started. */
void lockstep_dispatched(struct lockstep *ls, unsigned gpu, unsigned cu, uint64_t cycle, const struct msg_cu_cmd *cmd);
void lockstep_cp_evt(struct lockstep *ls, unsigned gpu, uint64_t cycle, const struct msg_cp_evt *evt);
/* Messages as the CU takes (cu_cmd, mem_rsp) or sends (cu_evt, mem_req) them. */
void lockstep_cu_cmd(struct lockstep *ls, unsigned gpu, unsigned cu, uint64_t cycle, const struct msg_cu_cmd *cmd);
void lockstep_cu_evt(struct lockstep *ls, unsigned gpu, unsigned cu, uint64_t cycle, const struct msg_cu_evt *evt);
void lockstep_mem_req(struct lockstep *ls, unsigned gpu, unsigned cu, uint64_t cycle, const struct msg_mem_req *req);

/* A record of the order port of part_l2 (obs_order_t of rtl/l2/l2_pkg.sv): a store or atomic takes effect. */
struct lockstep_order {
    uint8_t op, atomic, size, gpu;
    uint32_t user;
    uint8_t source, line, pad[6];
    uint64_t addr, mask,
        data[8];     /* atomic of one word: operand, compare, old value; of a line: operands in their places */
    uint64_t old[8]; /* atomic of a line (line = 1): old values in their places */
};
void lockstep_order(struct lockstep *ls, unsigned gpu, uint64_t cycle, const struct lockstep_order *record);

/* The machine is a restored one: until its L2 has written back, lock step cannot know what a load from VRAM finds. */
void lockstep_restored(struct lockstep *ls);
/* A slice sends this to its DRAM. */
void lockstep_dram(struct lockstep *ls, unsigned gpu, uint64_t cycle, const struct msg_dram_req *req);

/* An observation of part_cu; `data` is the packed struct of rtl/cu/cu_pkg.sv as Verilator holds it (little endian). */
enum lockstep_port {
    LOCKSTEP_INST, /* obs_inst_t */
    LOCKSTEP_SGPR, /* obs_sgpr_t */
    LOCKSTEP_VGPR, /* obs_vgpr_t, lane = SIMD */
    LOCKSTEP_DONE, /* wave_tag_t */
    LOCKSTEP_LDS,  /* obs_lds_t, order of execution */
    LOCKSTEP_ROW,  /* obs_row_t, dwords of a buffer instruction on their way into the LDS or from there */
};
void lockstep_observe(struct lockstep *ls, unsigned gpu, unsigned cu, enum lockstep_port port, unsigned lane,
                      uint64_t cycle, const void *data);

/* Finish the comparison of wavefronts that have ended; before the numbers below are read. */
void lockstep_settle(struct lockstep *ls);
/* Instructions observed and instructions compared; equal once every wavefront has ended. */
uint64_t lockstep_observed(const struct lockstep *ls);
uint64_t lockstep_compared(const struct lockstep *ls);
/* At the end of a run: nothing may be left over.  False after a difference. */
bool lockstep_finish(struct lockstep *ls);
#endif

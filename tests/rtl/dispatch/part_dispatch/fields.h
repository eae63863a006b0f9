// SPDX-License-Identifier: Apache-2.0
// What every field of the dispatcher's messages must be: a wavefront's start, events for the host, commands for caches.
// Pure functions of the bench of part_dispatch; places of resources are checked there.
#ifndef FIELDS_H
#define FIELDS_H
#include <cstring>

#include "gantry_msg.h"

// The CU_WAVE of a wavefront of a launch, but for where it was placed (wave, launch slot, barrier slot, bases), for the SGPRs
// beyond those it names, and for the shape of its group (exec, number, sizes), which the bench knows.
static msg_cu_cmd wave_fields(const msg_cp_cmd &c, const msg_cu_cmd &placed)
{
    msg_cu_cmd w = placed;
    w.kind = CU_WAVE, w.vmid = c.vmid, w.vgpr_items = c.vgpr_items;
    w.vgprs = c.vgprs, w.sgprs = c.sgprs, w.lds_bytes = c.lds_bytes, w.pc = c.pc;
    w.scratch_base = static_cast<uint32_t>(c.root >> 8);
    w.pad0 = 0, w.pad1 = 0, w.pad2 = 0;
    // compute_pgm_rsrc1: FLOAT_MODE in bits 19:12, DX10_CLAMP in bit 21, IEEE_MODE in bit 23
    w.mode = static_cast<uint8_t>(c.rsrc1 >> 12);
    w.ieee = static_cast<uint8_t>((c.rsrc1 >> 23 & 1) | (c.rsrc1 >> 21 & 1) << 1);
    return w;
}

// What the host is told of an event of a CU; an illegal instruction comes as its bytes in place of the address.
static msg_cp_evt host_fields(const msg_cu_evt &e, unsigned cu, unsigned id)
{
    msg_cp_evt h = {};
    h.kind = e.kind == CU_EVT_FAULT ? CP_EVT_FAULT : e.kind == CU_EVT_HALT ? CP_EVT_HALT : CP_EVT_INTERRUPT;
    bool illegal = e.kind == CU_EVT_FAULT && e.status == FAULT_ILLEGAL;
    h.status = e.status, h.id = static_cast<uint16_t>(id), h.cu = static_cast<uint16_t>(cu), h.wave = e.wave, h.vmid = e.vmid;
    h.va = illegal ? e.pc : e.va, h.pc = e.pc, h.data = illegal ? e.va : e.data;
    return h;
}

template <class Msg> static bool same(const Msg &a, const Msg &b) { return !memcmp(&a, &b, sizeof a); }
#endif

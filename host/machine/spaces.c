/* SPDX-License-Identifier: Apache-2.0
 * What the host has told a GPU of address spaces (sim_private.h): page-table roots and trap handlers by VMID.  A model
 * that takes over in the middle of a run is told it again.
 */
#include "gantry_msg.h"
#include "machine/sim_private.h"

void spaces_note(struct sim_gpu *g, const struct msg_cp_cmd *cmd)
{
    if (cmd->kind == CP_VMID) {
        g->roots[cmd->vmid] = cmd->root;
        g->withholds[cmd->vmid] = cmd->flags & XLAT_WITHHOLD;
    } else if (cmd->kind == CP_TRAP) {
        g->traps[cmd->vmid] = (struct sim_trap){cmd->root, cmd->pc};
    }
}

void spaces_tell(const struct sim_gpu *g, void (*tell)(void *ctx, const struct msg_cp_cmd *cmd), void *ctx)
{
    for (unsigned vmid = 0; vmid < 256; vmid++) {
        const struct sim_trap *trap = &g->traps[vmid];
        const struct msg_cp_cmd root = {
            .kind = CP_VMID, .vmid = (uint8_t)vmid, .flags = g->withholds[vmid], .root = g->roots[vmid]};
        const struct msg_cp_cmd handler = {
            .kind = CP_TRAP, .vmid = (uint8_t)vmid, .root = trap->handler, .pc = trap->memory};
        if (root.root)
            tell(ctx, &root);
        if (handler.root || handler.pc)
            tell(ctx, &handler);
    }
}

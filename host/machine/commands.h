/* SPDX-License-Identifier: Apache-2.0
 * The host's end of cp_cmd: as many commands as the dispatcher hub of a GPU has places for are on their way or in the
 * hub, the rest wait here, in the order of sim_cmd.  A place comes back as a credit, with the channel's latency, when
 * the hub takes a command.  Nobody is woken for a credit that nobody waits for: a program that never has so many
 * commands under way sees the same cycles as without credits.
 * Not responsible for: answers (sim.c).
 */
#ifndef GANTRY_COMMANDS_H
#define GANTRY_COMMANDS_H
#include <stdint.h>

#include "gantry_msg.h"
#include "saved/state.h"

struct part;
struct sched;
struct sim;

#define SIM_CMD_DEPTH 64u /* places of a hub: Depth of rtl/dispatch/dispatch_hub.sv */

/* Commands for one GPU that have no place yet, and the free places. */
struct commands {
    struct msg_cp_cmd *waiting; /* ring */
    uint32_t head, count, room;
    uint32_t credits;
};

void commands_init(struct commands *c);
void commands_fini(struct commands *c);
/* Channels between the host model and the part that takes the commands of `gpu`: cp_cmd, its credits, cp_evt;
 * evt_depth: most events under way. */
void commands_connect(struct sim *sim, unsigned gpu, struct part *to, uint32_t cmd_in, uint32_t credit_out,
                      uint32_t evt_out, uint32_t evt_depth);
/* Send at sim_now, or as soon as there is a place and all earlier ones have left. */
void commands_send(struct sim *sim, unsigned gpu, const struct msg_cp_cmd *cmd);
/* Cycle at which the next waiting command leaves; UINT64_MAX: none waits, or its credit is not yet under way. */
uint64_t commands_due(const struct sim *sim);
/* Send what can leave at sim_now. */
void commands_resume(struct sim *sim);
/* State: free places, and the commands that wait, in order. */
void commands_save(const struct commands *c, struct state_writer *to);
bool commands_restore(struct commands *c, struct state_reader *from);
#endif

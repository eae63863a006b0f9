/* SPDX-License-Identifier: Apache-2.0
 * The boards of a machine (key place.boards): a board belongs to the process that runs its partition's GPU. Responsible
 * for: what each must be, starting simulated ones, opening those that are plugged in, which are lost, figures.  Not
 * responsible for: what goes over the cable (bridge/board), what is refused beforehand (boards_check.h).
 * GANTRY_BOARD_PROGRAM (a program, for tests) plays every board instead, over a bare byte stream (boards_start.c);
 * GANTRY_BOARD_SIM (one for tests, too: a routed netlist) is started in the place of what models.py would build.
 */
#ifndef GANTRY_MACHINE_BOARDS_H
#define GANTRY_MACHINE_BOARDS_H
#include <stdbool.h>

#include "base/status.h"
#include "bridge/verilated/library.h"
#include "target/rtl_kinds.h"

struct boards;
struct gantry_cfg;
struct part;
struct sim;
struct sim_board;
struct sim_options;

/* What the machine's boards have to be, and the programs of simulated ones, which are built when missing; plain:
 * libraries by kind.  *boards stays NULL when all is simulated here.  False after one line (source->failure), or
 * without one when nobody waits any more. */
bool boards_find(struct boards **boards, const struct gantry_cfg *cfg, const struct sim_options *options,
                 const struct library_source *source, const struct library *plain);
/* Before the machine's partitions: starts, opens and attaches those of GPUs of this process.  False after one line. */
bool boards_start(struct boards *boards, struct sim *sim);
/* The library of a partition: that of its board, or `plain`. */
struct library boards_library(const struct boards *boards, struct rtl_place place, const struct library *plain);
/* The part of that board, if there is one, is connected: what its channels hold. */
void boards_connected(struct boards *boards, struct rtl_place place, const struct part *part);
/* Behind the partitions: every process has ended. */
void boards_free(struct boards *boards);

/* STATUS_IO when a board of this process is lost or could not be had, after one line; each 0.1 s
 * at most a look at those that nobody waits for: does the process of a simulated one run, does one at a cable answer.
 * Not during a visit. */
enum gantry_status boards_lost(struct boards *boards);
/* Of this process. */
void boards_figures(const struct boards *boards, void (*fn)(void *arg, const struct sim_board *board), void *arg);
#endif

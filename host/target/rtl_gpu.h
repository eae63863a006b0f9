/* SPDX-License-Identifier: Apache-2.0
 * The RTL partitions of all GPUs of a machine and their channels, or each GPU as one model with its links inside
 * (system.rtl; docs/contracts.md).  Not responsible for: host side,
 * C partitions (host/machine/assembly.c adds and hands them in).
 */
#ifndef GANTRY_RTL_GPU_H
#define GANTRY_RTL_GPU_H
#include <stdint.h>

struct boards;
struct external_gpu;
struct sim;
struct rtl_machine;

/* Load libraries, make partitions, connect.  NULL with one line on stderr. */
struct rtl_machine *rtl_machine_new(struct sim *sim);
/* After the scheduler freed the partitions. */
void rtl_machine_free(struct rtl_machine *m);
unsigned rtl_machine_slices(const struct rtl_machine *m);
unsigned rtl_machine_cus(const struct rtl_machine *m);
/* Walk the model libraries: key in the cache, tools that built it. */
void rtl_machine_models(const struct rtl_machine *m, void (*fn)(void *arg, const char *key, const char *tools),
                        void *arg);
/* NULL: it has none. */
struct boards *rtl_machine_boards(const struct rtl_machine *m);
/* Only of GPUs in partitions. */
struct part *rtl_machine_cu(const struct rtl_machine *m, unsigned gpu, unsigned cu);
struct part *rtl_machine_l2(const struct rtl_machine *m, unsigned gpu, unsigned slice);
/* Wavefront instructions issued so far, and work-groups ended or killed; take no clock edge. */
uint64_t rtl_machine_issued(const struct rtl_machine *m, unsigned gpu);
uint64_t rtl_machine_ended(const struct rtl_machine *m, unsigned gpu);
/* Where wavefront `wave` of a CU is (part_look). */
uint64_t rtl_machine_look(const struct rtl_machine *m, unsigned gpu, unsigned cu, unsigned wave);
/* What stands for a GPU that somebody else simulates; NULL: it is none. */
struct external_gpu *rtl_machine_external(const struct rtl_machine *m, unsigned gpu);
/* That with the far ports of a GPU. */
struct part *rtl_machine_far(const struct rtl_machine *m, unsigned gpu);
#endif

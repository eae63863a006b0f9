/* SPDX-License-Identifier: Apache-2.0
 * The requests of an output port of a verilated partition that have no answer yet, with cycle and address, for the
 * report of a machine that waits.  Kept by whoever asks first (CUs, caches, the walker), not by crossbars and engines
 * that hand on.  Responsible for: which answer belongs to which request.  Not responsible for: what
 * is a request and on which port its answer comes (rtl_part.c); a saved state, which it is no part of: of what was sent
 * before a restore nothing is known here.
 */
#ifndef GANTRY_ASKED_H
#define GANTRY_ASKED_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "bridge/verilated/model.h"

struct asked;

/* Of this output port; NULL: it hands on what others ask for, or its messages have no address. */
struct asked *asked_new(const struct model_port *port);
void asked_free(struct asked *a); /* NULL: nothing */
void asked_sent(struct asked *a, uint64_t cycle, const void *request);
/* The oldest request that it may belong to is no longer under way; one that was never seen is no error. */
void asked_answered(struct asked *a, const void *answer);
/* Whether asked_answered is to be called. */
bool asked_answers(const struct asked *a);
/* How many were sent that are never answered: writes to DRAM, data of scalar stores. */
uint64_t asked_unanswerable(const struct asked *a);
/* A line for each of the oldest ones. */
void asked_report(const struct asked *a, FILE *out);
#endif

/* SPDX-License-Identifier: Apache-2.0
 * The order of several processes (docs/reference/clock.md, "Several processes"): what changes the state of the GPUs, or
 * asks for what others change, waits until all other processes rest, and then the next process of the tree is served.
 * Ends of processes are carried out before.  A program that is the only process is served at once.
 */
#ifndef GANTRY_ORDER_H
#define GANTRY_ORDER_H
#include <stdbool.h>

struct client;
struct conn;
struct driver;

/* Of a request that has just come: it has to wait for its turn. */
bool order_holds(struct driver *d, const struct conn *conn);
/* The process has ended: carried out in its turn, or at once. */
void order_ended(struct driver *d, struct client *c);
bool order_pending(const struct driver *d);
/* Whose threads may run when the next turn is taken; NULL: nobody's. */
const struct client *order_next(const struct driver *d);
/* All others rest, or are not waited for any more: carries out the ends of processes and returns the connection whose
 * request is to be served next (server_serve), or NULL. */
struct conn *order_take(struct driver *d);
#endif

/* SPDX-License-Identifier: Apache-2.0
 * Texts that many hold and nobody frees: one copy of each, which stays until the process ends.  For what repeats, as
 * names of kernels do.
 */
#ifndef GANTRY_KEPT_H
#define GANTRY_KEPT_H

/* The copy of `text`: equal texts have one address.  From any thread. */
const char *text_kept(const char *text) __attribute__((returns_nonnull));
#endif

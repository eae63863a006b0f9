/* SPDX-License-Identifier: Apache-2.0
 * The host model as the commands run it, with GPUs that somebody else simulates.
 */
#ifndef GANTRY_TLM_COMMAND_H
#define GANTRY_TLM_COMMAND_H
struct external;

/* `gantry` with these words behind it: kernel, replay or run.  Returns its exit status; writes what it writes. */
int tlm_command(const char *const *words, unsigned count, const struct external *external);
#endif

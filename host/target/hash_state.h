/* SPDX-License-Identifier: Apache-2.0
 * The state of a running XXH64 as bytes, so that a hash over a stream of writes goes on in another process.
 */
#ifndef GANTRY_HASH_STATE_H
#define GANTRY_HASH_STATE_H
#include <xxhash.h>

#include "saved/state.h"

void hash_state_save(const XXH64_state_t *hash, struct state_writer *to);
bool hash_state_restore(XXH64_state_t *hash, struct state_reader *from);
#endif

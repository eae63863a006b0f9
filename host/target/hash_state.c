/* SPDX-License-Identifier: Apache-2.0
 * State of a running XXH64; contract in hash_state.h.  Its members are public to those who say so, and their layout is
 * that of xxHash 0.8: the version is saved, and another one is refused.  Bytes of the buffer that do not count are left
 * out: they are what an earlier write has left.
 */
#define XXH_STATIC_LINKING_ONLY
#include "target/hash_state.h"

#include <string.h>

#include "saved/state_io.h"

#define LAYOUT UINT64_C(8) /* 0.8.x */

/* What is kept of the state is the same in all of them; 0.8.3 calls three members otherwise. */
#if XXH_VERSION_RELEASE >= 3
#define LANES acc
#define REST buffer
#define REST_BYTES bufferedSize
#else
#define LANES v
#define REST mem64
#define REST_BYTES memsize
#endif

void hash_state_save(const XXH64_state_t *hash, struct state_writer *to)
{
    uint8_t rest[sizeof hash->REST] = {0};
    memcpy(rest, hash->REST, hash->REST_BYTES);
    state_put_u64(to, LAYOUT);
    STATE_PUT(to, hash->total_len);
    STATE_PUT(to, hash->LANES);
    STATE_PUT(to, rest);
    STATE_PUT(to, hash->REST_BYTES);
}

bool hash_state_restore(XXH64_state_t *hash, struct state_reader *from)
{
    uint64_t layout;
    _Static_assert(XXH_VERSION_MAJOR == 0 && XXH_VERSION_MINOR == LAYOUT, "layout of the state");
    XXH64_reset(hash, 0);
    if (!state_get_u64(from, &layout))
        return false;
    if (layout != LAYOUT)
        return state_refuse(from, "hash of writes of xxHash 0.%llu", (unsigned long long)layout);
    return STATE_GET(from, hash->total_len) && STATE_GET(from, hash->LANES) && STATE_GET(from, hash->REST) &&
           STATE_GET(from, hash->REST_BYTES) &&
           (hash->REST_BYTES < sizeof hash->REST ||
            state_refuse(from, "hash of writes: %u bytes left", hash->REST_BYTES));
}

/* SPDX-License-Identifier: Apache-2.0
 * Pieces of states; contract in state_piece.h.
 */
#include "saved/state_piece.h"

/* Reads from `from`, not beyond the piece. */
struct piece {
    struct state_reader reader;
    struct state_reader *from;
    uint64_t left;
};

static bool piece_read(struct state_reader *reader, void *bytes, size_t count)
{
    struct piece *p = (struct piece *)(void *)reader;
    if (count > p->left)
        return state_refuse(reader, "a piece of the state is too short");
    p->left -= count;
    return state_get(p->from, bytes, count);
}

void state_piece_put(struct state_writer *to, struct state_buffer *piece)
{
    state_put_u64(to, piece->count);
    state_put(to, piece->bytes, piece->count);
    piece->count = 0;
}

bool state_piece_get(struct state_reader *from, bool (*restore)(void *ctx, struct state_reader *from), void *ctx)
{
    struct piece p = {.reader = {.read = piece_read}, .from = from};
    if (!state_get_u64(from, &p.left))
        return false;
    if (restore == NULL)
        return state_skip(from, p.left);
    if (!restore(ctx, &p.reader))
        return *p.reader.why && state_refuse(from, "%s", p.reader.why);
    return p.left == 0 ||
           state_refuse(from, "a piece of the state has %llu bytes too many", (unsigned long long)p.left);
}

/* Into `to`, which may be NULL. */
static bool pass(struct state_reader *from, uint64_t count, struct state_writer *to)
{
    char bytes[4096];
    for (size_t n; count > 0; count -= n) {
        n = count < sizeof bytes ? (size_t)count : sizeof bytes;
        if (!state_get(from, bytes, n))
            return false;
        if (to)
            state_put(to, bytes, n);
    }
    return true;
}

bool state_piece_append(struct state_reader *from, struct state_writer *to)
{
    uint64_t count;
    return state_get_u64(from, &count) && pass(from, count, to);
}

bool state_skip(struct state_reader *from, uint64_t count)
{
    return pass(from, count, NULL);
}

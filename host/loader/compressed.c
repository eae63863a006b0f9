/* SPDX-License-Identifier: Apache-2.0
 * Compressed clang offload bundles ("CCOB", by clang's --offload-compress): a header, then a bundle by zlib or zstd.
 * Versions 1 to 3 of the header, as LLVM writes them: magic, version, method (16 bits each); from version 2 on bytes of
 * the whole file (version 3: 64 bits); bytes of the bundle (version 3: 64 bits); a hash, which says nothing that the
 * checksums of the methods do not.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "base/xalloc.h"
#include "loader/object_private.h"

#define LIMIT (UINT64_C(4) << 30) /* of a bundle, as of a file */
enum { METHOD_ZLIB = 0, METHOD_ZSTD = 1 };

struct header {
    unsigned version, method;
    uint64_t total, plain; /* bytes with the header, 0: not told; of the bundle */
    size_t bytes;          /* of the header */
};

static uint64_t little(const uint8_t *at, unsigned bytes)
{
    uint64_t value = 0;

    for (unsigned i = bytes; i-- > 0;)
        value = value << 8 | at[i];
    return value;
}

/* False: truncated. */
static bool header_read(const uint8_t *p, size_t room, struct header *h)
{
    if (room < 8)
        return false;
    h->version = (unsigned)little(p + 4, 2);
    h->method = (unsigned)little(p + 6, 2);
    const unsigned word = h->version >= 3 ? 8 : 4, total = h->version >= 2 ? word : 0;
    h->bytes = 8 + total + word + 8;
    if (room < h->bytes)
        return false;
    h->total = little(p + 8, total);
    h->plain = little(p + 8 + total, word);
    return true;
}

/* Bytes of the bundle that were found; *used: those of its packed form.  0: damaged. */
static size_t unpack(const struct header *h, const uint8_t *from, size_t room, uint8_t *to, size_t *used)
{
    if (h->method == METHOD_ZSTD) {
        *used = ZSTD_findFrameCompressedSize(from, room);
        if (ZSTD_isError(*used)) {
            *used = 0;
            return 0;
        }
        const size_t n = ZSTD_decompress(to, h->plain, from, *used);
        return ZSTD_isError(n) ? 0 : n;
    }
    uLongf n = h->plain;
    uLong packed = room;
    const int result = uncompress2(to, &n, from, &packed);
    *used = packed;
    return result == Z_OK ? n : 0;
}

bool compressed_read(struct object *object, const uint8_t *p, size_t room, const uint8_t **bundle, size_t *bytes,
                     size_t *used, char why[160])
{
    struct header h;
    size_t packed = 0;

    if (!header_read(p, room, &h) || h.total > room || (h.total && h.total < h.bytes)) {
        snprintf(why, 160, "is truncated");
        return false;
    }
    if (h.version < 1 || h.version > 3 || h.method > METHOD_ZSTD) {
        snprintf(why, 160, "of version %u, method %u: versions 1 to 3, zlib (0) and zstd (1) are read", h.version,
                 h.method);
        return false;
    }
    if (h.plain == 0 || h.plain > LIMIT) {
        snprintf(why, 160, "of %" PRIu64 " bytes", h.plain);
        return false;
    }
    uint8_t *to = xcalloc(h.plain, 1);
    object->unpacked = xrealloc(object->unpacked, object->unpacked_count + 1, sizeof(*object->unpacked));
    object->unpacked[object->unpacked_count++] = to;
    *bytes = unpack(&h, p + h.bytes, (h.total ? h.total : room) - h.bytes, to, &packed);
    *bundle = to;
    *used = h.total ? h.total : h.bytes + packed;
    snprintf(why, 160, "is damaged");
    return *bytes == h.plain;
}

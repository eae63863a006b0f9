/* SPDX-License-Identifier: Apache-2.0
 * Files of saved states; contract in checkpoint_file.h.
 */
#include "checkpoint/checkpoint_file.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "base/check.h"
#include "base/log.h"
#include "base/xalloc.h"

#define FORMAT 3u /* of all that is behind it: one more with every change of what is saved, or how */
#define LEVEL 1   /* most of a state is zeros and tables: more takes longer and gives little */
#define BLOCK ((size_t)128 << 10)

struct head {
    char magic[12];
    uint32_t format;
};
static const struct head head_ours = {"gantry state", FORMAT};

struct checkpoint_out {
    struct state_writer writer;
    char *path, *part; /* name, and name until it is whole */
    FILE *file;
    int error; /* errno of the first failure */
    ZSTD_CCtx *zstd;
    uint8_t block[BLOCK];
};

struct checkpoint_in {
    struct state_reader reader;
    FILE *file;
    ZSTD_DCtx *zstd;
    ZSTD_inBuffer left;
    bool ended; /* the frame: nothing may be behind it */
    uint8_t block[BLOCK];
};

/* ---- out */
static void block_write(struct checkpoint_out *out, size_t count)
{
    if (!out->error && fwrite(out->block, 1, count, out->file) != count)
        out->error = errno;
}

static void compress(struct checkpoint_out *out, const void *bytes, size_t count, ZSTD_EndDirective what)
{
    ZSTD_inBuffer from = {bytes, count, 0};
    for (size_t left = 1; !out->error && (from.pos < from.size || (what == ZSTD_e_end && left));) {
        ZSTD_outBuffer to = {out->block, BLOCK, 0};
        left = ZSTD_compressStream2(out->zstd, &to, &from, what);
        CHECK(!ZSTD_isError(left), "checkpoint", "%s", ZSTD_getErrorName(left));
        block_write(out, to.pos);
    }
}

static void out_write(struct state_writer *writer, const void *bytes, size_t count)
{
    compress((struct checkpoint_out *)(void *)writer, bytes, count, ZSTD_e_continue);
}

static void out_free(struct checkpoint_out *out)
{
    ZSTD_freeCCtx(out->zstd);
    free(out->path);
    free(out->part);
    free(out);
}

struct checkpoint_out *checkpoint_create(const char *path)
{
    struct checkpoint_out *out = xcalloc(1, sizeof *out);
    out->writer.write = out_write;
    out->path = xstrdup(path);
    out->part = xasprintf("%s.part-%d", path, (int)getpid());
    out->file = fopen(out->part, "wbe");
    if (!out->file) {
        diag(path, "%s", strerror(errno));
        out_free(out);
        return NULL;
    }
    out->zstd = ZSTD_createCCtx();
    CHECK(out->zstd, "checkpoint", "out of memory");
    ZSTD_CCtx_setParameter(out->zstd, ZSTD_c_compressionLevel, LEVEL);
    ZSTD_CCtx_setParameter(out->zstd, ZSTD_c_checksumFlag, 1);
    memcpy(out->block, &head_ours, sizeof head_ours);
    block_write(out, sizeof head_ours);
    return out;
}

struct state_writer *checkpoint_writer(struct checkpoint_out *out)
{
    return &out->writer;
}

enum gantry_status checkpoint_commit(struct checkpoint_out *out)
{
    compress(out, NULL, 0, ZSTD_e_end);
    if (!out->error && (fflush(out->file) != 0 || fsync(fileno(out->file)) != 0))
        out->error = errno;
    if (fclose(out->file) != 0 && !out->error)
        out->error = errno;
    if (!out->error && rename(out->part, out->path) != 0)
        out->error = errno;
    const int error = out->error;
    if (error) {
        unlink(out->part);
        diag(out->path, "%s", strerror(error));
    }
    out_free(out);
    return error ? STATUS_IO : STATUS_OK;
}

/* ---- in */

/* The next bytes of the frame, count of them or up to its end; *got: how many.  False: damaged or cut off. */
static bool expand(struct checkpoint_in *in, void *bytes, size_t count, size_t *got)
{
    ZSTD_outBuffer to = {bytes, count, 0};
    while (to.pos < count && !in->ended) {
        if (in->left.pos == in->left.size) {
            in->left = (ZSTD_inBuffer){in->block, fread(in->block, 1, BLOCK, in->file), 0};
            if (in->left.size == 0)
                return false;
        }
        size_t left = ZSTD_decompressStream(in->zstd, &to, &in->left);
        if (ZSTD_isError(left))
            return false;
        in->ended = left == 0;
    }
    *got = to.pos;
    return true;
}

static bool in_read(struct state_reader *reader, void *bytes, size_t count)
{
    size_t got;
    return expand((struct checkpoint_in *)(void *)((char *)reader - offsetof(struct checkpoint_in, reader)), bytes,
                  count, &got) &&
           got == count;
}

static bool in_begin(struct checkpoint_in *in)
{
    in->ended = false;
    in->left = (ZSTD_inBuffer){0};
    ZSTD_DCtx_reset(in->zstd, ZSTD_reset_session_only);
    return fseek(in->file, sizeof head_ours, SEEK_SET) == 0;
}

/* NULL, or what is wrong with it. */
static const char *in_check(struct checkpoint_in *in)
{
    struct head head;
    if (fread(&head, sizeof head, 1, in->file) != 1 || memcmp(head.magic, head_ours.magic, sizeof head.magic) != 0)
        return "is no saved state";
    if (head.format != FORMAT)
        return "is a saved state of another format";
    uint8_t *waste = xcalloc(BLOCK, 1);
    bool whole = in_begin(in);
    for (size_t got; whole && !in->ended;)
        whole = expand(in, waste, BLOCK, &got);
    free(waste);
    if (!whole)
        return "is damaged or cut off";
    return in->left.pos == in->left.size && fgetc(in->file) == EOF ? NULL : "goes on behind its end";
}

enum gantry_status checkpoint_open(const char *path, struct checkpoint_in **in)
{
    FILE *file = fopen(path, "rbe");
    if (!file) {
        const enum gantry_status status = errno == ENOENT ? STATUS_MISSING : STATUS_IO;
        diag(path, "%s", strerror(errno));
        return status;
    }
    *in = xcalloc(1, sizeof **in);
    (*in)->reader.read = in_read;
    (*in)->file = file;
    (*in)->zstd = ZSTD_createDCtx();
    CHECK((*in)->zstd, "checkpoint", "out of memory");
    const char *wrong = in_check(*in);
    if (!wrong && in_begin(*in))
        return STATUS_OK;
    diag(path, "%s", wrong ? wrong : "cannot be read twice");
    checkpoint_close(*in);
    *in = NULL;
    return STATUS_DATA;
}

struct state_reader *checkpoint_reader(struct checkpoint_in *in)
{
    return &in->reader;
}

void checkpoint_close(struct checkpoint_in *in)
{
    if (!in)
        return;
    fclose(in->file);
    ZSTD_freeDCtx(in->zstd);
    free(in);
}

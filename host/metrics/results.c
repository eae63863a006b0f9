/* SPDX-License-Identifier: Apache-2.0
 * The result folder: log.txt, kernels.csv.  metrics.sqlite is in database.c, run.json in run_json.c.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "metrics/database.h"
#include "metrics/metrics.h"
#include "metrics/run_json.h"

#define RESERVE_BYTES (256 * 1024) /* run.json, kernels.csv and a small database */

struct results {
    char *dir;
    char *log_path;
    FILE *log;
};

static enum gantry_status lost(const char *path, int cause)
{
    diag(path, "%s", strerror(cause));
    return STATUS_IO;
}

/* All folders of a path, like mkdir -p. */
static int folders_make(const char *dir)
{
    char *path = xstrdup(dir);
    int result = 0;

    for (char *slash = strchr(path + 1, '/'); slash && result == 0; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        if (mkdir(path, 0777) != 0 && errno != EEXIST)
            result = errno;
        *slash = '/';
    }
    if (result == 0 && mkdir(path, 0777) != 0 && errno != EEXIST)
        result = errno;
    free(path);
    return result;
}

/* Take the space for the final files once, so that a full disk is noticed before the run. */
static enum gantry_status space_probe(const char *dir)
{
    char *path = xasprintf("%s/run.json", dir);
    enum gantry_status status = STATUS_OK;
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    int cause = fd < 0 ? errno : posix_fallocate(fd, 0, RESERVE_BYTES);

    if (fd >= 0) {
        if (ftruncate(fd, 0) != 0 && !cause)
            cause = errno;
        close(fd);
    }
    if (cause && cause != EINVAL && cause != EOPNOTSUPP)
        status = lost(path, cause);
    free(path);
    return status;
}

enum gantry_status results_open(const char *dir, struct results **out)
{
    struct results *r;
    int cause = folders_make(dir);
    enum gantry_status status;

    if (cause)
        return lost(dir, cause);
    status = space_probe(dir);
    if (status != STATUS_OK)
        return status;
    r = xcalloc(1, sizeof(*r));
    r->dir = xstrdup(dir);
    r->log_path = xasprintf("%s/log.txt", dir);
    r->log = fopen(r->log_path, "we");
    if (!r->log) {
        status = lost(r->log_path, errno);
        results_close(r);
        return status;
    }
    *out = r;
    return STATUS_OK;
}

FILE *results_log(struct results *results)
{
    return results->log;
}

const char *results_dir(const struct results *results)
{
    return results->dir;
}

enum gantry_status results_close(struct results *r)
{
    enum gantry_status status = STATUS_OK;

    if (!r)
        return STATUS_OK;
    if (r->log) {
        int failed = ferror(r->log);

        log_set_file(NULL);
        errno = failed ? EIO : 0;
        if (fclose(r->log) != 0 || failed)
            status = lost(r->log_path, errno);
    }
    free(r->log_path);
    free(r->dir);
    free(r);
    return status;
}

/* A file of the folder, written by `fill`; anything lost on the way is an error. */
static enum gantry_status file_write(struct results *r, const char *name,
                                     void (*fill)(FILE *, const struct summary *, const struct sim *),
                                     const struct summary *summary, const struct sim *sim)
{
    char *path = xasprintf("%s/%s", r->dir, name);
    FILE *file = fopen(path, "we");
    enum gantry_status status = STATUS_OK;
    int cause = 0;

    if (!file) {
        cause = errno;
    } else {
        fill(file, summary, sim);
        if (ferror(file) || fflush(file) != 0)
            cause = errno ? errno : EIO;
        if (fclose(file) != 0 && !cause)
            cause = errno;
    }
    if (cause)
        status = lost(path, cause);
    free(path);
    return status;
}

static void csv_text(FILE *out, const char *text)
{
    char *printable = text_escaped(text);

    fputc('"', out);
    for (const char *at = printable; *at; at++) {
        if (*at == '"')
            fputc('"', out);
        fputc(*at, out);
    }
    fputc('"', out);
    free(printable);
}

static void csv_fill(FILE *out, const struct summary *s, const struct sim *sim)
{
    (void)sim;
    fputs("gpu,queue,kernel,grid_x,grid_y,grid_z,group_x,group_y,group_z,start,end,cycles,wavefronts,instructions,ipc,"
          "process,groups,finished,model,dispatcher,beside\n",
          out);
    for (unsigned i = s->rows_before; i < s->row_count; i++) {
        const struct kernel_row *r = &s->rows[i];

        fprintf(out, "%u,%u,", r->gpu, r->queue);
        csv_text(out, r->name);
        for (unsigned d = 0; d < 3; d++)
            fprintf(out, ",%" PRIu32, r->grid[d]);
        for (unsigned d = 0; d < 3; d++)
            fprintf(out, ",%u", r->group[d]);
        fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%.6f,%u,%" PRIu64 ",%d,%s,%u,%u\n",
                r->start, r->end, row_cycles(r), r->wavefronts, r->instructions, row_ipc(r), r->process, r->groups,
                !r->unfinished, r->untimed ? "golden" : s->model, r->dispatcher, r->beside);
    }
}

enum gantry_status results_write(struct results *r, const struct summary *s, struct sim *sim)
{
    enum gantry_status status = file_write(r, "kernels.csv", csv_fill, s, sim);

    if (status == STATUS_OK) {
        char *path = xasprintf("%s/metrics.sqlite", r->dir);

        status = database_write(path, s, sim);
        free(path);
    }
    if (status == STATUS_OK)
        status = file_write(r, "run.json", run_json_write, s, sim);
    return status;
}

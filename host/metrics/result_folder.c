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
#include "saved/whole_file.h"

#define RESERVE_BYTES (256 * 1024) /* run.json, kernels.csv and a small database */

static const char *const names[] = {"kernels.csv", "metrics.sqlite", "run.json"};
#define FILES (sizeof(names) / sizeof(names[0]))

struct results {
    char *dir;
    bool made; /* the folder was not there before */
    bool ran;  /* the log tells of a run that there are results of, or nearly */
    char *path[FILES];
    char *log_path;
    FILE *log;
};

static enum gantry_status lost(const char *path, int cause)
{
    diag(path, "%s", strerror(cause));
    return STATUS_IO;
}

/* All folders of a path, like mkdir -p; *made: the last one is new. */
static int folders_make(const char *dir, bool *made)
{
    char *path = xstrdup(dir);
    int result = 0;

    for (char *slash = strchr(path + 1, '/'); slash && result == 0; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        if (mkdir(path, 0777) != 0 && errno != EEXIST)
            result = errno;
        *slash = '/';
    }
    struct stat info;
    *made = result == 0 && mkdir(path, 0777) == 0;
    if (result == 0 && !*made)
        result = errno != EEXIST ? errno : stat(path, &info) == 0 && S_ISDIR(info.st_mode) ? 0 : ENOTDIR;
    free(path);
    return result;
}

/* Make the files once and take the space, so that a full disk or a folder in their place is noticed before the run. */
static enum gantry_status files_probe(const struct results *r)
{
    int cause = 0;

    for (unsigned i = 0; i < FILES; i++) {
        int fd = whole_file_create(r->path[i]);

        cause = fd < 0 ? errno : i == FILES - 1 ? posix_fallocate(fd, 0, RESERVE_BYTES) : 0;
        if (fd >= 0) {
            close(fd);
            whole_file_drop(r->path[i]);
        }
        if (cause && cause != EINVAL && cause != EOPNOTSUPP)
            return lost(r->path[i], cause);
    }
    return STATUS_OK;
}

static enum gantry_status log_make(struct results *r)
{
    int fd = whole_file_create(r->log_path);

    r->log = fd < 0 ? NULL : fdopen(fd, "w");
    return r->log ? STATUS_OK : lost(r->log_path, errno);
}

enum gantry_status results_open(const char *dir, struct results **out)
{
    bool made;
    int cause = folders_make(dir, &made);

    if (cause)
        return lost(dir, cause);
    struct results *r = xcalloc(1, sizeof(*r));
    r->dir = xstrdup(dir);
    r->made = made;
    r->log_path = xasprintf("%s/log.txt", dir);
    for (unsigned i = 0; i < FILES; i++)
        r->path[i] = xasprintf("%s/%s", dir, names[i]);
    enum gantry_status status = files_probe(r);
    if (status == STATUS_OK)
        status = log_make(r);
    if (status == STATUS_OK)
        *out = r;
    else
        results_close(r);
    return status;
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
        if (fclose(r->log) != 0 || failed || (r->ran && whole_file_keep(r->log_path) != 0))
            status = lost(r->log_path, errno);
    }
    if (!r->ran) { /* as if it had not been asked for */
        whole_file_drop(r->log_path);
        if (r->made)
            rmdir(r->dir);
    }
    for (unsigned i = 0; i < FILES; i++)
        free(r->path[i]);
    free(r->log_path);
    free(r->dir);
    free(r);
    return status;
}

/* A file of the folder, written by `fill`; anything lost on the way is an error. */
static enum gantry_status file_write(const char *path, void (*fill)(FILE *, const struct summary *, struct sim *),
                                     const struct summary *summary, struct sim *sim)
{
    int fd = whole_file_create(path);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
    int cause = file ? 0 : errno;

    if (file) {
        fill(file, summary, sim);
        if (ferror(file) || fflush(file) != 0)
            cause = errno ? errno : EIO;
        if (fclose(file) != 0 && !cause)
            cause = errno;
    }
    return cause ? lost(path, cause) : STATUS_OK;
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

static void csv_fill(FILE *out, const struct summary *s, struct sim *sim)
{
    (void)sim;
    fputs("gpu,queue,kernel,grid_x,grid_y,grid_z,group_x,group_y,group_z,start,end,cycles,wavefronts,instructions,ipc,"
          "process,groups,finished,model,dispatcher,beside,number\n",
          out);
    for (unsigned i = s->rows_before; i < s->row_count; i++) {
        const struct kernel_row *r = &s->rows[i];

        fprintf(out, "%u,%u,", r->gpu, r->queue);
        csv_text(out, r->name);
        for (unsigned d = 0; d < 3; d++)
            fprintf(out, ",%" PRIu32, r->grid[d]);
        for (unsigned d = 0; d < 3; d++)
            fprintf(out, ",%u", r->group[d]);
        fprintf(out,
                ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%.6f,%u,%" PRIu64 ",%d,%s,%u,%u,%" PRIu64
                "\n",
                r->start, r->end, row_cycles(r), r->wavefronts, r->instructions, row_ipc(r), r->process, r->groups,
                !r->unfinished, r->untimed ? "golden" : s->model, r->dispatcher, r->beside, r->number);
    }
}

enum gantry_status results_write(struct results *r, const struct summary *s, struct sim *sim)
{
    enum gantry_status status = file_write(r->path[0], csv_fill, s, sim);

    r->ran = true;
    if (status == STATUS_OK)
        status = database_write(r->path[1], s, sim);
    if (status == STATUS_OK)
        status = file_write(r->path[2], run_json_write, s, sim);
    for (unsigned i = 0; i < FILES; i++) {
        if (status != STATUS_OK)
            whole_file_drop(r->path[i]);
        else if (whole_file_keep(r->path[i]) != 0)
            status = lost(r->path[i], errno);
    }
    return status;
}

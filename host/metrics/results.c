/* SPDX-License-Identifier: Apache-2.0
 * The result folder: log.txt, kernels.csv, run.json.  metrics.sqlite is in database.c.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/xalloc.h"
#include "config/config.h"
#include "config/table.h"
#include "metrics/database.h"
#include "metrics/metrics.h"

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
static enum gantry_status file_write(struct results *r, const char *name, void (*fill)(FILE *, const struct summary *),
                                     const struct summary *summary)
{
    char *path = xasprintf("%s/%s", r->dir, name);
    FILE *file = fopen(path, "we");
    enum gantry_status status = STATUS_OK;
    int cause = 0;

    if (!file) {
        cause = errno;
    } else {
        fill(file, summary);
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
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

static void csv_fill(FILE *out, const struct summary *s)
{
    fputs(
        "gpu,queue,kernel,grid_x,grid_y,grid_z,group_x,group_y,group_z,start,end,cycles,wavefronts,instructions,ipc\n",
        out);
    for (unsigned i = 0; i < s->row_count; i++) {
        const struct kernel_row *r = &s->rows[i];

        fprintf(out, "%u,%u,", r->gpu, r->queue);
        csv_text(out, r->name);
        for (unsigned d = 0; d < 3; d++)
            fprintf(out, ",%" PRIu32, r->grid[d]);
        for (unsigned d = 0; d < 3; d++)
            fprintf(out, ",%u", r->group[d]);
        fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%.6f\n", r->start, r->end,
                r->end - r->start, r->wavefronts, r->instructions,
                r->end > r->start ? (double)r->instructions / (double)(r->end - r->start) : 0.0);
    }
}

static void json_text(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;

        if (c == '"' || c == '\\')
            fprintf(out, "\\%c", c);
        else if (c < 0x20)
            fprintf(out, "\\u%04x", c);
        else
            fputc(c, out);
    }
    fputc('"', out);
}

static void json_fill(FILE *out, const struct summary *s)
{
    char text[2048];

    fputs("{\n  \"command\": [", out);
    for (unsigned i = 0; s->argv[i]; i++) {
        fputs(i ? ", " : "", out);
        json_text(out, s->argv[i]);
    }
    fputs("],\n  \"configuration\": {", out);
    for (unsigned i = 0; i < cfg_param_count; i++) {
        const struct cfg_param *p = &cfg_params[i];

        param_format(p, s->cfg, text, sizeof(text));
        fprintf(out, "%s\n    \"%s\": ", i ? "," : "", p->key);
        if (p->type == CFG_BOOL)
            fputs(strcmp(text, "on") == 0 ? "true" : "false", out);
        else if (p->type == CFG_STRING || p->type == CFG_ENUM)
            json_text(out, text);
        else
            fputs(text, out);
    }
    fprintf(out, "\n  },\n  \"versions\": {\"gantry\": \"0.1\", \"compiler\": ");
    json_text(out, __VERSION__);
    fprintf(out,
            "},\n  \"model\": \"%s\",\n  \"lockstep\": %s,\n  \"compared\": %" PRIu64 ",\n  \"gpus\": %" PRIu32
            ",\n  \"kernels\": %u,\n"
            "  \"cycles\": %" PRIu64 ",\n  \"instructions\": %" PRIu64
            ",\n  \"cpu_s\": %.3f,\n  \"inst_per_cpu_s\": %.0f,\n"
            "  \"repeatable\": %s,\n  \"hash\": \"%016" PRIx64 "\",\n  \"data\": \"%016" PRIx64
            "\",\n  \"exit_status\": %d\n}\n",
            s->model, s->lockstep ? "true" : "false", s->compared, s->cfg->system_gpus, s->row_count, s->cycles,
            s->instructions, s->cpu_s, s->cpu_s > 0 ? (double)s->instructions / s->cpu_s : 0.0,
            s->repeatable ? "true" : "false", s->hash, s->data, s->exit_status);
}

enum gantry_status results_write(struct results *r, const struct summary *s, struct sim *sim)
{
    enum gantry_status status = file_write(r, "kernels.csv", csv_fill, s);

    if (status == STATUS_OK) {
        char *path = xasprintf("%s/metrics.sqlite", r->dir);

        status = database_write(path, s, sim);
        free(path);
    }
    if (status == STATUS_OK)
        status = file_write(r, "run.json", json_fill, s);
    return status;
}

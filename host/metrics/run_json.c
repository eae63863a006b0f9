/* SPDX-License-Identifier: Apache-2.0
 * run.json: enough to tell what was run where, and to run it again.
 */
#include "metrics/run_json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include <sqlite3.h>
#include <yaml.h>

#include "base/json.h"
#include "config/config.h"
#include "config/version.h"
#include "machine/sim.h"

static void field(FILE *out, const char *name, const char *text)
{
    fprintf(out, "\"%s\": ", name);
    json_text(out, text);
}

static void command_write(FILE *out, const char *const *argv)
{
    fputs("  \"command\": [", out);
    for (unsigned i = 0; argv[i]; i++) {
        fputs(i ? ", " : "", out);
        json_text(out, argv[i]);
    }
    fputs("],\n", out);
}

static void versions_write(FILE *out)
{
    char commit[64];

    version_commit(commit, sizeof(commit));
    fputs("  \"versions\": {", out);
    field(out, "gantry", GANTRY_VERSION);
    fputs(", ", out);
    field(out, "commit", commit);
    fputs(", ", out);
    field(out, "compiler", __VERSION__);
    fputs(", ", out);
    field(out, "sqlite", sqlite3_libversion());
    fputs(", ", out);
    field(out, "libyaml", yaml_get_version_string());
    fputs("},\n", out);
}

struct models { /* or boards */
    FILE *out;
    unsigned count;
};

static void model_write(void *arg, const char *key, const char *tools)
{
    struct models *m = arg;

    fprintf(m->out, "%s\n    {", m->count++ ? "," : "");
    field(m->out, "key", key);
    fputs(", ", m->out);
    field(m->out, "tools", tools);
    fputc('}', m->out);
}

static void models_write(FILE *out, const struct sim *sim)
{
    struct models m = {.out = out};

    fputs("  \"models\": [", out);
    if (sim)
        sim_models(sim, model_write, &m);
    fputs(m.count ? "\n  ],\n" : "],\n", out);
}

static void board_write(void *arg, const struct sim_board *b)
{
    struct models *m = arg;

    fprintf(m->out, "%s\n    {", m->count++ ? "," : "");
    field(m->out, "part", b->part);
    fputs(", ", m->out);
    field(m->out, "where", b->where);
    fprintf(m->out,
            ", \"exchanges\": %" PRIu64 ", \"bytes_sent\": %" PRIu64 ", \"bytes_taken\": %" PRIu64
            ", \"resent\": %" PRIu64 ", \"cycles\": %" PRIu64 ", \"seconds\": %.3f}",
            b->exchanges, b->bytes_sent, b->bytes_taken, b->resent, b->cycles, b->seconds);
}

static void boards_write(FILE *out, struct sim *sim)
{
    struct models m = {.out = out};

    fputs("  \"boards\": [", out);
    if (sim)
        sim_boards(sim, board_write, &m);
    fputs(m.count ? "\n  ],\n" : "],\n", out);
}

/* "AMD EPYC 9B14" of /proc/cpuinfo. */
static void processor_find(char *text, size_t room)
{
    FILE *file = fopen("/proc/cpuinfo", "re");
    char line[256];

    snprintf(text, room, "unknown");
    while (file && fgets(line, sizeof(line), file)) {
        const char *value = strncmp(line, "model name", 10) == 0 ? strchr(line, ':') : NULL;

        if (!value)
            continue;
        line[strcspn(line, "\n")] = 0;
        snprintf(text, room, "%s", value + 1 + strspn(value + 1, " "));
        break;
    }
    if (file)
        fclose(file);
}

static void host_write(FILE *out)
{
    struct utsname system = {0};
    char text[256];
    time_t now = time(NULL);

    uname(&system);
    fputs("  \"host\": {", out);
    field(out, "name", system.nodename);
    fputs(", ", out);
    snprintf(text, sizeof(text), "%.60s %.80s %.60s", system.sysname, system.release, system.machine);
    field(out, "system", text);
    fputs(", ", out);
    processor_find(text, sizeof(text));
    field(out, "processor", text);
    fputs("},\n  ", out);
    strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
    field(out, "date", text);
    fputs(",\n", out);
}

static void figures_write(FILE *out, const struct summary *s)
{
    fprintf(out, "  \"model\": \"%s\",\n  \"lockstep\": %s,\n  \"compared\": %" PRIu64 ",\n  \"gpus\": %" PRIu32 ",\n",
            s->model, s->lockstep ? "true" : "false", s->compared, s->cfg->system_gpus);
    fprintf(out, "  \"kernels\": %u,\n  \"cycles\": %" PRIu64 ",\n  \"instructions\": %" PRIu64 ",\n",
            summary_kernels(s), s->cycles, s->instructions);
    fprintf(out, "  \"cpu_s\": %.3f,\n  \"inst_per_cpu_s\": %.0f,\n  \"repeatable\": %s,\n", s->cpu_s,
            s->cpu_s > 0 ? (double)s->instructions / s->cpu_s : 0.0, s->repeatable ? "true" : "false");
    fprintf(out,
            "  \"hash\": \"%016" PRIx64 "\",\n  \"data\": \"%016" PRIx64 "\",\n  \"counters\": \"%016" PRIx64 "\",\n",
            s->hash, s->data, s->counters);
    fprintf(out, "  \"now\": %" PRIu64 ",\n  \"complete\": %s,\n  \"exit_status\": %d\n", s->now,
            s->complete ? "true" : "false", s->exit_status);
}

void run_json_write(FILE *out, const struct summary *s, struct sim *sim)
{
    fputs("{\n", out);
    command_write(out, s->argv);
    fputs("  \"configuration\": ", out);
    config_json(out, s->cfg, "  ");
    fputs(",\n", out);
    versions_write(out);
    models_write(out, sim);
    boards_write(out, sim);
    host_write(out);
    figures_write(out, s);
    fputs("}\n", out);
}

/* SPDX-License-Identifier: Apache-2.0
 * Configuration, models and latencies of modules; contract in source.h.
 */
#include "tlm/source.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/xalloc.h"
#include "config/config.h"
#include "config/far.h"
#include "target/gpu_links.h"
#include "target/models.h"
#include "target/rtl_kinds.h"

struct tlm_source {
    struct config config;
    struct library library[KIND_COUNT];
    char **words; /* kept: the configuration borrows the name of its file */
    unsigned count;
};

/* The text of option `name` at words[*i]: behind it or in the next word; NULL: it is another one, or there is none. */
static const char *option_text(char *const *words, unsigned count, unsigned *i, const char *name, bool equals)
{
    const size_t n = strlen(name);
    if (strncmp(words[*i], name, n) != 0)
        return NULL;
    if (words[*i][n] == 0)
        return *i + 1 < count ? words[++*i] : NULL;
    return !equals ? words[*i] + n : words[*i][n] == '=' ? words[*i] + n + 1 : NULL;
}

static enum gantry_status words_read(struct tlm_source *s)
{
    enum gantry_status status = STATUS_OK;
    const char *file = NULL;
    for (unsigned i = 0; i < s->count && status == STATUS_OK; i++) {
        const char *text = option_text(s->words, s->count, &i, "-c", false);
        if (text) {
            file = text;
            continue;
        }
        text = option_text(s->words, s->count, &i, "--set", true);
        if (text)
            continue;
        diag(s->words[i], "a configuration is -c FILE and --set KEY=VALUE");
        return STATUS_USAGE;
    }
    if (file)
        status = config_load(&s->config, file);
    for (unsigned i = 0; i < s->count && status == STATUS_OK; i++) {
        const char *text = option_text(s->words, s->count, &i, "--set", true);
        if (text)
            status = config_set(&s->config, "--set", text);
        else
            (void)option_text(s->words, s->count, &i, "-c", false);
    }
    return status == STATUS_OK ? config_finish(&s->config) : status;
}

struct tlm_source *tlm_source_open(const char *const *words, unsigned count, enum gantry_status *status)
{
    struct tlm_source *s = xcalloc(1, sizeof *s);
    s->words = xcalloc(count + 1u, sizeof *s->words);
    for (s->count = 0; s->count < count; s->count++)
        s->words[s->count] = xstrdup(words[s->count]);
    config_init(&s->config);
    *status = words_read(s);
    if (*status == STATUS_OK)
        return s;
    tlm_source_close(s);
    return NULL;
}

void tlm_source_close(struct tlm_source *s)
{
    if (s == NULL)
        return;
    library_unload(s->library, KIND_COUNT);
    config_fini(&s->config);
    for (unsigned i = 0; i < s->count; i++)
        free(s->words[i]);
    free(s->words);
    free(s);
}

const struct gantry_cfg *tlm_source_cfg(const struct tlm_source *s)
{
    return &s->config.cfg;
}

static char *text_of(struct gantry_cfg cfg)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    cfg.system_rtl = CFG_SYSTEM_RTL_WHOLE; /* the same GPU, however it is simulated */
    if (out) {
        config_print(out, &cfg);
        fclose(out);
    }
    return text;
}

bool tlm_source_fits(const struct tlm_source *s, const struct gantry_cfg *cfg)
{
    char *here = text_of(s->config.cfg), *there = text_of(*cfg);
    bool fits = here && there && strcmp(here, there) == 0;
    if (!here || !there) {
        diag(NULL, "out of memory");
    } else if (!fits) {
        size_t begin = 0, at = 0;
        for (; here[at] == there[at]; at++)
            if (here[at] == '\n')
                begin = at + 1;
        diag("configuration", "'%.*s' of the machine, '%.*s' of its GPUs", (int)strcspn(there + begin, "\n"),
             there + begin, (int)strcspn(here + begin, "\n"), here + begin);
    }
    free(here);
    free(there);
    return fits;
}

static enum rtl_kind kind_of(const char *name)
{
    unsigned k = 0;
    while (k < KIND_COUNT && strcmp(rtl_kind_name(k), name) != 0)
        k++;
    return k;
}

unsigned tlm_source_count(const struct tlm_source *s, const char *kind)
{
    const enum rtl_kind k = kind_of(kind);
    struct gantry_cfg cfg = s->config.cfg;
    cfg.system_rtl = k == KIND_GPU ? CFG_SYSTEM_RTL_WHOLE : CFG_SYSTEM_RTL_PARTS;
    return k == KIND_COUNT ? 0 : rtl_kind_count(&cfg, k);
}

const struct model_api *tlm_source_model(struct tlm_source *s, const char *kind, enum gantry_status *status)
{
    const enum rtl_kind k = kind_of(kind);
    struct sim_options options = {.failure = status};
    *status = STATUS_USAGE;
    if (k == KIND_COUNT) {
        diag(kind, "is no kind of partition");
        return NULL;
    }
    *status = STATUS_IO;
    if (!s->library[k].api && !models_load_kind(&s->library[k], k, &s->config.cfg, &options))
        return NULL;
    *status = STATUS_OK;
    return s->library[k].api;
}

uint64_t tlm_source_seed(const struct tlm_source *s, unsigned gpu, unsigned index)
{
    return s->config.cfg.seed * 1000003 + gpu * 1024u + index;
}

uint32_t tlm_source_store(const struct tlm_source *s)
{
    return s->config.cfg.link_store;
}

uint32_t tlm_source_dram_path(const struct tlm_source *s)
{
    return s->config.cfg.gpu_dram_path;
}

uint32_t tlm_source_far_credits(const struct tlm_source *s, unsigned port)
{
    return port ? far_gpu_credits(&s->config.cfg) : far_host_credits(&s->config.cfg);
}

uint32_t tlm_source_clock(const struct tlm_source *s)
{
    return s->config.cfg.gpu_clock_mhz;
}

unsigned tlm_source_gpus(const struct tlm_source *s)
{
    return s->config.cfg.system_gpus;
}

/* ---- latencies */
struct asked {
    struct gpu_end end;
    const char *port;
    bool out;
    uint32_t latency;
};

static void link_look(void *arg, const struct gpu_link *link)
{
    struct asked *a = arg;
    const struct gpu_end *end = a->out ? &link->from : &link->to;
    if (end->kind == a->end.kind && end->instance == a->end.instance && end->lane == a->end.lane &&
        strcmp(link->port, a->port) == 0)
        a->latency = link->latency;
}

/* Of a port that leads out of the GPU; 0: it is none. */
static uint32_t outside_latency(const struct gantry_cfg *cfg, const char *port, unsigned lane)
{
    if (strcmp(port, "cp_cmd") == 0 || strcmp(port, "cp_evt") == 0)
        return cfg->link_host;
    if (strncmp(port, "far_", 4) == 0)
        return lane ? cfg->link_gpu : cfg->link_host;
    if (strcmp(port, "dram_rsp") == 0)
        return cfg->link_store + cfg->gpu_dram_path;
    return strcmp(port, "dram_req") == 0 ? cfg->link_store : 0;
}

uint32_t tlm_source_latency(const struct tlm_source *s, const char *kind, unsigned index, const char *port, bool out,
                            unsigned lane)
{
    const struct gantry_cfg *cfg = &s->config.cfg;
    struct asked a = {.end = {kind_of(kind), index, lane}, .port = port, .out = out};
    a.latency = outside_latency(cfg, port, lane);
    if (a.latency == 0)
        gpu_links(cfg, link_look, &a);
    return a.latency ? a.latency : PART_WINDOW; /* a lane that leads nowhere in this configuration */
}

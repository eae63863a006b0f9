/* SPDX-License-Identifier: Apache-2.0
 * Model libraries of a machine; contract in models.h.
 */
#include "target/models.h"

#include "base/xalloc.h"
#include "config/config.h"
#include "place/boards.h"
#include "target/external.h"

static void constant_add(void *arg, const char *name, uint64_t value)
{
    words_add(arg, xasprintf("--set=%s=%llu", name, (unsigned long long)value));
}

static struct library_source source_make(const struct gantry_cfg *cfg, const struct sim_options *o)
{
    struct library_source source = {
        .root = config_root(), .unwanted = o->unwanted, .unwanted_arg = o->unwanted_arg, .failure = o->failure};
    words_add(&source.words, xstrdup(cfg->host_model_cc == CFG_HOST_MODEL_CC_GCC ? "--cc=gcc" : "--cc=clang"));
    if (o->lockstep)
        words_add(&source.words, xstrdup("--observe"));
    config_constants(cfg, constant_add, &source.words);
    return source;
}

static bool kind_wanted(const struct gantry_cfg *cfg, const struct wave *wave, enum rtl_kind kind)
{
    char name[40];
    for (unsigned g = 0; g < cfg->system_gpus; g++) {
        for (unsigned i = 0; i < rtl_kind_count(cfg, kind); i++) {
            rtl_kind_title(name, sizeof name, g, kind, i);
            if (wave_wants(wave, name))
                return true;
        }
    }
    return false;
}

/* The kinds of which a machine has partitions, or records some. */
struct set {
    struct library library[KIND_COUNT];
    enum rtl_kind kind[KIND_COUNT];
    unsigned count;
};

static void set_add(struct set *set, enum rtl_kind kind)
{
    set->library[set->count] = (struct library){.kind = rtl_kind_name(kind)};
    set->kind[set->count++] = kind;
}

static void set_move(const struct set *set, struct library *by_kind)
{
    for (unsigned i = 0; i < set->count; i++)
        by_kind[set->kind[i]] = set->library[i];
}

/* Nothing is simulated here. */
static bool all_external(const struct gantry_cfg *cfg, const struct sim_options *options)
{
    unsigned count = 0;
    for (unsigned g = 0; g < cfg->system_gpus; g++)
        count += external_has(options->external, g);
    return count == cfg->system_gpus;
}

bool models_load(struct models *models, const struct gantry_cfg *cfg, const struct sim_options *options,
                 const struct wave *wave)
{
    struct set plain = {.count = 0}, traced = {.count = 0};
    for (unsigned k = 0; k < KIND_COUNT; k++) {
        if (rtl_kind_count(cfg, k) && !all_external(cfg, options))
            set_add(&plain, k);
        if (kind_wanted(cfg, wave, k))
            set_add(&traced, k);
    }
    struct library_source source = source_make(cfg, options);
    bool ok = library_load(&source, false, plain.library, plain.count) &&
              library_load(&source, true, traced.library, traced.count);
    set_move(&plain, models->plain);
    set_move(&traced, models->traced);
    ok = ok && boards_find(&models->boards, cfg, options, &source, models->plain);
    words_fini(&source.words);
    return ok;
}

bool models_load_kind(struct library *library, enum rtl_kind kind, const struct gantry_cfg *cfg,
                      const struct sim_options *options)
{
    struct library_source source = source_make(cfg, options);
    *library = (struct library){.kind = rtl_kind_name(kind)};
    bool ok = library_load(&source, false, library, 1);
    words_fini(&source.words);
    return ok;
}

void models_free(struct models *models)
{
    boards_free(models->boards);
    models->boards = NULL;
    library_unload(models->plain, KIND_COUNT);
    library_unload(models->traced, KIND_COUNT);
}

void models_walk(const struct models *models, void (*fn)(void *arg, const char *key, const char *tools), void *arg)
{
    for (unsigned k = 0; k < KIND_COUNT; k++) {
        if (models->plain[k].key)
            fn(arg, models->plain[k].key, models->plain[k].tools);
        if (models->traced[k].key)
            fn(arg, models->traced[k].key, models->traced[k].tools);
    }
}

/* SPDX-License-Identifier: Apache-2.0
 * The scope of waves; contract in wave.h.
 */
#include "observe/wave.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "gantry_cfg.h"
#include "target/rtl_kinds.h"

/* "SCOPE[@FROM:TO]" of --wave. */
bool wave_parse(struct wave *wave, const char *text)
{
    const char *at = strchr(text, '@');
    size_t n = at ? (size_t)(at - text) : strlen(text);
    wave->to = UINT64_MAX;
    bool ok = n > 0 && n < sizeof wave->scope;
    if (ok)
        memcpy(wave->scope, text, n);
    if (ok && at) {
        char *end;
        wave->from = strtoull(at + 1, &end, 0);
        ok = *end == ':' && end[1];
        if (ok)
            wave->to = strtoull(end + 1, &end, 0);
        ok = ok && *end == 0 && wave->from < wave->to;
    }
    if (!ok)
        diag("--wave", "'%s' is not SCOPE[@FROM:TO]", text);
    return ok;
}

bool wave_wants(const struct wave *wave, const char *name)
{
    size_t n = strlen(wave->scope);
    return n && strncmp(name, wave->scope, n) == 0 && (name[n] == 0 || name[n] == '.');
}

/* Some part of the machine is in the scope of --wave. */
static bool wave_finds(const struct wave *wave, const struct gantry_cfg *cfg)
{
    char name[40];
    for (unsigned g = 0; g < cfg->system_gpus; g++) {
        for (unsigned k = 0; k < KIND_COUNT; k++) {
            for (unsigned i = 0; i < rtl_kind_count(cfg, k); i++) {
                rtl_kind_title(name, sizeof name, g, k, i);
                if (wave_wants(wave, name))
                    return true;
            }
        }
    }
    return false;
}

bool wave_check(const struct gantry_cfg *cfg, const char *text)
{
    struct wave wave = {0};
    if (!wave_parse(&wave, text))
        return false;
    if (!wave_finds(&wave, cfg)) {
        diag("--wave", "no part of the machine is called '%s'", wave.scope);
        return false;
    }
    return true;
}

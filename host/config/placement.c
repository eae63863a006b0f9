/* SPDX-License-Identifier: Apache-2.0
 * Placement of GPUs; contract in placement.h.
 */
#include "config/placement.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "gantry_cfg.h"

/* Decimal digits up to something else; -1: none, or far too large. */
static long number_read(const char **text)
{
    long value = 0;
    const char *begin = *text;
    for (; isdigit((unsigned char)**text) && value < 1000000; (*text)++)
        value = 10 * value + (**text - '0');
    return *text == begin || isdigit((unsigned char)**text) ? -1 : value;
}

/* "gpu3=1": false with the cause. */
static bool entry_read(const struct gantry_cfg *cfg, const char *word, uint64_t *named, uint32_t *process, char *why,
                       size_t room)
{
    const char *at = word + 3;
    long gpu = strncmp(word, "gpu", 3) == 0 ? number_read(&at) : -1;
    if (gpu < 0 || gpu >= cfg->system_gpus || *at != '=') {
        snprintf(why, room, "%s: expected gpuK=P with a GPU of this machine (gpu0 to gpu%u)", word,
                 cfg->system_gpus - 1);
        return false;
    }
    at++;
    long number = number_read(&at);
    if (number < 0 || number >= cfg->place_processes || *at) {
        snprintf(why, room, "%s: no such process (place.processes is %u: 0 to %u)", word, cfg->place_processes,
                 cfg->place_processes - 1);
        return false;
    }
    if (*named >> gpu & 1) {
        snprintf(why, room, "gpu%ld is placed twice", gpu);
        return false;
    }
    *named |= UINT64_C(1) << gpu;
    process[gpu] = (uint32_t)number;
    return true;
}

const char *placement_read(const struct gantry_cfg *cfg, uint32_t process[PLACE_GPUS], char *why, size_t room)
{
    char text[CFG_STRING_MAX], *rest = text;
    uint64_t named = 0, used = 1;
    snprintf(text, sizeof text, "%s", cfg->place_gpus);
    for (unsigned g = 0; g < PLACE_GPUS; g++)
        process[g] = *text ? 0 : g % cfg->place_processes;
    for (char *word; (word = strsep(&rest, " ,"));)
        if (*word && !entry_read(cfg, word, &named, process, why, room))
            return "place.gpus";
    for (unsigned g = 0; g < cfg->system_gpus; g++)
        used |= UINT64_C(1) << process[g];
    for (unsigned p = 0; p < cfg->place_processes; p++) {
        if (used >> p & 1)
            continue;
        snprintf(why, room, "process %u would run nothing (%u GPU%s)", p, cfg->system_gpus,
                 cfg->system_gpus > 1 ? "s" : "");
        return "place.processes";
    }
    return NULL;
}

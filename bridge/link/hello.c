/* SPDX-License-Identifier: Apache-2.0
 * Hello of both sides of a link; contract in hello.h.
 */
#include "bridge/link/hello.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "base/log.h"

static void text_set(char *to, const char *what, const char *text)
{
    CHECK(strlen(text) < HELLO_TEXT, "link", "%s of the hello has %zu characters", what, strlen(text));
    snprintf(to, HELLO_TEXT, "%s", text);
}

struct hello hello_make(const char *rtl, const char *graph, const char *config, uint64_t seed)
{
    struct hello h = {.version = HELLO_VERSION, .seed = seed};
    text_set(h.rtl, "RTL", rtl);
    text_set(h.graph, "graph", graph);
    text_set(h.config, "configuration", config);
    return h;
}

static bool text_fits(const char *place, const char *what, const char *here, const char *there)
{
    if (strncmp(here, there, HELLO_TEXT) == 0)
        return true;
    diag(place, "other %s: %.*s here, %.*s there", what, HELLO_TEXT - 1, here, HELLO_TEXT - 1, there);
    return false;
}

bool hello_fits(const char *place, const struct hello *here, const struct hello *there)
{
    if (here->version != there->version) { /* what follows may mean something else */
        diag(place, "other protocol: version %" PRIu32 " here, %" PRIu32 " there", here->version, there->version);
        return false;
    }
    if (!text_fits(place, "RTL", here->rtl, there->rtl) || !text_fits(place, "graph", here->graph, there->graph) ||
        !text_fits(place, "configuration", here->config, there->config))
        return false;
    if (here->seed != there->seed) {
        diag(place, "other seed: %" PRIu64 " here, %" PRIu64 " there", here->seed, there->seed);
        return false;
    }
    return true;
}

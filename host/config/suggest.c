/* SPDX-License-Identifier: Apache-2.0
 * The key that a user meant (param_nearest of key_table.h): keys are compared by segments, so that "cu.count" and
 * "l1v.mshr" find gpu.cu.count and gpu.l1v.mshrs.  And the keys that are no more, with what has taken their place.
 */
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "config/key_table.h"

#define SEGMENTS 8
#define MISSING 1u /* cost of a segment that the user left out */
#define FOREIGN 4u /* of one that the key does not have, or of another word */
#define LIMIT 4u   /* a key that costs this much is none that was meant */

struct words {
    char text[256];
    const char *word[SEGMENTS];
    unsigned count;
};

static void words_split(struct words *w, const char *key)
{
    char *rest = w->text;

    snprintf(w->text, sizeof(w->text), "%s", key);
    for (w->count = 0; rest && w->count < SEGMENTS; w->count++)
        w->word[w->count] = strsep(&rest, ".");
}

/* A word with some slips, not another one. */
static unsigned word_cost(const char *typed, const char *meant)
{
    unsigned edits = edit_distance(typed, meant, FOREIGN - 1);

    return 2 * edits > strlen(meant) ? FOREIGN : edits;
}

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Cheapest way from the typed segments to those of the key. */
static unsigned key_cost(const struct words *typed, const struct words *key)
{
    unsigned row[SEGMENTS + 1];

    for (unsigned j = 0; j <= key->count; j++)
        row[j] = j * MISSING;
    for (unsigned i = 0; i < typed->count; i++) {
        unsigned diagonal = row[0];

        row[0] += FOREIGN;
        for (unsigned j = 1; j <= key->count; j++) {
            unsigned exchanged = diagonal + word_cost(typed->word[i], key->word[j - 1]);

            diagonal = row[j];
            row[j] = least(exchanged, least(row[j] + FOREIGN, row[j - 1] + MISSING));
        }
    }
    return row[key->count];
}

static const struct {
    const char *key, *instead;
} retired[] = {
    {"gpu.rdma.bytes_per_cycle", "is no more: link.host_bytes_per_cycle is the rate of the host's link, "
                                 "link.gpu_bytes_per_cycle that between GPUs"},
};

const char *param_retired(const char *key)
{
    for (unsigned i = 0; i < sizeof(retired) / sizeof(retired[0]); i++)
        if (strcmp(key, retired[i].key) == 0)
            return retired[i].instead;
    return NULL;
}

const char *param_nearest(const char *key)
{
    const char *best = NULL;
    unsigned cheapest = LIMIT;
    struct words typed, known;

    words_split(&typed, key);
    for (unsigned i = 0; i < cfg_param_count; i++) {
        words_split(&known, cfg_params[i].key);
        unsigned cost = least(key_cost(&typed, &known), edit_distance(key, cfg_params[i].key, LIMIT - 1));

        if (cost < cheapest) {
            cheapest = cost;
            best = cfg_params[i].key;
        }
    }
    return best;
}

/* SPDX-License-Identifier: Apache-2.0
 * Kept texts (kept.h) in a hash table of open addressing, at most half full.
 */
#include "base/kept.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/xalloc.h"

#define LEAST 64u

static struct {
    char **texts; /* NULL: a free place */
    size_t places, count;
} kept;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Where `text` lies in `texts`, or would. */
static size_t place_of(char **texts, size_t places, const char *text)
{
    size_t at = XXH64(text, strlen(text), 0) & (places - 1);
    while (texts[at] && strcmp(texts[at], text) != 0)
        at = (at + 1) & (places - 1);
    return at;
}

static void grow(void)
{
    const size_t places = kept.places ? 2 * kept.places : LEAST;
    char **texts = xcalloc(places, sizeof *texts);
    for (size_t i = 0; i < kept.places; i++)
        if (kept.texts[i])
            texts[place_of(texts, places, kept.texts[i])] = kept.texts[i];
    free(kept.texts);
    kept.texts = texts;
    kept.places = places;
}

const char *text_kept(const char *text)
{
    pthread_mutex_lock(&lock);
    if (2 * (kept.count + 1) > kept.places)
        grow();
    char **at = &kept.texts[place_of(kept.texts, kept.places, text)];
    if (!*at) {
        *at = xstrdup(text);
        kept.count++;
    }
    const char *found = *at;
    pthread_mutex_unlock(&lock);
    return found;
}

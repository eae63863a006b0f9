/* SPDX-License-Identifier: Apache-2.0
 * Places for lines (log.h) beside that of the process.
 */
#include <stdlib.h>

#include "base/log.h"
#include "base/log_private.h"
#include "base/xalloc.h"

struct log_place *log_place_new(void)
{
    struct log_place *place = xzalloc(sizeof *place);
    place->level = LOG_LEVEL_WARN;
    place->kinds = xzalloc(sizeof *place->kinds);
    pthread_mutex_init(&place->kinds->lock, NULL);
    return place;
}

void log_place_free(struct log_place *place)
{
    if (place == NULL)
        return;
    pthread_mutex_destroy(&place->kinds->lock);
    free(place->kinds);
    free(place);
}

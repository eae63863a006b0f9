/* SPDX-License-Identifier: Apache-2.0
 * Transport `file`; contract in file.h.
 */
#include "bridge/link/file.h"

#include "bridge/link/file_format.h"

static bool file_open(struct link *link, void *place)
{
    return link->sends ? file_write_open(link, place) : file_read_open(link, place);
}

static void file_close(struct link *link)
{
    if (link->sends)
        file_write_close(link);
    else
        file_read_close(link);
}

const struct transport transport_file = {"file",         file_open,      file_write_send,   file_write_promise,
                                         file_read_peek, file_read_done, file_read_horizon, file_close};

/* SPDX-License-Identifier: Apache-2.0
 * What the two halves of transport `file` share (file_write.c, file_read.c); contract in file.h.
 */
#ifndef GANTRY_LINK_FILE_FORMAT_H
#define GANTRY_LINK_FILE_FORMAT_H
#include <stddef.h>
#include <xxhash.h>

#include "bridge/link/file.h"

#define FILE_MAGIC "gantrylk"

static inline uint64_t file_head_check(const struct file_head *head)
{
    return XXH64(head, offsetof(struct file_head, check), 0);
}
static inline uint64_t file_block_check(const struct file_block *block)
{
    return XXH64(block, offsetof(struct file_block, check), 0);
}

bool file_write_open(struct link *link, const struct file_place *place);
void file_write_send(struct link *link, uint64_t stamp, const void *payload);
void file_write_promise(struct link *link, uint64_t stamp);
void file_write_close(struct link *link);
bool file_read_open(struct link *link, const struct file_place *place);
uint64_t file_read_peek(struct link *link);
void file_read_done(struct link *link, uint64_t messages);
uint64_t file_read_horizon(struct link *link);
void file_read_close(struct link *link);
#endif

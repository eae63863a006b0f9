/* SPDX-License-Identifier: Apache-2.0
 * Files that take the place of others when they are whole: written as PATH.part, a file that nobody has had before, and
 * renamed.  So what was there stays until then, and where a link at PATH leads nothing is touched.
 */
#ifndef GANTRY_WHOLE_FILE_H
#define GANTRY_WHOLE_FILE_H

/* A new file to be written; one of that name that was left over goes.  Its descriptor, or -1 with errno, also when
 * PATH is a folder, which could not be replaced. */
int whole_file_create(const char *path);
/* It is written and closed: 0, or -1 with errno; then it is gone. */
int whole_file_keep(const char *path);
/* It is not wanted; nothing happens when there is none. */
void whole_file_drop(const char *path);
/* Its name until it is kept: a new string. */
char *whole_file_part(const char *path);
#endif

/* SPDX-License-Identifier: Apache-2.0
 * Contract in whole_file.h.
 */
#include "saved/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/xalloc.h"

char *whole_file_part(const char *path)
{
    return xasprintf("%s.part", path);
}

int whole_file_create(const char *path)
{
    char *part = whole_file_part(path);
    struct stat info;
    int fd = -1;

    if (lstat(path, &info) == 0 && S_ISDIR(info.st_mode))
        errno = EISDIR;
    else if (unlink(part) == 0 || errno == ENOENT)
        fd = open(part, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    const int error = errno;
    free(part);
    errno = error;
    return fd;
}

int whole_file_keep(const char *path)
{
    char *part = whole_file_part(path);
    const int result = rename(part, path), error = errno;

    if (result != 0)
        unlink(part);
    free(part);
    errno = error;
    return result;
}

void whole_file_drop(const char *path)
{
    char *part = whole_file_part(path);

    unlink(part);
    free(part);
}

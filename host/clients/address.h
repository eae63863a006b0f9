/* SPDX-License-Identifier: Apache-2.0
 * Where the driver listens: a socket in the private folder of the run, which nobody of another user can enter.  It is
 * named by way of a descriptor of the folder: socket addresses are short, the names of folders are not.
 */
#ifndef GANTRY_ADDRESS_H
#define GANTRY_ADDRESS_H
#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#define ADDRESS_NAME "socket"

/* The address of the socket in folder `root`, good for bind and connect until the descriptor that is returned is
 * closed; -1 with errno.  Calls the kernel itself, since the shim stands in place of open. */
static inline int address_open(const char *root, struct sockaddr_un *address)
{
    int folder = (int)syscall(SYS_openat, AT_FDCWD, root, O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    if (folder >= 0)
        snprintf(address->sun_path, sizeof address->sun_path, "/proc/self/fd/%d/%s", folder, ADDRESS_NAME);
    return folder;
}
#endif

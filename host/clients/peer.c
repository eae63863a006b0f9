/* SPDX-License-Identifier: Apache-2.0
 * Who may connect (peer.h): the kernel names user and process of a socket's other end, /proc the parents.
 */
#include "clients/peer.h"

#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clients/proc.h"

#define DEPTH_MAX 64 /* generations between us and a client */
#define WALKS 4      /* a parent that ends on the way changes the line */

/* 0 when there is no such process. */
static pid_t parent_of(pid_t pid)
{
    char path[64], state;
    int parent;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    return proc_state(path, &state, &parent) ? (pid_t)parent : 0;
}

static bool descends(pid_t pid)
{
    const pid_t self = getpid();
    for (unsigned walk = 0; walk < WALKS; walk++) {
        pid_t up = pid;
        for (unsigned depth = 0; depth < DEPTH_MAX && up > 1; depth++) {
            if (up == self)
                return true;
            up = parent_of(up);
        }
        if (up == 1)
            return false; /* the line ends elsewhere; at 0 it was cut while we walked */
    }
    return false;
}

bool peer_belongs(int fd, pid_t *pid, char *why, size_t room)
{
    struct ucred peer;
    socklen_t length = sizeof peer;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) < 0) {
        snprintf(why, room, "an unknown process");
        return false;
    }
    *pid = peer.pid;
    if (peer.uid != geteuid()) {
        snprintf(why, room, "process %d of user %u", (int)peer.pid, (unsigned)peer.uid);
        return false;
    }
    if (descends(peer.pid))
        return true;
    snprintf(why, room, "process %d, which was not started by this run", (int)peer.pid);
    return false;
}

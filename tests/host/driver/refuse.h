/* SPDX-License-Identifier: Apache-2.0
 * A system that refuses a call, for tests of what is then said and left: for good, so in a process of its own.
 */
#ifndef TESTS_HOST_DRIVER_REFUSE_H
#define TESTS_HOST_DRIVER_REFUSE_H
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#define SPARE_NONE 0x12345678u /* no first argument of ours */

/* From now on this call fails, with any first argument or with any but `spared`. */
static inline void refuse(unsigned number, int error, uint32_t spared)
{
    struct sock_filter program_text[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, spared, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (uint32_t)error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog filter = {sizeof program_text / sizeof program_text[0], program_text};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
        _exit(80);
}

/* No process can be made. */
static inline void refuse_fork(void)
{
    refuse(SYS_clone, EAGAIN, SPARE_NONE);
    refuse(SYS_clone3, EAGAIN, SPARE_NONE);
}
#endif

/* SPDX-License-Identifier: Apache-2.0
 * gdb and the trapped time-stamp counter (debugger.h): each trap is a SIGSEGV, at which gdb would stop.
 */
#include "clients/debugger.h"

#include <stddef.h>
#include <string.h>

#include "base/xalloc.h"

/* Signals go to the program without a word, and a catchpoint stops at those that are no trap: a general protection
 * (SI_KERNEL) at rdtsc or rdtscp is one.  It comes before the shim's handler runs. */
static const char *const words[] = {
    "-iex",
    "set architecture i386:x86-64", /* before it has a program, gdb would not know rip */
    "-iex",
    "handle SIGSEGV nostop noprint pass",
    "-iex",
    "catch signal SIGSEGV",
    "-iex",
    "condition $bpnum $_siginfo.si_code != 128 || (*(unsigned short *)$rip != 0x310f && "
    "(*(unsigned int *)$rip & 0xffffff) != 0xf9010f)",
    "-iex",
    "set architecture auto",
};
#define WORDS (sizeof words / sizeof words[0])

/* gdb, gdb-multiarch, x86_64-linux-gnu-gdb */
static int is_gdb(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t n = strlen(name);
    return strcmp(name, "gdb") == 0 || strncmp(name, "gdb-", 4) == 0 || (n > 4 && strcmp(name + n - 4, "-gdb") == 0);
}

char *const *debugger_argv(char *const *argv)
{
    size_t count = 0;
    while (argv[count])
        count++;
    if (!count || !is_gdb(argv[0]))
        return argv;
    const char **list = xcalloc(count + WORDS + 1, sizeof *list);
    list[0] = argv[0];
    memcpy(list + 1, words, sizeof words);
    for (size_t i = 1; i < count; i++)
        list[WORDS + i] = argv[i];
    return (char *const *)list;
}

/* SPDX-License-Identifier: Apache-2.0
 * Libraries that come and go while the program runs, in scopes that the shim does not belong to: plug-ins, modules of
 * interpreters, everything that opens the ROCm user space by dlopen.  Nothing of them is kept: who calls is asked for
 * at each call.
 */
#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <string.h>

#include "shim.h"

const char *loading_name(uint64_t code, uint64_t *offset)
{
    struct dl_find_object found;
    if (_dl_find_object((void *)(uintptr_t)code, &found) != 0 || !found.dlfo_link_map->l_name)
        return NULL;
    *offset = code - (uint64_t)(uintptr_t)found.dlfo_map_start;
    return found.dlfo_link_map->l_name;
}

/* NAME as the library that `caller` lies in finds it, itself and what it is linked to; NULL. */
static void *scope_find(const char *name, const void *caller)
{
    uint64_t offset;
    const char *library = loading_name((uint64_t)(uintptr_t)caller, &offset);
    void *handle = library && *library ? dlopen(library, RTLD_LAZY | RTLD_NOLOAD) : NULL, *found = NULL;
    if (handle) {
        found = dlsym(handle, name);
        dlclose(handle); /* whose code runs stays loaded */
    }
    return found;
}

void *loading_next(const char *name, const void *caller)
{
    void *found = scope_find(name, caller);
    return found ? found : dlsym(RTLD_NEXT, name);
}

/* The library's own scope first would mean the C library's open and ioctl in place of ours.  A tail call: the loader
 * takes from the return address whose search path counts. */
EXPORT void *dlopen(const char *name, int flags)
{
    REAL(void *, "dlopen", const char *, int);
    return real(name, shim_active() ? flags & ~RTLD_DEEPBIND : flags);
}

/* SPDX-License-Identifier: Apache-2.0
 * Sanitizers in the program: their functions stand in front of ours and call them, for the program, for the ROCm user
 * space, and for themselves.  Not responsible for: how they come to stand there (host/clients/preload.c).
 */
#include <dlfcn.h>
#include <execinfo.h>
#include <string.h>

#include "clients/preload.h"
#include "shim.h"

#define FRAMES 16

/* Of every sanitizer's interface. */
extern void __sanitizer_print_stack_trace(void) __attribute__((weak));

bool sanitizer_there(void)
{
    return __sanitizer_print_stack_trace != NULL;
}

void sanitizer_prepare(void)
{
    void *frame[1];
    if (sanitizer_there())
        backtrace(frame, 1); /* opens the unwinder, which takes memory */
}

static bool is_library(const char *file)
{
    return file && preload_is_sanitizer(file, strlen(file));
}

/* `code` of the program, which has a sanitizer in it, is in a function of that in place of the C library's. */
static bool stands_in(uint64_t code)
{
    Dl_info info;
    return dladdr((void *)(uintptr_t)code, &info) && info.dli_sname && strstr(info.dli_sname, "interceptor_");
}

/* Where the code before `code` on the stack is; 0: not found. */
static uint64_t outer(uint64_t code)
{
    void *frame[FRAMES];
    const int count = backtrace(frame, FRAMES);
    for (int i = 0; i + 1 < count; i++)
        if (frame[i] == (void *)(uintptr_t)code)
            return (uint64_t)(uintptr_t)frame[i + 1];
    return 0;
}

uint64_t sanitizer_caller(uint64_t code)
{
    uint64_t offset;
    const char *file = loading_name(code, &offset);
    if (is_library(file)) { /* its own needs lie deeper in it */
        code = outer(code);
        return code && !is_library(loading_name(code, &offset)) ? code : 0;
    }
    const bool program = file && !*file;
    return program && stands_in(code) ? outer(code) : code;
}

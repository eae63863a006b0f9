/* SPDX-License-Identifier: Apache-2.0
 * Large pages for what is allocated next and for the code of a library.  Responsible for: growing the heap at once and
 * asking the kernel for large pages there, so that the models of 64 compute units (some 20 MB, all of it read again and
 * again) need few entries of the host's TLBs; moving code into large pages.  Not responsible for: the allocations
 * (malloc).
 */
#ifndef GANTRY_HUGEPAGE_H
#define GANTRY_HUGEPAGE_H
#include <stdbool.h>
#include <stddef.h>

/* The heap grows by `bytes` of address space, of which memory is taken as it is used; from now on large blocks come
 * from the heap too.  Where the kernel has no large pages (or the heap cannot grow) allocation goes on as it would. */
void hugepage_heap(size_t bytes);

/* Moves the code around `function` into pages of its own, large ones where the kernel has them, at the same addresses;
 * nobody may be running it.  A library's file keeps the memory that it was once written to, for all runs, and some
 * places cost a quarter of the speed (docs/performance.md).  False, and nothing has changed, when the library was not
 * linked for it
 * (-z max-page-size of 2 MiB) or the kernel refuses. */
bool hugepage_text(const void *function);
#endif

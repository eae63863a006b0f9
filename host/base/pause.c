/* SPDX-License-Identifier: Apache-2.0
 * A pause between two looks; contract in pause.h.
 */
#include "base/pause.h"

void pause_cpu(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

/* SPDX-License-Identifier: Apache-2.0
 * What is in reduce.h, under another name.
 */
#include <cooperative_groups/reduce.h>

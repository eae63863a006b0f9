/* SPDX-License-Identifier: Apache-2.0
 * The names of cutil.h, as another header of that time has them.
 */
#include <cutil.h>

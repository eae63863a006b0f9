/* SPDX-License-Identifier: Apache-2.0
 * Stands before <drm/drm.h>, which linux/kfd_ioctl.h includes but does not need and which some installations lack.
 */
#ifndef GANTRY_DRM_DRM_H
#define GANTRY_DRM_DRM_H
#include <linux/types.h>
#include <sys/ioctl.h>
#endif

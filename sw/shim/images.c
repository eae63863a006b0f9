/* SPDX-License-Identifier: Apache-2.0
 * Images: the hardware has none.  ROCclr cannot be told so by its own switch, since with it hipMallocPitch and
 * hipMalloc3D fail, too, which need no image: so the runtime refuses every image (runtime.c), and HIP's attribute is
 * answered here.
 */
#include "shim.h"

#define IMAGE_FORMAT_UNSUPPORTED 0x3000 /* hsa_ext_image.h */
#define ATTRIBUTE_IMAGE_SUPPORT 10014   /* hipDeviceAttributeImageSupport */
#define HIP_NOT_INITIALIZED 3

EXPORT int hipDeviceGetAttribute(int *value, int attribute, int device);

int images_none(void)
{
    return IMAGE_FORMAT_UNSUPPORTED;
}

int hipDeviceGetAttribute(int *value, int attribute, int device)
{
    NEXT(int, "hipDeviceGetAttribute", int *, int, int);
    const int status = next ? next(value, attribute, device) : HIP_NOT_INITIALIZED;
    if (status == 0 && attribute == ATTRIBUTE_IMAGE_SUPPORT && shim_active())
        *value = 0;
    return status;
}

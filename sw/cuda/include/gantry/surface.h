/* SPDX-License-Identifier: Apache-2.0
 * Surfaces as loads and stores: like textures (gantry/texture.h), over arrays, which are linear memory; the first
 * coordinate counts bytes. Outside of the array nothing is written, and zero is read (or what the mode says); the mode
 * that is left out, cudaBoundaryModeTrap, ends the kernel.
 */
#ifndef GANTRY_CUDA_SURFACE_H
#define GANTRY_CUDA_SURFACE_H
#ifdef __HIP__
#define GANTRY_SURFACE __attribute__((device_builtin_surface_type))
#else
#define GANTRY_SURFACE
#endif
template <class T, int dimensions = 1> struct GANTRY_SURFACE surface : public surfaceReference {
    __host__ surface() : surfaceReference() {}
};
#undef GANTRY_SURFACE
#ifdef __HIP__
#define GANTRY_SURF template <class T> static inline __device__
/* Where an element lies; NULL: outside. */
GANTRY_SURF T *gantry_element_at(const struct gantry_image &i, int x, int y, int z, enum cudaSurfaceBoundaryMode mode)
{
    int end = (int)(i.width * i.channels * i.bits / 8 - sizeof(T));
    if (mode == cudaBoundaryModeClamp) {
        x = min(max(x, 0), end);
        y = min(max(y, 0), (int)i.height - 1);
        z = min(max(z, 0), (int)i.depth - 1);
    }
    if (x < 0 || x > end || (unsigned)y >= i.height || (unsigned)z >= i.depth) {
        if (mode == cudaBoundaryModeTrap)
            __builtin_trap();
        return nullptr;
    }
    return (T *)((char *)i.data + (size_t)z * i.slice + (size_t)y * i.pitch + x);
}
GANTRY_SURF T gantry_surface_read(const struct gantry_image &i, int x, int y, int z, enum cudaSurfaceBoundaryMode mode)
{
    const T *p = gantry_element_at<T>(i, x, y, z, mode);
    return p ? *p : T();
}
GANTRY_SURF void gantry_surface_write(T value, const struct gantry_image &i, int x, int y, int z,
                                      enum cudaSurfaceBoundaryMode mode)
{
    T *p = gantry_element_at<T>(i, x, y, z, mode);
    if (p)
        *p = value;
}
/* Each function for objects and for surfaces of the file, with the result returned or stored. */
#define GANTRY_SURFACE_OF(n, handle, image, declared, places)                                                          \
    GANTRY_SURF T surf##n##Dread(handle s, declared, enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)         \
    {                                                                                                                  \
        return gantry_surface_read<T>(image, places, mode);                                                            \
    }                                                                                                                  \
    GANTRY_SURF void surf##n##Dread(T *value, handle s, declared,                                                      \
                                    enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)                          \
    {                                                                                                                  \
        *value = gantry_surface_read<T>(image, places, mode);                                                          \
    }                                                                                                                  \
    GANTRY_SURF void surf##n##Dwrite(T value, handle s, declared,                                                      \
                                     enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)                         \
    {                                                                                                                  \
        gantry_surface_write<T>(value, image, places, mode);                                                           \
    }
#define GANTRY_XY int x, int y
#define GANTRY_XYZ int x, int y, int z
#define GANTRY_AT_X x, 0, 0
#define GANTRY_AT_XY x, y, 0
#define GANTRY_AT_XYZ x, y, z
#define GANTRY_OBJECT (*(const struct gantry_image *)s)
#define GANTRY_FILE(n) const surface<void, n> &
GANTRY_SURFACE_OF(1, cudaSurfaceObject_t, GANTRY_OBJECT, int x, GANTRY_AT_X)
GANTRY_SURFACE_OF(2, cudaSurfaceObject_t, GANTRY_OBJECT, GANTRY_XY, GANTRY_AT_XY)
GANTRY_SURFACE_OF(3, cudaSurfaceObject_t, GANTRY_OBJECT, GANTRY_XYZ, GANTRY_AT_XYZ)
GANTRY_SURFACE_OF(1, GANTRY_FILE(1), s.image, int x, GANTRY_AT_X)
GANTRY_SURFACE_OF(2, GANTRY_FILE(2), s.image, GANTRY_XY, GANTRY_AT_XY)
GANTRY_SURFACE_OF(3, GANTRY_FILE(3), s.image, GANTRY_XYZ, GANTRY_AT_XYZ)
#undef GANTRY_SURFACE_OF
#undef GANTRY_XY
#undef GANTRY_XYZ
#undef GANTRY_AT_X
#undef GANTRY_AT_XY
#undef GANTRY_AT_XYZ
#undef GANTRY_OBJECT
#undef GANTRY_FILE
#undef GANTRY_SURF
#endif
#endif

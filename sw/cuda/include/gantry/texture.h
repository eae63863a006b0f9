/* SPDX-License-Identifier: Apache-2.0
 * Textures as loads: a texture is a struct gantry_image in memory of the device, which the library fills when something
 * is bound. A texture of the file is registered like a variable (sw/cuda/lib/symbol.cpp); a texture object is the
 * address of a gantry_image.
 */
#ifndef GANTRY_CUDA_TEXTURE_H
#define GANTRY_CUDA_TEXTURE_H
#include <gantry/channels.h>

template <class T> static inline __host__ __device__ struct cudaChannelFormatDesc cudaCreateChannelDesc()
{
    typedef gantry_channels<T> c;
    const int bits = 8 * sizeof(typename c::type);
    struct cudaChannelFormatDesc desc = {bits, c::n > 1 ? bits : 0, c::n > 2 ? bits : 0, c::n > 3 ? bits : 0, c::kind};
    return desc;
}

#ifdef __HIP__
#define GANTRY_TEXTURE __attribute__((device_builtin_texture_type))
#else
#define GANTRY_TEXTURE
#endif
template <class T, int dimensions = cudaTextureType1D, enum cudaTextureReadMode mode = cudaReadModeElementType>
struct GANTRY_TEXTURE texture : public textureReference {
    __host__ texture(int norm = 0, enum cudaTextureFilterMode filter = cudaFilterModePoint,
                     enum cudaTextureAddressMode address = cudaAddressModeClamp)
        : texture(norm, filter, address, cudaCreateChannelDesc<T>())
    {
    }
    __host__ texture(int norm, enum cudaTextureFilterMode filter, enum cudaTextureAddressMode address,
                     struct cudaChannelFormatDesc desc)
        : textureReference()
    {
        normalized = norm;
        filterMode = filter;
        addressMode[0] = addressMode[1] = addressMode[2] = address;
        channelDesc = desc;
    }
};
#undef GANTRY_TEXTURE

#ifdef __HIP__
#define GANTRY_TEX static inline __device__
/* A channel as a float in [0,1] or [-1,1]. */
GANTRY_TEX float gantry_unit(const struct gantry_image &i, const char *p)
{
    if (i.kind == cudaChannelFormatKindUnsigned)
        return i.bits == 8 ? *(const unsigned char *)p / 255.0f : *(const unsigned short *)p / 65535.0f;
    if (i.kind == cudaChannelFormatKindSigned)
        return fmaxf(i.bits == 8 ? *(const signed char *)p / 127.0f : *(const short *)p / 32767.0f, -1.0f);
    return *(const float *)p;
}
/* The element as it is, or its channels as floats (read: cudaReadModeNormalizedFloat). */
template <typename T, bool is_float> struct gantry_element {
    GANTRY_TEX T load(const struct gantry_image &, const char *p, bool) { return *(const T *)p; }
};
template <typename T> struct gantry_element<T, true> {
    GANTRY_TEX T load(const struct gantry_image &i, const char *p, bool unit)
    {
        T value;
        if (!unit)
            return *(const T *)p;
        for (int c = 0; c < gantry_channels<T>::n; c++)
            ((float *)&value)[c] = c < i.channels ? gantry_unit(i, p + c * i.bits / 8) : 0.0f;
        return value;
    }
};
template <typename T> GANTRY_TEX T gantry_texel(const struct gantry_image &i, int x, int y, int z, bool unit)
{
    const char *p =
        (const char *)i.data + (size_t)z * i.slice + (size_t)y * i.pitch + (size_t)x * (i.channels * i.bits / 8);
    return gantry_element<T, gantry_channels<T>::is_float>::load(i, p, unit);
}
/* An index outside as the mode wants it; -1: the border, which is zero. */
GANTRY_TEX int gantry_inside(int x, int size, int mode)
{
    if (x >= 0 && x < size)
        return x;
    if (mode == cudaAddressModeBorder)
        return -1;
    if (mode == cudaAddressModeClamp)
        return x < 0 ? 0 : size - 1;
    int turn = x >= 0 ? x / size : (x - size + 1) / size, place = x - turn * size;
    return mode == cudaAddressModeMirror && (turn & 1) ? size - 1 - place : place;
}
template <typename T> GANTRY_TEX T gantry_sample(const struct gantry_image &i, int x, int y, int z, bool unit)
{
    x = gantry_inside(x, (int)i.width, i.address[0]);
    y = gantry_inside(y, (int)i.height, i.address[1]);
    z = gantry_inside(z, (int)i.depth, i.address[2]);
    return x < 0 || y < 0 || z < 0 ? T() : gantry_texel<T>(i, x, y, z, unit);
}
/* The weighted sum of the eight, four or two neighbours; formats without floats have no filter. */
template <typename T, bool is_float> struct gantry_filter {
    GANTRY_TEX T at(const struct gantry_image &i, float x, float y, float z, bool unit)
    {
        return gantry_sample<T>(i, (int)floorf(x), (int)floorf(y), (int)floorf(z), unit);
    }
};
template <typename T> struct gantry_filter<T, true> {
    GANTRY_TEX T at(const struct gantry_image &i, float x, float y, float z, bool unit)
    {
        if (i.filter == cudaFilterModePoint)
            return gantry_sample<T>(i, (int)floorf(x), (int)floorf(y), (int)floorf(z), unit);
        T sum = T();
        float at[3] = {x - 0.5f, i.height > 1 ? y - 0.5f : 0.0f, i.depth > 1 ? z - 0.5f : 0.0f};
        for (int corner = 0; corner < 8; corner++) {
            int place[3];
            float weight = 1.0f;
            for (int axis = 0; axis < 3; axis++) {
                float low = floorf(at[axis]), part = at[axis] - low;
                place[axis] = (int)low + (corner >> axis & 1);
                weight *= corner >> axis & 1 ? part : 1.0f - part;
            }
            if (weight == 0.0f)
                continue;
            T value = gantry_sample<T>(i, place[0], place[1], place[2], unit);
            for (int c = 0; c < gantry_channels<T>::n; c++)
                ((float *)&sum)[c] += weight * ((const float *)&value)[c];
        }
        return sum;
    }
};
template <typename T> GANTRY_TEX T gantry_look(const struct gantry_image &i, float x, float y, float z, bool unit)
{
    if (i.normalized) {
        x *= i.width;
        y *= i.height;
        z *= i.depth;
    }
    return gantry_filter<T, gantry_channels<T>::is_float>::at(i, x, y, z, unit);
}
template <typename T> GANTRY_TEX T gantry_fetch(const struct gantry_image &i, int x, bool unit)
{
    return (unsigned int)x < i.width ? gantry_texel<T>(i, x, 0, 0, unit) : T();
}
template <class T, enum cudaTextureReadMode mode> struct gantry_read { typedef T type; };
template <class T> struct gantry_read<T, cudaReadModeNormalizedFloat> {
    typedef typename gantry_floats<gantry_channels<T>::n>::type type;
};

#define GANTRY_OF_FILE template <class T, enum cudaTextureReadMode m> GANTRY_TEX typename gantry_read<T, m>::type
GANTRY_OF_FILE tex1Dfetch(const texture<T, 1, m> &t, int x)
{
    return gantry_fetch<typename gantry_read<T, m>::type>(t.image, x, m == cudaReadModeNormalizedFloat);
}
GANTRY_OF_FILE tex1D(const texture<T, 1, m> &t, float x)
{
    return gantry_look<typename gantry_read<T, m>::type>(t.image, x, 0, 0, m == cudaReadModeNormalizedFloat);
}
GANTRY_OF_FILE tex2D(const texture<T, 2, m> &t, float x, float y)
{
    return gantry_look<typename gantry_read<T, m>::type>(t.image, x, y, 0, m == cudaReadModeNormalizedFloat);
}
GANTRY_OF_FILE tex3D(const texture<T, 3, m> &t, float x, float y, float z)
{
    return gantry_look<typename gantry_read<T, m>::type>(t.image, x, y, z, m == cudaReadModeNormalizedFloat);
}
#undef GANTRY_OF_FILE
#define GANTRY_IMAGE(object) (*(const struct gantry_image *)(object))
template <class T> GANTRY_TEX T tex1Dfetch(cudaTextureObject_t t, int x)
{
    return gantry_fetch<T>(GANTRY_IMAGE(t), x, GANTRY_IMAGE(t).read);
}
template <class T> GANTRY_TEX T tex1D(cudaTextureObject_t t, float x)
{
    return gantry_look<T>(GANTRY_IMAGE(t), x, 0, 0, GANTRY_IMAGE(t).read);
}
template <class T> GANTRY_TEX T tex2D(cudaTextureObject_t t, float x, float y)
{
    return gantry_look<T>(GANTRY_IMAGE(t), x, y, 0, GANTRY_IMAGE(t).read);
}
template <class T> GANTRY_TEX T tex3D(cudaTextureObject_t t, float x, float y, float z)
{
    return gantry_look<T>(GANTRY_IMAGE(t), x, y, z, GANTRY_IMAGE(t).read);
}
template <class T> GANTRY_TEX void tex1Dfetch(T *value, cudaTextureObject_t t, int x)
{
    *value = tex1Dfetch<T>(t, x);
}
template <class T> GANTRY_TEX void tex2D(T *value, cudaTextureObject_t t, float x, float y)
{
    *value = tex2D<T>(t, x, y);
}
#define GANTRY_NO_TEXTURE(name) GANTRY_NOT_ON_DEVICE(name, "textures are loads here: no layers, levels, cubes, gathers")
GANTRY_NO_TEXTURE(tex1DLayered);
GANTRY_NO_TEXTURE(tex2DLayered);
GANTRY_NO_TEXTURE(texCubemap);
GANTRY_NO_TEXTURE(tex2Dgather);
GANTRY_NO_TEXTURE(tex1DLod);
GANTRY_NO_TEXTURE(tex2DLod);
GANTRY_NO_TEXTURE(tex3DLod);
GANTRY_NO_TEXTURE(tex2DGrad);
#undef GANTRY_NO_TEXTURE
#undef GANTRY_IMAGE
#undef GANTRY_TEX
#endif
#endif

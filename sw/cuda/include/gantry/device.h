/* SPDX-License-Identifier: Apache-2.0
 * Functions of device code that HIP 5.2 does not have, or has for its own vectors only.
 */
#ifndef GANTRY_CUDA_DEVICE_H
#define GANTRY_CUDA_DEVICE_H
#define GANTRY_DEVICE static inline __device__
template <typename T> GANTRY_DEVICE T __ldg(const T *p)
{
    return *p;
}
template <typename T> GANTRY_DEVICE T __ldca(const T *p)
{
    return *p;
}
template <typename T> GANTRY_DEVICE T __ldcg(const T *p)
{
    return *p;
}
template <typename T> GANTRY_DEVICE T __ldcs(const T *p)
{
    return *p;
}
template <typename T> GANTRY_DEVICE T __ldcv(const T *p)
{
    return *(const volatile T *)p;
}
template <typename T> GANTRY_DEVICE void __stcg(T *p, T value)
{
    *p = value;
}
template <typename T> GANTRY_DEVICE void __stcs(T *p, T value)
{
    *p = value;
}
template <typename T> GANTRY_DEVICE void __stwt(T *p, T value)
{
    *p = value;
}
GANTRY_DEVICE void __trap()
{
    __builtin_trap();
}
GANTRY_DEVICE void __brkpt()
{
    __builtin_trap();
}
GANTRY_DEVICE void __prof_trigger(int) {}
GANTRY_DEVICE void __nanosleep(unsigned int)
{
    __builtin_amdgcn_s_sleep(1);
}
GANTRY_DEVICE unsigned int __isShared(const void *p)
{
    return __builtin_amdgcn_is_shared((const __attribute__((address_space(0))) void *)p);
}
GANTRY_DEVICE int __iAtomicAdd(int *p, int value)
{
    return atomicAdd(p, value);
}
GANTRY_DEVICE float __fAtomicAdd(float *p, float value)
{
    return atomicAdd(p, value);
}
GANTRY_DEVICE unsigned int __isGlobal(const void *p)
{
    const __attribute__((address_space(0))) void *q = (const __attribute__((address_space(0))) void *)p;
    return !__builtin_amdgcn_is_shared(q) && !__builtin_amdgcn_is_private(q);
}
GANTRY_DEVICE unsigned int umin(unsigned int a, unsigned int b)
{
    return a < b ? a : b;
}
GANTRY_DEVICE unsigned int umax(unsigned int a, unsigned int b)
{
    return a > b ? a : b;
}
GANTRY_DEVICE long long llmin(long long a, long long b)
{
    return a < b ? a : b;
}
GANTRY_DEVICE long long llmax(long long a, long long b)
{
    return a > b ? a : b;
}
GANTRY_DEVICE unsigned long long ullmin(unsigned long long a, unsigned long long b)
{
    return a < b ? a : b;
}
GANTRY_DEVICE unsigned long long ullmax(unsigned long long a, unsigned long long b)
{
    return a > b ? a : b;
}
#if HIP_VERSION_MAJOR * 100 + HIP_VERSION_MINOR < 507 /* later ones have these */
GANTRY_DEVICE long long atomicMin(long long *p, long long value)
{
    return __hip_atomic_fetch_min(p, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
GANTRY_DEVICE long long atomicMax(long long *p, long long value)
{
    return __hip_atomic_fetch_max(p, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
#endif
/* Atomics of a block are those of the device, which are as strong; those of the system HIP has for some types. */
#define GANTRY_OF_BLOCK(name)                                                                                          \
    template <typename T, typename U> GANTRY_DEVICE T name##_block(T *p, U value)                                      \
    {                                                                                                                  \
        return name(p, (T)value);                                                                                      \
    }
GANTRY_OF_BLOCK(atomicAdd)
GANTRY_OF_BLOCK(atomicSub)
GANTRY_OF_BLOCK(atomicExch)
GANTRY_OF_BLOCK(atomicMin)
GANTRY_OF_BLOCK(atomicMax)
GANTRY_OF_BLOCK(atomicAnd)
GANTRY_OF_BLOCK(atomicOr)
GANTRY_OF_BLOCK(atomicXor)
#undef GANTRY_OF_BLOCK
GANTRY_DEVICE unsigned int atomicInc_system(unsigned int *p, unsigned int limit)
{
    return atomicInc(p, limit);
}
GANTRY_DEVICE unsigned int atomicDec_system(unsigned int *p, unsigned int limit)
{
    return atomicDec(p, limit);
}
template <typename T> GANTRY_DEVICE T atomicCAS_block(T *p, T compare, T value)
{
    return atomicCAS(p, compare, value);
}
GANTRY_DEVICE int __imin(int a, int b)
{
    return a < b ? a : b;
}
GANTRY_DEVICE int __imax(int a, int b)
{
    return a > b ? a : b;
}
GANTRY_DEVICE float __int2float(int v)
{
    return (float)v;
}
GANTRY_DEVICE unsigned int __vadd4(unsigned int a, unsigned int b)
{
    return ((a & 0x7f7f7f7fu) + (b & 0x7f7f7f7fu)) ^ ((a ^ b) & 0x80808080u);
}
GANTRY_DEVICE int __dp4a(int a, int b, int c)
{
    for (int i = 0; i < 32; i += 8)
        c += (int)(signed char)(a >> i) * (int)(signed char)(b >> i);
    return c;
}

/* min and max of two types, which nvcc has for all numbers on both sides; HIP has int on the host, and a template of
 * one type on the device. */
#define GANTRY_HOST static inline __host__
#define GANTRY_MIXED(qualifiers, A, B, R)                                                                              \
    static inline qualifiers R min(A a, B b)                                                                           \
    {                                                                                                                  \
        return (R)b < (R)a ? (R)b : (R)a;                                                                              \
    }                                                                                                                  \
    static inline qualifiers R max(A a, B b)                                                                           \
    {                                                                                                                  \
        return (R)a < (R)b ? (R)b : (R)a;                                                                              \
    }
GANTRY_MIXED(__host__, unsigned int, unsigned int, unsigned int)
GANTRY_MIXED(__host__, unsigned int, int, unsigned int)
GANTRY_MIXED(__host__ __device__, int, unsigned int, unsigned int)
GANTRY_MIXED(__host__, long, long, long)
GANTRY_MIXED(__host__, unsigned long, unsigned long, unsigned long)
GANTRY_MIXED(__host__ __device__, long, unsigned long, unsigned long)
GANTRY_MIXED(__host__ __device__, unsigned long, long, unsigned long)
GANTRY_MIXED(__host__, long long, long long, long long)
GANTRY_MIXED(__host__, unsigned long long, unsigned long long, unsigned long long)
GANTRY_MIXED(__host__, float, float, float)
GANTRY_MIXED(__host__, double, double, double)
GANTRY_MIXED(__host__, float, double, double)
GANTRY_MIXED(__host__, double, float, double)
#undef GANTRY_MIXED
GANTRY_HOST float rsqrtf(float v)
{
    return 1.0f / sqrtf(v);
}
GANTRY_HOST double rsqrt(double v)
{
    return 1.0 / sqrt(v);
}
#undef GANTRY_HOST
#undef GANTRY_DEVICE
#endif

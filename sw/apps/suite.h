/* SPDX-License-Identifier: Apache-2.0
 * For programs with several kernels: an array that exists on host and device, and the comparison of each kernel's
 * result with the CPU's.  Integers must be equal; so must floats made of +, -, *, /, sqrt and fma alone, because the
 * programs are compiled with -ffp-contract=off and the compiler rounds f32 division and square root correctly (inputs
 * are chosen so that no result is subnormal, which the device flushes).  Library functions get a bound in ulp: that of
 * the OpenCL C specification.
 */
#ifndef GANTRY_APPS_SUITE_H
#define GANTRY_APPS_SUITE_H
#include <cfloat>
#include <cmath>
#include <cstring>
#include <vector>

#include "check.h"

/* n elements on the host (`host`) and on the device; put() and get() copy all of them.  Freed with the object. */
template <class T> class Array
{
  public:
    std::vector<T> host;
    explicit Array(size_t n, T fill = T()) : host(n, fill)
    {
        HIP_OK(hipMalloc(&device_, bytes()));
        put();
    }
    explicit Array(const std::vector<T> &values) : host(values)
    {
        HIP_OK(hipMalloc(&device_, bytes()));
        put();
    }
    Array(const Array &) = delete;
    Array &operator=(const Array &) = delete;
    ~Array() { HIP_OK(hipFree(device_)); }
    void put() { HIP_OK(hipMemcpy(device_, host.data(), bytes(), hipMemcpyHostToDevice)); }
    const std::vector<T> &get()
    {
        HIP_OK(hipGetLastError()); /* of the launch before */
        HIP_OK(hipMemcpy(host.data(), device_, bytes(), hipMemcpyDeviceToHost));
        return host;
    }
    T *gpu() const { return device_; }
    size_t size() const { return host.size(); }

  private:
    size_t bytes() const { return host.size() * sizeof(T); }
    T *device_ = nullptr;
};

/* Distance of `got` from `wanted` in units of the last place of T at `wanted`; 0 when both are NaN or equal. */
template <class T> static inline double ulps_between(T got, long double wanted)
{
    if (std::isnan(got) || std::isnan(wanted))
        return std::isnan(got) && std::isnan(wanted) ? 0 : HUGE_VAL;
    if (std::isinf(got) || std::isinf(wanted))
        return static_cast<long double>(got) == wanted || static_cast<T>(wanted) == got ? 0 : HUGE_VAL;
    const int digits = std::numeric_limits<T>::digits, low = std::numeric_limits<T>::min_exponent;
    int exponent = low;
    if (wanted != 0)
        std::frexp(wanted, &exponent);
    const long double unit = std::ldexp(1.0L, (exponent > low ? exponent : low) - digits);
    return static_cast<double>(std::fabs(static_cast<long double>(got) - wanted) / unit);
}

/* The verdict over several kernels; says which of them were wrong, and where first. */
class Suite
{
  public:
    explicit Suite(const char *name) : name_(name) {}
    /* Bit for bit. */
    template <class T> void same(const char *kernel, const std::vector<T> &got, const std::vector<T> &wanted)
    {
        unsigned wrong = got.size() != wanted.size();
        size_t first = 0;
        for (size_t i = 0; !(got.size() != wanted.size()) && i < got.size(); i++)
            if (std::memcmp(&got[i], &wanted[i], sizeof(T)) != 0 && wrong++ == 0)
                first = i;
        add(kernel, wrong, got.size(), first);
    }
    /* At most `ulps` units of the last place away from a result that the host computed with more digits. */
    template <class T>
    void near(const char *kernel, const std::vector<T> &got, const std::vector<long double> &wanted, double ulps)
    {
        unsigned wrong = got.size() != wanted.size();
        size_t first = 0;
        double worst = 0;
        for (size_t i = 0; !(got.size() != wanted.size()) && i < got.size(); i++) {
            const double distance = ulps_between(got[i], wanted[i]);
            worst = distance > worst ? distance : worst;
            if (!(distance <= ulps) && wrong++ == 0)
                first = i;
        }
        if (wrong)
            std::printf("%s: %s: %g ulp, allowed %g\n", name_, kernel, worst, ulps);
        add(kernel, wrong, got.size(), first);
    }
    void check(const char *kernel, bool good) { add(kernel, !good, 1, 0); }
    int verdict() const
    {
        std::printf("%s: %u checks\n", name_, checks_);
        return ::verdict(name_, wrong_ + !checks_, count_);
    }

  private:
    void add(const char *kernel, unsigned wrong, size_t count, size_t first)
    {
        if (wrong)
            std::printf("%s: %s: %u of %zu values are wrong, the first is number %zu\n", name_, kernel, wrong, count,
                        first);
        wrong_ += wrong;
        count_ += static_cast<unsigned>(count);
        checks_++;
    }
    const char *name_;
    unsigned wrong_ = 0, count_ = 0, checks_ = 0;
};

/* n random values in [low, high). */
template <class T> static inline std::vector<T> random_reals(size_t n, uint32_t &seed, double low, double high)
{
    std::vector<T> v(n);
    for (auto &x : v)
        x = static_cast<T>(low + (high - low) * (random_next(seed) / 4294967296.0));
    return v;
}

static inline std::vector<uint32_t> random_words(size_t n, uint32_t &seed)
{
    std::vector<uint32_t> v(n);
    for (auto &x : v)
        x = random_next(seed);
    return v;
}

__device__ static inline unsigned global_id()
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}
static inline unsigned groups_of(size_t items, unsigned group)
{
    return static_cast<unsigned>((items + group - 1) / group);
}
#endif

// SPDX-License-Identifier: Apache-2.0
// Fourier transforms of 256 points in the LDS: Stockham radix 2 in f32 and f64, number-theoretic transform modulo
// 998244353, and a plain sum with sin and cos of the device's library against the fast one.
#include "suite.h"

constexpr unsigned N = 256, Prime = 998244353, Root = 3;

template <class T> struct Complex {
    T re, im;
};

template <class T> __host__ __device__ static Complex<T> times(Complex<T> a, Complex<T> b)
{
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

// One butterfly of stage `half`: item i of N / 2, from `in` to `out`.
template <class T>
__host__ __device__ static void butterfly(const Complex<T> *in, Complex<T> *out, const Complex<T> *roots, unsigned i,
                                          unsigned half)
{
    const unsigned k = i & (half - 1), j = ((i - k) << 1) + k;
    const Complex<T> a = in[i], b = times(in[i + N / 2], roots[k * (N / 2 / half)]);
    out[j] = {a.re + b.re, a.im + b.im};
    out[j + half] = {a.re - b.re, a.im - b.im};
}

template <class T> __device__ static void transform(Complex<T> *data, const Complex<T> *roots)
{
    __shared__ Complex<T> even[N], odd[N];
    Complex<T> *from = even, *to = odd;
    data += blockIdx.x * N;
    for (unsigned i = threadIdx.x; i < N; i += blockDim.x)
        from[i] = data[i];
    for (unsigned half = 1; half < N; half *= 2) {
        __syncthreads();
        butterfly(from, to, roots, threadIdx.x, half);
        Complex<T> *t = from;
        from = to;
        to = t;
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < N; i += blockDim.x)
        data[i] = from[i];
}

__global__ void fft_f32(Complex<float> *data, const Complex<float> *roots)
{
    transform(data, roots);
}
__global__ void fft_f64(Complex<double> *data, const Complex<double> *roots)
{
    transform(data, roots);
}

__host__ __device__ static uint32_t power(uint32_t base, uint32_t exponent)
{
    uint64_t result = 1, square = base;
    for (; exponent; exponent /= 2, square = square * square % Prime)
        if (exponent & 1)
            result = result * square % Prime;
    return static_cast<uint32_t>(result);
}

// In place, input in bit-reversed order; each item computes its root itself.
__global__ void ntt(uint32_t *data)
{
    __shared__ uint32_t mine[N];
    for (unsigned i = threadIdx.x; i < N; i += blockDim.x)
        mine[__brev(i) >> 24] = data[i];
    for (unsigned half = 1; half < N; half *= 2) {
        __syncthreads();
        const unsigned k = threadIdx.x & (half - 1), j = 2 * threadIdx.x - k;
        const uint32_t a = mine[j];
        const uint32_t b = static_cast<uint32_t>(static_cast<uint64_t>(mine[j + half]) *
                                                 power(Root, (Prime - 1) / (2 * half) * k) % Prime);
        mine[j] = (a + b) % Prime;
        mine[j + half] = (a + Prime - b) % Prime;
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < N; i += blockDim.x)
        data[i] = mine[i];
}

__global__ void dft_sincos(const Complex<float> *in, Complex<float> *out)
{
    Complex<float> sum = {0, 0};
    const float turn = -6.283185307179586f / N;
    for (unsigned i = 0; i < N; i++) {
        float s, c;
        sincosf(turn * static_cast<float>(i * global_id() % N), &s, &c);
        const Complex<float> p = times(in[i], Complex<float>{c, s});
        sum = {sum.re + p.re, sum.im + p.im};
    }
    out[global_id()] = sum;
}

template <class T> static std::vector<Complex<T>> roots_of_one()
{
    std::vector<Complex<T>> roots(N / 2);
    for (unsigned k = 0; k < N / 2; k++)
        roots[k] = {static_cast<T>(std::cos(-2 * M_PI * k / N)), static_cast<T>(std::sin(-2 * M_PI * k / N))};
    return roots;
}

template <class T>
static std::vector<Complex<T>> host_transform(std::vector<Complex<T>> data, const std::vector<Complex<T>> &roots)
{
    std::vector<Complex<T>> other(data.size());
    for (unsigned half = 1; half < N; half *= 2) {
        for (size_t start = 0; start < data.size(); start += N)
            for (unsigned i = 0; i < N / 2; i++)
                butterfly(&data[start], &other[start], roots.data(), i, half);
        data.swap(other);
    }
    return data;
}

template <class T> static std::vector<Complex<T>> random_signal(unsigned n, uint32_t &seed)
{
    std::vector<Complex<T>> v(n);
    for (auto &x : v)
        x = {static_cast<T>(random_next(seed) % 2001) / 1000 - 1, static_cast<T>(random_next(seed) % 2001) / 1000 - 1};
    return v;
}

int main(int argc, char **argv)
{
    const unsigned batch = size_argument(argc, argv, 2);
    uint32_t seed = seed_argument(argc, argv);
    Suite suite("fft");
    const auto signal = random_signal<float>(batch * N, seed);
    std::vector<Complex<float>> fast;
    {
        Array<Complex<float>> data(signal), roots(roots_of_one<float>());
        fft_f32<<<batch, N / 2>>>(data.gpu(), roots.gpu());
        fast = data.get();
        suite.same("fft f32", fast, host_transform(signal, roots.host));
    }
    {
        const auto wide = random_signal<double>(batch * N, seed);
        Array<Complex<double>> data(wide), roots(roots_of_one<double>());
        fft_f64<<<batch, N / 2>>>(data.gpu(), roots.gpu());
        suite.same("fft f64", data.get(), host_transform(wide, roots.host));
    }
    {
        Array<uint32_t> data(N);
        for (auto &v : data.host)
            v = random_next(seed) % Prime;
        data.put();
        std::vector<uint32_t> wanted(N);
        for (unsigned k = 0; k < N; k++) {
            uint64_t sum = 0, w = power(Root, (Prime - 1) / N * k), f = 1;
            for (unsigned i = 0; i < N; i++, f = f * w % Prime)
                sum = (sum + data.host[i] * f) % Prime;
            wanted[k] = static_cast<uint32_t>(sum);
        }
        ntt<<<1, N / 2>>>(data.gpu());
        suite.same("ntt", data.get(), wanted);
    }
    {
        // Two sums of 256 terms below sqrt(2), each with an error of some 2^-24: the bound is 16 * 256 * 2^-24
        // absolute.
        Array<Complex<float>> in(std::vector<Complex<float>>(signal.begin(), signal.begin() + N)), out(N);
        dft_sincos<<<N / 128, 128>>>(in.gpu(), out.gpu());
        float worst = 0;
        out.get();
        for (unsigned i = 0; i < N; i++)
            worst = std::fmax(
                worst, std::fmax(std::fabs(out.host[i].re - fast[i].re), std::fabs(out.host[i].im - fast[i].im)));
        suite.check("dft with sincos", worst < 16 * N * 0x1p-24f);
    }
    return suite.verdict();
}

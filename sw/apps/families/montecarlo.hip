// SPDX-License-Identifier: Apache-2.0
// Monte Carlo with transcendental functions: pi, an option's price by Box and Muller in f32, integrals in f64, random
// walks; the closed formula with erf; tables of library functions against the host's with more digits.
#include "suite.h"

__host__ __device__ static uint32_t draw(uint32_t &state)
{
    state = state * 747796405u + 2891336453u;
    const uint32_t w = ((state >> ((state >> 28) + 4)) ^ state) * 277803737u;
    return w >> 22 ^ w;
}

template <class T> __host__ __device__ static T uniform(uint32_t &state)
{
    return (static_cast<T>(draw(state) >> 8) + T(0.5)) * T(0x1p-24);
}

__global__ void count_pi(unsigned *inside, unsigned samples)
{
    uint32_t state = global_id();
    unsigned mine = 0;
    for (unsigned i = 0; i < samples; i++) {
        const float x = uniform<float>(state), y = uniform<float>(state);
        mine += x * x + y * y < 1;
    }
    atomicAdd(inside, mine);
}

struct Market {
    float spot, strike, rate, volatility, years;
};

template <class T> __host__ __device__ static T payoff(Market m, uint32_t &state)
{
    const T u = uniform<T>(state), v = uniform<T>(state);
    const T normal = std::sqrt(T(-2) * std::log(u)) * std::cos(T(6.283185307179586477) * v);
    const T drift = (T(m.rate) - T(0.5) * T(m.volatility) * T(m.volatility)) * T(m.years);
    const T last = T(m.spot) * std::exp(drift + T(m.volatility) * std::sqrt(T(m.years)) * normal);
    return last > T(m.strike) ? last - T(m.strike) : T(0);
}

// One sample an item, so that each can be compared.
__global__ void option_f32(Market m, float *out)
{
    uint32_t s = global_id();
    out[global_id()] = payoff<float>(m, s);
}
__global__ void option_f64(Market m, double *out)
{
    uint32_t s = global_id();
    out[global_id()] = payoff<double>(m, s);
}

template <class T> __host__ __device__ static T closed_formula(T spot, T strike, T rate, T volatility, T years)
{
    const T spread = volatility * std::sqrt(years),
            d1 = (std::log(spot / strike) + (rate + volatility * volatility / 2) * years) / spread;
    const T root = std::sqrt(T(0.5)), a = T(0.5) * std::erfc(-d1 * root), b = T(0.5) * std::erfc((spread - d1) * root);
    return spot * a - strike * std::exp(-rate * years) * b;
}

__global__ void black_scholes(const double *spot, double *out, unsigned n, double strike, double rate,
                              double volatility, double years)
{
    if (global_id() < n)
        out[global_id()] = closed_formula(spot[global_id()], strike, rate, volatility, years);
}

__host__ __device__ static void walk(uint32_t state, unsigned steps, double &x, double &y)
{
    x = y = 0;
    for (unsigned i = 0; i < steps; i++) {
        double s, c;
        sincos(6.283185307179586477 * uniform<double>(state), &s, &c);
        x += c;
        y += s;
    }
}

__global__ void walks(double *out, unsigned n, unsigned steps)
{
    if (global_id() < n)
        walk(global_id(), steps, out[2 * global_id()], out[2 * global_id() + 1]);
}

// Library functions: number, name, largest error in ulp that OpenCL C allows (full profile), expression of x and y.
#define FUNCTIONS(F)                                                                                                   \
    F(0, "exp", 3, exp(x * 8))                                                                                         \
    F(1, "log", 3, log(x))                                                                                             \
    F(2, "sin", 4, sin(x * 9))                                                                                         \
    F(3, "cos", 4, cos(x * 9))                                                                                         \
    F(4, "tan", 5, tan(x))                                                                                             \
    F(5, "atan2", 6, atan2(x, y))                                                                                      \
    F(6, "pow", 16, pow(x, y))                                                                                         \
    F(7, "cbrt", 2, cbrt(x))                                                                                           \
    F(8, "tanh", 5, tanh(x))                                                                                           \
    F(9, "erf", 16, erf(x))                                                                                            \
    F(10, "tgamma", 16, tgamma(x + 1))                                                                                 \
    F(11, "hypot", 4, hypot(x, y))                                                                                     \
    F(12, "fmod", 0, fmod(x * 100, y))                                                                                 \
    F(13, "exp2", 3, exp2(x * 8))                                                                                      \
    F(14, "log10", 3, log10(x))                                                                                        \
    F(15, "asinh", 4, asinh(x))
constexpr unsigned Functions = 16;

template <class T> __host__ __device__ static T function(unsigned which, T x, T y)
{
    using namespace std;
    switch (which) {
#define CASE(number, name, ulp, expression)                                                                            \
    case number:                                                                                                       \
        return expression;
        FUNCTIONS(CASE)
    default:
        return 0;
    }
}

template <class T> __global__ void tabulate(const T *x, const T *y, T *out, unsigned n)
{
    if (global_id() < n)
        out[blockIdx.y * n + global_id()] = function(blockIdx.y, x[global_id()], y[global_id()]);
}

template <class T> static void check_functions(Suite &suite, unsigned n, uint32_t &seed)
{
    Array<T> x(random_reals<T>(n, seed, 0.05, 3)), y(random_reals<T>(n, seed, 0.1, 4)), out(n * Functions);
    tabulate<T><<<dim3(groups_of(n, 64), Functions), 64>>>(x.gpu(), y.gpu(), out.gpu(), n);
    out.get();
    const char *names[] = {
#define NAME(number, name, ulp, expression) name,
        FUNCTIONS(NAME)};
    const double ulps[] = {
#define ULP(number, name, ulp, expression) ulp,
        FUNCTIONS(ULP)};
    for (unsigned f = 0; f < Functions; f++) {
        std::vector<long double> wanted(n);
        for (unsigned i = 0; i < n;
             i++) // arguments like x * 8 are exact in T for the powers of two, else rounded as on the device
            wanted[i] = f == 2    ? std::sin(static_cast<long double>(static_cast<T>(x.host[i] * 9)))
                        : f == 3  ? std::cos(static_cast<long double>(static_cast<T>(x.host[i] * 9)))
                        : f == 10 ? std::tgamma(static_cast<long double>(static_cast<T>(x.host[i] + 1)))
                        : f == 12 ? std::fmod(static_cast<long double>(static_cast<T>(x.host[i] * 100)),
                                              static_cast<long double>(y.host[i]))
                                  : function<long double>(f, x.host[i], y.host[i]);
        suite.near(names[f], std::vector<T>(out.host.begin() + f * n, out.host.begin() + (f + 1) * n), wanted, ulps[f]);
    }
}

int main(int argc, char **argv)
{
    const unsigned n = size_argument(argc, argv, 2) * 64;
    uint32_t seed = seed_argument(argc, argv);
    Suite suite("montecarlo");
    {
        const unsigned samples = 30;
        Array<unsigned> inside(1);
        unsigned wanted = 0;
        for (uint32_t item = 0; item < n; item++) {
            uint32_t state = item;
            for (unsigned i = 0; i < samples; i++) {
                const float x = uniform<float>(state), y = uniform<float>(state);
                wanted += x * x + y * y < 1;
            }
        }
        count_pi<<<n / 64, 64>>>(inside.gpu(), samples);
        suite.same("pi", inside.get(), {wanted});
    }
    {
        // Errors: log 3, sqrt half, cos 4 ulp of their values plus the rounded argument of cos (2 pi, 1 ulp of 6.3:
        // 2^-21 absolute), all times at most 6, into exp (3 ulp); in all below 1e-5 of `last`, which is below 2000;
        // f64: the same times 2^-29.
        const Market m = {100, 105, 0.03f, 0.25f, 1.5f};
        Array<float> narrow(n);
        Array<double> wide(n);
        option_f32<<<n / 64, 64>>>(m, narrow.gpu());
        option_f64<<<n / 64, 64>>>(m, wide.gpu());
        narrow.get(), wide.get();
        long double narrow_error = 0, wide_error = 0;
        for (uint32_t i = 0; i < n; i++) {
            uint32_t state = i;
            const long double exact = payoff<long double>(m, state), size = exact + 105;
            narrow_error = std::fmax(narrow_error, std::fabs(narrow.host[i] - exact) / size);
            wide_error = std::fmax(wide_error, std::fabs(wide.host[i] - exact) / size);
        }
        suite.check("option f32", narrow_error < 1e-5L);
        suite.check("option f64", wide_error < 1e-5L * 0x1p-29L);
    }
    {
        Array<double> spot(random_reals<double>(n, seed, 60, 160)), out(n);
        black_scholes<<<n / 64, 64>>>(spot.gpu(), out.gpu(), n, 105, 0.03, 0.25, 1.5);
        out.get();
        long double worst = 0; // differences of two numbers below 160, each within 16 + 8 ulp of 2^-45
        for (unsigned i = 0; i < n; i++)
            worst = std::fmax(worst,
                              std::fabs(out.host[i] - closed_formula<long double>(spot.host[i], 105, 0.03, 0.25, 1.5)));
        suite.check("black and scholes", worst < 48 * 0x1p-45L);
    }
    {
        const unsigned steps = 12;
        Array<double> out(2 * n);
        walks<<<n / 64, 64>>>(out.gpu(), n, steps);
        out.get();
        double worst = 0; // each step: 4 ulp of 1 (2^-53), each sum below 16 half an ulp of 2^-49
        for (uint32_t i = 0; i < n; i++) {
            double x, y;
            walk(i, steps, x, y);
            worst = std::fmax(worst, std::fmax(std::fabs(out.host[2 * i] - x), std::fabs(out.host[2 * i + 1] - y)));
        }
        suite.check("random walks", worst < steps * (5 * 0x1p-53 + 0x1p-49));
    }
    check_functions<float>(suite, n, seed);
    check_functions<double>(suite, n, seed);
    return suite.verdict();
}

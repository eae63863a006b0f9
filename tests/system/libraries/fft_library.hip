// SPDX-License-Identifier: Apache-2.0
// rocFFT: complex transforms of one dimension in single and double precision, each length (argument 1, or several) forward and back,
// two transforms in one call.  The first is held against a sum in long double, within a bound that grows with the length's logarithm;
// the way back against the input times the length.
#include <rocfft/rocfft.h>

#include <complex>

#include "suite.h"

#define FFT_OK(call)                                                                                                  \
    do {                                                                                                              \
        const rocfft_status status_ = (call);                                                                         \
        if (status_ != rocfft_status_success) {                                                                       \
            std::fprintf(stderr, "%s:%d: %s: status %d\n", __FILE__, __LINE__, #call, static_cast<int>(status_));      \
            std::exit(2);                                                                                             \
        }                                                                                                             \
    } while (0)

constexpr size_t Batch = 2;
using Exact = std::complex<long double>;

template <class T> using Numbers = std::vector<std::complex<T>>;

template <class T> static void transform(Array<std::complex<T>> &data, size_t length, bool back)
{
    rocfft_plan plan = nullptr;
    void *buffer[] = {data.gpu()};
    FFT_OK(rocfft_plan_create(&plan, rocfft_placement_inplace,
                              back ? rocfft_transform_type_complex_inverse : rocfft_transform_type_complex_forward,
                              sizeof(T) == 4 ? rocfft_precision_single : rocfft_precision_double, 1, &length, Batch,
                              nullptr));
    size_t bytes = 0;
    FFT_OK(rocfft_plan_get_work_buffer_size(plan, &bytes));
    Array<char> work(bytes ? bytes : 1);
    rocfft_execution_info info = nullptr;
    FFT_OK(rocfft_execution_info_create(&info));
    if (bytes)
        FFT_OK(rocfft_execution_info_set_work_buffer(info, work.gpu(), bytes));
    FFT_OK(rocfft_execute(plan, buffer, nullptr, info));
    HIP_OK(hipDeviceSynchronize());
    FFT_OK(rocfft_execution_info_destroy(info));
    FFT_OK(rocfft_plan_destroy(plan));
}

static std::vector<Exact> summed(const std::vector<Exact> &x, size_t length)
{
    const long double turn = -2 * acosl(-1.0L) / static_cast<long double>(length);
    std::vector<Exact> roots(length), y(x.size());
    for (size_t i = 0; i < length; i++)
        roots[i] = std::polar(1.0L, turn * static_cast<long double>(i));
    for (size_t first = 0; first < x.size(); first += length)
        for (size_t k = 0; k < length; k++)
            for (size_t i = 0; i < length; i++)
                y[first + k] += x[first + i] * roots[i * k % length];
    return y;
}

/* Root of the sum of squares of the difference, as a share of the one of what is wanted. */
template <class T> static double distance(const Numbers<T> &got, const std::vector<Exact> &wanted)
{
    long double wrong = 0, all = 0;
    for (size_t i = 0; i < wanted.size(); i++) {
        wrong += std::norm(Exact(got[i]) - wanted[i]);
        all += std::norm(wanted[i]);
    }
    return static_cast<double>(sqrtl(wrong / all)); /* NaN where one is wrong beyond all numbers */
}

template <class T> static void check(Suite &suite, size_t length, uint32_t &seed)
{
    char name[64];
    const auto parts = random_reals<T>(2 * Batch * length, seed, -1, 1);
    Numbers<T> input(Batch * length);
    for (size_t i = 0; i < input.size(); i++)
        input[i] = {parts[2 * i], parts[2 * i + 1]};
    std::vector<Exact> exact(input.begin(), input.end()), wanted = summed(exact, length);
    const double bound = std::numeric_limits<T>::epsilon() * (1 + std::log2(static_cast<double>(length)));
    Array<std::complex<T>> data(input);
    for (unsigned back = 0; back < 2; back++) {
        transform(data, length, back);
        const double off = distance(data.get(), wanted);
        std::snprintf(name, sizeof name, "%s of %zu doubles %d: %.3g of %.3g", back ? "inverse" : "forward", length,
                      sizeof(T) == 8, off, bound);
        suite.check(name, off <= bound);
        for (size_t i = 0; i < wanted.size(); i++)
            wanted[i] = exact[i] * static_cast<long double>(length);
    }
}

int main(int argc, char **argv)
{
    std::vector<size_t> lengths{8, 60, 125, 128, 1000, 17}; /* powers, products, and a prime, which takes another way */
    if (argc > 1)
        lengths = {size_argument(argc, argv, 8)};
    uint32_t seed = seed_argument(argc, argv);
    Suite suite("fft_library");
    FFT_OK(rocfft_setup());
    for (size_t length : lengths) {
        check<float>(suite, length, seed);
        if (argc <= 1)
            check<double>(suite, length, seed);
    }
    FFT_OK(rocfft_cleanup());
    return suite.verdict();
}

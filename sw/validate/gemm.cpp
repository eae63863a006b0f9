// SPDX-License-Identifier: Apache-2.0
// gemm TRANSA TRANSB M N K CALLS: C = op(A) op(B) by rocblas_sgemm, CALLS times; the last call is timed by events.  TRANSA, TRANSB: N or T; column-major,
// no padding.  A and B hold small whole numbers, so each sum of up to 10^6 products is exact, and what comes out is compared with the CPU's sum in double
// precision for equality: all of C, or as many elements spread over it as 2 x 10^9 products allow.
// Prints `event_us=U checked=N of=M wrong=W` as the last line.  Exit status: 0, 1 when an element is wrong, 2 after an error of HIP or rocBLAS, 64 usage.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <hip/hip_runtime.h>
#include <rocblas/rocblas.h>
#include <vector>

static void hip(hipError_t status, const char *what)
{
    if (status != hipSuccess)
        std::fprintf(stderr, "gemm: %s: %s\n", what, hipGetErrorString(status)), std::exit(2);
}
static void blas(rocblas_status status, const char *what)
{
    if (status != rocblas_status_success)
        std::fprintf(stderr, "gemm: %s: %s\n", what, rocblas_status_to_string(status)), std::exit(2);
}

struct Matrix {
    bool turned;
    long rows, columns; // of op()
    std::vector<float> words;
    float *device = nullptr;

    long stride() const { return turned ? columns : rows; }
    float at(long row, long column) const { return words[static_cast<size_t>(turned ? row * stride() + column : column * stride() + row)]; }
    rocblas_operation operation() const { return turned ? rocblas_operation_transpose : rocblas_operation_none; }
    void fill(unsigned step, unsigned range)
    {
        words.resize(static_cast<size_t>(rows * columns));
        for (size_t i = 0; i < words.size(); i++)
            words[i] = static_cast<float>((i * step + i / 13) % range) - static_cast<float>(range / 2);
    }
    void upload()
    {
        hip(hipMalloc(&device, words.size() * 4), "hipMalloc");
        hip(hipMemcpy(device, words.data(), words.size() * 4, hipMemcpyHostToDevice), "hipMemcpy");
    }
};

static float multiply(rocblas_handle handle, const Matrix &a, const Matrix &b, Matrix &c, long calls)
{
    const float one = 1, zero = 0;
    float ms = 0;
    hipEvent_t begin, end;
    hip(hipEventCreate(&begin), "hipEventCreate"), hip(hipEventCreate(&end), "hipEventCreate");
    for (long n = 0; n < calls; n++) {
        hip(hipEventRecord(begin, nullptr), "hipEventRecord");
        blas(rocblas_sgemm(handle, a.operation(), b.operation(), static_cast<int>(c.rows), static_cast<int>(c.columns), static_cast<int>(a.columns), &one,
                           a.device, static_cast<int>(a.stride()), b.device, static_cast<int>(b.stride()), &zero, c.device, static_cast<int>(c.rows)),
             "rocblas_sgemm");
        hip(hipEventRecord(end, nullptr), "hipEventRecord"), hip(hipEventSynchronize(end), "hipEventSynchronize");
        hip(hipEventElapsedTime(&ms, begin, end), "hipEventElapsedTime");
    }
    hip(hipMemcpy(c.words.data(), c.device, c.words.size() * 4, hipMemcpyDeviceToHost), "hipMemcpy");
    return ms;
}

static double wanted(const Matrix &a, const Matrix &b, long row, long column)
{
    double sum = 0;
    for (long k = 0; k < a.columns; k++)
        sum += static_cast<double>(a.at(row, k)) * static_cast<double>(b.at(k, column));
    return sum;
}

int main(int argc, char **argv)
{
    long size[4] = {};
    bool usage = argc != 7;
    for (int i = 0; i < 4 && !usage; i++) {
        char *rest;
        size[i] = std::strtol(argv[3 + i], &rest, 10);
        usage = *rest || size[i] < 1 || size[i] > 1000000;
    }
    for (int i = 1; i < 3 && !usage; i++)
        usage = std::strcmp(argv[i], "N") && std::strcmp(argv[i], "T");
    if (usage || size[0] * size[1] > 1L << 30 || size[0] * size[2] > 1L << 30 || size[1] * size[2] > 1L << 30)
        return std::fprintf(stderr, "usage: gemm N|T N|T M N K CALLS, each matrix of at most 4 GiB\n"), 64;
    const long m = size[0], n = size[1], k = size[2];
    rocblas_handle handle;
    blas(rocblas_create_handle(&handle), "rocblas_create_handle");
    Matrix a{*argv[1] == 'T', m, k, {}}, b{*argv[2] == 'T', k, n, {}}, c{false, m, n, {}};
    a.fill(7, 9), b.fill(5, 7), c.words.assign(static_cast<size_t>(m * n), -1e9F);
    a.upload(), b.upload(), c.upload();
    hip(hipDeviceSynchronize(), "hipDeviceSynchronize");
    const float ms = multiply(handle, a, b, c, size[3]);
    const long all = m * n, most = 2000000000 / k + 1, checked = all < most ? all : most;
    long wrong = 0;
    for (long i = 0; i < checked; i++) {
        const long at = checked == all ? i : static_cast<long>(static_cast<__int128>(i) * all / checked);
        const double want = wanted(a, b, at % m, at / m);
        if (static_cast<double>(c.words[static_cast<size_t>(at)]) != want && !wrong++)
            std::fprintf(stderr, "gemm: C[%ld,%ld] is %g, not %g\n", at % m, at / m, static_cast<double>(c.words[static_cast<size_t>(at)]), want);
    }
    std::printf("event_us=%.3f checked=%ld of=%ld wrong=%ld\n", static_cast<double>(ms) * 1e3, checked, all, wrong);
    return wrong != 0;
}

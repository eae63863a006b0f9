// SPDX-License-Identifier: Apache-2.0
// Copies and fills of any address and length: the runtime's own kernels for bytes and for words, the host's stores into
// the GPU's memory, and their edges.  Every buffer has a twin on the host, and all of its bytes are compared after each
// step, so that a byte that should have stayed is noticed as well as one that should have come.
#include <algorithm>
#include <cstring>
#include <vector>

#include "check.h"

constexpr size_t Guard = 64; // bytes of a buffer that no odd copy reaches

struct Twin {
    std::vector<unsigned char> host;
    unsigned char *gpu = nullptr;
    explicit Twin(size_t n) : host(n) { HIP_OK(hipMalloc(&gpu, n)); }
    Twin(const Twin &) = delete;
    Twin &operator=(const Twin &) = delete;
    ~Twin() { HIP_OK(hipFree(gpu)); }

    void fill(size_t at, unsigned char value, size_t n)
    {
        HIP_OK(hipMemset(gpu + at, value, n));
        std::memset(host.data() + at, value, n);
    }
    // Words and halves: hipMemset has no pattern of more than a byte.
    void fill_words(size_t at, uint32_t value, size_t n)
    {
        HIP_OK(hipMemsetD32(reinterpret_cast<hipDeviceptr_t>(gpu + at), static_cast<int>(value), n));
        for (size_t i = 0; i < n; i++)
            std::memcpy(&host[at + 4 * i], &value, 4);
    }
    void fill_halves(size_t at, uint16_t value, size_t n)
    {
        HIP_OK(hipMemsetD16(reinterpret_cast<hipDeviceptr_t>(gpu + at), value, n));
        for (size_t i = 0; i < n; i++)
            std::memcpy(&host[at + 2 * i], &value, 2);
    }
    void put(size_t at, const unsigned char *from, size_t n)
    {
        HIP_OK(hipMemcpy(gpu + at, from, n, hipMemcpyHostToDevice));
        std::memcpy(host.data() + at, from, n);
    }
    void take(size_t at, const Twin &from, size_t other, size_t n)
    {
        HIP_OK(hipMemcpy(gpu + at, from.gpu + other, n, hipMemcpyDeviceToDevice));
        std::memcpy(host.data() + at, from.host.data() + other, n);
    }
    // Bytes that differ in [at, end), read at that address of the device into an odd place of the host.
    unsigned wrong(const char *step, size_t at = 0) const
    {
        const size_t n = host.size() - at;
        std::vector<unsigned char> got(n + 3, 0xEE);
        HIP_OK(hipMemcpy(got.data() + 1, gpu + at, n, hipMemcpyDeviceToHost));
        unsigned count = (got[0] != 0xEE) + (got[n + 1] != 0xEE) + (got[n + 2] != 0xEE);
        for (size_t i = 0; i < n; i++)
            count += got[1 + i] != host[at + i];
        if (count)
            std::printf("copies: %s: %u bytes are wrong\n", step, count);
        return count;
    }
};

int main(int argc, char **argv)
{
    const unsigned n = std::max(2003u, size_argument(argc, argv, 30011)); // more than 8 KiB: the GPU copies
    uint32_t seed = seed_argument(argc, argv);
    std::vector<unsigned char> input(n + Guard);
    for (auto &byte : input)
        byte = static_cast<unsigned char>(random_next(seed));
    Twin one(n + Guard), other(n + Guard);
    unsigned wrong = 0;
    one.fill(0, 0xA5, n + Guard);
    one.fill(3, 0x5A, 1001);
    wrong += one.wrong("memset");
    one.put(5, input.data() + 1, n);
    one.put(7, input.data() + 2, 129); // few bytes: the host stores them
    wrong += one.wrong("host to device");
    other.fill(0, 0x11, n + Guard);
    other.take(7, one, 2, n);
    wrong += other.wrong("device to device");
    wrong += other.wrong("device to host", 13);
    one.fill_words(8, 0x12345678, 451);
    one.fill_halves(1814, 0xC0DE, 93);
    wrong += one.wrong("memset of words");
    return verdict("copies", wrong, 2 * (n + static_cast<unsigned>(Guard)));
}

// SPDX-License-Identifier: Apache-2.0
// printf in kernels beside that of the host: the same lines once from each, between marks, then a line from every
// work-item of many groups.  HIP 5.2.3 takes as many words of a string off its arguments as it has printed, so widths
// and precisions here leave a string within the eight bytes that it had.
#include "check.h"

__host__ __device__ static void lines(int n, const char *word)
{
    printf("%d|%5d|%-5d|%05d|%+d|% d\n", n, n + 1, n + 2, n + 3, n + 4, n + 5);
    printf("%u|%x|%X|%#x|%o|%#o\n", 4000000000u, 48879u, 51966u, 255u, 511u, 8u);
    printf("%lld|%llu|%lx|%hd|%hhu|%zu\n", -9000000000ll, 18446744073709551615ull, 81985529216486895ul, static_cast<short>(-3),
           static_cast<unsigned char>(200), sizeof(int));
    printf("%f|%.2f|%10.4f|%-9.1f|%e|%G|%a\n", 2.5, -1.005, 3.14159265, 7.25, 6.02e23, 1e-9, 0.15625);
    printf("%s|%6s|%-7s|%.4s|%s\n", word, "ab", "left", "precise", "");
    printf("%c%c%c|%%|%5c|\n", 'x', 'y', 'z', 'w');
    printf("%*d|%-*d|%.*f\n", 7, n, 6, n + 1, 3, 1.0 / 3);
    printf("%p|%s\n", reinterpret_cast<const void *>(0x12345678abcul), "a string that is longer than a packet's argument of eight bytes, and than a packet");
    printf("%d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d\n", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, n);
    printf("no argument\n");
}

__global__ void once(int n)
{
    lines(n, "word");
}
__global__ void each(unsigned turns)
{
    const unsigned group = blockIdx.x, item = threadIdx.x;
    for (unsigned turn = item % 3; turn < turns; turn++)
        printf("item %u.%u turn %u of %u\n", group, item, turn, turns);
}

// printing [GROUPS]
int main(int argc, char **argv)
{
    const unsigned groups = size_argument(argc, argv, 4), turns = 2;
    printf("-- host\n");
    lines(17, "word");
    printf("-- device\n");
    std::fflush(stdout);
    once<<<1, 1>>>(17);
    HIP_OK(hipGetLastError());
    HIP_OK(hipDeviceSynchronize());
    printf("-- each\n");
    std::fflush(stdout);
    each<<<groups, 70>>>(turns);
    HIP_OK(hipGetLastError());
    HIP_OK(hipDeviceSynchronize());
    printf("-- end\n");
    return 0;
}

// SPDX-License-Identifier: Apache-2.0
// Pitched copies.  `boxes`: random boxes between two volumes of the GPU and one of pinned memory, in every direction,
// the offset once as a position and once inside the pointer.  `columns`: one element of each row, on a stream that does
// not wait for the null stream, and rows whose ends lie on no word.  All bytes of each destination are compared.
#include <cstring>
#include <string>
#include <vector>

#include "check.h"

struct Place {
    size_t x, y, z; // bytes, rows, planes
};

struct Volume {
    size_t width, height, depth, pitch = 0; // bytes of a row that are used; rows; planes; bytes from row to row
    unsigned char *gpu = nullptr, *pinned = nullptr;
    std::vector<unsigned char> twin; // what must be there, pitch included

    Volume(size_t w, size_t h, size_t d, bool on_host) : width(w), height(h), depth(d)
    {
        if (on_host) {
            pitch = w + 12;
            HIP_OK(hipHostMalloc(reinterpret_cast<void **>(&pinned), pitch * h * d, hipHostMallocDefault));
        } else {
            hipPitchedPtr made;
            HIP_OK(hipMalloc3D(&made, make_hipExtent(w, h, d)));
            gpu = static_cast<unsigned char *>(made.ptr);
            pitch = made.pitch;
        }
        twin.resize(pitch * h * d);
    }
    Volume(const Volume &) = delete;
    Volume &operator=(const Volume &) = delete;
    ~Volume() { HIP_OK(gpu ? hipFree(gpu) : hipHostFree(pinned)); }

    unsigned char *base() const { return gpu ? gpu : pinned; }
    size_t at(const Place &p) const { return (p.z * height + p.y) * pitch + p.x; }
    void fill(uint32_t &seed)
    {
        for (auto &byte : twin)
            byte = static_cast<unsigned char>(random_next(seed) >> 13);
        HIP_OK(hipMemcpy(base(), twin.data(), twin.size(), hipMemcpyDefault));
    }
    unsigned wrong() const
    {
        std::vector<unsigned char> got(twin.size());
        HIP_OK(hipMemcpy(got.data(), base(), got.size(), hipMemcpyDefault));
        unsigned count = 0;
        for (size_t i = 0; i < got.size(); i++)
            count += got[i] != twin[i];
        return count;
    }
};

/* HIP 5.7 refuses a pitched pointer into the middle of an allocation (invalid argument); HIP 5.2 takes it. */
constexpr bool InPointer = HIP_VERSION_MAJOR * 100 + HIP_VERSION_MINOR < 507;

static void copy_box(Volume &to, const Place &there, const Volume &from, const Place &here, const Place &size, bool in_pointer)
{
    hipMemcpy3DParms p;
    std::memset(&p, 0, sizeof p);
    p.srcPtr = make_hipPitchedPtr(from.base() + (in_pointer ? from.at(here) : 0), from.pitch, from.width, from.height);
    p.dstPtr = make_hipPitchedPtr(to.base() + (in_pointer ? to.at(there) : 0), to.pitch, to.width, to.height);
    if (!in_pointer) {
        p.srcPos = make_hipPos(here.x, here.y, here.z);
        p.dstPos = make_hipPos(there.x, there.y, there.z);
    }
    p.extent = make_hipExtent(size.x, size.y, size.z);
    p.kind = hipMemcpyDefault;
    HIP_OK(hipMemcpy3D(&p));
    HIP_OK(hipDeviceSynchronize());
    for (size_t z = 0; z < size.z; z++)
        for (size_t y = 0; y < size.y; y++)
            std::memcpy(&to.twin[to.at({there.x, there.y + y, there.z + z})], &from.twin[from.at({here.x, here.y + y, here.z + z})], size.x);
}

static unsigned boxes(unsigned rounds, uint32_t seed)
{
    Volume volume[] = {{52, 7, 6, false}, {36, 9, 5, false}, {44, 8, 7, true}};
    unsigned wrong = 0;
    for (auto &v : volume)
        v.fill(seed);
    for (unsigned round = 0; round < rounds; round++) {
        const unsigned source = random_next(seed) % 3, target = (source + 1 + random_next(seed) % 2) % 3;
        Volume &from = volume[source], &to = volume[target];
        Place size, here, there;
        const auto span = [&](size_t a, size_t b, size_t unit, size_t &n, size_t &in_a, size_t &in_b) {
            n = (1 + random_next(seed) % ((a < b ? a : b) / unit)) * unit;
            in_a = random_next(seed) % ((a - n) / unit + 1) * unit;
            in_b = random_next(seed) % ((b - n) / unit + 1) * unit;
        };
        span(from.width, to.width, round % 3 == 0 ? 1 : 4, size.x, here.x, there.x);
        span(from.height, to.height, 1, size.y, here.y, there.y);
        span(from.depth, to.depth, 1, size.z, here.z, there.z);
        copy_box(to, there, from, here, size, InPointer && round % 2);
        if (unsigned w = to.wrong()) {
            std::printf("boxes: round %u, volume %u to %u: %u bytes are wrong\n", round, source, target, w);
            wrong += w;
        }
    }
    return wrong + volume[0].wrong() + volume[1].wrong() + volume[2].wrong();
}

static unsigned columns(unsigned rows, uint32_t seed)
{
    constexpr size_t Columns = 7, Taken = 3;
    std::vector<uint32_t> matrix(rows * Columns), column(rows);
    for (auto &value : matrix)
        value = random_next(seed);
    uint32_t *from, *to;
    hipStream_t stream;
    HIP_OK(hipMalloc(&from, matrix.size() * 4));
    HIP_OK(hipMalloc(&to, rows * 4));
    HIP_OK(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    HIP_OK(hipMemcpy(from, matrix.data(), matrix.size() * 4, hipMemcpyHostToDevice));
    HIP_OK(hipMemcpy2DAsync(to, 4, from + Taken, Columns * 4, 4, rows, hipMemcpyDeviceToDevice, stream));
    HIP_OK(hipStreamSynchronize(stream));
    HIP_OK(hipMemcpy(column.data(), to, rows * 4, hipMemcpyDeviceToHost));
    unsigned wrong = 0;
    for (unsigned row = 0; row < rows; row++)
        wrong += column[row] != matrix[row * Columns + Taken];
    for (const size_t width : {61, 128, 259}) { // there and back, to every second row's place
        constexpr size_t Rows = 9;
        std::vector<unsigned char> there(width * Rows), back(width * Rows * 2, 0xAB);
        for (auto &byte : there)
            byte = static_cast<unsigned char>(random_next(seed) >> 9);
        unsigned char *gpu;
        HIP_OK(hipMalloc(&gpu, width * Rows * 2));
        HIP_OK(hipMemcpy2DAsync(gpu, width * 2, there.data(), width, width, Rows, hipMemcpyHostToDevice, stream));
        HIP_OK(hipMemcpy2DAsync(back.data(), width * 2, gpu, width * 2, width, Rows, hipMemcpyDeviceToHost, stream));
        HIP_OK(hipStreamSynchronize(stream));
        for (size_t i = 0; i < back.size(); i++) {
            const size_t row = i / (width * 2), in_row = i % (width * 2);
            wrong += back[i] != (in_row < width ? there[row * width + in_row] : 0xAB);
        }
        HIP_OK(hipFree(gpu));
    }
    HIP_OK(hipStreamDestroy(stream));
    HIP_OK(hipFree(from));
    HIP_OK(hipFree(to));
    return wrong;
}

// boxes [SIZE [SEED]]: rounds of boxes, 50 times as many rows of columns.
int main(int argc, char **argv)
{
    const unsigned n = size_argument(argc, argv, 24);
    return verdict("boxes", boxes(n, seed_argument(argc, argv)) + columns(50 * n, seed_argument(argc, argv)), n);
}

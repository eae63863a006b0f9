// SPDX-License-Identifier: Apache-2.0
// Arrays in GPU 0's memory on which all GPUs work at once, each on its part (make migration).  SIZE: rows and columns,
// of `reduction` KiB.
//   transposed SIZE ROUNDS  each GPU reads its columns of a matrix, whose pages are rows, ROUNDS times: all GPUs use
//   each page stencil SIZE ROUNDS     ROUNDS steps of a five-point stencil, two grids in turn; of other GPUs' rows one
//   at each border reduction SIZE ROUNDS   sums of an array, each GPU of its part, ROUNDS times product SIZE ROUNDS C =
//   A x B, ROUNDS times; each GPU has its rows of A and C, and all of B
#include "share.h"

constexpr unsigned Tile = 16; // work-items of a group: Tile x Tile

__global__ void transpose(uint32_t *out, const uint32_t *in, uint32_t n, uint32_t first, uint32_t with)
{
    __shared__ uint32_t tile[Tile][Tile + 1];
    const uint32_t column = first + blockIdx.x * Tile, row = blockIdx.y * Tile;
    tile[threadIdx.y][threadIdx.x] = in[(row + threadIdx.y) * n + column + threadIdx.x];
    __syncthreads();
    out[(column - first + threadIdx.y) * n + row + threadIdx.x] += tile[threadIdx.x][threadIdx.y] ^ with;
}

__host__ __device__ static inline uint32_t five(const uint32_t *grid, uint32_t n, uint32_t row, uint32_t column)
{
    const uint32_t up = row ? row - 1 : row, down = row + 1 < n ? row + 1 : row, left = column ? column - 1 : column,
                   right = column + 1 < n ? column + 1 : column;
    return 4 * grid[row * n + column] + grid[up * n + column] + grid[down * n + column] + grid[row * n + left] +
           grid[row * n + right];
}

__global__ void step(uint32_t *to, const uint32_t *from, uint32_t n, uint32_t begin, uint32_t end)
{
    for (uint32_t i = begin * n + blockIdx.x * blockDim.x + threadIdx.x; i < end * n; i += gridDim.x * blockDim.x)
        to[i] = five(from, n, i / n, i % n);
}

__global__ void add_up(uint32_t *sum, const uint32_t *from, uint32_t begin, uint32_t end, uint32_t with)
{
    uint32_t own = 0;
    for (uint32_t i = begin + blockIdx.x * blockDim.x + threadIdx.x; i < end; i += gridDim.x * blockDim.x)
        own += from[i] ^ with;
    atomicAdd(sum, own);
}

__global__ void multiply(uint32_t *c, const uint32_t *a, const uint32_t *b, uint32_t n, uint32_t first)
{
    __shared__ uint32_t of_a[Tile][Tile], of_b[Tile][Tile];
    const uint32_t row = first + blockIdx.y * Tile + threadIdx.y, column = blockIdx.x * Tile + threadIdx.x;
    uint32_t sum = 0;
    for (uint32_t k = 0; k < n; k += Tile) {
        of_a[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
        of_b[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + column];
        __syncthreads();
        for (uint32_t i = 0; i < Tile; i++)
            sum += of_a[threadIdx.y][i] * of_b[i][threadIdx.x];
        __syncthreads();
    }
    c[row * n + column] += sum;
}

/* `n` rounded down, so that each GPU has whole tiles. */
static uint32_t whole(const Machine &m, uint32_t n)
{
    const uint32_t unit = Tile * m.gpus;
    return n < unit ? unit : n / unit * unit;
}

static int transposed(const Machine &m)
{
    const uint32_t n = whole(m, m.size), own = n / m.gpus;
    uint32_t *in = m.input(n * n);
    std::vector<uint32_t *> out(m.gpus);
    for (int gpu = 0; gpu < m.gpus; gpu++) {
        out[gpu] = m.words(gpu, n * own);
        HIP_OK(hipMemset(out[gpu], 0, n * own * sizeof(uint32_t)));
    }
    HIP_OK(hipDeviceSynchronize());
    for (unsigned r = 0; r < m.rounds; r++)
        m.each([&](int gpu) {
            transpose<<<dim3(own / Tile, n / Tile), dim3(Tile, Tile)>>>(out[gpu], in, n, gpu * own, r);
        });
    unsigned wrong = 0;
    for (int gpu = 0; gpu < m.gpus; gpu++) {
        std::vector<uint32_t> wanted(n * own);
        for (uint32_t i = 0; i < n * own; i++)
            for (unsigned r = 0; r < m.rounds; r++)
                wanted[i] += mixed(i % n * n + gpu * own + i / n) ^ r;
        wrong += different(m.output(out[gpu], n * own), wanted);
    }
    return verdict("transposed", wrong, n * n);
}

static int stencil(const Machine &m)
{
    const uint32_t n = m.size;
    uint32_t *grid[2] = {m.input(n * n), m.input(n * n, n * n)};
    std::vector<uint32_t> now = mixed_words(n * n), next(n * n);
    for (unsigned r = 0; r < m.rounds; r++) {
        m.each([&](int gpu) {
            step<<<groups_for(n * n / m.gpus), Group>>>(grid[1 - r % 2], grid[r % 2], n, m.begin(gpu, n),
                                                        m.begin(gpu + 1, n));
        });
        for (uint32_t i = 0; i < n * n; i++)
            next[i] = five(now.data(), n, i / n, i % n);
        now.swap(next);
    }
    return verdict("stencil", different(m.output(grid[m.rounds % 2], n * n), now), n * n);
}

static int reduction(const Machine &m)
{
    const uint32_t words = m.size * 256;
    uint32_t *from = m.input(words), wanted = 0, got = 0;
    std::vector<uint32_t *> sum(m.gpus);
    for (int gpu = 0; gpu < m.gpus; gpu++) {
        sum[gpu] = m.words(gpu, 1);
        HIP_OK(hipMemset(sum[gpu], 0, sizeof(uint32_t)));
    }
    HIP_OK(hipDeviceSynchronize());
    for (unsigned r = 0; r < m.rounds; r++) {
        m.each([&](int gpu) {
            add_up<<<groups_for(words / m.gpus), Group>>>(sum[gpu], from, m.begin(gpu, words), m.begin(gpu + 1, words),
                                                          r);
        });
        for (uint32_t i = 0; i < words; i++)
            wanted += mixed(i) ^ r;
    }
    for (int gpu = 0; gpu < m.gpus; gpu++)
        got += m.output(sum[gpu], 1)[0];
    return verdict("reduction", got != wanted, 1);
}

static int product(const Machine &m)
{
    const uint32_t n = whole(m, m.size), own = n / m.gpus;
    uint32_t *a = m.input(n * n), *b = m.input(n * n, 7 * n * n), *c = m.input(n * n, 9 * n * n);
    for (unsigned r = 0; r < m.rounds; r++)
        m.each([&](int gpu) { multiply<<<dim3(n / Tile, own / Tile), dim3(Tile, Tile)>>>(c, a, b, n, gpu * own); });
    const std::vector<uint32_t> x = mixed_words(n * n), y = mixed_words(n * n, 7 * n * n);
    std::vector<uint32_t> wanted = mixed_words(n * n, 9 * n * n);
    for (uint32_t row = 0; row < n; row++)
        for (uint32_t k = 0; k < n; k++)
            for (uint32_t column = 0; column < n; column++)
                wanted[row * n + column] += m.rounds * x[row * n + k] * y[k * n + column];
    return verdict("product", different(m.output(c, n * n), wanted), n * n);
}

int main(int argc, char **argv)
{
    const Machine m(argc, argv, 64, 2);
    return m.is("transposed")  ? transposed(m)
           : m.is("stencil")   ? stencil(m)
           : m.is("reduction") ? reduction(m)
           : m.is("product")   ? product(m)
                               : unknown(argv[0], "transposed, stencil, reduction, product");
}

// SPDX-License-Identifier: Apache-2.0
// A random graph in GPU 0's memory, each vertex with Degree edges; each GPU has its part of the vertices (make
// migration).  SIZE: vertices.
//   bfs SIZE ROUNDS       distances from vertex 0, ROUNDS levels: who has none yet looks at its neighbours'
//   pagerank SIZE ROUNDS  ROUNDS iterations in fixed point: the edges of a vertex are its own GPU's, ranks are
//   everybody's
#include "share.h"

constexpr uint32_t Degree = 8, Far = 0xffffffff;

__global__ void fill_edges(uint32_t *edges, uint32_t vertices)
{
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < vertices * Degree; i += gridDim.x * blockDim.x)
        edges[i] = mixed(i) % vertices;
}

__global__ void fill_levels(uint32_t *levels, uint32_t vertices)
{
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < vertices; i += gridDim.x * blockDim.x)
        levels[i] = i ? Far : 0;
}

/* A vertex that another one reaches in this launch has `level` + 1, which nobody looks for. */
__global__ void visit(uint32_t *levels, const uint32_t *edges, uint32_t begin, uint32_t end, uint32_t level)
{
    for (uint32_t v = begin + blockIdx.x * blockDim.x + threadIdx.x; v < end; v += gridDim.x * blockDim.x) {
        if (levels[v] != Far)
            continue;
        for (uint32_t j = 0; j < Degree; j++)
            if (levels[edges[v * Degree + j]] == level) {
                levels[v] = level + 1;
                break;
            }
    }
}

__host__ __device__ static inline uint32_t rank_of(const uint32_t *ranks, const uint32_t *edges, uint32_t v)
{
    uint32_t sum = 0;
    for (uint32_t j = 0; j < Degree; j++)
        sum += ranks[edges[v * Degree + j]] / Degree;
    return 9830 + sum / 20 * 17; // 0.15 and 0.85, where 65,536 is 1
}

__global__ void iterate(uint32_t *to, const uint32_t *from, const uint32_t *edges, uint32_t begin, uint32_t end)
{
    for (uint32_t v = begin + blockIdx.x * blockDim.x + threadIdx.x; v < end; v += gridDim.x * blockDim.x)
        to[v] = rank_of(from, edges, v);
}

struct Graph {
    uint32_t *edges;
    std::vector<uint32_t> host;
    Graph(const Machine &m, uint32_t vertices)
        : edges(m.words(0, vertices * Degree)), host(mixed_words(vertices * Degree))
    {
        m.on(0, [&] { fill_edges<<<groups_for(vertices * Degree), Group>>>(edges, vertices); });
        for (uint32_t &to : host)
            to %= vertices;
    }
};

static int bfs(const Machine &m)
{
    const uint32_t n = m.size;
    const Graph graph(m, n);
    uint32_t *levels = m.words(0, n);
    m.on(0, [&] { fill_levels<<<groups_for(n), Group>>>(levels, n); });
    std::vector<uint32_t> wanted(n, Far);
    wanted[0] = 0;
    for (unsigned level = 0; level < m.rounds; level++) {
        m.each([&](int gpu) {
            visit<<<groups_for(n / m.gpus), Group>>>(levels, graph.edges, m.begin(gpu, n), m.begin(gpu + 1, n), level);
        });
        for (uint32_t i = 0; i < n * Degree; i++)
            if (wanted[i / Degree] == Far && wanted[graph.host[i]] == level)
                wanted[i / Degree] = level + 1;
    }
    return verdict("bfs", different(m.output(levels, n), wanted), n);
}

static int pagerank(const Machine &m)
{
    const uint32_t n = m.size;
    const Graph graph(m, n);
    uint32_t *ranks[2] = {m.input(n), m.input(n, n)};
    std::vector<uint32_t> now = mixed_words(n), next(n);
    for (unsigned r = 0; r < m.rounds; r++) {
        m.each([&](int gpu) {
            iterate<<<groups_for(n / m.gpus), Group>>>(ranks[1 - r % 2], ranks[r % 2], graph.edges, m.begin(gpu, n),
                                                       m.begin(gpu + 1, n));
        });
        for (uint32_t v = 0; v < n; v++)
            next[v] = rank_of(now.data(), graph.host.data(), v);
        now.swap(next);
    }
    return verdict("pagerank", different(m.output(ranks[m.rounds % 2], n), now), n);
}

int main(int argc, char **argv)
{
    const Machine m(argc, argv, 1024, 4);
    return m.is("bfs") ? bfs(m) : m.is("pagerank") ? pagerank(m) : unknown(argv[0], "bfs, pagerank");
}

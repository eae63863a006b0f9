// SPDX-License-Identifier: Apache-2.0
// Gravitation of n bodies: forces with tiles in the LDS in f32 and f64, leapfrog steps, energy by reduction.
#include "suite.h"

constexpr unsigned Tile = 64;

template <class T> struct alignas(4 * sizeof(T)) Body {
    T x, y, z, mass;
};

template <class T> __host__ __device__ static void pull(Body<T> a, Body<T> b, T &fx, T &fy, T &fz)
{
    const T dx = b.x - a.x, dy = b.y - a.y, dz = b.z - a.z;
    const T square = dx * dx + dy * dy + dz * dz + T(0.01);
    const T scale = b.mass / (square * std::sqrt(square));
    fx += dx * scale;
    fy += dy * scale;
    fz += dz * scale;
}

template <class T> __device__ static void forces(const Body<T> *bodies, Body<T> *out, unsigned n)
{
    __shared__ Body<T> tile[Tile];
    const Body<T> mine = bodies[global_id()];
    T fx = 0, fy = 0, fz = 0;
    for (unsigned start = 0; start < n; start += Tile) {
        tile[threadIdx.x] = bodies[start + threadIdx.x];
        __syncthreads();
        for (unsigned j = 0; j < Tile; j++)
            pull(mine, tile[j], fx, fy, fz);
        __syncthreads();
    }
    out[global_id()] = {fx, fy, fz, mine.mass};
}

__global__ void forces_f32(const Body<float> *bodies, Body<float> *out, unsigned n)
{
    forces(bodies, out, n);
}
__global__ void forces_f64(const Body<double> *bodies, Body<double> *out, unsigned n)
{
    forces(bodies, out, n);
}

__host__ __device__ static void step(Body<float> &body, Body<float> &speed, const Body<float> &force, float dt)
{
    speed.x = fmaf(force.x, dt, speed.x), speed.y = fmaf(force.y, dt, speed.y), speed.z = fmaf(force.z, dt, speed.z);
    body.x = fmaf(speed.x, dt, body.x), body.y = fmaf(speed.y, dt, body.y), body.z = fmaf(speed.z, dt, body.z);
}

__global__ void leapfrog(Body<float> *bodies, Body<float> *speeds, const Body<float> *force, float dt)
{
    step(bodies[global_id()], speeds[global_id()], force[global_id()], dt);
}

// Sum over the pairs of m1 * m2 / distance, in fixed point, so that the order of the atomic additions does not matter.
__host__ __device__ static int64_t potential(const Body<double> *bodies, unsigned i, unsigned n)
{
    double sum = 0;
    for (unsigned j = i + 1; j < n; j++) {
        const double dx = bodies[j].x - bodies[i].x, dy = bodies[j].y - bodies[i].y, dz = bodies[j].z - bodies[i].z;
        sum += bodies[i].mass * bodies[j].mass / std::sqrt(dx * dx + dy * dy + dz * dz);
    }
    return static_cast<int64_t>(sum * 0x1p32);
}

__global__ void energy(const Body<double> *bodies, unsigned long long *sum, unsigned n)
{
    __shared__ unsigned long long group;
    if (threadIdx.x == 0)
        group = 0;
    __syncthreads();
    atomicAdd(&group, static_cast<unsigned long long>(potential(bodies, global_id(), n)));
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(sum, group);
}

template <class T> static std::vector<Body<T>> random_bodies(unsigned n, uint32_t &seed)
{
    std::vector<Body<T>> v(n);
    for (auto &b : v) {
        const auto r = random_reals<T>(4, seed, -1, 1);
        b = {r[0], r[1], r[2], r[3] * r[3] + T(0.1)};
    }
    return v;
}

template <class T> static std::vector<Body<T>> host_forces(const std::vector<Body<T>> &bodies)
{
    std::vector<Body<T>> out;
    for (auto &a : bodies) {
        T fx = 0, fy = 0, fz = 0;
        for (auto &b : bodies)
            pull(a, b, fx, fy, fz);
        out.push_back({fx, fy, fz, a.mass});
    }
    return out;
}

int main(int argc, char **argv)
{
    const unsigned n = size_argument(argc, argv, 2) * Tile, groups = n / Tile;
    uint32_t seed = seed_argument(argc, argv);
    Suite suite("nbody");
    Array<Body<float>> bodies(random_bodies<float>(n, seed)), speeds(random_bodies<float>(n, seed)), force(n);
    forces_f32<<<groups, Tile>>>(bodies.gpu(), force.gpu(), n);
    suite.same("forces f32", force.get(), host_forces(bodies.host));
    auto body = bodies.host, speed = speeds.host;
    for (unsigned i = 0; i < n; i++)
        step(body[i], speed[i], force.host[i], 0.0625f);
    leapfrog<<<groups, Tile>>>(bodies.gpu(), speeds.gpu(), force.gpu(), 0.0625f);
    bodies.get();
    suite.check("leapfrog speeds", std::memcmp(speeds.get().data(), speed.data(), n * sizeof speed[0]) == 0);
    suite.same("leapfrog", bodies.host, body);

    Array<Body<double>> wide(random_bodies<double>(n, seed)), wide_force(n);
    forces_f64<<<groups, Tile>>>(wide.gpu(), wide_force.gpu(), n);
    suite.same("forces f64", wide_force.get(), host_forces(wide.host));
    Array<unsigned long long> sum(1);
    unsigned long long wanted = 0;
    for (unsigned i = 0; i < n; i++)
        wanted += static_cast<unsigned long long>(potential(wide.host.data(), i, n));
    energy<<<groups, Tile>>>(wide.gpu(), sum.gpu(), n);
    suite.same("energy", sum.get(), {wanted});
    return suite.verdict();
}

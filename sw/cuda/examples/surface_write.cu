// SPDX-License-Identifier: Apache-2.0
// Surfaces: an object that is written and read, a surface of the file in three dimensions, modes of the border; what
// was written is read by a texture.
#include <string.h>

#include "check.h"
#define W 16
#define H 8
#define D 2
surface<void, 3> volume;
texture<int, 2, cudaReadModeElementType> seen;

__global__ void fill(cudaSurfaceObject_t plane)
{
    int x = threadIdx.x, y = threadIdx.y;
    surf2Dwrite(x * 100 + y, plane, x * (int)sizeof(int), y);
    surf2Dwrite(-1, plane, x * (int)sizeof(int), H + y, cudaBoundaryModeZero); // outside: nothing
    for (int z = 0; z < D; z++)
        surf3Dwrite(make_short2(x + z, y), volume, x * (int)sizeof(short2), y, z);
}

__global__ void look(cudaSurfaceObject_t plane, int *out)
{
    int x = threadIdx.x, y = threadIdx.y, i = y * W + x, v;
    surf2Dread(&v, plane, (W - 1 - x) * (int)sizeof(int), y);
    short2 s = surf3Dread<short2>(volume, x * (int)sizeof(short2), y, 1);
    int clamped = surf2Dread<int>(plane, 1000, y, cudaBoundaryModeClamp),
        zero = surf2Dread<int>(plane, -4, y, cudaBoundaryModeZero);
    out[i] = v + 10000 * (s.x * 10 + s.y);
    out[W * H + i] = clamped + zero + tex2D(seen, x, y);
}

int main()
{
    static int got[2][H][W], *out;
    int wrong = 0;
    cudaChannelFormatDesc ints = cudaCreateChannelDesc<int>(), pairs = cudaCreateChannelDesc<short2>();
    cudaArray_t plane, box;
    cudaResourceDesc resource;
    cudaSurfaceObject_t object;
    memset(&resource, 0, sizeof(resource));
    CHECK(cudaMallocArray(&plane, &ints, W, H, cudaArraySurfaceLoadStore));
    CHECK(cudaMalloc3DArray(&box, &pairs, make_cudaExtent(W, H, D), cudaArraySurfaceLoadStore));
    CHECK(cudaMalloc(&out, sizeof(got)));
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = plane;
    CHECK(cudaCreateSurfaceObject(&object, &resource));
    CHECK(cudaBindSurfaceToArray(volume, box));
    CHECK(cudaBindTextureToArray(seen, plane));
    fill<<<1, dim3(W, H)>>>(object);
    look<<<1, dim3(W, H)>>>(object, out);
    CHECK(cudaMemcpy(got, out, sizeof(got), cudaMemcpyDeviceToHost));
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            wrong += got[0][y][x] != (W - 1 - x) * 100 + y + 10000 * ((x + 1) * 10 + y);
            wrong += got[1][y][x] != (W - 1) * 100 + y + x * 100 + y;
        }
    CHECK(cudaDestroySurfaceObject(object));
    CHECK(cudaFreeArray(plane));
    CHECK(cudaFreeArray(box));
    return verdict("surface_write", wrong);
}

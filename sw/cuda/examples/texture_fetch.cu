// SPDX-License-Identifier: Apache-2.0
// Textures: references of the file over linear memory and over an array, a texture object, normalized floats, a linear
// filter, the border.
#include <math.h>
#include <string.h>

#include "check.h"
#define N 64
texture<float4, cudaTextureType1D, cudaReadModeElementType> lines;
static texture<unsigned char, cudaTextureType2D, cudaReadModeNormalizedFloat> picture;
texture<float, 2> smooth;

__global__ void fetch(float *out, cudaTextureObject_t object)
{
    int i = threadIdx.x;
    float4 v = tex1Dfetch(lines, i + 1); // the last two are beyond the end: zero
    out[i] = v.x + v.y + v.z + v.w;
    out[N + i] = tex2D(picture, i % 8, i / 8);
    out[2 * N + i] = tex2D(smooth, i % 8 + 1.0f, i / 8 + 0.5f); // half way to the right neighbour
    out[3 * N + i] = (float)tex1Dfetch<int>(object, i);
}

int main()
{
    float4 rows[N], *d_rows;
    unsigned char bytes[8][8];
    float plane[8][8], got[4 * N], *out;
    int numbers[N], *d_numbers, wrong = 0;
    cudaArray *pixels, *floats;
    for (int i = 0; i < N; i++) {
        rows[i] = make_float4(i, 2 * i, 0.5f, -1);
        bytes[i / 8][i % 8] = i * 4 + 3;
        plane[i / 8][i % 8] = i * i;
        numbers[i] = -7 * i;
    }
    CHECK(cudaMalloc(&d_rows, sizeof(rows)));
    CHECK(cudaMalloc(&d_numbers, sizeof(numbers)));
    CHECK(cudaMalloc(&out, sizeof(got)));
    CHECK(cudaMemcpy(d_rows, rows, sizeof(rows), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_numbers, numbers, sizeof(numbers), cudaMemcpyHostToDevice));
    CHECK(cudaBindTexture(NULL, lines, d_rows, sizeof(rows) - sizeof(rows[0]))); // all but the last

    cudaChannelFormatDesc byte = cudaCreateChannelDesc<unsigned char>(),
                          single = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
    CHECK(cudaMallocArray(&pixels, &byte, 8, 8));
    CHECK(cudaMemcpyToArray(pixels, 0, 0, bytes, sizeof(bytes), cudaMemcpyHostToDevice));
    CHECK(cudaBindTextureToArray(picture, pixels));
    CHECK(cudaMallocArray(&floats, &single, 8, 8));
    CHECK(cudaMemcpy2DToArray(floats, 0, 0, plane, 32, 32, 8, cudaMemcpyHostToDevice));
    smooth.filterMode = cudaFilterModeLinear;
    smooth.addressMode[0] = cudaAddressModeClamp;
    CHECK(cudaBindTextureToArray(smooth, floats, single));

    cudaResourceDesc resource;
    cudaTextureDesc how;
    cudaTextureObject_t object;
    memset(&resource, 0, sizeof(resource));
    memset(&how, 0, sizeof(how));
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = d_numbers;
    resource.res.linear.desc = cudaCreateChannelDesc<int>();
    resource.res.linear.sizeInBytes = sizeof(numbers);
    CHECK(cudaCreateTextureObject(&object, &resource, &how, NULL));
    fetch<<<1, N>>>(out, object);
    CHECK(cudaMemcpy(got, out, sizeof(got), cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++) {
        int next = i % 8 < 7 ? i + 1 : i;
        wrong += got[i] != (i + 2 < N ? 3 * (i + 1) - 0.5f : 0);
        wrong += fabsf(got[N + i] - bytes[i / 8][i % 8] / 255.0f) > 1e-6f;
        wrong += fabsf(got[2 * N + i] - (plane[i / 8][i % 8] + plane[next / 8][next % 8]) / 2) > 0.01f;
        wrong += got[3 * N + i] != numbers[i];
    }
    CHECK(cudaUnbindTexture(lines));
    CHECK(cudaDestroyTextureObject(object));
    CHECK(cudaFreeArray(pixels));
    return verdict("texture_fetch", wrong);
}

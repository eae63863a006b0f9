// SPDX-License-Identifier: Apache-2.0
// The rest of the run-time API: managed and mapped memory, copies in two and three dimensions, arrays back, launches by
// calls, a captured graph, what is known of kernels and pointers.
#include <string.h>

#include "check.h"
#define W 12
#define H 6
#define D 3
__managed__ int managed = 3;
__global__ void add(int *p, int n, int value)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] += value + managed;
}

static int copies(void)
{
    static int in[D][H][W], out[D][H][W], flat[H][W];
    cudaExtent whole = make_cudaExtent(W * sizeof(int), H, D);
    cudaPitchedPtr box;
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<int>(), asked;
    cudaMemcpy3DParms to = {0}, from = {0};
    int *rows, wrong = 0;
    size_t pitch;
    for (int i = 0; i < D * H * W; i++)
        (&in[0][0][0])[i] = i;
    CHECK(cudaMalloc3D(&box, whole));
    CHECK(cudaMemset3D(box, 0xff, whole));
    to.srcPtr = make_cudaPitchedPtr(in, W * sizeof(int), W, H);
    to.dstPtr = box;
    to.extent = make_cudaExtent((W - 2) * sizeof(int), H - 1, D);
    to.srcPos = make_cudaPos(sizeof(int), 1, 0);
    to.dstPos = make_cudaPos(2 * sizeof(int), 0, 0);
    to.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&to));
    from.srcPtr = box;
    from.dstPtr = make_cudaPitchedPtr(out, W * sizeof(int), W, H);
    from.extent = whole;
    from.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaMemcpy3D(&from));
    for (int z = 0; z < D; z++)
        for (int y = 0; y < H; y++)
            for (int x = 0; x < W; x++)
                wrong += out[z][y][x] != (x >= 2 && y < H - 1 ? in[z][y + 1][x - 1] : -1);
    CHECK(cudaMallocPitch(&rows, &pitch, W * sizeof(int), H));
    CHECK(cudaMemset2D(rows, pitch, 0, W * sizeof(int), H));
    CHECK(cudaMemcpy2D(rows, pitch, in, W * sizeof(int), W / 2 * sizeof(int), H, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy2D(flat, W * sizeof(int), rows, pitch, W * sizeof(int), H, cudaMemcpyDeviceToHost));
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            wrong += flat[y][x] != (x < W / 2 ? in[0][y][x] : 0);
    CHECK(cudaMallocArray(&array, &format, W, H));
    CHECK(cudaMemcpyToArray(array, 0, 0, in, sizeof(flat), cudaMemcpyHostToDevice));
    CHECK(
        cudaMemcpyFromArray(flat, array, 4, 1, 20 * sizeof(int), cudaMemcpyDeviceToHost)); // from one row into the next
    CHECK(cudaGetChannelDesc(&asked, array));
    for (int i = 0; i < 20; i++)
        wrong += flat[i / W][i % W] != W + 1 + i;
    return wrong + (asked.x != 32 || asked.y != 0 || asked.f != cudaChannelFormatKindSigned);
}

static int launches(void)
{
    int *p, *host, n = 100, value = 10, wrong = 0, blocks = 0, grid = 0, block = 0;
    void *args[] = {&p, &n, &value};
    cudaFuncAttributes known;
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    CHECK(cudaMallocManaged(&p, n * sizeof(int)));
    memset(p, 0, n * sizeof(int));
    CHECK(cudaLaunchKernel(add, dim3(1), dim3(128), args, 0, NULL)); // 13
    CHECK(cudaConfigureCall(1, 128));
    CHECK(cudaSetupArgument(p, 0));
    CHECK(cudaSetupArgument(n, 8));
    CHECK(cudaSetupArgument(value, 12));
    CHECK(cudaLaunch(add)); // 26
    CHECK(cudaDeviceSynchronize());
    managed = 4;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    add<<<1, 128, 0, stream>>>(p, n, 1);
    add<<<1, 128, 0, stream>>>(p, n, 2);
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&ready, graph, NULL, NULL, 0));
    CHECK(cudaGraphLaunch(ready, stream)); // 37
    CHECK(cudaGraphLaunch(ready, stream)); // 48
    CHECK(cudaStreamSynchronize(stream));
    for (int i = 0; i < n; i++)
        wrong += p[i] != 48;
    CHECK(cudaHostAlloc(&host, n * sizeof(int), cudaHostAllocMapped));
    int *mapped;
    CHECK(cudaHostGetDevicePointer(&mapped, host, 0));
    host[5] = 1;
    add<<<1, 128>>>(mapped, n, 1);
    CHECK(cudaThreadSynchronize());
    wrong += host[5] != 6;
    CHECK(cudaFuncGetAttributes(&known, add));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add, 256, 0));
    CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, add));
    wrong += known.maxThreadsPerBlock < 256 || known.numRegs <= 0 || blocks < 1 || block < 64 || grid < 1;
    add<<<1, 5000>>>(p, n, 1);
    wrong += cudaGetLastError() != cudaErrorInvalidConfiguration || cudaGetLastError() != cudaSuccess;
    return wrong;
}

static void counted(void *p)
{
    ++*(int *)p;
}

/* A fill, two kernels behind it, a copy and a call behind both. */
static int graph_by_hand(void)
{
    int *p, *again, n = 64, one = 1, two = 2, host[64], calls = 0, wrong = 0;
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    cudaGraphNode_t fill, first, second, copy, back, call;
    cudaMemsetParams zero = {0};
    cudaMemcpy3DParms copied = {0};
    cudaKernelNodeParams kernel = {0};
    cudaHostNodeParams function = {counted, &calls};
    size_t nodes = 0;
    CHECK(cudaMalloc(&p, n * sizeof(int)));
    CHECK(cudaMalloc(&again, n * sizeof(int)));
    void *args_one[] = {&p, &n, &one}, *args_two[] = {&p, &n, &two};
    CHECK(cudaGraphCreate(&graph, 0));
    zero.dst = p;
    zero.elementSize = 4;
    zero.width = n;
    zero.height = 1;
    CHECK(cudaGraphAddMemsetNode(&fill, graph, NULL, 0, &zero));
    kernel.func = (void *)add;
    kernel.gridDim = dim3(1);
    kernel.blockDim = dim3(64);
    kernel.kernelParams = args_one;
    CHECK(cudaGraphAddKernelNode(&first, graph, &fill, 1, &kernel));
    kernel.kernelParams = args_two;
    CHECK(cudaGraphAddKernelNode(&second, graph, &first, 1, &kernel));
    CHECK(cudaGraphAddMemcpyNode1D(&copy, graph, &second, 1, host, p, n * sizeof(int), cudaMemcpyDeviceToHost));
    copied.srcPtr = make_cudaPitchedPtr(host, n * sizeof(int), n, 1);
    copied.dstPtr = make_cudaPitchedPtr(again, n * sizeof(int), n, 1);
    copied.extent = make_cudaExtent(n * sizeof(int), 1, 1);
    copied.kind = cudaMemcpyHostToDevice;
    CHECK(cudaGraphAddMemcpyNode(&back, graph, &copy, 1, &copied));
    CHECK(cudaGraphAddHostNode(&call, graph, &back, 1, &function));
    CHECK(cudaGraphGetNodes(graph, NULL, &nodes));
    CHECK(cudaGraphInstantiate(&ready, graph));
    CHECK(cudaGraphLaunch(ready, 0));
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++)
        wrong += host[i] != 3 + 2 * managed;
    CHECK(cudaMemcpy(host, again, n * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        wrong += host[i] != 3 + 2 * managed;
    CHECK(cudaGraphExecDestroy(ready));
    CHECK(cudaGraphDestroy(graph));
    return wrong + (calls != 1) + (nodes != 6);
}

static int pointers(void)
{
    int *device, *pinned, plain, wrong = 0;
    cudaPointerAttributes a;
    size_t free_bytes, total;
    CHECK(cudaMalloc(&device, 4096));
    CHECK(cudaMallocHost(&pinned, 4096));
    CHECK(cudaPointerGetAttributes(&a, device));
    wrong += a.type != cudaMemoryTypeDevice || a.device != 0;
    CHECK(cudaPointerGetAttributes(&a, pinned));
    wrong += a.type != cudaMemoryTypeHost;
    CHECK(cudaPointerGetAttributes(&a, &plain));
    wrong += a.type != cudaMemoryTypeUnregistered;
    CHECK(cudaMemGetInfo(&free_bytes, &total));
    CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 8192));
    CHECK(cudaDeviceGetLimit(&free_bytes, cudaLimitStackSize));
    wrong += free_bytes != 8192 || total == 0;
    CHECK(cudaFree(device));
    CHECK(cudaFreeHost(pinned));
    return wrong;
}

int main()
{
    int c = copies(), l = launches() + graph_by_hand(), p = pointers();
    printf("copies %d, launches %d, pointers %d\n", c, l, p);
    return verdict("api_tour", c + l + p);
}

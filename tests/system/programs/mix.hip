// SPDX-License-Identifier: Apache-2.0
// For tests/system: what programs do beside plain kernels.  Argument "printf": device printf; "scratch": a private
// array, so that the runtime is asked for scratch memory; "children": system, popen, fork and exec, posix_spawn while
// the time-stamp counter traps; "handler": a SIGSEGV handler of its own; "large": 3 MB pageable copies.
#include <hip/hip_runtime.h>

#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>
#include <x86intrin.h>

__global__ void talk(int n)
{
    if (threadIdx.x < 2)
        printf("block %d lane %d n %d\n", static_cast<int>(blockIdx.x), static_cast<int>(threadIdx.x), n);
}

__host__ __device__ static int shuffle(const int *index, int n, int item)
{
    int a[64], sum = 0;
    for (int i = 0; i < 64; i++)
        a[i] = i * n + item;
    for (int i = 0; i < 64; i++)
        a[index[i] & 63] += i;
    for (int i = 0; i < 64; i++)
        sum += a[index[63 - i] & 63] * (i + 1);
    return sum;
}

__global__ void with_scratch(int *out, const int *index, int n)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] = shuffle(index, n, static_cast<int>(threadIdx.x));
}

// Many groups: more wavefronts at once than the scratch memory has room for.
static int test_scratch(unsigned groups)
{
    int *out, *index, wrong = 0;
    const int items = static_cast<int>(groups) * 256;
    std::vector<int> host_index(64), host_out(static_cast<size_t>(items));
    for (int i = 0; i < 64; i++)
        host_index[static_cast<size_t>(i)] = (i * 37 + 11) & 63;
    if (hipMalloc(&out, host_out.size() * 4) != hipSuccess || hipMalloc(&index, 256) != hipSuccess)
        return 2;
    if (hipMemcpy(index, host_index.data(), 256, hipMemcpyHostToDevice) != hipSuccess)
        return 2;
    with_scratch<<<groups, 256>>>(out, index, 3);
    if (hipMemcpy(host_out.data(), out, host_out.size() * 4, hipMemcpyDeviceToHost) != hipSuccess)
        return 2;
    for (int i = 0; i < items; i++)
        wrong += host_out[static_cast<size_t>(i)] != shuffle(host_index.data(), 3, i % 256);
    return wrong != 0;
}

static int test_children()
{
    char text[64] = "", *const arguments[] = {const_cast<char *>("true"), nullptr};
    int status = 0;
    pid_t child;
    talk<<<1, 1>>>(0); /* the runtime is up */
    if (hipDeviceSynchronize() != hipSuccess || system("date > /dev/null") != 0)
        return 2;
    FILE *pipe = popen("echo from popen", "r");
    if (!pipe || !fgets(text, sizeof text, pipe) || pclose(pipe) != 0 || strcmp(text, "from popen\n") != 0)
        return 3;
    if (posix_spawnp(&child, "true", nullptr, nullptr, arguments, environ) != 0 || waitpid(child, &status, 0) != child || status)
        return 4;
    child = fork();
    if (child == 0) {
        volatile unsigned long long now = __rdtsc(); /* still answered */
        (void)now;
        execlp("sh", "sh", "-c", "exit 9", static_cast<char *>(nullptr));
        _exit(1);
    }
    if (waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 9)
        return 5;
    return 0;
}

static sigjmp_buf back;
static void handler(int) { siglongjmp(back, 1); }

static int test_handler()
{
    talk<<<1, 1>>>(0);
    if (signal(SIGSEGV, handler) == SIG_ERR)
        return 2;
    if (!sigsetjmp(back, 1)) {
        *reinterpret_cast<volatile int *>(8) = 1;
        return 3;
    }
    return hipDeviceSynchronize() != hipSuccess; /* waiting still works */
}

static int test_large()
{
    const size_t count = 750000;
    std::vector<int> in(count), out(count);
    int *data;
    for (size_t i = 0; i < count; i++)
        in[i] = static_cast<int>(i * 7);
    if (hipMalloc(&data, count * 4) != hipSuccess || hipMemcpy(data, in.data(), count * 4, hipMemcpyHostToDevice) != hipSuccess ||
        hipMemcpy(out.data(), data, count * 4, hipMemcpyDeviceToHost) != hipSuccess)
        return 2;
    return in != out;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "printf";
    int status = 0;
    if (!strcmp(what, "printf")) {
        talk<<<2, 64>>>(7);
        status = hipDeviceSynchronize() != hipSuccess;
    } else {
        status = !strcmp(what, "scratch")    ? test_scratch(argc > 2 ? static_cast<unsigned>(atoi(argv[2])) : 2)
                 : !strcmp(what, "children") ? test_children()
                 : !strcmp(what, "handler")  ? test_handler()
                                             : test_large();
    }
    printf("mix %s: %s\n", what, status ? "FAILED" : "PASSED");
    return status;
}

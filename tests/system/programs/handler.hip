// SPDX-License-Identifier: Apache-2.0
// For tests/system: a program that installs a trap handler of its own with the driver's SET_TRAP_HANDLER, as a debugger
// would.  Its kernel traps twice; the handler leaves what it found in s[40:43] and returns behind the trap.
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <hip/hip_runtime.h>
#include <linux/kfd_ioctl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define CHECKED(call)                                                                                                  \
    do {                                                                                                               \
        if ((call) != hipSuccess) {                                                                                    \
            fprintf(stderr, "%s failed\n", #call);                                                                     \
            exit(2);                                                                                                   \
        }                                                                                                              \
    } while (0)

// llvm-mc-19 -mcpu=gfx803 of the lines beside it; TMA as an operand has no name there
static const unsigned handler[] = {
    0xbef4016e,             // s_mov_b64 ttmp[4:5], tma
    0x92a8ff71, 0x00080010, // s_bfe_u32 s40, ttmp1, 0x80010
    0xc0020a7a, 0x00000004, // s_load_dword s41, ttmp[4:5], 0x4
    0x80768176,             // s_add_u32 ttmp6, ttmp6, 1
    0xbeaa0076,             // s_mov_b32 s42, ttmp6
    0xb8abf802,             // s_getreg_b32 s43, hwreg(HW_REG_STATUS)
    0x80708470,             // s_add_u32 ttmp0, ttmp0, 4
    0x82718071,             // s_addc_u32 ttmp1, ttmp1, 0
    0xbf8c007f,             // s_waitcnt lgkmcnt(0)
    0xbe801f70,             // s_rfe_b64 ttmp[0:1]
};

__global__ void traps(unsigned *out)
{
    unsigned id, word, status, hidden, second;
    asm volatile("s_mov_b32 ttmp6, 0x55\n"
                 "s_trap 9\n"
                 "s_mov_b32 %0, s40\n"
                 "s_mov_b32 %1, s41\n"
                 "s_mov_b32 %2, s43\n"
                 "s_mov_b32 %3, ttmp6\n"
                 "s_trap 200\n"
                 "s_lshl_b32 %4, s42, 8\n"
                 "s_or_b32 %4, %4, s40\n"
                 : "=&s"(id), "=&s"(word), "=&s"(status), "=&s"(hidden), "=&s"(second)::"s40", "s41", "s42", "s43", "scc");
    unsigned at = (blockIdx.x * blockDim.x + threadIdx.x) * 5;
    out[at] = id;
    out[at + 1] = word;
    out[at + 2] = status >> 5 & 3; // PRIV, TRAP_EN
    out[at + 3] = hidden;
    out[at + 4] = second;
}

int main()
{
    const unsigned items = 64 * 400; // slots are used again
    unsigned *code, *memory, *out, gpu_id = 0, wrong = 0, data[2] = {0, 0xfeedbeef};
    unsigned *result = new unsigned[items * 5];
    CHECKED(hipMalloc(&code, 4096));
    CHECKED(hipMalloc(&memory, 4096));
    CHECKED(hipMalloc(&out, items * 20));
    CHECKED(hipMemcpy(code, handler, sizeof handler, hipMemcpyHostToDevice));
    CHECKED(hipMemcpy(memory, data, sizeof data, hipMemcpyHostToDevice));
    FILE *f = fopen("/sys/class/kfd/kfd/topology/nodes/1/gpu_id", "r");
    int fd = open("/dev/kfd", O_RDWR | O_CLOEXEC);
    if (!f || fscanf(f, "%u", &gpu_id) != 1 || fd < 0)
        return 3;
    kfd_ioctl_set_trap_handler_args args = {};
    args.tba_addr = reinterpret_cast<unsigned long>(code);
    args.tma_addr = reinterpret_cast<unsigned long>(memory);
    args.gpu_id = gpu_id;
    if (ioctl(fd, AMDKFD_IOC_SET_TRAP_HANDLER, &args))
        return 4;
    traps<<<items / 64, 64>>>(out);
    CHECKED(hipDeviceSynchronize());
    CHECKED(hipMemcpy(result, out, items * 20, hipMemcpyDeviceToHost));
    const unsigned expected[] = {9, 0xfeedbeef, 3, 0};
    for (unsigned n = 0; n < items; n++) {
        const unsigned *r = result + 5 * n;
        for (unsigned k = 0; k < 4; k++)
            wrong += r[k] != expected[k];
        // ttmp6 starts with whatever the slot's last owner left; the program's write has no part in it
        wrong += (r[4] & 255) != 200 || r[4] >> 8 == 0x56 || r[4] >> 8 == 0x57;
    }
    printf("handler: %s: %u wrong, %x %x %x %x %x\n", wrong ? "FAILED" : "PASSED", wrong, result[0], result[1], result[2], result[3],
           result[4]);
    close(fd);
    return wrong != 0;
}

/* SPDX-License-Identifier: Apache-2.0
 * umock BOARD SERIAL COMMAND...: runs a command for whose libudev and libusb-1.0, the system's own, an FT2232H is
 * plugged in: the process of a simulated board (executable BOARD) is at the other end of its transfers.  umockdev
 * answers the requests to /dev/bus/usb as the kernel would.
 * Exit status: that of the command; 69 when the device cannot be made up.
 * Responsible for: descriptors, the testbed.
 * Not responsible for: requests (umock_requests.c), the chip (chip.hpp).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fpga/sim/descriptors.h"
#include "fpga/sim/umock.h"

#define PRELOAD "libumockdev-preload.so.0"
#define NODE "/dev/bus/usb/001/002"

static void hex(GString *to, const uint8_t *from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        g_string_append_printf(to, "%02x", from[i]);
}

static UMockdevTestbed *plug_in(void)
{
    GError *error = NULL;
    UMockdevTestbed *testbed = umockdev_testbed_new();
    GString *device =
        g_string_new("P: /devices/usb1/1-1\nN: bus/usb/001/002\nE: SUBSYSTEM=usb\nE: DEVTYPE=usb_device\nE: "
                     "BUSNUM=001\nE: DEVNUM=002\n"
                     "E: DEVNAME=" NODE
                     "\nA: busnum=1\\n\nA: devnum=2\\n\nA: bConfigurationValue=1\\n\nA: speed=480\\n\nH: descriptors=");
    hex(device, chip_device, sizeof chip_device);
    hex(device, chip_config, sizeof chip_config);
    g_string_append(device, "\n");
    UMockdevIoctlBase *base = umockdev_ioctl_base_new();
    g_signal_connect(base, "handle-ioctl", G_CALLBACK(umock_handle), NULL);
    if (!umockdev_testbed_add_from_string(testbed, device->str, &error) ||
        !umockdev_testbed_attach_ioctl(testbed, NODE, base, &error)) {
        fprintf(stderr, "umock: %s\n", error->message);
        exit(69);
    }
    g_string_free(device, TRUE);
    return testbed;
}

/* Its socket. */
static int board_start(const char *path)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) {
        perror("umock: socketpair");
        exit(69);
    }
    if (fork() == 0) {
        char number[16];
        snprintf(number, sizeof number, "%d", ends[1]);
        close(ends[0]);
        unsetenv("LD_PRELOAD");
        execl(path, path, "--fd", number, (char *)NULL);
        perror(path);
        _exit(127);
    }
    close(ends[1]);
    return ends[0];
}

int main(int argc, char **argv)
{
    int status = 0;
    if (argc < 4) {
        fprintf(stderr, "usage: umock BOARD SERIAL COMMAND...\n");
        return 64;
    }
    if (!getenv("LD_PRELOAD")) { /* what umockdev-wrapper does */
        setenv("LD_PRELOAD", PRELOAD, 1);
        execv("/proc/self/exe", argv);
        perror("umock");
        return 69;
    }
    if (!strstr(getenv("LD_PRELOAD"), PRELOAD)) {
        fprintf(stderr, "umock: LD_PRELOAD is set\n");
        return 69;
    }
    const int board = board_start(argv[1]);
    umock_begin(argv[2], board);
    UMockdevTestbed *testbed = plug_in();
    const pid_t command = fork();
    if (command == 0) {
        execvp(argv[3], argv + 3);
        perror(argv[3]);
        _exit(127);
    }
    waitpid(command, &status, 0);
    shutdown(board, SHUT_RDWR); /* the board's process ends with it */
    wait(NULL);
    g_object_unref(testbed);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

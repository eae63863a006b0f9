// SPDX-License-Identifier: Apache-2.0
// Simulated boards whose libusb is not what it should be: a cause, and the socket is closed.  Those that work are
// tested by runs of programs on them (tests/system/test_board.py).
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "bridge/board/usb.h"

static void refused(const char *library, const char *cause)
{
    char why[300] = "";
    int ends[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    assert_null(usb_open_sim(ends[0], "SIM0", library, why, sizeof why));
    if (strstr(why, cause) == NULL)
        fail_msg("\"%s\" without \"%s\"", why, cause);
    assert_null(strchr(why, '\n'));
    assert_true(fcntl(ends[0], F_GETFD) < 0 && errno == EBADF);
    close(ends[1]);
}

static void test_missing(void **state)
{
    (void)state;
    refused("/no/such/libusb-1.0.so.0", "/no/such/libusb-1.0.so.0: cannot open shared object file");
}

/* The system's: its devices are real. */
static void test_other(void **state)
{
    (void)state;
    refused("libusb-1.0.so.0", "libusb-1.0.so.0 is no libusb of simulated boards");
}

/* Thrice as often as there are namespaces: none is lost. */
static void test_again(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 48; n++)
        refused("libusb-1.0.so.0", "is no libusb of simulated boards");
}

static void test_nothing(void **state)
{
    (void)state;
    usb_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_missing),
        cmocka_unit_test(test_other),
        cmocka_unit_test(test_again),
        cmocka_unit_test(test_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

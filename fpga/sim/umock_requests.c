/* SPDX-License-Identifier: Apache-2.0
 * Requests of usbdevfs for a simulated board; contract in umock.h.
 */
#include "fpga/sim/umock.h"

#include <errno.h>
#include <linux/usbdevice_fs.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fpga/sim/descriptors.h"
#include "fpga/sim/wire.h"

#define WAIT_US 200 /* of the board's time, for who asks and finds that nothing has ended */

struct urb {
    struct urb *next;
    gulong at; /* where the client has it */
    UMockdevIoctlData *data, *buffer;
    uint32_t id;
};
static struct urb *under_way, *done;
static const char *serial;
static int board = -1;
static uint64_t now;
static uint32_t ids;

static bool bytes(void *data, size_t n, bool out)
{
    for (char *p = data; n && board >= 0;) {
        const ssize_t k = out ? send(board, p, n, MSG_NOSIGNAL) : recv(board, p, n, 0);
        if (k < 0 && errno == EINTR)
            continue;
        if (k <= 0) {
            close(board);
            board = -1;
            break;
        }
        p += k;
        n -= (size_t)k;
    }
    return board >= 0;
}

static bool answer(struct wire_answer *a)
{
    if (!bytes(a, sizeof *a, false) || a->length > WIRE_MOST)
        return false;
    now = a->now;
    return true;
}

static void append(struct urb **list, struct urb *u)
{
    while (*list)
        list = &(*list)->next;
    u->next = NULL;
    *list = u;
}

static struct usbdevfs_urb *fields(struct urb *u)
{
    return (struct usbdevfs_urb *)u->data->data;
}

/* A string descriptor; bytes written. */
static int string(unsigned index, uint8_t *to, unsigned room)
{
    const char *text = index == CHIP_STRING_MANUFACTURER ? CHIP_MANUFACTURER
                       : index == CHIP_STRING_NAME       ? CHIP_NAME
                                                         : serial;
    uint8_t whole[256] = {4, 3, 0x09, 0x04};
    if (index) {
        const size_t n = strlen(text) < 126 ? strlen(text) : 126;
        whole[0] = (uint8_t)(2 + 2 * n);
        for (size_t i = 0; i < n; i++) {
            whole[2 + 2 * i] = (uint8_t)text[i];
            whole[3 + 2 * i] = 0;
        }
    }
    const unsigned n = whole[0] < room ? whole[0] : room;
    memcpy(to, whole, n);
    return (int)n;
}

/* Standard requests that go as far as here are answered, those of the chip handed on; actual length or a negative
 * errno. */
static int control(uint8_t *setup, unsigned room)
{
    const unsigned length = (unsigned)setup[6] | (unsigned)setup[7] << 8;
    struct wire_ask ask = {.op = WIRE_CONTROL, .id = ++ids, .length = length};
    struct wire_answer a;
    if (room < 8 || length > room - 8)
        return -EINVAL;
    if ((setup[0] & 0x60) == 0)
        return setup[1] == 6 && setup[3] == 3 ? string(setup[2], setup + 8, length) : setup[0] & 0x80 ? -EPIPE : 0;
    memcpy(ask.setup, setup, sizeof ask.setup);
    if (!bytes(&ask, sizeof ask, true) || (!(setup[0] & 0x80) && length && !bytes(setup + 8, length, true)) ||
        !answer(&a))
        return -ENODEV;
    if (setup[0] & 0x80 && (a.length > length || !bytes(setup + 8, a.length, false)))
        return -ENODEV;
    return a.status == WIRE_OK ? (int)a.length : -EPIPE;
}

static void submit(UMockdevIoctlClient *client, UMockdevIoctlData *arg)
{
    struct urb *u = g_new0(struct urb, 1);
    u->data = umockdev_ioctl_data_resolve(arg, 0, sizeof(struct usbdevfs_urb), NULL);
    struct usbdevfs_urb *k = fields(u);
    const bool in = k->endpoint & 0x80;
    u->buffer = umockdev_ioctl_data_resolve(u->data, G_STRUCT_OFFSET(struct usbdevfs_urb, buffer),
                                            (gsize)k->buffer_length, NULL);
    u->at = *(gulong *)arg->data;
    k->status = k->actual_length = 0;
    if (k->type == USBDEVFS_URB_TYPE_CONTROL) {
        const int n = control(u->buffer->data, (unsigned)k->buffer_length);
        k->status = n < 0 ? n : 0;
        k->actual_length = n < 0 ? 0 : n;
        append(&done, u);
    } else {
        struct wire_ask ask = {
            .op = WIRE_SUBMIT, .id = u->id = ++ids, .endpoint = k->endpoint, .length = (uint32_t)k->buffer_length};
        if (bytes(&ask, sizeof ask, true) && !in)
            bytes(u->buffer->data, ask.length, true);
        append(&under_way, u);
    }
    if (board < 0)
        umockdev_ioctl_client_complete(client, -1, ENODEV);
    else
        umockdev_ioctl_client_complete(client, 0, 0);
}

static void discard(UMockdevIoctlClient *client, gulong at)
{
    for (struct urb *u = under_way; u; u = u->next)
        if (u->at == at) {
            struct wire_ask ask = {.op = WIRE_CANCEL, .id = u->id};
            bytes(&ask, sizeof ask, true);
            umockdev_ioctl_client_complete(client, 0, 0);
            return;
        }
    umockdev_ioctl_client_complete(client, -1, EINVAL);
}

/* Lets the board's time run for a little; what has ended goes to `done`. */
static void board_wait(void)
{
    struct wire_ask ask = {.op = WIRE_WAIT, .until = now + WAIT_US * WIRE_MHZ};
    struct wire_answer a;
    static uint8_t rest[WIRE_MOST];
    if (!bytes(&ask, sizeof ask, true) || !answer(&a) || !a.id)
        return;
    struct urb **at = &under_way;
    while (*at && (*at)->id != a.id)
        at = &(*at)->next;
    struct urb *u = *at;
    const bool in = a.endpoint & 0x80;
    if (in && !bytes(rest, a.length, false))
        return;
    if (!u)
        return;
    *at = u->next;
    struct usbdevfs_urb *k = fields(u);
    k->status = a.status == WIRE_OK          ? 0
                : a.status == WIRE_CANCELLED ? -ENOENT
                : a.status == WIRE_OVERFLOW  ? -EOVERFLOW
                                             : -EPIPE;
    k->actual_length = a.length <= (uint32_t)k->buffer_length ? (int)a.length : k->buffer_length;
    if (in)
        memcpy(u->buffer->data, rest, (size_t)k->actual_length);
    append(&done, u);
}

static void reap(UMockdevIoctlClient *client, UMockdevIoctlData *arg)
{
    if (!done && under_way)
        board_wait();
    if (!done && board < 0 && under_way) { /* as the kernel does it: what was under way ends */
        struct urb *u = under_way;
        under_way = u->next;
        fields(u)->status = -ENODEV;
        append(&done, u);
    }
    if (!done) {
        umockdev_ioctl_client_complete(client, -1, board < 0 ? ENODEV : EAGAIN);
        return;
    }
    struct urb *u = done;
    done = u->next;
    UMockdevIoctlData *place = umockdev_ioctl_data_resolve(arg, 0, sizeof(gpointer), NULL);
    umockdev_ioctl_data_set_ptr(place, 0, u->data);
    umockdev_ioctl_client_complete(client, 0, 0);
    g_free(u);
}

gboolean umock_handle(UMockdevIoctlBase *base, UMockdevIoctlClient *client, gpointer unused)
{
    UMockdevIoctlData *arg = umockdev_ioctl_client_get_arg(client);
    (void)base, (void)unused;
    switch (umockdev_ioctl_client_get_request(client)) {
    case USBDEVFS_GET_CAPABILITIES: {
        UMockdevIoctlData *word = umockdev_ioctl_data_resolve(arg, 0, sizeof(guint32), NULL);
        *(guint32 *)word->data =
            USBDEVFS_CAP_BULK_SCATTER_GATHER | USBDEVFS_CAP_NO_PACKET_SIZE_LIM | USBDEVFS_CAP_REAP_AFTER_DISCONNECT;
        umockdev_ioctl_client_complete(client, 0, 0);
        break;
    }
    case USBDEVFS_CLAIMINTERFACE:
    case USBDEVFS_RELEASEINTERFACE:
    case USBDEVFS_CLEAR_HALT:
    case USBDEVFS_RESET:
    case USBDEVFS_SETCONFIGURATION:
    case USBDEVFS_DISCONNECT_CLAIM:
        umockdev_ioctl_client_complete(client, board < 0 ? -1 : 0, board < 0 ? ENODEV : 0);
        break;
    case USBDEVFS_GETDRIVER:
    case USBDEVFS_IOCTL: /* attach or detach a driver: there is none */
        umockdev_ioctl_client_complete(client, -1, ENODATA);
        break;
    case USBDEVFS_SUBMITURB:
        submit(client, arg);
        break;
    case USBDEVFS_DISCARDURB:
        discard(client, *(gulong *)arg->data);
        break;
    case USBDEVFS_REAPURB:
    case USBDEVFS_REAPURBNDELAY:
        reap(client, arg);
        break;
    default:
        umockdev_ioctl_client_complete(client, -1, ENOTTY);
    }
    return TRUE;
}

void umock_begin(const char *number, int socket)
{
    serial = number;
    board = socket;
}

/* SPDX-License-Identifier: Apache-2.0
 * A libusb-1.0 with chips that behave as a test says, found before the system's by LD_LIBRARY_PATH: what libftdi1 and
 * bridge/board call of it.  Behind a chip that is right stands a board in C that sends records back.
 * GANTRY_FAKE_USB=SERIAL:RELEASE:EEPROM:BEHAVIOUR,...: numbers in hexadecimal; behaviours: echo, silent, lossy (echo,
 * but some frames are lost), denied, busy, full (packets of 64 bytes), refused (mode), stalled, early (OUT), unplugged.
 * GANTRY_FAKE_LOG: what the chips were told, a line each.
 */
#include "fake_chip.h"

/* ---- transfers */
struct libusb_transfer *libusb_alloc_transfer(int packets)
{
    return (void)packets, calloc(1, sizeof(struct libusb_transfer));
}
void libusb_free_transfer(struct libusb_transfer *transfer)
{
    free(transfer);
}
int libusb_submit_transfer(struct libusb_transfer *t)
{
    struct libusb_device *chip = chip_of(t->dev_handle);
    unsigned *count = t->endpoint & 0x80 ? &chip->in_count : &chip->out_count;
    if (*count == 100)
        abort();
    (t->endpoint & 0x80 ? chip->ins : chip->outs)[(*count)++] = t;
    return 0;
}
static void finish(struct libusb_transfer **list, unsigned *count, unsigned n, enum libusb_transfer_status status,
                   int length)
{
    struct libusb_transfer *t = list[n];
    memmove(list + n, list + n + 1, (--*count - n) * sizeof *list);
    t->status = status;
    t->actual_length = length;
    t->callback(t);
}
int libusb_cancel_transfer(struct libusb_transfer *t)
{
    struct libusb_device *chip = chip_of(t->dev_handle);
    for (unsigned n = 0; n < chip->in_count; n++)
        if (chip->ins[n] == t)
            return finish(chip->ins, &chip->in_count, n, LIBUSB_TRANSFER_CANCELLED, 0), 0;
    for (unsigned n = 0; n < chip->out_count; n++)
        if (chip->outs[n] == t)
            return finish(chip->outs, &chip->out_count, n, LIBUSB_TRANSFER_CANCELLED, 0), 0;
    return LIBUSB_ERROR_NOT_FOUND;
}
/* Whether something has ended. */
static bool chip_moves(struct libusb_device *chip)
{
    const bool good = is(chip, "echo") || is(chip, "lossy");
    bool moved = false;
    if (is(chip, "unplugged") && chip->out_count) {
        while (chip->in_count)
            finish(chip->ins, &chip->in_count, 0, LIBUSB_TRANSFER_NO_DEVICE, 0);
        while (chip->out_count)
            finish(chip->outs, &chip->out_count, 0, LIBUSB_TRANSFER_NO_DEVICE, 0);
        return true;
    }
    if (is(chip, "stalled") && chip->in_count)
        return finish(chip->ins, &chip->in_count, 0, LIBUSB_TRANSFER_STALL, 0), true;
    if (chip->out_count) {
        struct libusb_transfer *t = chip->outs[0];
        const unsigned left = (unsigned)t->length - chip->written;
        const unsigned now = good ? (unsigned)host_write(chip->channel, t->buffer + chip->written, left) : left;
        chip->written += now;
        moved = now > 0;
        if (now == left) {
            chip->written = 0;
            if (t->length >= 12 && t->buffer[t->length - 12] == 0x47 && t->buffer[t->length - 11] == 5)
                note(chip, "bye", 0);
            finish(chip->outs, &chip->out_count, 0, LIBUSB_TRANSFER_COMPLETED, t->length - is(chip, "early"));
        }
    }
    if (good && chip->in_count) {
        struct libusb_transfer *t = chip->ins[0];
        const ssize_t n = host_read(chip->channel, t->buffer + 2, 510, 0);
        memcpy(t->buffer, "\x31\x60", 2);
        if (n)
            finish(chip->ins, &chip->in_count, 0, LIBUSB_TRANSFER_COMPLETED, (int)n + 2);
        moved |= n > 0;
    }
    return moved;
}
int libusb_handle_events_timeout_completed(libusb_context *context, struct timeval *limit, int *done)
{
    const long us = limit->tv_sec * 1000000 + limit->tv_usec;
    bool moved = false;
    (void)context, (void)done;
    for (unsigned n = 0; n < chip_count; n++)
        moved |= chip_moves(&chips[n]);
    if (moved || us == 0)
        return 0;
    nanosleep(&(struct timespec){0, (us < LATENCY_US ? us : LATENCY_US) * 1000}, NULL);
    for (unsigned n = 0; n < chip_count; n++)
        if (chips[n].in_count) { /* the latency timer */
            memcpy(chips[n].ins[0]->buffer, "\x31\x60", 2);
            finish(chips[n].ins, &chips[n].in_count, 0, LIBUSB_TRANSFER_COMPLETED, 2);
        }
    return 0;
}
int libusb_handle_events_timeout(libusb_context *context, struct timeval *limit)
{
    return libusb_handle_events_timeout_completed(context, limit, NULL);
}
int libusb_bulk_transfer(libusb_device_handle *handle, unsigned char endpoint, unsigned char *data, int n, int *moved,
                         unsigned ms)
{
    (void)handle, (void)endpoint, (void)data, (void)n, (void)moved, (void)ms;
    abort(); /* libftdi1's own calls poll */
}

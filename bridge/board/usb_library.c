/* SPDX-License-Identifier: Apache-2.0
 * Loading of libftdi1 and libusb; contract in usb_library.h.
 */
#include "bridge/board/usb_library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#define FTDI_FILE "libftdi1.so.2"
#define USB_FILE "libusb-1.0.so.0"
#define PACKAGES "apt-get install libftdi1-2 libusb-1.0-0"

/* The calls of both; all that it needs is in ftdi's scope, which has libusb's symbols behind its own. */
static bool calls_find(struct usb_library *library, void *ftdi, void *usb, char *why, size_t room)
{
#define USB_CALL(name)                                                                                                 \
    *(void **)&library->name = dlsym(strncmp(#name, "ftdi", 4) == 0 ? ftdi : usb, #name);                              \
    if (library->name == NULL) {                                                                                       \
        snprintf(why, room, "the library has no " #name " (Gantry needs libftdi1 1.5)");                               \
        return false;                                                                                                  \
    }
    USB_CALLS(USB_CALL)
#undef USB_CALL
    return true;
}

static void not_loaded(char *why, size_t room)
{
    const char *text = dlerror();
    snprintf(why, room, "%s (" PACKAGES ")", text ? text : "not loaded");
}

const struct usb_library *usb_library_system(char *why, size_t room)
{
    static struct usb_library library;
    static bool loaded;

    if (loaded)
        return &library;
    void *ftdi = dlopen(FTDI_FILE, RTLD_NOW | RTLD_LOCAL);
    void *usb = ftdi ? dlopen(USB_FILE, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (usb == NULL) {
        not_loaded(why, room);
        return NULL;
    }
    loaded = calls_find(&library, ftdi, usb, why, room);
    return loaded ? &library : NULL;
}

/* Both in a namespace of their own; `library` is filled as far as it goes. */
static bool sim_load(struct usb_library *library, void *usb, void **ftdi, const char *file, char *why, size_t room)
{
    Lmid_t space;

    if (usb == NULL || dlinfo(usb, RTLD_DI_LMID, &space) != 0) {
        const char *text = dlerror();
        snprintf(why, room, "%s", text ? text : "not loaded");
        return false;
    }
    *(void **)&library->add = dlsym(usb, "gantry_usb_add");
    *(void **)&library->now = dlsym(usb, "gantry_usb_now");
    *(void **)&library->watch = dlsym(usb, "gantry_usb_watch");
    if (library->add == NULL || library->now == NULL || library->watch == NULL) {
        snprintf(why, room, "%s is no libusb of simulated boards", file);
        return false;
    }
    *ftdi = dlmopen(space, FTDI_FILE, RTLD_NOW | RTLD_LOCAL); /* its libusb is the one that is there by that name */
    if (*ftdi == NULL)
        not_loaded(why, room);
    return *ftdi && calls_find(library, *ftdi, usb, why, room);
}

const struct usb_library *usb_library_sim(const char *file, char *why, size_t room)
{
    static struct usb_library library;
    static bool loaded;

    if (!loaded) {
        void *usb = dlmopen(LM_ID_NEWLM, file, RTLD_NOW | RTLD_LOCAL), *ftdi = NULL;

        loaded = sim_load(&library, usb, &ftdi, file, why, room);
        if (!loaded && ftdi)
            dlclose(ftdi);
        if (!loaded && usb) /* there are sixteen namespaces */
            dlclose(usb);
    }
    return loaded ? &library : NULL;
}

/* SPDX-License-Identifier: Apache-2.0
 * A program that plays a board (GANTRY_BOARD_PROGRAM), for tests/system/boards.py: the library of the partition
 * behind a bare byte stream.  GANTRY_SOFT_FAULT "NAME@EXCHANGE" makes it break a rule (soft_board.h); "hello-FIELD": it
 * says it is another; "mute": it says nothing.
 */
#include "soft_board.h"

#include <dlfcn.h>
#include <stddef.h>

#include "bridge/board/socket.h"

static void bug(const char *name, uint64_t cycle, const char *text)
{
    fprintf(stderr, "soft board: %s: cycle %llu: %s\n", name, (unsigned long long)cycle, text);
    abort();
}

static const struct model_api *model_open(const char *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const struct model_api *(*entry)(void);
    if (library == NULL) {
        fprintf(stderr, "soft board: %s\n", dlerror());
        exit(1);
    }
    *(void **)&entry = dlsym(library, "gantry_model");
    entry()->set_bug(bug);
    return entry();
}

static void hello_read(struct stream_hello *hello, const char *hex)
{
    uint8_t *bytes = (uint8_t *)hello;
    for (size_t i = 0; i < sizeof *hello; i++)
        if (sscanf(hex + 2 * i, "%2hhx", &bytes[i]) != 1)
            exit(1);
}

static void hello_spoil(struct stream_hello *h, const char *fault)
{
    h->version += strcmp(fault, "hello-version") == 0;
    h->kind += strcmp(fault, "hello-kind") == 0;
    h->rtl += strcmp(fault, "hello-rtl") == 0;
    h->keys += strcmp(fault, "hello-keys") == 0;
    h->graph += strcmp(fault, "hello-graph") == 0;
    h->links += strcmp(fault, "hello-links") == 0;
}

int main(int argc, char **argv)
{
    struct board_socket socket = {.fd = -1};
    struct stream_hello hello = {0};
    const struct model_api *api = NULL;
    enum soft_fault fault = SOFT_NONE;
    char text[32];
    const char *wanted = getenv("GANTRY_SOFT_FAULT");
    snprintf(text, sizeof text, "%s", wanted ? wanted : "none");
    char *at = strchr(text, '@');
    if (at)
        *at++ = 0;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--fd") == 0)
            socket.fd = atoi(argv[i + 1]);
        else if (strcmp(argv[i], "--model") == 0)
            api = model_open(argv[i + 1]);
        else if (strcmp(argv[i], "--hello") == 0)
            hello_read(&hello, argv[i + 1]);
    }
    hello_spoil(&hello, text);
    for (unsigned i = 0; i < SOFT_FAULTS; i++)
        if (strcmp(text, soft_faults[i]) == 0)
            fault = (enum soft_fault)i;
    while (strcmp(text, "mute") == 0)
        pause();
    const struct stream_port port = board_socket_port(&socket);
    soft_serve(api, &port, &hello, fault, at ? strtoull(at, NULL, 10) : 0);
    return 0;
}

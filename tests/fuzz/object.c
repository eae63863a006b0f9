/* SPDX-License-Identifier: Apache-2.0
 * Fuzzer of host/loader: a file is opened, its kernels are looked at, its images placed.
 */
#include "loader/object.h"
#include "fuzz.h"

#define PLACE_LIMIT (UINT64_C(1) << 20)

static void fuzz_start(void) {}

static void kernels_look(const struct object *object)
{
    volatile uint64_t sum = 0;
    for (unsigned i = 0; i < object->kernel_count; i++) {
        const struct object_kernel *k = &object->kernels[i];
        CHECK(object_kernel_find(object, k->name), "fuzz", "kernel %u is not found by its name", i);
        for (unsigned a = 0; a < k->arg_count; a++) {
            CHECK(k->args[a].offset + k->args[a].size <= k->kernarg_bytes, "fuzz", "argument %u is outside", a);
            sum += strlen(k->args[a].name);
        }
    }
    object_kernel_find(object, "no such kernel");
}

static void fuzz_one(const uint8_t *data, size_t bytes)
{
    struct object *object = NULL;
    if (object_open(fuzz_file(data, bytes), &object) != STATUS_OK)
        return;
    kernels_look(object);
    for (unsigned i = 0; i < object->image_count; i++) {
        const struct object_image *image = &object->images[i];
        if (image->load_bytes > PLACE_LIMIT)
            continue;
        uint8_t *to = calloc(image->load_bytes, 1); /* exactly: ASan sees what is beyond */
        object_image_place(image, 0x100000000, to);
        free(to);
    }
    object_free(object);
}

/* Half of the time a number of the file, where tables of an ELF have them, becomes a boundary. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t bytes, size_t room, unsigned seed)
{
    static const uint64_t edges[] = {0,     1,      3,          8,          24,        0x40,
                                     0xfff, 0x1000, 0x7fffffff, 0xffffffff, INT64_MAX, UINT64_MAX};
    uint32_t state = seed;
    if (bytes < 64 || fuzz_random(&state) % 2)
        return LLVMFuzzerMutate(data, bytes, room);
    unsigned width = 1u << fuzz_random(&state) % 4;
    size_t at =
        fuzz_random(&state) % 3 ? fuzz_random(&state) % (bytes < 0x400 ? bytes : 0x400) : fuzz_random(&state) % bytes;
    uint64_t value = edges[fuzz_random(&state) % (sizeof edges / sizeof edges[0])];
    at &= ~(size_t)(width - 1);
    switch (fuzz_random(&state) % 4) {
    case 0:
        value = bytes - fuzz_random(&state) % 9;
        break;
    case 1:
        memcpy(&value, data + at, width < bytes - at ? width : bytes - at);
        value += fuzz_random(&state) % 17 - 8;
        break;
    default:
        break;
    }
    memcpy(data + at, &value, width < bytes - at ? width : bytes - at);
    return bytes;
}

/* SPDX-License-Identifier: Apache-2.0
 * Fuzzer of the command line of `gantry kernel`: words (one a line) are read as options, then as arguments of a kernel,
 * whose description the first line gives: a letter an argument.  Slashes are taken out, so that files are only those of
 * the working folder; -c names a configuration that comes with the command.
 */
#include "lib/kernel_args.h"
#include "cli/options_private.h"
#include "fuzz.h"

#define WORDS 40
#define ROOM_LIMIT (UINT64_C(64) << 20)

static void fuzz_start(void) {}

static struct object_kernel kernel_read(const char *letters, struct object_arg *args)
{
    static const struct {
        char letter;
        uint8_t size;
        enum arg_kind kind;
    } kinds[] = {{'b', 8, ARG_BUFFER},   {'1', 1, ARG_BY_VALUE},    {'2', 2, ARG_BY_VALUE}, {'4', 4, ARG_BY_VALUE},
                 {'8', 8, ARG_BY_VALUE}, {'l', 4, ARG_LDS},         {'o', 8, ARG_OFFSET_X}, {'n', 4, ARG_COUNT_Y},
                 {'g', 2, ARG_GROUP_Z},  {'r', 2, ARG_REMAINDER_X}, {'d', 2, ARG_DIMS},     {'h', 8, ARG_HEAP},
                 {'L', 4, ARG_LDS_BYTES}};
    struct object_kernel k = {.name = "k", .args = args, .described = *letters != '?'};
    for (; *letters && k.arg_count < 16; letters++)
        for (unsigned i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
            if (kinds[i].letter == *letters) {
                uint32_t at = (k.kernarg_bytes + kinds[i].size - 1u) & ~(kinds[i].size - 1u);
                args[k.arg_count++] = (struct object_arg){.kind = kinds[i].kind, .offset = at, .size = kinds[i].size};
                k.kernarg_bytes = at + kinds[i].size;
            }
    if (!k.described)
        k.arg_count = 0;
    return k;
}

static void args_try(const struct object_kernel *kernel, const struct cli_options *options)
{
    struct kernel_args args;
    if (args_parse(&args, kernel, options->args, options->arg_count, NULL) == STATUS_OK) {
        uint8_t *block = calloc(kernel->kernarg_bytes ? kernel->kernarg_bytes : 1, 1);
        bool fits = true;
        for (unsigned i = 0; i < args.count; i++) {
            struct kernel_arg *a = &args.arg[i];
            CHECK(a->kind != SPEC_BUFFER || (a->room > 0 && a->room <= UINT64_C(64) << 30), "fuzz", "%s: %llu bytes",
                  a->spec, (unsigned long long)a->room);
            fits &= a->kind != SPEC_BUFFER || a->room <= ROOM_LIMIT;
            if (a->kind == SPEC_BUFFER)
                a->address = 0x100000000;
            else if (a->kind == SPEC_NAMED)
                a->shared = a;
        }
        args_block(&args, kernel, &options->shape, block);
        for (unsigned i = 0; fits && i < args.count; i++)
            args.arg[i].host = args.arg[i].kind == SPEC_BUFFER ? calloc(args.arg[i].room, 1) : NULL;
        if (fits)
            args_write(&args);
        for (unsigned i = 0; fits && i < args.count; i++)
            free(args.arg[i].host);
        free(block);
    }
    args_fini(&args);
}

static void fuzz_one(const uint8_t *data, size_t bytes)
{
    char *text = strndup((const char *)data, bytes), *rest = NULL, *argv[WORDS + 2] = {"kernel"};
    struct object_arg described[16];
    struct config config;
    struct cli_options options = {.command = "kernel", .shape = {.grid = {1, 1, 1}, .group = {1, 1, 1}}};
    int argc = 1;
    for (char *c = text; *c; c++)
        if (*c == '/')
            *c = '_';
    char *letters = strtok_r(text, "\n", &rest);
    for (char *word; argc <= WORDS && (word = strtok_r(NULL, "\n", &rest));)
        argv[argc++] = word;
    struct object_kernel kernel = kernel_read(letters ? letters : "", described);
    config_init(&config);
    if (options_read(&options, &config, argc, argv) == STATUS_OK)
        args_try(&kernel, &options);
    config_fini(&config);
    free(text);
}

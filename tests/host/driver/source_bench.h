/* SPDX-License-Identifier: Apache-2.0
 * What the tests of source lines share: a process with a file like ROCr's, and a list of code objects in it as
 * debuggers read it.
 */
#ifndef TESTS_HOST_DRIVER_SOURCE_BENCH_H
#define TESTS_HOST_DRIVER_SOURCE_BENCH_H
#include "bench.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "clients/source_lines.h"

/* Offsets in the file of the runtime, of which the client has mapped all: what it says lies in it, too. */
#define SYMBOLS 0x400u
#define STRINGS 0x600u
#define DEBUG 0x1008u
#define LIST 0x2000u
#define NAMES 0x4000u
#define NAME_ROOM 0x3000u
#define OBJECT 0x10000u
#define RUNTIME_BYTES 0x14000u
#define HOLE 0x4000u /* between a first part of the file, from its middle, and the whole */

#define LOAD UINT64_C(0x700000100000)
#define TEXT 0x2000u /* of the code object, where its lines begin */

static const char name[] = "libhsa-runtime64.so.1";
static char folder[] = "/tmp/gantry source-XXXXXX"; /* with a space */
static char file_uri[300];                          /* of the code object */
static size_t object_bytes;
static int runtime; /* the file */
static uint64_t base;
static struct client client, bare; /* with the runtime, and without */

static inline void put(uint64_t offset, const void *from, size_t bytes)
{
    assert_int_equal(pwrite(runtime, from, bytes, (off_t)offset), bytes);
}

static inline void path_of(char *path, size_t room, const char *file)
{
    snprintf(path, room, "%s/%s", folder, file);
}

/* A file of which `gap` bytes and the code object are the content; with a gap, others follow. */
static inline void object_write(const char *file, size_t gap)
{
    static char content[0x8000];
    char path[300];
    path_of(path, sizeof path, "object.co");
    FILE *f = fopen(path, "r");
    memset(content, 'x', sizeof content);
    assert_int_equal(fread(content + gap, 1, sizeof content - gap, f), object_bytes);
    fclose(f);
    path_of(path, sizeof path, file);
    f = fopen(path, "w");
    assert_int_equal(fwrite(content, 1, object_bytes + 2 * gap, f), object_bytes + 2 * gap);
    fclose(f);
}

/* The lines 4, 5 and 7 have 4 bytes of code each. */
static inline int object_build(const char *source, unsigned text, const char *to)
{
    char path[300], command[1000];
    path_of(path, sizeof path, source);
    FILE *f = fopen(path, "w");
    fputs(".text\n.globl k\nk:\n s_nop 0\n s_nop 1\n\n s_endpgm\n", f);
    fclose(f);
    snprintf(command, sizeof command,
             "clang-19 -g -x assembler -target amdgcn-amd-amdhsa -mcpu=gfx803 -mcode-object-version=4 -Wl,-Ttext=%#x "
             "-o '%s/%s' '%s'",
             text, folder, to, path);
    return system(command);
}

/* ELF with symbols of which two are not what is looked for; the static one is of an unstripped library. */
static inline void runtime_write(const char *symbol)
{
    static const char other[] = "_amdgpu_r_debug_state";
    const Elf64_Ehdr header = {.e_ident = ELFMAG, .e_shoff = sizeof header, .e_shnum = 4};
    const Elf64_Shdr sections[4] = {{0},
                                    {.sh_type = SHT_SYMTAB, .sh_link = 3, .sh_offset = SYMBOLS, .sh_size = 24},
                                    {.sh_type = SHT_DYNSYM, .sh_link = 3, .sh_offset = SYMBOLS + 24, .sh_size = 3 * 24},
                                    {.sh_type = SHT_STRTAB, .sh_offset = STRINGS, .sh_size = 0x100}};
    const Elf64_Sym symbols[4] = {{.st_name = 1, .st_value = 0x1800},
                                  {0},
                                  {.st_name = 0x40, .st_value = 0x1900},
                                  {.st_name = 1, .st_value = DEBUG - 8}};
    put(0, &header, sizeof header);
    put(sizeof header, sections, sizeof sections);
    put(SYMBOLS, symbols, sizeof symbols);
    put(STRINGS + 1, symbol, strlen(symbol) + 1);
    put(STRINGS + 0x40, other, sizeof other);
}

static inline pid_t process_new(void)
{
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
        prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0); /* as in bench.h */
        for (;;)
            pause();
    }
    return pid;
}

/* The client maps the middle of the file before the whole, as a linker maps segments. */
static inline int group_setup(void **state)
{
    char path[300];
    (void)state;
    if (!mkdtemp(folder) || object_build("kernel.s", TEXT, "object.co"))
        return -1;
    path_of(path, sizeof path, "object.co");
    FILE *object = fopen(path, "r");
    fseek(object, 0, SEEK_END);
    object_bytes = (size_t)ftell(object);
    fclose(object);
    snprintf(file_uri, sizeof file_uri, "file:///tmp/gantry%%20source-%s/object.co", strrchr(folder, '-') + 1);
    path_of(path, sizeof path, name);
    runtime = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    bare.pid = process_new();
    if (ftruncate(runtime, RUNTIME_BYTES) < 0 || object_bytes > RUNTIME_BYTES - OBJECT)
        return -1;
    char *area = mmap(NULL, HOLE + RUNTIME_BYTES + 0x1000, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mmap(area, 0x1000, PROT_READ, MAP_SHARED | MAP_FIXED, runtime, 0x1000);
    base = (uint64_t)(uintptr_t)mmap(area + HOLE, RUNTIME_BYTES, PROT_READ, MAP_SHARED | MAP_FIXED, runtime, 0);
    client.pid = process_new();
    munmap(area, HOLE + RUNTIME_BYTES + 0x1000);
    return 0;
}

static inline int group_teardown(void **state)
{
    const pid_t pids[] = {client.pid, bare.pid};
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        kill(pids[i], SIGKILL);
        waitpid(pids[i], NULL, 0);
    }
    close(runtime);
    topology_remove(folder);
    return 0;
}

struct loaded {
    uint64_t at;
    const char *uri;
};

static inline void list_write(const struct loaded *objects, unsigned count)
{
    const uint64_t first = count ? base + LIST : 0;
    put(DEBUG, &first, sizeof first);
    for (unsigned i = 0; i < count; i++) {
        const uint64_t entry[4] = {objects[i].at, base + NAMES + i * NAME_ROOM, 0,
                                   i + 1 < count ? base + LIST + (i + 1) * sizeof entry : 0};
        put(LIST + i * sizeof entry, entry, sizeof entry);
        put(NAMES + i * NAME_ROOM, objects[i].uri, strlen(objects[i].uri) + 1);
    }
}

static inline int source_setup(void **state)
{
    (void)state;
    runtime_write("_amdgpu_r_debug");
    list_write(&(struct loaded){LOAD, file_uri}, 1);
    return ftruncate(runtime, RUNTIME_BYTES);
}

/* The line of an address; "": none. */
static inline const char *line_at(uint64_t pc)
{
    static char text[256];
    memset(text, 'z', sizeof text);
    bool found = source_line(&client, pc, text, sizeof text);
    assert_int_equal(found, text[0] != 0);
    return text;
}

static inline const char *line_of(const char *uri)
{
    list_write(&(struct loaded){LOAD, uri}, 1);
    return line_at(LOAD + TEXT + 4);
}
#endif

/* SPDX-License-Identifier: Apache-2.0
 * What the file of a program says of itself (preload.h).  Compiled into the shim, too: files are opened by the kernel
 * itself, and damaged ones are only not understood.
 */
#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "clients/preload.h"

#define SCRIPT_LINE 256 /* as the kernel reads it */

/* A file in memory; its parts are asked for by offset and bytes. */
struct file {
    const uint8_t *bytes;
    size_t size;
};

static const void *part(const struct file *f, uint64_t offset, uint64_t bytes)
{
    return offset <= f->size && bytes <= f->size - offset ? f->bytes + offset : NULL;
}

static const Elf64_Phdr *segment(const struct file *f, unsigned i)
{
    const Elf64_Ehdr *head = part(f, 0, sizeof *head);
    return i < head->e_phnum && head->e_phentsize == sizeof(Elf64_Phdr) && head->e_phoff % _Alignof(Elf64_Phdr) == 0
               ? part(f, head->e_phoff + (uint64_t)i * sizeof(Elf64_Phdr), sizeof(Elf64_Phdr))
               : NULL;
}

/* Bytes of the file at an address of the program. */
static const void *loaded(const struct file *f, uint64_t address, uint64_t bytes)
{
    const Elf64_Phdr *s;
    for (unsigned i = 0; (s = segment(f, i)); i++)
        if (s->p_type == PT_LOAD && address >= s->p_vaddr && address - s->p_vaddr < s->p_filesz)
            return part(f, s->p_offset + (address - s->p_vaddr), bytes);
    return NULL;
}

static uint64_t dynamic_value(const Elf64_Dyn *dynamic, uint64_t count, int64_t tag)
{
    for (uint64_t i = 0; i < count && dynamic[i].d_tag != DT_NULL; i++)
        if (dynamic[i].d_tag == tag)
            return dynamic[i].d_un.d_val;
    return 0;
}

static void dynamic_inspect(const struct file *f, const Elf64_Phdr *s, struct preload_program *program)
{
    /* Names, or beginnings of names, among the strings; in the order of preload_options. */
    static const char *const marks[PRELOAD_OPTIONS] = {"__asan_init", "__tsan_init", "__lsan_init", "__ubsan_",
                                                       "__msan_init"};
    const uint64_t count = s->p_filesz / sizeof(Elf64_Dyn);
    const Elf64_Dyn *dynamic = part(f, s->p_offset, s->p_filesz);
    if (!dynamic || s->p_offset % _Alignof(Elf64_Dyn))
        return;
    const uint64_t size = dynamic_value(dynamic, count, DT_STRSZ);
    const char *strings = loaded(f, dynamic_value(dynamic, count, DT_STRTAB), size);
    if (!strings || !size || strings[size - 1])
        return;
    for (unsigned i = 0; i < PRELOAD_OPTIONS; i++)
        if (memmem(strings, size, marks[i], strlen(marks[i])))
            program->sanitizers |= 1u << i;
    for (uint64_t i = 0; i < count && dynamic[i].d_tag != DT_NULL && !program->sanitizer[0]; i++) {
        const char *name = strings + dynamic[i].d_un.d_val;
        if (dynamic[i].d_tag == DT_NEEDED && dynamic[i].d_un.d_val < size && preload_is_sanitizer(name, strlen(name)) &&
            strlen(name) < PRELOAD_NAME) {
            strcpy(program->sanitizer, name);
            program->sanitizers |= preload_sanitizers(name);
        }
    }
}

/* True when `script` has got the interpreter of a script. */
static bool elf_inspect(const struct file *f, struct preload_program *program, char script[SCRIPT_LINE])
{
    const Elf64_Ehdr *head = part(f, 0, sizeof *head);
    const Elf64_Phdr *s;
    bool loader = false;
    if (f->size > 2 && f->bytes[0] == '#' && f->bytes[1] == '!') {
        const char *line = (const char *)f->bytes + 2;
        size_t most = f->size - 2 < SCRIPT_LINE ? f->size - 2 : SCRIPT_LINE - 1, from = 0, to;
        while (from < most && (line[from] == ' ' || line[from] == '\t'))
            from++;
        for (to = from; to < most && !memchr(" \t\n", line[to], 4);)
            to++;
        memcpy(script, line + from, to - from);
        script[to - from] = 0;
        return true;
    }
    if (!head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 || head->e_ident[EI_CLASS] != ELFCLASS64 ||
        (head->e_type != ET_EXEC && head->e_type != ET_DYN))
        return false;
    for (unsigned i = 0; (s = segment(f, i)); i++) {
        loader |= s->p_type == PT_INTERP;
        if (s->p_type == PT_DYNAMIC)
            dynamic_inspect(f, s, program);
    }
    if (!loader)
        program->why = "is linked statically";
    return false;
}

/* As the kernel decides whether the loader may trust the environment (AT_SECURE). */
static void rights_inspect(int fd, const struct stat *s, struct preload_program *program)
{
    const bool user = s->st_mode & S_ISUID && s->st_uid != getuid(),
               group = s->st_mode & S_ISGID && s->st_gid != getgid();
    if (user || group || (getuid() != 0 && fgetxattr(fd, "security.capability", NULL, 0) > 0))
        program->why = "runs with rights of its own";
}

void preload_inspect(const char *path, struct preload_program *program)
{
    char script[SCRIPT_LINE] = "";
    for (unsigned depth = 0; depth < 2; depth++) { /* a script, and its interpreter */
        struct stat s;
        *program = (struct preload_program){0};
        int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
        if (fd < 0)
            return;
        struct file f = {0};
        void *map = MAP_FAILED;
        if (syscall(SYS_fstat, fd, &s) == 0 && S_ISREG(s.st_mode) && s.st_size > 0) {
            rights_inspect(fd, &s, program);
            f.size = (size_t)s.st_size;
            map = (void *)syscall(SYS_mmap, NULL, f.size, PROT_READ, MAP_PRIVATE, fd, (off_t)0);
        }
        syscall(SYS_close, fd);
        if (map == MAP_FAILED)
            return;
        f.bytes = map;
        const bool again = elf_inspect(&f, program, script);
        syscall(SYS_munmap, map, f.size);
        if (!again)
            return;
        path = script;
    }
}

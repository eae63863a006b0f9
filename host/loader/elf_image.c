/* SPDX-License-Identifier: Apache-2.0
 * One AMD GPU ELF: checks, load size, kernels by their symbols, metadata notes, relocations.
 * Not responsible for: containers (offload_bundle.c), the contents of metadata (notes_*.c).
 */
#include <inttypes.h>
#include <string.h>

#include "base/xalloc.h"
#include "loader/object_private.h"

#define LOAD_LIMIT (UINT64_C(1) << 30)
#define OSABI_HSA 64
#define SYMBOL_KERNEL_V2 10 /* STT_AMDGPU_HSA_KERNEL */
#define NOTE_METADATA_V2 10
#define NOTE_METADATA 32

static enum gantry_status header_check(struct object_image *image, Elf64_Ehdr *header)
{
    static const char *const versions[] = {"2", "3", "4", "5", "6"};

    if (image->size < sizeof(*header))
        return object_bad(image->place, "truncated: %zu bytes are no ELF header", image->size);
    memcpy(header, image->bytes, sizeof(*header));
    if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
        return object_bad(image->place, "not an ELF file");
    if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB ||
        header->e_machine != EM_AMDGPU)
        return object_bad(image->place, "ELF for machine %u, not for an AMD GPU", header->e_machine);
    if (header->e_ident[EI_OSABI] != OSABI_HSA)
        return object_bad(image->place, "not for the HSA runtime (OS/ABI %u)", header->e_ident[EI_OSABI]);
    if (header->e_ident[EI_ABIVERSION] >= sizeof(versions) / sizeof(versions[0]))
        return object_bad(image->place, "code-object ABI version %u is not supported (2 to 6 are)",
                          header->e_ident[EI_ABIVERSION] + 2u);
    if (header->e_type != ET_DYN)
        return object_bad(image->place, "not linked (ELF type %u): link the code object first", header->e_type);
    if ((header->e_flags & 0xff) != TARGET_MACH)
        return object_bad(image->place, "built for another GPU (machine flag 0x%02x; " TARGET_GFX " is 0x%02x)",
                          header->e_flags & 0xff, TARGET_MACH);
    image->version = header->e_ident[EI_ABIVERSION] + 2u;
    if (header->e_phentsize != sizeof(Elf64_Phdr) || header->e_phnum == 0)
        return object_bad(image->place, "damaged: no program headers");
    if (header->e_phoff > image->size || (uint64_t)header->e_phnum * sizeof(Elf64_Phdr) > image->size - header->e_phoff)
        return object_bad(image->place, "truncated: program headers end beyond the file's %zu bytes", image->size);
    if (header->e_shoff > image->size || (uint64_t)header->e_shnum * sizeof(Elf64_Shdr) > image->size - header->e_shoff)
        return object_bad(image->place, "truncated: section headers end beyond the file's %zu bytes", image->size);
    return STATUS_OK;
}

static Elf64_Phdr segment_at(const struct object_image *image, unsigned i)
{
    Elf64_Ehdr header;
    Elf64_Phdr segment;

    memcpy(&header, image->bytes, sizeof(header));
    memcpy(&segment, image->bytes + header.e_phoff + i * sizeof(segment), sizeof(segment));
    return segment;
}

static unsigned segment_count(const struct object_image *image)
{
    Elf64_Ehdr header;

    memcpy(&header, image->bytes, sizeof(header));
    return header.e_phnum;
}

static enum gantry_status segments_check(struct object_image *image)
{
    for (unsigned i = 0; i < segment_count(image); i++) {
        Elf64_Phdr s = segment_at(image, i);

        if (s.p_type != PT_LOAD && s.p_type != PT_NOTE && s.p_type != PT_DYNAMIC)
            continue;
        if (s.p_offset > image->size || s.p_filesz > image->size - s.p_offset)
            return object_bad(image->place, "truncated: segment %u ends beyond the file's %zu bytes", i, image->size);
        if (s.p_type != PT_LOAD)
            continue;
        if (s.p_filesz > s.p_memsz || s.p_memsz > LOAD_LIMIT || s.p_vaddr > LOAD_LIMIT)
            return object_bad(image->place, "damaged: segment %u has impossible sizes", i);
        if (s.p_vaddr + s.p_memsz > image->load_bytes)
            image->load_bytes = s.p_vaddr + s.p_memsz;
    }
    if (image->load_bytes == 0)
        return object_bad(image->place, "damaged: nothing to load");
    return STATUS_OK;
}

const uint8_t *elf_image_at(const struct object_image *image, uint64_t address, uint64_t bytes)
{
    for (unsigned i = 0; i < segment_count(image); i++) {
        Elf64_Phdr s = segment_at(image, i);

        if (s.p_type == PT_LOAD && address >= s.p_vaddr && address - s.p_vaddr <= s.p_filesz &&
            bytes <= s.p_filesz - (address - s.p_vaddr))
            return image->bytes + s.p_offset + (address - s.p_vaddr);
    }
    return NULL;
}

/* A kernel's own figures, in its descriptor (64 bytes) or its amd_kernel_code_t (256 bytes, version 2). */
static enum gantry_status kernel_add(struct object *object, struct object_image *image, const char *name, size_t length,
                                     uint64_t address)
{
    const uint8_t *d = elf_image_at(image, address, image->version == 2 ? 256 : 64);
    struct object_kernel *k;
    uint64_t bytes = 0;
    int64_t entry;

    if (!d)
        return object_bad(image->place, "damaged: descriptor of kernel %.*s is outside the file", (int)length, name);
    memcpy(&entry, d + 16, 8);
    if (entry > (int64_t)LOAD_LIMIT || entry < -(int64_t)LOAD_LIMIT ||
        !elf_image_at(image, address + (uint64_t)entry, 4))
        return object_bad(image->place, "damaged: code of kernel %.*s is outside the file", (int)length, name);
    object->kernels = xrealloc(object->kernels, object->kernel_count + 1, sizeof(*object->kernels));
    k = &object->kernels[object->kernel_count++];
    memset(k, 0, sizeof(*k));
    k->name = xasprintf("%.*s", (int)length, name);
    k->image = image;
    k->descriptor = address;
    if (image->version == 2) {
        memcpy(&k->private_bytes, d + 60, 4);
        memcpy(&k->group_bytes, d + 64, 4);
        memcpy(&bytes, d + 72, 8);
    } else {
        memcpy(&k->group_bytes, d, 4);
        memcpy(&k->private_bytes, d + 4, 4);
        memcpy(&bytes, d + 8, 4);
    }
    if (bytes > 65536)
        return object_bad(image->place, "damaged: %" PRIu64 " bytes of arguments for kernel %s", bytes, k->name);
    k->kernarg_bytes = (uint32_t)bytes;
    return STATUS_OK;
}

/* Is there a kernel of this name in the image, among those from `first` on? */
static bool kernel_known(const struct object *object, unsigned first, const char *name, size_t length)
{
    for (unsigned i = first; i < object->kernel_count; i++)
        if (strncmp(object->kernels[i].name, name, length) == 0 && object->kernels[i].name[length] == '\0')
            return true;
    return false;
}

/* Kernels of the tables of one type: those from `first` on are of this image. */
static enum gantry_status symbols_read(struct object *object, struct object_image *image, unsigned first, Elf *elf,
                                       uint32_t type)
{
    Elf_Scn *section = NULL;
    enum gantry_status status = STATUS_OK;

    while ((section = elf_nextscn(elf, section)) && status == STATUS_OK) {
        GElf_Shdr header;
        GElf_Sym symbol;
        Elf_Data *data;

        if (!gelf_getshdr(section, &header) || header.sh_type != type)
            continue;
        data = elf_getdata(section, NULL);
        if (!data || header.sh_entsize != sizeof(Elf64_Sym))
            return object_bad(image->place, "damaged: symbols cannot be read");
        for (int i = 1; status == STATUS_OK && gelf_getsym(data, i, &symbol); i++) {
            const char *name = elf_strptr(elf, header.sh_link, symbol.st_name);
            size_t n = name ? strlen(name) : 0;

            if (!name)
                return object_bad(image->place, "damaged: symbol %d has no name", i);
            if (image->version == 2 ? GELF_ST_TYPE(symbol.st_info) != SYMBOL_KERNEL_V2
                                    : n <= 3 || strcmp(name + n - 3, ".kd") != 0)
                continue;
            if (image->version > 2)
                n -= 3;
            if (symbol.st_shndx != SHN_UNDEF && !kernel_known(object, first, name, n))
                status = kernel_add(object, image, name, n, symbol.st_value);
        }
    }
    return status;
}

/* One note segment or section; the metadata note of the image's version goes to its reader. */
static enum gantry_status notes_read(struct object *object, struct object_image *image, unsigned first, Elf_Data *data,
                                     bool *found)
{
    size_t at = 0, name, desc;
    GElf_Nhdr note;
    enum gantry_status status = STATUS_OK;

    while (status == STATUS_OK && at < data->d_size) {
        const char *bytes = data->d_buf;
        size_t next = gelf_getnote(data, at, &note, &name, &desc);

        if (next == 0)
            return object_bad(image->place, "damaged notes at byte %zu of %zu", at, data->d_size);
        at = next;
        if (image->version == 2 && note.n_type == NOTE_METADATA_V2 && note.n_namesz >= 4 &&
            memcmp(bytes + name, "AMD", 4) == 0)
            status = notes_yaml_read(object, image, first, bytes + desc, note.n_descsz), *found = true;
        else if (image->version > 2 && note.n_type == NOTE_METADATA && note.n_namesz >= 7 &&
                 memcmp(bytes + name, "AMDGPU", 7) == 0)
            status = notes_msgpack_read(object, image, first, bytes + desc, note.n_descsz), *found = true;
    }
    return status;
}

enum gantry_status elf_image_read(struct object *object, struct object_image *image)
{
    unsigned first = object->kernel_count;
    Elf64_Ehdr header;
    enum gantry_status status = header_check(image, &header);
    bool found = false;
    Elf *elf;

    if (status == STATUS_OK)
        status = segments_check(image);
    if (status != STATUS_OK)
        return status;
    elf = elf_memory((char *)image->bytes, image->size);
    if (!elf)
        return object_bad(image->place, "damaged: %s", elf_errmsg(-1));
    status = symbols_read(object, image, first, elf, SHT_DYNSYM);
    if (status == STATUS_OK) /* kernels that are LOCAL or hidden stand here alone */
        status = symbols_read(object, image, first, elf, SHT_SYMTAB);
    for (unsigned i = 0; i < header.e_phnum && status == STATUS_OK; i++) {
        Elf64_Phdr s = segment_at(image, i);
        Elf_Data *data;

        if (s.p_type != PT_NOTE)
            continue;
        data = elf_getdata_rawchunk(elf, (int64_t)s.p_offset, s.p_filesz, ELF_T_NHDR);
        if (!data)
            status = object_bad(image->place, "damaged notes: %s", elf_errmsg(-1));
        else
            status = notes_read(object, image, first, data, &found);
    }
    if (status == STATUS_OK && !found && image->version > 2)
        status = object_bad(image->place, "no metadata note");
    elf_end(elf);
    return status;
}

/* Relocations of a loaded image; symbol values come from the dynamic symbols. */
static enum gantry_status relocate(const struct object_image *image, Elf *elf, Elf_Scn *section,
                                   const GElf_Shdr *header, uint64_t base, uint8_t *to)
{
    enum { ABS32_LO = 1, ABS32_HI = 2, ABS64 = 3, RELATIVE64 = 13 };
    Elf_Data *data = elf_getdata(section, NULL), *symbols;
    Elf_Scn *table = elf_getscn(elf, header->sh_link);
    GElf_Rela rela;

    symbols = table ? elf_getdata(table, NULL) : NULL;
    for (int i = 0; data && gelf_getrela(data, i, &rela); i++) {
        uint32_t type = GELF_R_TYPE(rela.r_info);
        uint64_t value = base + (uint64_t)rela.r_addend;
        unsigned width = type == ABS64 || type == RELATIVE64 ? 8 : 4;
        GElf_Sym symbol;

        if (type != RELATIVE64) {
            if (!symbols || !gelf_getsym(symbols, (int)GELF_R_SYM(rela.r_info), &symbol) ||
                symbol.st_shndx == SHN_UNDEF)
                return object_bad(image->place, "relocation %d refers to a symbol that nobody defines", i);
            value += symbol.st_value;
        }
        if (type != ABS32_LO && type != ABS32_HI && type != ABS64 && type != RELATIVE64)
            return object_bad(image->place, "relocation %d has type %u, which is not supported", i, type);
        if (image->load_bytes < width || rela.r_offset > image->load_bytes - width)
            return object_bad(image->place, "damaged: relocation %d is outside the image", i);
        if (type == ABS32_HI)
            value >>= 32;
        memcpy(to + rela.r_offset, &value, width);
    }
    return STATUS_OK;
}

enum gantry_status object_image_place(const struct object_image *image, uint64_t base, uint8_t *to)
{
    Elf *elf = elf_memory((char *)image->bytes, image->size);
    enum gantry_status status = STATUS_OK;
    Elf_Scn *section = NULL;

    if (!elf)
        return object_bad(image->place, "damaged: %s", elf_errmsg(-1));
    for (unsigned i = 0; i < segment_count(image); i++) {
        Elf64_Phdr s = segment_at(image, i);

        if (s.p_type == PT_LOAD)
            memcpy(to + s.p_vaddr, image->bytes + s.p_offset, s.p_filesz);
    }
    while (status == STATUS_OK && (section = elf_nextscn(elf, section))) {
        GElf_Shdr header;

        if (gelf_getshdr(section, &header) && header.sh_type == SHT_RELA && (header.sh_flags & SHF_ALLOC))
            status = relocate(image, elf, section, &header, base, to);
    }
    elf_end(elf);
    return status;
}

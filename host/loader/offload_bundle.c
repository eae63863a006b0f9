/* SPDX-License-Identifier: Apache-2.0
 * What a file holds: a code object itself, clang offload bundles, or a host ELF with bundles in .hip_fatbin.
 * Not responsible for: the inside of a code object (elf_image.c).
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/xalloc.h"
#include "loader/object_private.h"

#define MAGIC "__CLANG_OFFLOAD_BUNDLE__"
#define MAGIC_BYTES 24u

/* Names of targets that did not fit, for the message. */
struct seen {
    char text[512];
    size_t n;
};

static void seen_add(struct seen *seen, const char *name, size_t bytes)
{
    if (seen->n + bytes + 3 > sizeof(seen->text) || memmem(seen->text, seen->n, name, bytes))
        return;
    seen->n += (size_t)snprintf(seen->text + seen->n, sizeof(seen->text) - seen->n, "%s%.*s", seen->n ? ", " : "",
                                (int)bytes, name);
}

static uint64_t u64_at(const uint8_t *at)
{
    uint64_t value;

    memcpy(&value, at, sizeof(value));
    return value;
}

/* One line, unless the file is only looked at. */
static enum gantry_status __attribute__((format(printf, 2, 3)))
bundle_bad(const struct object *object, const char *format, ...)
{
    char cause[1024];
    va_list args;

    va_start(args, format);
    vsnprintf(cause, sizeof(cause), format, args);
    va_end(args);
    return object->quiet ? STATUS_OBJECT : object_bad(object->path, "%s", cause);
}

static void image_add(struct object *object, const uint8_t *bytes, size_t size, const char *where)
{
    struct object_image *image;

    object->images = xrealloc(object->images, object->image_count + 1, sizeof(*object->images));
    image = &object->images[object->image_count++];
    memset(image, 0, sizeof(*image));
    image->bytes = bytes;
    image->size = size;
    image->place = xstrdup(where);
}

/* "hipv4-amdgcn-amd-amdhsa--gfx803[:feature...]" names our GPU. */
static bool triple_fits(const char *triple, size_t bytes)
{
    const char *gfx = memmem(triple, bytes, "gfx", 3);
    size_t rest = gfx ? (size_t)(triple + bytes - gfx) : 0;

    return memmem(triple, bytes, "amdgcn", 6) && rest >= 6 && memcmp(gfx, TARGET_GFX, 6) == 0 &&
           (rest == 6 || gfx[6] == ':');
}

/* One bundle at p with at most `room` bytes; *used receives the end of its last entry. */
static enum gantry_status bundle_read(struct object *object, const uint8_t *p, size_t room, size_t *used,
                                      struct seen *seen)
{
    uint64_t count, at = MAGIC_BYTES + 8;
    char where[512];

    if (room < at)
        return bundle_bad(object, "offload bundle is truncated");
    count = u64_at(p + MAGIC_BYTES);
    *used = at;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t offset, size, length;

        if (room - at < 24)
            return bundle_bad(object, "offload bundle is truncated in the table of its %" PRIu64 " entries", count);
        offset = u64_at(p + at);
        size = u64_at(p + at + 8);
        length = u64_at(p + at + 16);
        at += 24;
        if (length > room - at)
            return bundle_bad(object, "offload bundle is truncated in the table of its %" PRIu64 " entries", count);
        if (offset > room || size > room - offset)
            return bundle_bad(object, "offload bundle is truncated: entry %.*s ends at byte %" PRIu64 " of %zu",
                              (int)length, (const char *)p + at, offset + size, room);
        if (triple_fits((const char *)p + at, length)) {
            snprintf(where, sizeof(where), "%s(%.*s)", object->path, (int)length, (const char *)p + at);
            image_add(object, p + offset, size, where);
        } else if (length < 4 || memcmp(p + at, "host", 4) != 0) {
            seen_add(seen, (const char *)p + at, length);
        }
        at += length;
        if (offset + size > *used)
            *used = offset + size;
        if (at > *used)
            *used = at;
    }
    return STATUS_OK;
}

/* The next bundle, compressed or not; NULL: there is none. */
static const uint8_t *bundle_find(const uint8_t *p, const uint8_t *end)
{
    const uint8_t *plain = memmem(p, (size_t)(end - p), MAGIC, MAGIC_BYTES);

    if (plain)
        end = plain;
    const uint8_t *packed = memmem(p, (size_t)(end - p), COMPRESSED_MAGIC, COMPRESSED_MAGIC_BYTES);
    return packed ? packed : plain;
}

/* All bundles in a stretch of memory: each translation unit of a host program adds one. */
static enum gantry_status bundles_read(struct object *object, const uint8_t *p, size_t size, struct seen *seen)
{
    const uint8_t *end = p + size;
    enum gantry_status status = STATUS_OK;

    while (status == STATUS_OK && (p = bundle_find(p, end))) {
        const uint8_t *bundle;
        size_t used = 0, bytes, inner;

        if (*p == *MAGIC) {
            status = bundle_read(object, p, (size_t)(end - p), &used, seen);
        } else {
            char why[160];

            if (!compressed_read(object, p, (size_t)(end - p), &bundle, &bytes, &used, why))
                status = bundle_bad(object, "compressed offload bundle %s", why);
            if (status == STATUS_OK && (bytes < MAGIC_BYTES || memcmp(bundle, MAGIC, MAGIC_BYTES) != 0))
                status = bundle_bad(object, "compressed offload bundle holds no bundle");
            if (status == STATUS_OK)
                status = bundle_read(object, bundle, bytes, &inner, seen);
        }
        p += used;
    }
    return status;
}

/* Section .hip_fatbin of a host ELF; false when there is none. */
static bool fatbin_find(struct object *object, const uint8_t **at, size_t *bytes)
{
    Elf *elf = elf_memory((char *)object->data, object->size);
    Elf_Scn *section = NULL;
    size_t names;
    bool found = false;

    if (!elf || elf_getshdrstrndx(elf, &names) != 0) {
        elf_end(elf);
        return false;
    }
    while (!found && (section = elf_nextscn(elf, section))) {
        GElf_Shdr header;
        const char *name;

        if (!gelf_getshdr(section, &header) || !(name = elf_strptr(elf, names, header.sh_name)) ||
            strcmp(name, ".hip_fatbin") != 0)
            continue;
        if (header.sh_offset <= object->size && header.sh_size <= object->size - header.sh_offset) {
            *at = object->data + header.sh_offset;
            *bytes = header.sh_size;
            found = true;
        }
    }
    elf_end(elf);
    return found;
}

/* "gfx906:sramecc+" of "hipv4-amdgcn-amd-amdhsa--gfx906:sramecc+"; a name without one as it is. */
static void targets_short(const struct seen *seen, char *text, size_t room)
{
    char names[sizeof(seen->text)], *rest = names;
    size_t n = 0;

    memcpy(names, seen->text, sizeof(names));
    for (char *name; n < room && (name = strsep(&rest, ","));) {
        const char *gfx = strstr(name, "gfx");

        n += (size_t)snprintf(text + n, room - n, "%s%s", n ? ", " : "", gfx ? gfx : name + strspn(name, " "));
    }
}

bool bundle_foreign(struct object *object, char *targets, size_t room)
{
    struct seen seen = {.n = 0};
    const uint8_t *at;
    size_t bytes;

    elf_version(EV_CURRENT);
    object->quiet = true;
    if (object->size < sizeof(Elf64_Ehdr) || memcmp(object->data, "\177ELF", 4) != 0 ||
        !fatbin_find(object, &at, &bytes) || bundles_read(object, at, bytes, &seen) != STATUS_OK ||
        object->image_count || !seen.n)
        return false;
    targets_short(&seen, targets, room);
    return true;
}

enum gantry_status bundle_scan(struct object *object)
{
    struct seen seen = {.n = 0};
    enum gantry_status status;
    const uint8_t *at;
    size_t bytes;
    uint16_t machine = 0;

    elf_version(EV_CURRENT);
    if ((object->size >= MAGIC_BYTES && memcmp(object->data, MAGIC, MAGIC_BYTES) == 0) ||
        (object->size >= COMPRESSED_MAGIC_BYTES &&
         memcmp(object->data, COMPRESSED_MAGIC, COMPRESSED_MAGIC_BYTES) == 0)) {
        status = bundles_read(object, object->data, object->size, &seen);
    } else if (object->size < 4 || memcmp(object->data, "\177ELF", 4) != 0) {
        return bundle_bad(object, "neither ELF nor offload bundle");
    } else if (object->size < sizeof(Elf64_Ehdr)) {
        return bundle_bad(object, "truncated: %zu bytes are no ELF header", object->size);
    } else {
        memcpy(&machine, object->data + 18, 2);
        if (machine == EM_AMDGPU) {
            image_add(object, object->data, object->size, object->path);
            return STATUS_OK;
        }
        if (!fatbin_find(object, &at, &bytes))
            return bundle_bad(object, "ELF for machine %u without GPU code (no .hip_fatbin section)", machine);
        status = bundles_read(object, at, bytes, &seen);
    }
    if (status == STATUS_OK && object->image_count == 0)
        return bundle_bad(object, "no code object for " TARGET_GFX "%s%s", seen.n ? ", only for " : "", seen.text);
    return status;
}

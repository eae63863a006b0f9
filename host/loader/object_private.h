/* SPDX-License-Identifier: Apache-2.0
 * Between the files of host/loader: containers (offload_bundle.c), ELF (elf_image.c), metadata (notes_*.c).
 */
#ifndef GANTRY_OBJECT_PRIVATE_H
#define GANTRY_OBJECT_PRIVATE_H
#include <gelf.h>

#include "loader/object.h"

#define TARGET_GFX "gfx803"
#define TARGET_MACH 0x2au /* EF_AMDGPU_MACH of gfx803 */

/* Prints `gantry: PLACE: cause`, returns STATUS_OBJECT. */
enum gantry_status object_bad(const char *place, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Add every gfx803 code object of the data at [at, at+size) to the images; what other targets there are is printed
 * when none fits. */
enum gantry_status bundle_scan(struct object *object);

/* Check an image's ELF, find its load size and kernels (added to the object) and read their metadata. */
enum gantry_status elf_image_read(struct object *object, struct object_image *image);
/* Bytes of the file for a load-relative address, NULL when not in the file. */
const uint8_t *elf_image_at(const struct object_image *image, uint64_t address, uint64_t bytes);

/* Metadata of one image: fill in the kernels from `first` on.  text/bytes are borrowed. */
enum gantry_status notes_yaml_read(struct object *object, struct object_image *image, unsigned first, const char *text,
                                   size_t bytes);
enum gantry_status notes_msgpack_read(struct object *object, struct object_image *image, unsigned first,
                                      const char *text, size_t bytes);

#define COMPRESSED_MAGIC "CCOB"
#define COMPRESSED_MAGIC_BYTES 4u
/* The compressed bundle at p, which has at most `room` bytes: the bundle, which belongs to the object, and the bytes
 * that its compressed form takes.  False: it cannot be read, `why` tells the cause. */
bool compressed_read(struct object *object, const uint8_t *p, size_t room, const uint8_t **bundle, size_t *bytes,
                     size_t *used, char why[160]);

/* The file is an ELF with offload bundles, none of them for our GPU: true, with the names of those there are. */
bool bundle_foreign(struct object *object, char *targets, size_t room);

/* Kind of a metadata name in either spelling; ARG_KIND_COUNT when unknown. */
enum arg_kind arg_kind_find(const char *text, size_t bytes);
/* Kernel of this image by symbol ("t@kd", "t.kd" or "t"), NULL when there is none. */
struct object_kernel *kernel_of_symbol(struct object *object, const struct object_image *image, unsigned first,
                                       const char *symbol, size_t bytes);
/* Append an argument; false when it does not fit into the argument block. */
bool kernel_arg_add(struct object_kernel *kernel, const struct object_arg *arg);
#endif

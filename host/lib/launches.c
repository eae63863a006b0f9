/* SPDX-License-Identifier: Apache-2.0
 * Launches of the library (gantry.h): code, buffers and argument block in GPU memory.  Running: running.c.
 */
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "lib/lib_private.h"

/* ---- what is placed */
static enum gantry_status image_place(struct gantry_launch *l)
{
    struct gantry_machine *m = l->machine;
    const struct object_image *image = l->kernel->image;
    void *host;

    for (size_t i = 0; i < m->placed_count; i++)
        if (m->placed[i].image == image) {
            l->base = m->placed[i].base;
            return STATUS_OK;
        }
    l->base = local_alloc(m->local, LOCAL_VRAM, image->load_bytes, &host);
    if (!l->base)
        return lib_memory_full(m, image->place, image->load_bytes);
    const enum gantry_status status = object_image_place(image, l->base, host);
    if (status != STATUS_OK) /* it is not there for the next launch either */
        return status;
    m->placed = xgrow(m->placed, &m->placed_room, m->placed_count + 1, sizeof *m->placed);
    m->placed[m->placed_count++] = (struct lib_placed){image, l->object, l->base};
    if (l->object)
        atomic_fetch_add(&l->object->refs, 1);
    return status;
}

/* Of a launch that was freed, or new. */
static bool block_get(struct gantry_launch *l, uint32_t bytes)
{
    struct gantry_machine *m = l->machine;
    for (size_t i = 0; i < m->block_count; i++) {
        if (m->blocks[i].bytes != bytes)
            continue;
        l->dispatch.kernarg = m->blocks[i].address;
        l->block = m->blocks[i].host;
        m->blocks[i] = m->blocks[--m->block_count];
        memset(l->block, 0, bytes);
        return true;
    }
    l->dispatch.kernarg = local_alloc(m->local, LOCAL_HOST, bytes, &l->block);
    return l->dispatch.kernarg != 0;
}

static uint32_t block_bytes(const struct gantry_launch *l)
{
    return l->kernel->kernarg_bytes ? l->kernel->kernarg_bytes : 8;
}

/* Code, buffers and argument block into GPU memory. */
static enum gantry_status launch_place(struct gantry_launch *l)
{
    struct local_dispatch *d = &l->dispatch;
    const struct object_kernel *k = l->kernel;
    enum gantry_status status;

    *d = (struct local_dispatch){.private_bytes = k->private_bytes,
                                 .group_bytes = l->args->lds_bytes ? ((k->group_bytes + 15) & ~15u) + l->args->lds_bytes
                                                                   : k->group_bytes};
    for (unsigned i = 0; i < 3; i++) {
        d->grid[i] = l->shape.grid[i];
        d->group[i] = (uint16_t)l->shape.group[i];
    }
    status = image_place(l);
    d->kernel_object = l->base + k->descriptor;
    for (unsigned i = 0; i < l->args->count && status == STATUS_OK; i++)
        if (l->args->arg[i].kind == SPEC_BUFFER)
            status = lib_buffer_place(l->machine, &l->args->arg[i]);
    if (status != STATUS_OK)
        return status;
    if (!block_get(l, block_bytes(l)))
        return lib_memory_full(l->machine, "arguments", block_bytes(l));
    args_block(l->args, k, &l->shape, l->block);
    return STATUS_OK;
}

/* ---- their lives */
static struct gantry_launch *launch_make(struct gantry_machine *m, const struct object_kernel *kernel,
                                         struct gantry_object *object)
{
    struct gantry_launch *l = xzalloc(sizeof *l);
    l->machine = m;
    l->kernel = kernel;
    l->object = object;
    if (object)
        atomic_fetch_add(&object->refs, 1);
    return l;
}

static void launch_join(struct gantry_launch *l)
{
    l->next = l->machine->launches;
    l->back = &l->machine->launches;
    if (l->next)
        l->next->back = &l->next;
    *l->back = l;
    handle_init(&l->handle, HANDLE_LAUNCH, false);
}

static void launch_drop(struct gantry_launch *l)
{
    for (unsigned i = 0; l->specs && i < KERNEL_ARGS_MAX; i++)
        free(l->specs[i]);
    if (l->specs) {
        args_fini(l->args);
        free(l->args);
    }
    free(l->specs);
    lib_object_drop(l->object);
    free(l);
}

/* It is the caller's, if all went well. */
static enum gantry_status launch_give(struct gantry_launch *l, enum gantry_status status, struct gantry_launch **launch)
{
    if (status == STATUS_OK)
        launch_join(l);
    else
        launch_drop(l);
    *launch = status == STATUS_OK ? l : NULL;
    return status;
}

void lib_launches_free(struct gantry_machine *m)
{
    for (struct gantry_launch *l = m->launches, *next; l; l = next) {
        next = l->next;
        handle_end(&l->handle, HANDLE_LAUNCH, "gantry_machine_free");
        launch_drop(l);
    }
    m->launches = NULL;
}

enum gantry_status lib_launch_new(struct gantry_machine *m, const struct object_kernel *kernel,
                                  const struct kernel_shape *shape, struct kernel_args *args,
                                  struct gantry_launch **launch)
{
    struct gantry_launch *l = launch_make(m, kernel, NULL);
    l->shape = *shape;
    l->args = args;
    return launch_give(l, launch_place(l), launch);
}

/* ---- arguments of another program */
static enum gantry_status data_take(struct kernel_arg *a, const struct gantry_arg *arg, char **spec)
{
    *spec = xasprintf("a value of %u bytes", arg->bytes);
    a->spec = *spec;
    if (arg->data == NULL || arg->bytes == 0 || arg->bytes > STRUCT_MOST)
        return spec_wrong(a, "no spec, and no data of 1 to 4096 bytes");
    a->kind = SPEC_VALUE;
    a->bytes = arg->bytes;
    a->align = arg->bytes % 8 == 0 ? 8 : arg->bytes % 4 == 0 ? 4 : arg->bytes % 2 == 0 ? 2 : 1;
    a->content = xcalloc(STRUCT_MOST, 1);
    memcpy(a->content, arg->data, arg->bytes);
    return STATUS_OK;
}

/* "out:", "inout:" and "buf:" are the command's. */
static bool is_commands(const char *spec)
{
    return strncmp(spec, "out:", 4) == 0 || strncmp(spec, "inout:", 6) == 0 || strncmp(spec, "buf:", 4) == 0;
}

static enum gantry_status args_take(struct gantry_launch *l, const struct gantry_arg *args, unsigned count)
{
    enum gantry_status status = args_begin(l->args, l->kernel, count, NULL);
    for (unsigned i = 0, next = 0; i < count && status == STATUS_OK; i++) {
        struct kernel_arg *a = &l->args->arg[i];
        a->number = i;
        a->param = args_param(l->kernel, &next);
        l->args->count++;
        if (args[i].spec) {
            a->spec = l->specs[i] = xstrdup(args[i].spec);
            status = is_commands(a->spec) ? spec_wrong(a, "not in a library: gantry_launch_buffer and gantry_read")
                                          : spec_parse(a);
        } else {
            status = data_take(a, &args[i], &l->specs[i]);
        }
        if (status == STATUS_OK)
            status = spec_match(a);
    }
    args_lds(l->args);
    return status;
}

static enum gantry_status shape_take(struct gantry_launch *l, const uint32_t grid[3], const uint32_t group[3])
{
    for (unsigned i = 0; i < 3; i++) {
        l->shape.grid[i] = grid[i];
        l->shape.group[i] = group ? group[i] : 0;
    }
    l->shape.grid_dims = grid[2] > 1 ? 3 : grid[1] > 1 ? 2 : 1;
    l->shape.group_dims = group ? 3 : 0;
    for (unsigned i = 0; i < 3; i++)
        if (grid[i] == 0 || (group && (group[i] == 0 || group[i] > UINT16_MAX))) {
            diag(grid[i] == 0 ? "--grid" : "--group", "%u is outside 1..%u", grid[i] == 0 ? 0 : group[i],
                 grid[i] == 0 ? UINT32_MAX : UINT16_MAX);
            return STATUS_USAGE;
        }
    return shape_check(&l->shape, l->kernel, NULL);
}

int gantry_launch_new(struct gantry_machine *m, struct gantry_object *object, const char *kernel,
                      const uint32_t grid[3], const uint32_t group[3], const struct gantry_arg *args,
                      unsigned arg_count, struct gantry_launch **launch, struct gantry_error *error)
{
    struct call call;
    if (!call_begin(&call, m, HANDLE_MACHINE, "gantry_launch_new", error))
        return GANTRY_USAGE;
    if (!handle_known(object, HANDLE_OBJECT))
        return call_end(&call, call_refuse(&call, "the object is NULL, or freed"));
    if (grid == NULL || launch == NULL || (arg_count && args == NULL) || arg_count > KERNEL_ARGS_MAX)
        return call_end(&call, call_refuse(&call, "no grid, no place for the handle, or more than 64 arguments"));
    if (m->running)
        return call_end(&call, call_refuse(&call, "a launch is under way, and its page tables are in use"));
    *launch = NULL;
    const struct object_kernel *k = object_kernel_find(object->object, kernel);
    if (k == NULL)
        return call_end(&call, GANTRY_USAGE);
    struct gantry_launch *l = launch_make(m, k, object);
    l->specs = xcalloc(KERNEL_ARGS_MAX, sizeof *l->specs);
    l->args = xzalloc(sizeof *l->args);
    enum gantry_status status = shape_take(l, grid, group);
    status = status == STATUS_OK ? args_take(l, args, arg_count) : status;
    status = status == STATUS_OK ? launch_place(l) : status;
    return call_end(&call, launch_give(l, status, launch));
}

void gantry_launch_free(struct gantry_launch *l)
{
    if (l == NULL)
        return;
    handle_end(&l->handle, HANDLE_LAUNCH, "gantry_launch_free");
    struct gantry_machine *m = l->machine;
    handle_rest(&m->handle, m->running == l, "gantry_launch_free");
    *l->back = l->next;
    if (l->next)
        l->next->back = l->back;
    m->blocks = xgrow(m->blocks, &m->block_room, m->block_count + 1, sizeof *m->blocks);
    m->blocks[m->block_count++] = (struct lib_block){l->dispatch.kernarg, block_bytes(l), l->block};
    launch_drop(l);
}

// SPDX-License-Identifier: Apache-2.0
// Reference of the LDS bench: one DS instruction executed lane after lane.  The table of instructions is read from
// host/isa/opcodes.tsv; the rules of addresses and bounds are those of docs/reference/lds.md.
#pragma once
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

struct DsRow {
    char name[32];
    unsigned op, dst, src1, src2, bytes;
    char kind;  // l load, s store, a atomic, x lane exchange, n nothing
    std::string action;
    bool is_signed, two, st64;
};
static DsRow ds_rows[256];
static unsigned ds_row_count;

struct Ds {
    DsRow *row;
    unsigned op, wave, addr, data0, data1, dst, results;
    unsigned tag;
    uint32_t offset0, offset1, m0, base, bytes;
    uint64_t exec;
};

static uint8_t lds_memory[65536];

static int ds_load_table()
{
    FILE *f = fopen("host/isa/opcodes.tsv", "r");
    char line[512];
    while (f && fgets(line, sizeof line, f)) {
        char name[64], fmt[16], dst[8], s0[8], s1[8], s2[8], action[64], yes[8];
        unsigned op;
        if (sscanf(line, "%63s %15s %u %*[^\t]\t%*s %*s %7s %7s %7s %7s %*s %63s %7s", name, fmt, &op, dst, s0, s1, s2, action, yes) != 9 ||
            strcmp(fmt, "DS") || strncmp(yes, "yes", 3))
            continue;
        DsRow &r = ds_rows[ds_row_count++];
        snprintf(r.name, sizeof r.name, "%s", name);
        r.op = op, r.dst = dst[0] == 'v' ? atoi(dst + 1) : 0, r.src1 = atoi(s1), r.src2 = atoi(s2);
        std::string a = std::string(action) + ":";
        r.kind = a[0] == 'l' ? 'l' : a[0] == 's' && a[1] == 't' ? 's' : a[0] == 'a' ? 'a' : a[0] == '-' ? 'n' : 'x';
        size_t c = a.find(':');
        r.bytes = r.kind == 'n' ? 4 : atoi(a.c_str() + c + 1);
        size_t d = a.find(':', c + 1);
        r.action = r.kind == 'a' ? a.substr(d + 1, a.find(':', d + 1) - d - 1) : a.substr(0, c);
        r.is_signed = a.find(":signed") != a.npos, r.two = a.find(":two") != a.npos, r.st64 = a.find(":st64") != a.npos;
    }
    if (f)
        fclose(f);
    return ds_row_count < 100 ? (printf("opcodes.tsv: only %u DS rows\n", ds_row_count), exit(1), 1) : 0;
}
static int ds_table_loaded = ds_load_table();

template <typename U, typename S, typename F> static U atomic_value(const std::string &op, U old, U a, U b)
{
    F fo, fa;
    memcpy(&fo, &old, sizeof fo), memcpy(&fa, &a, sizeof fa);
    if (op == "swap") return a;
    if (op == "cmpswap") return old == a ? b : old;
    if (op == "add") return old + a;
    if (op == "sub") return old - a;
    if (op == "rsub") return a - old;
    if (op == "smin") return (S)a < (S)old ? a : old;
    if (op == "umin") return a < old ? a : old;
    if (op == "smax") return (S)a > (S)old ? a : old;
    if (op == "umax") return a > old ? a : old;
    if (op == "and") return old & a;
    if (op == "or") return old | a;
    if (op == "xor") return old ^ a;
    if (op == "inc") return old >= a ? 0 : old + 1;
    if (op == "dec") return old == 0 || old > a ? a : old - 1;
    if (op == "mskor") return (old & ~a) | b;
    if (op == "fcmpswap") return fo == fa ? b : old;
    if (op == "fmin") return fa < fo ? a : old;
    if (op == "fmax") return fa > fo ? a : old;
    if (op == "wrap") return old >= a ? old - a : old + b;
    if (op == "fadd") {
        F sum = fo + fa;
        U r;
        memcpy(&r, &sum, sizeof r);
        if (fo != fo || fa != fa)
            return (fo != fo ? old : a) | 0x400000;
        return sum != sum ? 0x7fc00000 : r;
    }
    printf("model: unknown atomic %s\n", op.c_str());
    exit(1);
}

// Byte address of an element, or -1 when it lies outside the allocation or M0.
static long ds_address(const Ds &ds, uint32_t base, unsigned element)
{
    const DsRow &r = *ds.row;
    uint32_t offset = r.two ? (element ? ds.offset1 : ds.offset0) * r.bytes * (r.st64 ? 64 : 1) : ds.offset1 << 8 | ds.offset0;
    uint32_t align = r.bytes == 12 ? 16 : r.bytes;
    uint32_t a = (base + offset) & ~(align - 1), limit = ds.m0 < ds.bytes ? ds.m0 : ds.bytes;
    return (uint64_t)a + r.bytes <= limit ? (long)(a + ds.base) : -1;
}

static void ds_atomic(const Ds &ds, uint8_t *at, const uint32_t *d0, const uint32_t *d1, uint32_t *result)
{
    if (ds.row->action == "condxchg") {
        for (unsigned k = 0; k < 2; k++) {
            memcpy(&result[k], at + 4 * k, 4);
            uint32_t v = d0[k] & 0x80000000 ? d0[k] & 0x7fffffff : result[k];
            memcpy(at + 4 * k, &v, 4);
        }
    } else if (ds.row->bytes == 8) {
        uint64_t old, a, b, v;
        memcpy(&old, at, 8), memcpy(&a, d0, 8), memcpy(&b, d1, 8);
        v = atomic_value<uint64_t, int64_t, double>(ds.row->action, old, a, b);
        memcpy(at, &v, 8), memcpy(result, &old, 8);
    } else {
        uint32_t old, v;
        memcpy(&old, at, 4);
        v = atomic_value<uint32_t, int32_t, float>(ds.row->action, old, d0[0], d1[0]);
        memcpy(at, &v, 4), *result = old;
    }
}

// Element e of a lane.
static void ds_memory(const Ds &ds, uint32_t (*in)[64], unsigned l, unsigned e, uint32_t *result)
{
    const DsRow &r = *ds.row;
    {
        long at = ds_address(ds, in[ds.addr][l], e);
        uint32_t d0[4] = {}, d1[4] = {}, *res = result + e * (r.bytes / 4);
        unsigned first = r.two && e ? ds.data1 : ds.data0;
        for (unsigned k = 0; k < 4; k++)
            d0[k] = in[first + k][l], d1[k] = in[ds.data1 + k][l];
        if (at < 0)
            return;
        if (r.kind == 'l') {
            memcpy(res, lds_memory + at, r.bytes);
            if (r.is_signed)
                *res = r.bytes == 1 ? (int8_t)*res : (int16_t)*res;
        } else if (r.kind == 's') {
            memcpy(lds_memory + at, d0, r.bytes);
        } else {
            ds_atomic(ds, lds_memory + at, d0, d1, res);
        }
    }
}

static void lds_execute(const Ds &ds, uint32_t (*in)[64], uint32_t (*out)[64])
{
    const DsRow &r = *ds.row;
    static uint32_t result[64][4];
    memset(result, 0, sizeof result);
    uint32_t offset = ds.offset1 << 8 | ds.offset0;
    for (unsigned n = 0; n < (r.two ? 128u : 64u); n++) {  // the first element of all lanes, then the second
        unsigned l = n % 64;
        if (!(ds.exec >> l & 1) || r.kind == 'n')
            continue;
        if (r.kind != 'x') {
            ds_memory(ds, in, l, n / 64, result[l]);
            continue;
        }
        unsigned partner = (in[ds.addr][l] + offset) >> 2 & 63;
        if (r.action == "permute") {
            result[partner][0] = in[ds.data0][l];
        } else if (r.action == "bpermute") {
            result[l][0] = ds.exec >> partner & 1 ? in[ds.data0][partner] : 0;
        } else {
            unsigned quad = (l & ~3u) | (offset >> (l & 3) * 2 & 3);
            unsigned masked = (l & 32) | ((((l & 31) & (offset & 31)) | (offset >> 5 & 31)) ^ (offset >> 10 & 31));
            partner = offset & 0x8000 ? quad : masked;
            result[l][0] = ds.exec >> partner & 1 ? in[ds.addr][partner] : 0;
        }
    }
    for (unsigned l = 0; l < 64; l++)
        for (unsigned k = 0; k < r.dst; k++)
            if (ds.exec >> l & 1)
                out[ds.dst + k][l] = result[l][k];
}

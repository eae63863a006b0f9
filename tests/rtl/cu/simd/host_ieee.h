// SPDX-License-Identifier: Apache-2.0
// The vector ALU's arithmetic against the host's, without the golden model: included by tb.cpp, whose
// SIMD it drives.  Sums, products, fused and unfused multiply-add, ldexp, conversions in single, double and half precision in all
// rounding and subnormal modes; division (div_scale, div_fmas, div_fixup) and square roots as the sequences that clang emits.
// 100 million vectors a family in `make nightly` (GANTRY_NIGHTLY=1; 10 million of the text for synthesis), 100,000 otherwise.
#include <cfenv>
#include <cmath>

namespace host {

static float f32(uint32_t x) { float f; memcpy(&f, &x, 4); return f; }
static uint32_t bits(float f) { uint32_t x; memcpy(&x, &f, 4); return x; }
static double f64(uint64_t x) { double f; memcpy(&f, &x, 8); return f; }
static uint64_t bits(double f) { uint64_t x; memcpy(&x, &f, 8); return x; }
static _Float16 f16(uint16_t x) { _Float16 f; memcpy(&f, &x, 2); return f; }
static uint16_t bits(_Float16 f) { uint16_t x; memcpy(&x, &f, 2); return x; }

// Subnormal sources and results in a mode; the one NaN.
static uint32_t in32(uint32_t x) { return wave.mode & 0x10 || x & 0x7f800000 ? x : x & 0x80000000; }
static uint32_t in16(uint32_t x) { return wave.mode & 0x40 || x & 0x7c00 ? x & 0xffff : x & 0x8000; }
static uint64_t in64(uint64_t x) { return wave.mode & 0x40 || x >> 52 & 0x7ff ? x : x & UINT64_C(1) << 63; }
static uint32_t out32(uint32_t x, bool keep) { return (x & 0x7fffffff) > 0x7f800000 ? 0x7fc00000 : keep || x & 0x7f800000 ? x : x & 0x80000000; }
static uint32_t out16(uint32_t x) { return (x & 0x7fff) > 0x7c00 ? 0x7e00 : wave.mode & 0x80 || x & 0x7c00 ? x : x & 0x8000; }
static uint64_t out64(uint64_t x, bool keep)
{
    return (x << 1) > UINT64_C(0x7ff) << 53 ? UINT64_C(0x7ff8) << 48 : keep || x >> 52 & 0x7ff ? x : x & UINT64_C(1) << 63;
}
static void rounding(unsigned mode)
{
    static const int table[4] = { FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO };
    fesetround(table[mode & 3]);
}

struct Sources {
    uint64_t a, b, c; // raw registers, 64 bits where the operation has such
};

// One operation: sources (width in dwords), width of the result, and the result in the host's rounding mode (set by `round`: 0 that
// of f32, 1 that of f64 and f16, 2 nearest).  noinline and volatile: nothing is moved over the change of the rounding mode.
struct Op {
    const char *name;
    unsigned words[3], width, round;
    uint64_t (*f)(const Sources &);
};

#define A32 f32(in32((uint32_t)s.a))
#define B32 f32(in32((uint32_t)s.b))
#define C32 f32(in32((uint32_t)s.c))
#define A64 f64(in64(s.a))
#define B64 f64(in64(s.b))
#define C64 f64(in64(s.c))
#define A16 f16(in16((uint32_t)s.a))
#define B16 f16(in16((uint32_t)s.b))
#define C16 f16(in16((uint32_t)s.c))
#define SINGLE(name, expression) \
    static __attribute__((noinline)) uint64_t name(const Sources &s) { volatile float a = A32, b = B32, c = C32; (void)a, (void)b, (void)c; volatile float y = expression; return out32(bits((float)y), wave.mode & 0x20); }
#define DOUBLE(name, expression) \
    static __attribute__((noinline)) uint64_t name(const Sources &s) { volatile double a = A64, b = B64, c = C64; (void)a, (void)b, (void)c; volatile double y = expression; return out64(bits((double)y), wave.mode & 0x80); }
#define HALF(name, expression) \
    static __attribute__((noinline)) uint64_t name(const Sources &s) { volatile __float128 a = A16, b = B16, c = C16; (void)a, (void)b, (void)c; volatile _Float16 y = (_Float16)(expression); return out16(bits((_Float16)y)); }
#define OTHER(name, expression) \
    static __attribute__((noinline)) uint64_t name(const Sources &s) { return expression; }

static float flushed(float x) { return f32(out32(bits(x), false)); }
static double to_whole(double x, double low, double high) { return std::isnan(x) ? 0 : std::fmin(std::fmax(std::trunc(x), low), high); }
static uint64_t half_of(float x)
{
    volatile float v = x;
    volatile _Float16 y = (_Float16)(float)v;
    return out16(bits((_Float16)y));
}
static uint64_t single_of(double x)
{
    volatile double v = x;
    volatile float y = (float)v;
    return out32(bits((float)y), wave.mode & 0x20);
}

SINGLE(add_f32, a + b)
SINGLE(sub_f32, a - b)
SINGLE(mul_f32, a * b)
SINGLE(fma_f32, std::fma((float)a, (float)b, (float)c))
SINGLE(ldexp_f32, (float)((double)a * f64((uint64_t)(1023 + std::max(-400, std::min(400, (int)(int32_t)(uint32_t)s.b))) << 52)))
SINGLE(floor_f32, std::floor((float)a))
SINGLE(ceil_f32, std::ceil((float)a))
SINGLE(trunc_f32, std::trunc((float)a))
static __attribute__((noinline)) uint64_t mad_f32(const Sources &s) // rounded twice, flushed everywhere
{
    volatile float a = flushed(f32((uint32_t)s.a)), b = flushed(f32((uint32_t)s.b)), c = flushed(f32((uint32_t)s.c));
    volatile float p = a * b;
    p = flushed(p);
    volatile float y = p + c;
    return out32(bits((float)y), false);
}
DOUBLE(add_f64, a + b)
DOUBLE(mul_f64, a * b)
DOUBLE(fma_f64, std::fma((double)a, (double)b, (double)c))
DOUBLE(floor_f64, std::floor((double)a))
DOUBLE(ceil_f64, std::ceil((double)a))
DOUBLE(trunc_f64, std::trunc((double)a))
DOUBLE(rndne_f64, std::nearbyint((double)a))
HALF(add_f16, a + b)
HALF(sub_f16, a - b)
HALF(mul_f16, a * b)
HALF(fma_f16, a * b + c)
OTHER(cvt_i32_f32, (uint32_t)(int32_t)to_whole(A32, -0x1p31, 0x1p31 - 1))
OTHER(cvt_u32_f32, (uint32_t)to_whole(A32, 0, 0x1p32 - 1))
OTHER(cvt_i32_f64, (uint32_t)(int32_t)to_whole(A64, -0x1p31, 0x1p31 - 1))
OTHER(cvt_u32_f64, (uint32_t)to_whole(A64, 0, 0x1p32 - 1))
OTHER(cvt_f32_i32, single_of((int32_t)(uint32_t)s.a))
OTHER(cvt_f32_u32, single_of((uint32_t)s.a))
OTHER(cvt_f64_i32, bits((double)(int32_t)(uint32_t)s.a))
OTHER(cvt_f64_u32, bits((double)(uint32_t)s.a))
OTHER(cvt_f64_f32, out64(bits((double)A32), true))
OTHER(cvt_f32_f64, single_of(A64))
OTHER(cvt_f16_f32, half_of(A32))
OTHER(cvt_f32_f16, out32(bits((float)A16), true))
SINGLE(rndne_f32, std::nearbyint((float)a))

static const Op table[] = {
    { "v_fma_f32", { 1, 1, 1 }, 1, 0, fma_f32 },       { "v_fma_f64", { 2, 2, 2 }, 2, 1, fma_f64 },       { "v_add_f32", { 1, 1, 0 }, 1, 0, add_f32 },
    { "v_sub_f32", { 1, 1, 0 }, 1, 0, sub_f32 },       { "v_mul_f32", { 1, 1, 0 }, 1, 0, mul_f32 },       { "v_mad_f32", { 1, 1, 1 }, 1, 0, mad_f32 },
    { "v_ldexp_f32", { 1, 1, 0 }, 1, 0, ldexp_f32 },   { "v_add_f64", { 2, 2, 0 }, 2, 1, add_f64 },       { "v_mul_f64", { 2, 2, 0 }, 2, 1, mul_f64 },
    { "v_add_f16", { 1, 1, 0 }, 1, 1, add_f16 },       { "v_sub_f16", { 1, 1, 0 }, 1, 1, sub_f16 },       { "v_mul_f16", { 1, 1, 0 }, 1, 1, mul_f16 },
    { "v_fma_f16", { 1, 1, 1 }, 1, 1, fma_f16 },       { "v_cvt_i32_f32", { 1, 0, 0 }, 1, 2, cvt_i32_f32 }, { "v_cvt_u32_f32", { 1, 0, 0 }, 1, 2, cvt_u32_f32 },
    { "v_cvt_i32_f64", { 2, 0, 0 }, 1, 2, cvt_i32_f64 }, { "v_cvt_u32_f64", { 2, 0, 0 }, 1, 2, cvt_u32_f64 }, { "v_cvt_f32_i32", { 1, 0, 0 }, 1, 0, cvt_f32_i32 },
    { "v_cvt_f32_u32", { 1, 0, 0 }, 1, 0, cvt_f32_u32 }, { "v_cvt_f64_i32", { 1, 0, 0 }, 2, 2, cvt_f64_i32 }, { "v_cvt_f64_u32", { 1, 0, 0 }, 2, 2, cvt_f64_u32 },
    { "v_cvt_f64_f32", { 1, 0, 0 }, 2, 2, cvt_f64_f32 }, { "v_cvt_f32_f64", { 2, 0, 0 }, 1, 0, cvt_f32_f64 }, { "v_cvt_f16_f32", { 1, 0, 0 }, 1, 1, cvt_f16_f32 },
    { "v_cvt_f32_f16", { 1, 0, 0 }, 1, 2, cvt_f32_f16 }, { "v_floor_f32", { 1, 0, 0 }, 1, 2, floor_f32 },   { "v_ceil_f32", { 1, 0, 0 }, 1, 2, ceil_f32 },
    { "v_trunc_f32", { 1, 0, 0 }, 1, 2, trunc_f32 },   { "v_rndne_f32", { 1, 0, 0 }, 1, 2, rndne_f32 },   { "v_floor_f64", { 2, 0, 0 }, 2, 2, floor_f64 },
    { "v_ceil_f64", { 2, 0, 0 }, 2, 2, ceil_f64 },     { "v_trunc_f64", { 2, 0, 0 }, 2, 2, trunc_f64 },   { "v_rndne_f64", { 2, 0, 0 }, 2, 2, rndne_f64 },
};

// ---- driving
static void load(unsigned reg) // golden[reg] to the SIMD
{
    load_rows(reg * 4, reg * 4 + 4);
}

static uint64_t get(unsigned reg, unsigned words, unsigned lane)
{
    return words == 2 ? golden[reg][lane] | (uint64_t)golden[reg + 1][lane] << 32 : golden[reg][lane];
}

static void put(unsigned reg, unsigned words, unsigned lane, uint64_t x)
{
    golden[reg][lane] = (uint32_t)x;
    if (words == 2)
        golden[reg + 1][lane] = x >> 32;
}

// Issues one instruction on registers; its results are compared with `want`, or with nothing (NULL).
static unsigned next_tag;
static const struct gcn3_op *name_of(const char *name)
{
    static std::vector<std::pair<std::string, const struct gcn3_op *>> seen;
    for (auto &p : seen)
        if (p.first == name)
            return p.second;
    seen.push_back({ name, find(name) });
    return seen.back().second;
}
static void issue(const char *name, unsigned d, unsigned a, unsigned b, unsigned c, unsigned neg, const uint64_t *want)
{
    const struct gcn3_op &o = *name_of(name);
    uint64_t inst = 0xd0000000u | (uint32_t)o.op << 16 | d | (uint64_t)((256 + a) | (256 + b) << 9 | (256 + c) << 18 | neg << 29) << 32;
    struct gcn3_inst i;
    if (o.mask2) // the third operand is VCC
        inst = (inst & ~(UINT64_C(511) << 50)) | (uint64_t)SREG_VCC << 50;
    if (o.flags & FLAG_VCC_W && o.dkind == 1)
        inst |= SREG_VCC << 8;
    if (o.dkind >= 2) // a compare: its mask goes to VCC
        inst = (inst & ~UINT64_C(255)) | SREG_VCC;
    gcn3_decode(inst, &i);
    unsigned tag = next_tag = (next_tag + 1) % 200;
    Expected &e = expected[tag];
    e.used = true;
    e.any = !want;
    e.name = name;
    e.inst = inst;
    e.vdst = i.vdst;
    e.width = i.vdst_w;
    e.mode = wave.mode;
    e.exec = ~UINT64_C(0);
    e.has_result = i.sdst_w != 0;
    for (unsigned l = 0; want && l < 64; l++) {
        e.data[0][l] = (uint32_t)want[l];
        e.data[1][l] = want[l] >> 32;
    }
    for (unsigned n = 0; n < 3; n++)
        memcpy(e.src[n], golden[n == 0 ? a : n == 1 ? b : c], 256);
    WAVE_EXEC(&wave) = ~UINT64_C(0);
    drive(i, tag);
    dut->valid_i = 1;
    tick();
    dut->valid_i = 0;
    for (unsigned left = slots(o) - 1; left; left--)
        tick();
    if (e.any && e.has_result) { // the mask is needed by what follows
        for (unsigned n = 0; e.used && n < 200; n++)
            tick();
        WAVE_VCC(&wave) = seen_mask;
    }
}

// Sources: those of the bench, close pairs, sums that cancel.
static uint64_t source(unsigned words) { return words == 2 ? value64() : value32(); }

static void one_vector(const Op &o)
{
    uint64_t want[64];
    wave.mode = (uint8_t)rng();
    for (unsigned n = 0; n < 3; n++)
        for (unsigned l = 0; l < 64 && o.words[n]; l++)
            put(2 * n, o.words[n], l, source(o.words[n]));
    for (unsigned l = 0; l < 64; l++) {
        if (o.words[2] && chance(30)) { // an addend near the negative product
            uint64_t x = o.words[2] == 2 ? bits(-(f64(get(0, 2, l)) * f64(get(2, 2, l)))) : bits(-(f32(golden[0][l]) * f32(golden[2][l])));
            put(4, o.words[2], l, x + below(5) - 2);
        } else if (o.words[1] == o.words[0] && chance(20)) {
            put(2, o.words[1], l, (get(0, o.words[0], l) + below(3) - 1) ^ (uint64_t)below(2) << (o.words[0] == 2 ? 63 : 31));
        }
    }
    for (unsigned n = 0; n < 3; n++)
        for (unsigned w = 0; w < o.words[n]; w++)
            load(2 * n + w);
    rounding(o.round == 0 ? wave.mode : o.round == 1 ? wave.mode >> 2 : 0);
    for (unsigned l = 0; l < 64; l++)
        want[l] = o.f({ get(0, o.words[0], l), get(2, o.words[1] ? o.words[1] : 1, l), get(4, o.words[2] ? o.words[2] : 1, l) });
    fesetround(FE_TONEAREST);
    issue(o.name, 10, 0, 2, 4, 0, want);
}

static void constant(unsigned reg, unsigned words, uint64_t x)
{
    for (unsigned l = 0; l < 64; l++)
        put(reg, words, l, x);
    for (unsigned w = 0; w < words; w++)
        load(reg + w);
}

// ---- sequences, in rounding to nearest: registers 0 and 2 are numerator and denominator, 40 up constants
static void divide_f32(void)
{
    uint64_t want[64];
    wave.mode = 0xf0;
    for (unsigned l = 0; l < 64; l++) {
        put(0, 1, l, value32()), put(2, 1, l, chance(50) ? value32() : rng());
        if (chance(50))
            put(0, 1, l, bits((float)((double)f32(golden[2][l]) * (1 + (double)below(0x2000000) * 0x1p-25))));
        volatile float q = f32(golden[0][l]) / f32(golden[2][l]);
        want[l] = out32(bits((float)q), true);
    }
    load(0), load(2);
    issue("v_div_scale_f32", 10, 2, 2, 0, 0, NULL);
    issue("v_div_scale_f32", 11, 0, 2, 0, 0, NULL);
    issue("v_rcp_f32", 12, 10, 0, 0, 0, NULL);
    issue("v_fma_f32", 13, 10, 12, 40, 1, NULL);
    issue("v_fma_f32", 12, 13, 12, 12, 0, NULL);
    issue("v_mul_f32", 14, 11, 12, 0, 0, NULL);
    issue("v_fma_f32", 15, 10, 14, 11, 1, NULL);
    issue("v_fma_f32", 14, 15, 12, 14, 0, NULL);
    issue("v_fma_f32", 15, 10, 14, 11, 1, NULL);
    issue("v_div_fmas_f32", 16, 15, 12, 14, 0, NULL);
    for (unsigned l = 0; l < 64; l++) // fixup returns NaNs of its sources, and a negative one where IEEE makes one
        if (want[l] == 0x7fc00000) {
            uint32_t n = golden[0][l], d = golden[2][l];
            want[l] = std::isnan(f32(n)) ? n | 0x400000 : std::isnan(f32(d)) ? d | 0x400000 : 0xffc00000;
        }
    issue("v_div_fixup_f32", 17, 16, 2, 0, 0, want);
}

static void divide_f64(void)
{
    uint64_t want[64];
    wave.mode = 0xf0;
    for (unsigned l = 0; l < 64; l++) {
        put(0, 2, l, value64()), put(2, 2, l, chance(50) ? value64() : rng());
        if (chance(50))
            put(0, 2, l, bits(f64(get(2, 2, l)) * (1 + (double)(rng() >> 11) * 0x1p-53)));
        uint64_t n = get(0, 2, l), d = get(2, 2, l), quiet = UINT64_C(1) << 51;
        volatile double q = f64(n) / f64(d);
        want[l] = !std::isnan(q) ? bits((double)q) : std::isnan(f64(n)) ? n | quiet : std::isnan(f64(d)) ? d | quiet : UINT64_C(0xfff8) << 48;
    }
    load(0), load(1), load(2), load(3);
    issue("v_div_scale_f64", 10, 2, 2, 0, 0, NULL);
    issue("v_div_scale_f64", 12, 0, 2, 0, 0, NULL);
    issue("v_rcp_f64", 14, 10, 0, 0, 0, NULL);
    issue("v_fma_f64", 16, 10, 14, 42, 1, NULL);
    issue("v_fma_f64", 14, 14, 16, 14, 0, NULL);
    issue("v_fma_f64", 16, 10, 14, 42, 1, NULL);
    issue("v_fma_f64", 14, 14, 16, 14, 0, NULL);
    issue("v_mul_f64", 18, 12, 14, 0, 0, NULL);
    issue("v_fma_f64", 20, 10, 18, 12, 1, NULL);
    issue("v_div_fmas_f64", 22, 20, 14, 18, 0, NULL);
    issue("v_div_fixup_f64", 24, 22, 2, 0, 0, want);
}

// Square root of a double in [2^-1000, 2^1000], where clang's scaling does nothing.
static void root_f64(void)
{
    uint64_t want[64];
    wave.mode = 0xf0;
    for (unsigned l = 0; l < 64; l++) {
        uint64_t x = (rng() & ((UINT64_C(1) << 52) - 1)) | (uint64_t)(23 + below(2000)) << 52;
        if (chance(30)) // next to a square of 26 bits
            x = bits(std::pow((double)(1 + below(1 << 26)), 2)) + below(3) - 1;
        put(2, 2, l, x);
        volatile double y = std::sqrt(f64(x));
        want[l] = bits((double)y);
    }
    load(2), load(3);
    issue("v_rsq_f64", 4, 2, 0, 0, 0, NULL);
    issue("v_mul_f64", 6, 2, 4, 0, 0, NULL);
    issue("v_mul_f64", 4, 4, 44, 0, 0, NULL);
    issue("v_fma_f64", 8, 4, 6, 44, 1, NULL);
    issue("v_fma_f64", 6, 6, 8, 6, 0, NULL);
    issue("v_fma_f64", 4, 4, 8, 4, 0, NULL);
    issue("v_fma_f64", 8, 6, 6, 2, 1, NULL);
    issue("v_fma_f64", 6, 8, 4, 6, 0, NULL);
    issue("v_fma_f64", 8, 6, 6, 2, 1, NULL);
    issue("v_fma_f64", 4, 8, 4, 6, 0, want);
}

static void root_f32(void)
{
    uint64_t want[64];
    wave.mode = 0xf0;
    for (unsigned l = 0; l < 64; l++) {
        uint32_t x = ((uint32_t)rng() & 0x7fffff) | (uint32_t)(32 + below(222)) << 23;
        if (chance(30))
            x = bits((float)std::pow((double)(1 + below(1 << 12)), 2)) + (uint32_t)below(3) - 1;
        put(2, 1, l, x);
        volatile float y = std::sqrt(f32(x));
        want[l] = bits((float)y);
    }
    load(2);
    issue("v_rsq_f32", 3, 2, 0, 0, 0, NULL);
    issue("v_mul_f32", 5, 2, 3, 0, 0, NULL);
    issue("v_mul_f32", 3, 46, 3, 0, 0, NULL);
    issue("v_fma_f32", 6, 3, 5, 46, 1, NULL);
    issue("v_fma_f32", 5, 5, 6, 5, 0, NULL);
    issue("v_fma_f32", 3, 3, 6, 3, 0, NULL);
    issue("v_fma_f32", 6, 5, 5, 2, 1, NULL);
    issue("v_fma_f32", 3, 6, 3, 5, 0, want);
}

// The comparison itself: one wrong bit expected of one lane is complained of.
static bool notices()
{
    uint64_t want[64];
    wave.mode = 0xf0;
    for (unsigned l = 0; l < 64; l++) {
        put(0, 1, l, bits(1.5f)), put(2, 1, l, bits(2.0f)), put(4, 1, l, bits(0.25f));
        want[l] = bits(3.25f) ^ (l == 37);
    }
    load(0), load(2), load(4);
    int before = failures;
    issue("v_fma_f32", 10, 0, 2, 4, 0, want);
    for (unsigned n = 0; n < 40; n++)
        tick();
    bool one = failures == before + 1;
    failures = before;
    return one;
}

// All families; vectors: of each (fma and the sequences), and of all other operations together.
static void run(uint64_t vectors)
{
    static void (*const sequences[])(void) = { divide_f32, divide_f64, root_f32, root_f64 };
    const unsigned others = sizeof table / sizeof *table - 2;
    wave.ieee = wave.dx10_clamp = true;
    if (!notices() && ++failures)
        printf("a wrong result is not noticed\n");
    constant(40, 1, 0x3f800000), constant(42, 2, bits(1.0)), constant(44, 2, bits(0.5)), constant(46, 1, 0x3f000000);
    for (unsigned n = 0; n < 2; n++)
        for (uint64_t v = 0; v < vectors && failures < 20; v += 64)
            one_vector(table[n]);
    for (uint64_t v = 0; v < vectors && failures < 20; v += 64)
        one_vector(table[2 + v / 64 % others]);
    for (unsigned n = 0; n < 4; n++)
        for (uint64_t v = 0; v < vectors && failures < 20; v += 64)
            sequences[n]();
    for (unsigned n = 0; n < 200; n++)
        tick();
    printf("host arithmetic: %llu vectors a family, %u operations, %d failures\n", (unsigned long long)vectors, others + 2, failures);
}

} // namespace host

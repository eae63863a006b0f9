/* SPDX-License-Identifier: Apache-2.0
 * Arithmetic with a direction of rounding, which gfx803 has as a mode: set for one instruction. Division and root are
 * sequences of instructions that need rounding to nearest: they have no direction here.
 */
#ifndef GANTRY_CUDA_ROUNDING_H
#define GANTRY_CUDA_ROUNDING_H
/* Bits 0 and 1 of the mode are those of floats, 2 and 3 of doubles: 0 nearest, 1 up, 2 down, 3 to zero. */
#define GANTRY_ROUNDED(name, T, at, mode, instruction)                                                                 \
    static inline __device__ T name(T a, T b)                                                                          \
    {                                                                                                                  \
        T r;                                                                                                           \
        __asm__ volatile("s_setreg_imm32_b32 hwreg(HW_REG_MODE, " at ", 2), " mode "\n\t" instruction "\n\t"           \
                         "s_setreg_imm32_b32 hwreg(HW_REG_MODE, " at ", 2), 0"                                         \
                         : "=&v"(r)                                                                                    \
                         : "v"(a), "v"(b));                                                                            \
        return r;                                                                                                      \
    }
#define GANTRY_ROUNDED_FMA(name, T, at, mode, instruction)                                                             \
    static inline __device__ T name(T a, T b, T c)                                                                     \
    {                                                                                                                  \
        T r;                                                                                                           \
        __asm__ volatile("s_setreg_imm32_b32 hwreg(HW_REG_MODE, " at ", 2), " mode "\n\t" instruction "\n\t"           \
                         "s_setreg_imm32_b32 hwreg(HW_REG_MODE, " at ", 2), 0"                                         \
                         : "=&v"(r)                                                                                    \
                         : "v"(a), "v"(b), "v"(c));                                                                    \
        return r;                                                                                                      \
    }
#define GANTRY_DIRECTION(suffix, mode)                                                                                 \
    GANTRY_ROUNDED(__fadd_##suffix, float, "0", mode, "v_add_f32 %0, %1, %2")                                          \
    GANTRY_ROUNDED(__fsub_##suffix, float, "0", mode, "v_sub_f32 %0, %1, %2")                                          \
    GANTRY_ROUNDED(__fmul_##suffix, float, "0", mode, "v_mul_f32 %0, %1, %2")                                          \
    GANTRY_ROUNDED_FMA(__fmaf_##suffix, float, "0", mode, "v_fma_f32 %0, %1, %2, %3")                                  \
    GANTRY_ROUNDED(__dadd_##suffix, double, "2", mode, "v_add_f64 %0, %1, %2")                                         \
    GANTRY_ROUNDED(__dsub_##suffix, double, "2", mode, "v_add_f64 %0, %1, -%2")                                        \
    GANTRY_ROUNDED(__dmul_##suffix, double, "2", mode, "v_mul_f64 %0, %1, %2")                                         \
    GANTRY_ROUNDED_FMA(__fma_##suffix, double, "2", mode, "v_fma_f64 %0, %1, %2, %3")
GANTRY_DIRECTION(ru, "1")
GANTRY_DIRECTION(rd, "2")
GANTRY_DIRECTION(rz, "3")
#undef GANTRY_DIRECTION
#undef GANTRY_ROUNDED
#undef GANTRY_ROUNDED_FMA
#define GANTRY_NO_DIRECTION(name) GANTRY_NOT_ON_DEVICE(name, "gfx803 rounds a division or a root to the nearest only")
GANTRY_NO_DIRECTION(__fdiv_ru);
GANTRY_NO_DIRECTION(__fdiv_rd);
GANTRY_NO_DIRECTION(__fdiv_rz);
GANTRY_NO_DIRECTION(__frcp_ru);
GANTRY_NO_DIRECTION(__frcp_rd);
GANTRY_NO_DIRECTION(__frcp_rz);
GANTRY_NO_DIRECTION(__fsqrt_ru);
GANTRY_NO_DIRECTION(__fsqrt_rd);
GANTRY_NO_DIRECTION(__fsqrt_rz);
#undef GANTRY_NO_DIRECTION
#endif

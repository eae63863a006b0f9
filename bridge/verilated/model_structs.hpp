// SPDX-License-Identifier: Apache-2.0
// What sw/tools/builder/verilate_save.py adds to generated headers.  A member of an unpacked struct of the RTL as bytes of a saved state: numbers and wide words whole, elements of arrays
// and members of structs one by one.
// GANTRY_ZEROED: objects of the class begin in memory that is zero.  GANTRY_UNOPTIMIZED: a function that the compiler translates as it is.
#ifndef GANTRY_MODEL_STRUCTS_HPP
#define GANTRY_MODEL_STRUCTS_HPP
#include <cstring>
#include <new>
#include <type_traits>

#include "verilated.h"
#include "verilated_save.h"
#include "verilated_types.h"

namespace gantry {

template <class T> struct is_words : std::is_integral<T> {};
template <std::size_t N> struct is_words<VlWide<N>> : std::true_type {};

template <class T> void state_member(VerilatedSerialize &os, const T &value)
{
    if constexpr (is_words<T>::value)
        os.write(&value, sizeof value);
    else
        os << value;
}
template <class T> void state_member(VerilatedDeserialize &os, T &value)
{
    if constexpr (is_words<T>::value)
        os.read(&value, sizeof value);
    else
        os >> value;
}
template <class T, std::size_t N> void state_member(VerilatedSerialize &os, const VlUnpacked<T, N> &array)
{
    for (std::size_t i = 0; i < N; i++)
        state_member(os, array[i]);
}
template <class T, std::size_t N> void state_member(VerilatedDeserialize &os, VlUnpacked<T, N> &array)
{
    for (std::size_t i = 0; i < N; i++)
        state_member(os, array[i]);
}

}  // namespace gantry

#ifdef __clang__
#define GANTRY_UNOPTIMIZED __attribute__((optnone, noinline))
#else
#define GANTRY_UNOPTIMIZED __attribute__((optimize("O0")))
#endif

// The barrier: a compiler may forget what was in the memory of an object before its constructor.
#define GANTRY_ZEROED                                                                    \
    static void *operator new(std::size_t count, std::align_val_t align)                 \
    {                                                                                    \
        void *memory = ::operator new(count, align);                                     \
        std::memset(memory, 0, count);                                                   \
        __asm__ volatile("" : : "r"(memory) : "memory");                                 \
        return memory;                                                                   \
    }                                                                                    \
    static void operator delete(void *memory, std::align_val_t align) { ::operator delete(memory, align); }
#endif

// SPDX-License-Identifier: Apache-2.0
// Calls and private memory: recursion, calls by pointer and by virtual function, arrays indexed at run time, an
// interpreter with its stack, backtracking, many registers alive across a call.
#include "suite.h"

__host__ __device__ __attribute__((noinline)) static unsigned fibonacci(unsigned n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__host__ __device__ __attribute__((noinline)) static unsigned ackermann(unsigned m, unsigned n)
{
    return !m ? n + 1 : ackermann(m - 1, n ? ackermann(m, n - 1) : 1);
}

__global__ void recursion(unsigned *out)
{
    out[global_id()] = fibonacci(global_id() % 9) * 1000 + ackermann(global_id() % 3, global_id() % 4);
}

using Operation = int (*)(int, int);
__host__ __device__ __attribute__((noinline)) static int add(int a, int b)
{
    return a + b;
}
__host__ __device__ __attribute__((noinline)) static int multiply(int a, int b)
{
    return a * b;
}
__host__ __device__ __attribute__((noinline)) static int shift(int a, int b)
{
    return a ^ b >> 3;
}
__host__ __device__ __attribute__((noinline)) static int fold(int a, int b)
{
    return a - 7 * b;
}

__host__ __device__ static int by_pointer(int x, unsigned which)
{
    const Operation table[4] = {add, multiply, shift, fold};
    for (int i = 1; i < 6; i++)
        x = table[(which + static_cast<unsigned>(i * x)) & 3](x, i + 2);
    return x;
}

// Each lane calls another function: the compiler loops over the targets.
__global__ void pointers(int *data)
{
    data[global_id()] = by_pointer(data[global_id()], global_id());
}

struct Shape {
    __host__ __device__ virtual float area() const = 0;
};
struct Square : Shape {
    float side;
    __host__ __device__ explicit Square(float s) : side(s) {}
    __host__ __device__ float area() const override { return side * side; }
};
struct Circle : Shape {
    float radius;
    __host__ __device__ explicit Circle(float r) : radius(r) {}
    __host__ __device__ float area() const override { return 3.140625f * radius * radius; }
};

__host__ __device__ static float shape_area(float size, bool round)
{
    Square square(size);
    Circle circle(size);
    const Shape *volatile shape = round ? static_cast<const Shape *>(&circle) : &square;
    return shape->area();
}

__global__ void virtual_calls(float *data)
{
    data[global_id()] = shape_area(data[global_id()], global_id() % 3 == 0);
}

// A stack machine: program and stack in private memory.
__host__ __device__ static int interpret(const uint8_t *program, unsigned length, int x)
{
    int stack[24];
    unsigned top = 0;
    stack[top++] = x;
    for (unsigned pc = 0; pc < length; pc++) {
        switch (program[pc] % 8) {
        case 0:
            stack[top++] = program[pc];
            break;
        case 1:
            stack[top] = stack[top - 1];
            top++;
            break;
        case 2:
            stack[top - 1] = stack[top - 1] * 3 + 1;
            break;
        case 3:
            stack[top - 1] ^= stack[top / 2];
            break;
        case 4:
            stack[top - 1] = stack[top - 1] < 0 ? -(stack[top - 1] + 1) : stack[top - 1] / 3;
            break;
        default:
            if (top > 1) {
                stack[top - 2] = stack[top - 2] + stack[top - 1];
                top--;
            }
        }
        if (top > 22)
            top = 4;
    }
    return stack[top - 1] + static_cast<int>(top);
}

__global__ void machine(const uint8_t *programs, unsigned length, int *out)
{
    out[global_id()] = interpret(programs + global_id() % 7 * length, length, static_cast<int>(global_id()));
}

// Queens on a board of n columns, the first two rows given.
__host__ __device__ static unsigned queens(unsigned n, unsigned first, unsigned second)
{
    int8_t column[8];
    unsigned found = 0, row = 2;
    column[0] = static_cast<int8_t>(first);
    column[1] = static_cast<int8_t>(second);
    if (first == second || first == second + 1 || second == first + 1)
        return 0;
    column[2] = -1;
    while (row >= 2) {
        column[row]++;
        if (column[row] == static_cast<int8_t>(n)) {
            row--;
            continue;
        }
        bool free = true;
        for (unsigned r = 0; r < row && free; r++) {
            const int d = column[row] - column[r];
            free = d && d != static_cast<int>(row - r) && d != -static_cast<int>(row - r);
        }
        if (free && row + 1 == n)
            found++;
        else if (free)
            column[++row] = -1;
    }
    return found;
}

__global__ void count_queens(unsigned *found, unsigned n)
{
    if (global_id() < n * n)
        found[global_id()] = queens(n, global_id() / n, global_id() % n);
}

__host__ __device__ __attribute__((noinline)) static double mixed(const double *v, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += v[i] * (i + 1);
    return sum;
}

__host__ __device__ static double many_values(double x)
{
    double v[40], w[40];
    for (int i = 0; i < 40; i++) {
        v[i] = x * i - 3;
        w[i] = v[i] * v[i] - x;
    }
    double sum = mixed(v, 40);
    for (int i = 0; i < 40; i++)
        sum += v[39 - i] * w[(i * 7) % 40];
    return sum + mixed(w, 40);
}

__global__ void pressure(double *data)
{
    data[global_id()] = many_values(data[global_id()]);
}

int main(int argc, char **argv)
{
    const unsigned n = size_argument(argc, argv, 2) * 64, groups = n / 64;
    uint32_t seed = seed_argument(argc, argv);
    Suite suite("calls");
    {
        Array<unsigned> out(n);
        std::vector<unsigned> wanted(n);
        for (unsigned i = 0; i < n; i++)
            wanted[i] = fibonacci(i % 9) * 1000 + ackermann(i % 3, i % 4);
        recursion<<<groups, 64>>>(out.gpu());
        suite.same("recursion", out.get(), wanted);
    }
    {
        Array<int> data(n);
        std::vector<int> wanted(n);
        for (unsigned i = 0; i < n; i++) {
            data.host[i] = static_cast<int>(random_next(seed) % 100);
            wanted[i] = by_pointer(data.host[i], i);
        }
        data.put();
        pointers<<<groups, 64>>>(data.gpu());
        suite.same("pointers", data.get(), wanted);
    }
    {
        Array<float> data(random_reals<float>(n, seed, 1, 9));
        std::vector<float> wanted(n);
        for (unsigned i = 0; i < n; i++)
            wanted[i] = shape_area(data.host[i], i % 3 == 0);
        virtual_calls<<<groups, 64>>>(data.gpu());
        suite.same("virtual functions", data.get(), wanted);
    }
    {
        const unsigned length = 40;
        Array<uint8_t> programs(7 * length);
        Array<int> out(n);
        std::vector<int> wanted(n);
        for (auto &v : programs.host)
            v = static_cast<uint8_t>(random_next(seed));
        programs.put();
        for (unsigned i = 0; i < n; i++)
            wanted[i] = interpret(&programs.host[i % 7 * length], length, static_cast<int>(i));
        machine<<<groups, 64>>>(programs.gpu(), length, out.gpu());
        suite.same("stack machine", out.get(), wanted);
    }
    {
        const unsigned side = 6;
        Array<unsigned> found(side * side);
        std::vector<unsigned> wanted(side * side);
        unsigned sum = 0;
        for (unsigned i = 0; i < side * side; i++)
            sum += wanted[i] = queens(side, i / side, i % side);
        count_queens<<<1, 64>>>(found.gpu(), side);
        suite.same("queens", found.get(), wanted);
        suite.check("queens, published number", sum == 4);
    }
    {
        Array<double> data(random_reals<double>(n, seed, -1, 1));
        std::vector<double> wanted(n);
        for (unsigned i = 0; i < n; i++)
            wanted[i] = many_values(data.host[i]);
        pressure<<<groups, 64>>>(data.gpu());
        suite.same("many values", data.get(), wanted);
    }
    return suite.verdict();
}

/* SPDX-License-Identifier: Apache-2.0
 * Products of matrices for the BLAS libraries: operands on host and device, and the result that is wanted.
 */
#ifndef GANTRY_LIBRARIES_BLAS_H
#define GANTRY_LIBRARIES_BLAS_H
#include "suite.h"

/* n multiples of 1/8 of at most 8: sums of some thousand products of two of them, and of those times 3/2, are exact in
 * T. */
template <class T> static inline std::vector<T> multiples(size_t n, uint32_t &seed)
{
    std::vector<T> v(n);
    for (auto &x : v)
        x = static_cast<T>((static_cast<int>(random_next(seed) % 129) - 64) / 8.0);
    return v;
}

/* C := alpha A B + beta C, of m x n, where A and B have k columns and rows; all in columns, `across` what is stored as
 * its transpose.  Columns are some elements longer than the matrix, and what is between them stays as it is. */
template <class T> struct Product {
    const int m, n, k;
    const bool across_a, across_b;
    const int row_a, row_b, row_c;
    const T alpha = T(1.5), beta = T(-0.5);
    Array<T> a, b, c;
    std::vector<T> wanted;

    Product(int rows, int columns, int depth, bool a_across, bool b_across, uint32_t &seed)
        : m(rows), n(columns), k(depth), across_a(a_across), across_b(b_across), row_a((across_a ? k : m) + 3),
          row_b((across_b ? n : k) + 1), row_c(m + 2), a(multiples<T>(elements(row_a, across_a ? m : k), seed)),
          b(multiples<T>(elements(row_b, across_b ? k : n), seed)), c(multiples<T>(elements(row_c, n), seed)),
          wanted(c.host)
    {
        for (int i = 0; i < m; i++)
            for (int j = 0; j < n; j++) {
                T sum = 0;
                for (int l = 0; l < k; l++)
                    sum += a.host[across_a ? at(row_a, l, i) : at(row_a, i, l)] *
                           b.host[across_b ? at(row_b, j, l) : at(row_b, l, j)];
                wanted[at(row_c, i, j)] = alpha * sum + beta * wanted[at(row_c, i, j)];
            }
    }

  private:
    static size_t at(int row, int i, int j)
    {
        return static_cast<size_t>(j) * static_cast<size_t>(row) + static_cast<size_t>(i);
    }
    static size_t elements(int row, int columns) { return at(row, 0, columns); }
};
#endif

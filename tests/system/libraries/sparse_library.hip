// SPDX-License-Identifier: Apache-2.0
// rocSPARSE: level 1 (axpyi, doti, gthr, sctr) and products of a sparse matrix with a vector (CSR with and without analysis, COO)
// and with a dense matrix.  Values are small multiples of 1/64, so that sums are exact in any order.
#include <rocsparse/rocsparse.h>

#include "suite.h"

#define SPARSE_OK(call)                                                                                               \
    do {                                                                                                              \
        const rocsparse_status status_ = (call);                                                                      \
        if (status_ != rocsparse_status_success) {                                                                    \
            std::fprintf(stderr, "%s:%d: %s: status %d\n", __FILE__, __LINE__, #call, static_cast<int>(status_));      \
            std::exit(2);                                                                                             \
        }                                                                                                             \
    } while (0)

using Int = rocsparse_int;

static double small(uint32_t &seed) { return (static_cast<int>(random_next(seed) % 129) - 64) / 8.0; }

static std::vector<double> vector_of(Int n, uint32_t &seed)
{
    std::vector<double> v(static_cast<size_t>(n));
    for (auto &x : v)
        x = small(seed);
    return v;
}

int main(int argc, char **argv)
{
    const Int n = static_cast<Int>(size_argument(argc, argv, 200));
    const auto size = static_cast<size_t>(n);
    uint32_t seed = seed_argument(argc, argv);
    Suite suite("sparse_library");
    rocsparse_handle handle;
    SPARSE_OK(rocsparse_create_handle(&handle));
    {
        std::vector<Int> where;
        for (Int i = 0; i < n; i += 1 + static_cast<Int>(random_next(seed) % 4))
            where.push_back(i);
        const auto count = static_cast<Int>(where.size());
        Array<Int> index(where);
        Array<double> x(vector_of(count, seed)), y(vector_of(n, seed));
        const double alpha = 1.5;
        double dot = 0, wanted_dot = 0;
        auto wanted = y.host;
        for (size_t k = 0; k < where.size(); k++) {
            wanted[static_cast<size_t>(where[k])] += alpha * x.host[k];
            wanted_dot += x.host[k] * wanted[static_cast<size_t>(where[k])];
        }
        SPARSE_OK(rocsparse_daxpyi(handle, count, &alpha, x.gpu(), index.gpu(), y.gpu(), rocsparse_index_base_zero));
        suite.same("axpyi", y.get(), wanted);
        SPARSE_OK(rocsparse_ddoti(handle, count, x.gpu(), index.gpu(), y.gpu(), &dot, rocsparse_index_base_zero));
        HIP_OK(hipDeviceSynchronize());
        suite.check("doti", dot == wanted_dot);
        SPARSE_OK(rocsparse_dgthr(handle, count, y.gpu(), x.gpu(), index.gpu(), rocsparse_index_base_zero));
        std::vector<double> gathered;
        for (Int i : where)
            gathered.push_back(wanted[static_cast<size_t>(i)]);
        suite.same("gthr", x.get(), gathered);
        Array<double> spread(size);
        std::vector<double> scattered(size);
        for (Int i : where)
            scattered[static_cast<size_t>(i)] = wanted[static_cast<size_t>(i)];
        SPARSE_OK(rocsparse_dsctr(handle, count, x.gpu(), index.gpu(), spread.gpu(), rocsparse_index_base_zero));
        suite.same("sctr", spread.get(), scattered);
    }
    std::vector<Int> starts(1), columns, rows;
    for (Int row = 0; row < n; row++) {
        for (Int column = static_cast<Int>(random_next(seed) % 9); column < n; column += 1 + static_cast<Int>(random_next(seed) % (row % 50 ? 40 : 3))) {
            columns.push_back(column);
            rows.push_back(row);
        }
        starts.push_back(static_cast<Int>(columns.size()));
    }
    const auto entries = static_cast<Int>(columns.size());
    Array<Int> start(starts), column(columns), row(rows);
    Array<double> value(vector_of(entries, seed)), x(vector_of(n, seed)), y(vector_of(n, seed));
    const auto before = y.host;
    const double alpha = 2, beta = -0.5;
    auto wanted = before;
    for (auto &v : wanted)
        v *= beta;
    for (size_t k = 0; k < columns.size(); k++)
        wanted[static_cast<size_t>(rows[k])] += alpha * value.host[k] * x.host[static_cast<size_t>(columns[k])];
    rocsparse_mat_descr matrix;
    rocsparse_mat_info info;
    SPARSE_OK(rocsparse_create_mat_descr(&matrix));
    SPARSE_OK(rocsparse_create_mat_info(&info));
    const auto none = rocsparse_operation_none;
    SPARSE_OK(rocsparse_dcsrmv(handle, none, n, n, entries, &alpha, matrix, value.gpu(), start.gpu(), column.gpu(), nullptr, x.gpu(), &beta, y.gpu()));
    suite.same("csrmv", y.get(), wanted);
    auto restore = [&] {
        y.host = before;
        y.put();
    };
    restore();
    SPARSE_OK(rocsparse_dcsrmv_analysis(handle, none, n, n, entries, matrix, value.gpu(), start.gpu(), column.gpu(), info));
    SPARSE_OK(rocsparse_dcsrmv(handle, none, n, n, entries, &alpha, matrix, value.gpu(), start.gpu(), column.gpu(), info, x.gpu(), &beta, y.gpu()));
    suite.same("csrmv after analysis", y.get(), wanted);
    restore();
    SPARSE_OK(rocsparse_dcoomv(handle, none, n, n, entries, &alpha, matrix, value.gpu(), row.gpu(), column.gpu(), x.gpu(), &beta, y.gpu()));
    suite.same("coomv", y.get(), wanted);
    {
        const Int columns_of_b = 5;
        const auto total = size * 5;
        Array<double> b(vector_of(n * columns_of_b, seed)), c(total);
        std::vector<double> product(total);
        const double zero = 0;
        for (size_t j = 0; j < 5; j++)
            for (size_t k = 0; k < columns.size(); k++)
                product[j * size + static_cast<size_t>(rows[k])] += alpha * value.host[k] * b.host[j * size + static_cast<size_t>(columns[k])];
        SPARSE_OK(rocsparse_dcsrmm(handle, none, none, n, columns_of_b, n, entries, &alpha, matrix, value.gpu(), start.gpu(), column.gpu(), b.gpu(), n,
                                   &zero, c.gpu(), n));
        c.get();
        for (auto &v : c.host)
            v += 0.0;
        for (auto &v : product)
            v += 0.0; // a sum may be -0
        suite.same("csrmm", c.host, product);
    }
    SPARSE_OK(rocsparse_destroy_mat_info(info));
    SPARSE_OK(rocsparse_destroy_mat_descr(matrix));
    SPARSE_OK(rocsparse_destroy_handle(handle));
    return suite.verdict();
}

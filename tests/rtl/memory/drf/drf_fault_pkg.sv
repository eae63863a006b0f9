// SPDX-License-Identifier: Apache-2.0
// Which seeded fault the model of test_drf_faults.py has in this run: the number of its row in faults.tsv, 0 none.
package drf_fault_pkg;
  import "DPI-C" pure function int drf_fault();

  function automatic logic is_on(input int n);
    return drf_fault() == n;
  endfunction
endpackage

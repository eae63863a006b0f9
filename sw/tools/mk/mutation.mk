# SPDX-License-Identifier: Apache-2.0
# How many small changes of the text the tests notice: of each folder the first N of the draw of SEED, or of PART=FOLDER alone.
mutation: all  ## mutants of C and RTL against their tests; N=40 SEED=1 PART=host/vm SLOTS=2, goes on where it was ended
	@$(PY) sw/tools/faults/mutate.py $(if $(PART),--part $(PART)) $(if $(N),--n $(N)) $(if $(SEED),--seed $(SEED)) $(if $(SLOTS),--slots $(SLOTS))
.PHONY: mutation

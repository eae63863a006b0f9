# SPDX-License-Identifier: Apache-2.0
# `make spin` searches the model of page moves, seeded faults too (tests/model); those of `make nightly`: make spin A=--nightly; one case: A=NAME.
spin:  ## the protocol of page moves, searched by Spin; ends with "model: N as expected, N not"
	@$(PY) sw/tools/verify/model.py $(A)
.PHONY: spin

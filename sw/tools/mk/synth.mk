# SPDX-License-Identifier: Apache-2.0
# `make synth` maps the compute unit to an ECP5-85F, block by block and whole, and puts the table into a copy of
# docs/reference/synthesis.md, build/synth/synthesis.md; UPDATE=1: into the page itself.
# Hours at the first run; what is done is kept in build/synth.  `make synth CONFIG="smallest mine.yaml" ARGS="--block l1v --no-route"`.
synth: all  ## ECP5 area, memories and clock of the compute unit of CONFIG (default smallest); UPDATE=1 writes docs/reference/synthesis.md; installs nextpnr
	@GANTRY_SYNTH=1 sw/tools/builder/bootstrap.sh
	@$(MAKE) -s --no-print-directory $(MODEL_PACKAGES) $(B)/gen/trans_tables_pkg.sv
	@$(PY) sw/tools/synthesis/synth.py $(if $(filter 1,$(UPDATE)),--update) $(CONFIG) $(ARGS)
.PHONY: synth

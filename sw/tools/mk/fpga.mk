# SPDX-License-Identifier: Apache-2.0
# Bitstreams: `make fpga BOARD=ulx3s PART=rdma ARGS="--seed 1 --seed 2 --seed 3"`; fpga/README.md says how to load them.
fpga: all  ## bitstream of partition PART (default rdma) for an FPGA board BOARD (default ulx3s), in build/fpga; installs nextpnr
	@GANTRY_SYNTH=1 sw/tools/builder/bootstrap.sh
	@$(MAKE) -s --no-print-directory $(BOARD_PACKAGES) $(B)/gen/trans_tables_pkg.sv
	@$(PY) sw/tools/synthesis/fpga.py $(or $(BOARD),ulx3s) $(or $(PART),rdma) $(if $(CONFIG),--config $(CONFIG)) $(ARGS)
.PHONY: fpga

# SPDX-License-Identifier: Apache-2.0
# Boards: harness of each partition kind (checked), stand-in of libusb for simulated boards.
BOARD_PACKAGES := $(B)/gen/gantry_msg_pkg.sv $(B)/gen/gantry_cfg_pkg.sv $(B)/gen/gcn3_pkg.sv $(B)/gen/gantry_stream_pkg.sv
board-check: $(BOARD_PACKAGES) | $(B)/bin/gantry  ## the harness of every partition kind of CONFIG (default smallest) through Verilator and read_slang
	@$(PY) sw/tools/gen_board.py --check $$($(B)/bin/gantry config -c $(or $(CONFIG),configs/smallest.yaml) --sv)
.PHONY: board-check

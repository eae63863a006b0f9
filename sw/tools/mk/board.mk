# SPDX-License-Identifier: Apache-2.0
# Boards: harness of each partition kind (checked), stand-in of libusb for simulated boards.
BOARD_PACKAGES := $(B)/gen/gantry_msg_pkg.sv $(B)/gen/gantry_cfg_pkg.sv $(B)/gen/gcn3_pkg.sv $(B)/gen/gantry_stream_pkg.sv
board-check: $(BOARD_PACKAGES) | $(B)/bin/gantry  ## the harness of every partition kind of CONFIG (default smallest) through Verilator and read_slang
	@$(PY) sw/tools/check/check_board.py $$($(B)/bin/gantry config -c $(or $(CONFIG),configs/smallest.yaml) --sv)
.PHONY: board-check
# A libusb-1.0 whose devices are simulated boards (fpga/sim/standin.h).
STANDIN := $(B)/lib/gantry/libusb-1.0.so.0
standin: $(STANDIN)
all-files: $(STANDIN)
$(STANDIN): fpga/sim/standin.c fpga/sim/standin_device.c fpga/sim/standin_board.c $(wildcard fpga/sim/*.h)
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) $(CFLAGS) -I/usr/include/libusb-1.0 -fPIC -shared -Wl,-soname,$(@F) -o $@ $(filter %.c,$^)
.PHONY: standin
# The same for the system's own libusb and libudev (fpga/sim/umock.c); needs libumockdev-dev.
umock: $(B)/tests/umock
$(B)/tests/umock: fpga/sim/umock.c fpga/sim/umock_requests.c $(wildcard fpga/sim/*.h)
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) $(CFLAGS) $$(pkg-config --cflags umockdev-1.0) -o $@ $(filter %.c,$^) $$(pkg-config --libs umockdev-1.0)
.PHONY: umock

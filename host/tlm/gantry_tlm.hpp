// SPDX-License-Identifier: Apache-2.0
// Gantry's SystemC TLM-2.0 modules, all of them (docs/systemc.md): gantry::configuration, gantry::partition<kind>,
// gantry::gpu, gantry::host.
#ifndef GANTRY_TLM_HPP
#define GANTRY_TLM_HPP
#include "tlm/gpu.hpp"
#include "tlm/host.hpp"
#endif

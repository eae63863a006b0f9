// SPDX-License-Identifier: Apache-2.0
// A kernel of one s_endpgm.  Responsible for: nothing; what its launch costs is the dispatcher's and the firmware's.
kernel void empty(void) {}

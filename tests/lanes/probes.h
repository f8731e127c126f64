/* All probes, those that this CPU cannot run included. */
#ifndef RLTI_TESTS_LANES_PROBES_H
#define RLTI_TESTS_LANES_PROBES_H

#include "probe.h"

extern const lanes_probe probe_portable, probe_avx2, probe_avx512;
extern const lanes_probe probe_portable_double, probe_avx2_double, probe_avx512_double;
extern const lanes_probe probe_reference;

#endif

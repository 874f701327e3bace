// SPDX-License-Identifier: Apache-2.0
#pragma once

// One include for Catch2 2.x and 3.x.
#ifdef PTXLAT_CATCH3
#include <catch2/catch_all.hpp>
using Catch::Approx;
// Its Contains is of an element in a range; the tests mean that of 2.x, a part of a string.
#define Contains ContainsSubstring
#else
#include <catch2/catch.hpp>
#endif

#include "skip.h"

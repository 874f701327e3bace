// SPDX-License-Identifier: Apache-2.0

// The parser itself, compiled here and nowhere else (TOML_HEADER_ONLY=0).
#define TOML_IMPLEMENTATION
#include "isa/toml.h"

// Catch2 2.x needs one file that defines main; 3.x brings its own.
#ifndef PTXLAT_CATCH3
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#endif

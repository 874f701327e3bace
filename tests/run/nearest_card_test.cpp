// SPDX-License-Identifier: Apache-2.0

// Which measured card's results stand beside a schedule. The cards are those of the committed tables.
#include "run/nearest_card.h"

#include "base/error.h"
#include "catch.h"

using namespace ptxlat;

TEST_CASE("the nearest card is one of the same architecture, else of the nearest, and says how far off it may be") {
  const auto own = run::nearest_card({90, "a"});
  REQUIRE(own);
  CHECK(own->table.starts_with("sm_90/"));
  CHECK(sass::arrival_of("MUFU.EX2", own->arrivals)->cycles == 17);
  CHECK(sass::is_interlocked("IMAD.HI.U32", own->arrivals));
  CHECK(own->interlock_error > own->error);
  const auto other = run::nearest_card({120, ""});
  REQUIRE(other);
  CHECK(other->table == own->table);
  CHECK(other->error > own->error);
  CHECK_FALSE(run::nearest_card({61, ""}));  // its instructions wait differently
}

TEST_CASE("a folder that is named must be the table of a card with arrivals") {
  const std::string tables = PTXLAT_SOURCE_DIR "/tables/";
  CHECK(run::chosen_card(tables + "sm_90/nvidia-h200/driver-580.159.04", {90, "a"})->error == 0.05);
  try {
    run::chosen_card(tables + "sm_90a/static/ptxas-13.0.88", {90, "a"});
    FAIL("it has none");
  } catch (const Error& error) {
    CHECK(error.exit_code == ExitCode::unknown_name);
  }
}

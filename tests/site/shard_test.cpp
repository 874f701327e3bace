// SPDX-License-Identifier: Apache-2.0

// A shard says what its JSON says, and nothing that a table says can get out of it.
#include "site/shard.h"

#include <algorithm>

#include "decoded.h"

using namespace ptxlat;
using results::Json;

TEST_CASE("four bytes are five digits, and fewer one digit more than there are") {
  CHECK(site::base85("") == "");
  CHECK(site::base85(std::string(4, '\0')) == "!!!!!");
  CHECK(site::base85(std::string("\0\0\0\x55", 4)) == "!!!#!");
  // 2 ** 32 - 1 in base 85 has the digits 82, 23, 54, 12, 0.
  CHECK(site::base85("\xff\xff\xff\xff") == "|=_1!");
  CHECK(site::base85(std::string("\0", 1)) == "!!");
  CHECK(site::base85(std::string("\0\0\0\0\xff\xff\xff", 7)) == "!!!!!|=_.");
}

TEST_CASE("a shard has the value that it was made of, and equal values give equal bytes") {
  const Json value = {{"names", "add.u32\nfma.rn.f32"}, {"numbers", {4, 1.75, nullptr}}, {"µ", "≥17"}};
  const auto made = site::shard("list-0", value);
  CHECK(made.starts_with("ptxlatShard(\"list-0\",\""));
  CHECK(decoded(made) == value);
  CHECK(site::shard("list-0", value) == made);
}

TEST_CASE("no text ends the string or the script of a shard") {
  const Json value = {"</script><script>alert(1)</script>", "\");alert(1);(\"", "\xe2\x80\xa8\xe2\x80\xa9", "<!--",
                      "a\nb\\"};
  const auto made = site::shard("names", value);
  const auto text = made.substr(0, made.size() - 1);  // without the line end
  CHECK(made.back() == '\n');
  CHECK(std::all_of(text.begin(), text.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           ("(\",);" + std::string(site::base85_digits)).find(c) != std::string::npos;
  }));
  CHECK(decoded(made) == value);
}

TEST_CASE("bytes that are not UTF-8 become U+FFFD") {
  CHECK(decoded(site::shard("names", Json("a\xff"
                                          "b"))) == Json("a\xef\xbf\xbd"
                                                         "b"));
}

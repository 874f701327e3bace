// SPDX-License-Identifier: Apache-2.0
#pragma once

// Templates that many files use, compiled in instantiated_once.cpp instead of in each of them. Only the precompiled
// header includes this: it saves time and changes nothing else, so what a library or compiler does not have is left
// out.
#include <fmt/format.h>

#include <regex>

// fmt 11 declares it differently.
#if FMT_VERSION >= 90000 && FMT_VERSION < 110000
extern template void fmt::detail::vformat_to(buffer<char>&, string_view, basic_format_args<buffer_context<char>>,
                                             locale_ref);
#endif

// The second is GCC's own; together they are half of the time that a file with a pattern takes.
extern template class std::basic_regex<char>;
#ifdef __GLIBCXX__
extern template class std::__detail::_Compiler<std::regex_traits<char>>;
#endif

// SPDX-License-Identifier: Apache-2.0
#include "instantiated_once.h"

#if FMT_VERSION >= 90000 && FMT_VERSION < 110000
template void fmt::detail::vformat_to(buffer<char>&, string_view, basic_format_args<buffer_context<char>>, locale_ref);
#endif

template class std::basic_regex<char>;
#ifdef __GLIBCXX__
template class std::__detail::_Compiler<std::regex_traits<char>>;
#endif

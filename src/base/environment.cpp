// SPDX-License-Identifier: Apache-2.0
#include "base/environment.h"

#include <stdlib.h>
#include <sys/auxv.h>

namespace ptxlat {

void forget_environment_of_others() {
  if (getauxval(AT_SECURE) == 0) return;
  clearenv();
  setenv("PATH", "/usr/local/bin:/usr/bin:/bin", 1);
}

const char* environment_or(const char* variable, const char* usual) {
  const char* value = getenv(variable);
  return value != nullptr && *value != '\0' ? value : usual;
}

}  // namespace ptxlat

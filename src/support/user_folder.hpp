// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace libsgemm::support {

/// A user's folder as the XDG base directory specification has it: what the variable
/// (XDG_DATA_HOME) says, or `below_home` (.local/share) below HOME. A path that is not absolute is
/// ignored; empty: there is none.
std::string user_folder(const char* variable, const std::string& below_home);

} // namespace libsgemm::support

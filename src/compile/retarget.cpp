// SPDX-License-Identifier: Apache-2.0
#include "compile/retarget.hpp"

#include <string_view>

namespace libsgemm::compile {

std::optional<std::string> retarget_to_sm_90a(std::string ptx) {
    constexpr std::string_view target = ".target sm_90";
    const std::size_t at = ptx.find(target);
    if (at == std::string::npos || at + target.size() == ptx.size()) {
        return std::nullopt;
    }
    const char next = ptx[at + target.size()];
    if (next != ',' && next != '\n' && next != '\r' && next != ' ') {
        return std::nullopt; // another target
    }
    ptx.insert(at + target.size(), "a");
    constexpr std::string_view work_group = "\n.reqntid ";
    std::size_t line = ptx.find(work_group);
    while (line != std::string::npos) {
        const std::size_t end = ptx.find('\n', line + 1);
        if (end == std::string::npos) {
            break;
        }
        ptx.insert(end, "\n.minnctapersm 1");
        line = ptx.find(work_group, end);
    }
    return ptx;
}

} // namespace libsgemm::compile

// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace sgemm_test {

/// What tests assert must not depend on the caller's own settings: the environment is as if nobody
/// had set any. Of tables they take the one in $SGEMM_TEST_TABLE, if there is one
/// (tests/with-each-table). To be called once, by main().
void forget_user_settings();

} // namespace sgemm_test

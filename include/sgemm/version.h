/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The version compiled against; libsgemm::version() and sgemm_version() give the one that runs. */
#define SGEMM_VERSION_MAJOR 0
#define SGEMM_VERSION_MINOR 1
#define SGEMM_VERSION_PATCH 0

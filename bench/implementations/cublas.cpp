// SPDX-License-Identifier: Apache-2.0
#include "implementations/makers.hpp"

#if defined(SGEMM_BENCH_HAVE_CUBLAS)
#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#endif

namespace libsgemm::bench {

#if defined(SGEMM_BENCH_HAVE_CUBLAS)
namespace {

void require_cuda(cudaError_t status, const char* call) {
    if (status != cudaSuccess) {
        throw std::runtime_error(std::string(call) + ": " + cudaGetErrorString(status));
    }
}

void require_cublas(cublasStatus_t status, const char* call) {
    if (status != CUBLAS_STATUS_SUCCESS) {
        throw std::runtime_error(std::string(call) + ": " + cublasGetStatusString(status));
    }
}

class CudaBuffer {
public:
    explicit CudaBuffer(std::int64_t elements) {
        require_cuda(cudaMalloc(&data_, static_cast<std::size_t>(elements) * sizeof(float)),
                     "cudaMalloc");
    }
    CudaBuffer(const CudaBuffer&) = delete;
    CudaBuffer& operator=(const CudaBuffer&) = delete;
    ~CudaBuffer() { cudaFree(data_); }

    float* data() const { return static_cast<float*>(data_); }
    void write(const std::vector<float>& host) const {
        require_cuda(
            cudaMemcpy(data_, host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice),
            "cudaMemcpy");
    }
    void read(std::vector<float>& host) const {
        require_cuda(
            cudaMemcpy(host.data(), data_, host.size() * sizeof(float), cudaMemcpyDeviceToHost),
            "cudaMemcpy");
    }

private:
    void* data_ = nullptr;
};

/// cuBLAS' handle and its own copies of the operands.
class CublasSession {
public:
    explicit CublasSession(Operands& operands)
        : a(operands.size_a()), b(operands.size_b()), c(operands.size_c()) {
        require_cublas(cublasCreate(&handle_), "cublasCreate");
        a.write(operands.a());
        b.write(operands.b());
    }
    CublasSession(const CublasSession&) = delete;
    CublasSession& operator=(const CublasSession&) = delete;
    ~CublasSession() { cublasDestroy(handle_); }

    cublasHandle_t handle() const { return handle_; }
    CudaBuffer a, b, c;

private:
    cublasHandle_t handle_ = nullptr;
};

cublasOperation_t to_cublas(bool transpose) {
    return transpose ? CUBLAS_OP_T : CUBLAS_OP_N;
}

class CublasRunner : public Runner {
public:
    CublasRunner(std::shared_ptr<CublasSession> session, const Workload& workload)
        : session_(std::move(session)), workload_(workload) {}

    void enqueue() override {
        const Shape& shape = workload_.shape;
        const auto size = [](std::int64_t value) { return static_cast<int>(value); };
        require_cublas(cublasSgemm(session_->handle(), to_cublas(shape.transpose_a),
                                   to_cublas(shape.transpose_b), size(shape.m), size(shape.n),
                                   size(shape.k), &workload_.alpha, session_->a.data(),
                                   size(shape.lda), session_->b.data(), size(shape.ldb),
                                   &workload_.beta, session_->c.data(), size(shape.ldc)),
                       "cublasSgemm");
    }
    void finish() override { require_cuda(cudaDeviceSynchronize(), "cudaDeviceSynchronize"); }
    void write_c(const std::vector<float>& host) override { session_->c.write(host); }
    void read_c(std::vector<float>& host) override { session_->c.read(host); }

private:
    std::shared_ptr<CublasSession> session_;
    Workload workload_;
};

/// The CUDA number of the GPU under test, by its place on the PCI bus; the first one where the
/// device under test is not NVIDIA's.
int matching_cuda_device(const Environment& environment) {
    constexpr cl_device_info pci_bus = 0x4008;  // CL_DEVICE_PCI_BUS_ID_NV
    constexpr cl_device_info pci_slot = 0x4009; // CL_DEVICE_PCI_SLOT_ID_NV
    if (!environment.opencl || environment.opencl->device().traits.vendor_key != "nvidia") {
        return 0;
    }
    cl_device_id device = environment.opencl->device().device;
    cl_uint bus = 0;
    cl_uint slot = 0;
    if (clGetDeviceInfo(device, pci_bus, sizeof bus, &bus, nullptr) != CL_SUCCESS ||
        clGetDeviceInfo(device, pci_slot, sizeof slot, &slot, nullptr) != CL_SUCCESS) {
        return 0;
    }
    int count = 0;
    require_cuda(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
    for (int index = 0; index < count; ++index) {
        cudaDeviceProp properties{};
        require_cuda(cudaGetDeviceProperties(&properties, index), "cudaGetDeviceProperties");
        if (properties.pciBusID == static_cast<int>(bus) &&
            properties.pciDeviceID == static_cast<int>(slot >> 3)) { // slot holds the function too
            return index;
        }
    }
    return 0;
}

class Cublas : public Implementation {
public:
    explicit Cublas(Environment& environment)
        : Implementation("cublas"), environment_(environment) {}

    std::unique_ptr<Runner> prepare(const Workload& workload) override {
        if (!session_) {
            session_ = std::make_shared<CublasSession>(environment_.operands);
        }
        return std::make_unique<CublasRunner>(session_, workload);
    }
    std::map<std::string, std::string> facts() const override {
        int major = 0;
        int minor = 0;
        int patch = 0;
        cublasGetProperty(MAJOR_VERSION, &major);
        cublasGetProperty(MINOR_VERSION, &minor);
        cublasGetProperty(PATCH_LEVEL, &patch);
        int device = 0;
        cudaDeviceProp properties{};
        cudaGetDevice(&device);
        cudaGetDeviceProperties(&properties, device);
        return {{"cublas_version", std::to_string(major) + '.' + std::to_string(minor) + '.' +
                                       std::to_string(patch) + " (default math: strict fp32)"},
                {"cublas_device", properties.name}};
    }

private:
    Environment& environment_;
    std::shared_ptr<CublasSession> session_;
};

} // namespace

Implementations make_cublas(Environment& environment) {
    int count = 0;
    if (const cudaError_t status = cudaGetDeviceCount(&count); status != cudaSuccess) {
        throw Unavailable(std::string("no CUDA device: ") + cudaGetErrorString(status));
    }
    require_cuda(cudaSetDevice(matching_cuda_device(environment)), "cudaSetDevice");
    Implementations made;
    made.push_back(std::make_unique<Cublas>(environment));
    return made;
}
#else
Implementations make_cublas(Environment&) {
    throw Unavailable("not built in: no CUDA toolkit was found when this binary was configured");
}
#endif

} // namespace libsgemm::bench

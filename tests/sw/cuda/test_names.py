# SPDX-License-Identifier: Apache-2.0
"""The table of names, sw/cuda/names.tsv: against HIP's headers, against numbers that were written down apart from it, and as a program meets it."""
import pathlib
import re
import subprocess
import sys

import pytest
from live import gantry_run

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "sw/tools"))
from gen import gen_cuda  # noqa: E402

TABLE = gen_cuda.read_table()
# From CUDA's documentation of the enumerations, not from the table.
NUMBERS = """cudaSuccess 0 cudaErrorInvalidValue 1 cudaErrorMemoryAllocation 2 cudaErrorInitializationError 3 cudaErrorInvalidConfiguration 9
cudaErrorInvalidSymbol 13 cudaErrorInvalidMemcpyDirection 21 cudaErrorInsufficientDriver 35 cudaErrorInvalidDeviceFunction 98 cudaErrorNoDevice 100
cudaErrorInvalidDevice 101 cudaErrorInvalidKernelImage 200 cudaErrorNoKernelImageForDevice 209 cudaErrorInvalidPtx 218 cudaErrorFileNotFound 301
cudaErrorInvalidResourceHandle 400 cudaErrorSymbolNotFound 500 cudaErrorNotReady 600 cudaErrorIllegalAddress 700 cudaErrorLaunchOutOfResources 701
cudaErrorPeerAccessAlreadyEnabled 704 cudaErrorAssert 710 cudaErrorHostMemoryAlreadyRegistered 712 cudaErrorLaunchFailure 719 cudaErrorNotSupported 801
cudaErrorUnknown 999 CUDA_ERROR_OUT_OF_MEMORY 2 CUDA_ERROR_NOT_INITIALIZED 3 CUDA_ERROR_INVALID_CONTEXT 201 CUDA_ERROR_NOT_FOUND 500
CUDA_ERROR_LAUNCH_FAILED 719 cudaMemcpyDeviceToHost 2 cudaMemcpyDefault 4 cudaMemoryTypeDevice 2 cudaDevAttrWarpSize 10 cudaDevAttrMultiProcessorCount 16
CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR 75 cudaHostAllocMapped 2 cudaEventDisableTiming 2 cudaStreamNonBlocking 1 cudaFuncCachePreferL1 2
cudaResourceTypePitch2D 3 cudaAddressModeClamp 1 cudaChannelFormatKindFloat 2 CUDA_VERSION 11080""".split()
NUMBERS = list(zip(NUMBERS[::2], NUMBERS[1::2]))
ZERO = """luid kernelExecTimeoutEnabled integrated computeMode maxTexture1DMipmap maxTexture2DMipmap maxTexture2DGather maxTextureCubemap maxTexture1DLayered
maxTexture2DLayered maxTextureCubemapLayered maxSurface1DLayered maxSurface2DLayered maxSurfaceCubemap
maxSurfaceCubemapLayered ECCEnabled pciBusID pciDeviceID pciDomainID tccDriver persistingL2CacheMaxSize isMultiGpuBoard multiGpuBoardGroupID
hostNativeAtomicSupported pageableMemoryAccess concurrentManagedAccess computePreemptionSupported pageableMemoryAccessUsesHostPageTables
directManagedMemAccessFromHost accessPolicyMaxWindowSize reservedSharedMemPerBlock minor cooperativeMultiDeviceLaunch""".split()


def hip_names():
    done = subprocess.run(["g++", "-D__HIP_PLATFORM_AMD__", "-E", "-dD", "-x", "c++", "-include", "hip/hip_runtime_api.h", "/dev/null"], text=True, capture_output=True, check=True)
    return set(re.findall(r"\w+", done.stdout))


def test_hip_has_every_name():
    """Functions, errors and members that the table says CUDA's are."""
    known = hip_names()
    wanted = {row.hip for row in TABLE["error"]} - {"-"}
    wanted |= {word for kind in ("fn", "drv") for row in TABLE[kind] for word in re.findall(r"\bhip\w+", row.body)}
    wanted |= {word for row in TABLE["prop"] for word in re.findall(r"\bh\.(\w+)", row.source)}
    assert len(wanted) > 150 and not wanted - known, wanted - known


def test_every_error_of_hip_has_a_number(cuda):
    """None that HIP can return is lost, but for two that CUDA has no number for."""
    text = pathlib.Path("/usr/include/hip/hip_runtime_api.h").read_text()
    body = re.search(r"typedef enum __HIP_NODISCARD hipError_t \{(.*?)\} hipError_t;", text, re.S)[1]
    numbers = dict((name, int(value)) for name, value in re.findall(r"^\s*(hip\w+)\s*=\s*(?://.*\n)?\s*(\d+)", body, re.M))
    ours = {numbers[row.hip] for row in TABLE["error"] if row.hip in numbers}
    assert len(numbers) > 60 and set(numbers.values()) - ours == {1052, 1053}, set(numbers.values()) - ours
    assert all(int(row.number) == numbers[row.hip] for row in TABLE["error"] if row.hip in numbers), "HIP 5.2 has CUDA's numbers where both have an error"


@pytest.mark.parametrize("compiler, language", [("gcc", "c"), ("gcc -std=c90", "c"), ("g++", "c++"), ("g++ -std=c++11", "c++")])
def test_numbers_in_c_and_in_cpp(cuda, tmp_path, compiler, language):
    """The headers alone, by compilers that know no device code."""
    lines = "".join(f'_Static_assert({name} == {value}, "{name}");\n' for name, value in NUMBERS)
    text = f"#include <cuda.h>\n#include <cuda_runtime.h>\n#include <cuComplex.h>\n{lines}float4 v;\n"
    (tmp_path / "n.c").write_text(text if language == "c" else text.replace("_Static_assert", "static_assert"))
    done = subprocess.run([*compiler.split(), "-x", language, "-Wall", "-Wextra", "-Werror", "-Wno-unused-function", f"-I{cuda}/include", "-c", tmp_path / "n.c", "-o", tmp_path / "n.o"],
                          text=True, capture_output=True)
    assert done.returncode == 0, done.stderr


def test_the_libraries_have_every_function(cuda):
    for library, kind in (("libcudart.so", "fn"), ("libcuda.so", "drv")):
        done = subprocess.run(["nm", "-D", "--defined-only", cuda / "lib64" / library], text=True, capture_output=True, check=True)
        missing = {row.name for row in TABLE[kind]} - set(re.findall(r" T (\w+)$", done.stdout, re.M))
        assert not missing, missing


PROGRAM = r"""
#include <stdio.h>
#include <string.h>
#include <cuda_runtime.h>
int main(void)
{
    struct cudaDeviceProp p, q;
    int value = -1;
    memset(&p, 0xa5, sizeof(p));
    memset(&q, 0x5a, sizeof(q));
    printf("get %d %d\n", cudaGetDeviceProperties(&p, 0), cudaGetDeviceProperties(&q, 0));
@PROPS@
@ATTRS@
    value = cudaGetDeviceProperties(&p, 99);
    printf("wrong device %d %s\n", value, cudaGetErrorName(cudaGetLastError()));
    printf("wrong free %s\n", cudaGetErrorName(cudaFree((void *)8)));
    printf("kept %s\n", cudaGetErrorName(cudaPeekAtLastError()));
    cudaDeviceSynchronize();
    printf("then %s\n", cudaGetErrorName(cudaGetLastError()));
    printf("gone %s\n", cudaGetErrorName(cudaGetLastError()));
    printf("limit %s\n", cudaGetErrorName(cudaDeviceSetLimit((enum cudaLimit)77, 1)));
    printf("unknown %s %s\n", cudaGetErrorName((cudaError_t)12345), cudaGetErrorString(cudaErrorNotReady));
    return 0;
}
"""


@pytest.fixture(scope="module")
def told(cuda, tmp_path_factory):
    """What a C program that gcc compiles is told: {first words: rest}."""
    folder = tmp_path_factory.mktemp("props")
    names = [re.match(r".*?(\w+)(?:\[\d+\])?$", row.member)[1] for row in TABLE["prop"]]
    props = "".join(f'    printf("prop {n} same=%d", !memcmp(&p.{n}, &q.{n}, sizeof(p.{n})));\n    memset(&q.{n}, 0, sizeof(q.{n}));\n'
                    f'    printf(" zero=%d\\n", !memcmp(&p.{n}, &q.{n}, sizeof(p.{n})));\n' for n in names)
    attrs = "".join(f'    printf("attr {row.runtime} error=%d", cudaDeviceGetAttribute(&value, {row.runtime}, 0));\n    printf(" value=%d\\n", value);\n' for row in TABLE["attr"])
    (folder / "p.c").write_text(PROGRAM.replace("@PROPS@", props).replace("@ATTRS@", attrs))
    subprocess.run(["gcc", f"-I{cuda}/include", folder / "p.c", "-o", folder / "p", f"-L{cuda}/lib64", "-lcudart"], check=True)
    result = gantry_run([folder / "p"], "golden", 1, env={"LD_LIBRARY_PATH": str(cuda / "lib64")})
    assert result.status == 0, result
    return result.out


def test_every_property_is_filled(told):
    """Each is written, the same twice; those that are zero are meant to be."""
    zero = set(re.findall(r"^prop (\w+) same=1 zero=1$", told, re.M))
    filled = set(re.findall(r"^prop (\w+) same=1 zero=0$", told, re.M))
    assert len(zero | filled) == len(TABLE["prop"]) and "get 0 0" in told, told
    assert not zero - set(ZERO), zero - set(ZERO)
    assert {"name", "totalGlobalMem", "warpSize", "multiProcessorCount", "major", "clockRate", "memoryBusWidth", "l2CacheSize"} <= filled


def test_every_attribute_has_a_value(told):
    found = dict(re.findall(r"^attr (\w+) error=0 value=(\d+)$", told, re.M))
    assert len(found) == len(TABLE["attr"]) and found["cudaDevAttrWarpSize"] == "64" and found["cudaDevAttrMultiProcessorCount"] == "4", told


def test_errors_are_cudas_and_are_kept(told):
    """A call that succeeds leaves the last error, which HIP forgets."""
    assert "wrong device 101 cudaErrorInvalidDevice" in told and "wrong free cudaErrorInvalidValue" in told, told
    assert "kept cudaErrorInvalidValue\nthen cudaErrorInvalidValue\n" in told and "gone cudaSuccess" in told, told
    assert "limit cudaErrorUnsupportedLimit" in told and "unknown unrecognized error code not ready yet" in told, told


@pytest.mark.parametrize("text, cause", [("fn\tx\ty\n", "names.tsv:1: fn: not a row"), ("what\tx\n", "not a row"),
                                         ("define\tA\t1\ndefine\tA\t2\n", "names.tsv:2: A: is there twice"),
                                         ("error\ta\tb\t1\t-\tt\nerror\tc\td\t1\t-\tt\n", "error 1: is there twice")])
def test_a_bad_table(text, cause):
    with pytest.raises(gen_cuda.Bad, match=cause):
        gen_cuda.read_table(text)

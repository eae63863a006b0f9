# SPDX-License-Identifier: Apache-2.0
"""gantry-nvcc: nvcc's command line, what it refuses, what it rewrites, what it warns of."""
import importlib.util
import os
import pathlib

import pytest
from live import gantry_run

ROOT = pathlib.Path(__file__).resolve().parents[3]
KERNEL = "__global__ void k(int *p) { %s }\nint main() { %s return 0; }\n"


def module(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / f"sw/cuda/nvcc/{name}.py")
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


source, options = module("source"), module("options")
REFUSED = {
    "PTX": (["x.ptx"], "x.ptx: PTX without its source"), "cubin": (["x.cubin"], "x.cubin: a cubin without its source"),
    "to PTX": (["-ptx", "x.cu"], "-ptx: there is no PTX for gfx803"), "unknown": (["-fFoo", "x.cu"], "-fFoo: unknown option"),
    "future": (["-arch=sm_120", "x.cu"], "sm_120: newer than sm_90"), "future gencode": (["-gencode", "arch=compute_100,code=sm_100", "x.cu"], "100: newer than"),
    "nonsense arch": (["-arch", "sm_36", "x.cu"], "sm_36: unknown architecture"), "no value": (["x.cu", "-o"], "-o: needs a value"),
    "nothing": ([], "no input files"), "no file": (["nofile.cu"], "nofile.cu: no such file"), "emulation": (["-deviceemu", "x.cu"], "golden model"),
    "32 bits": (["-m32", "x.cu"], "64-bit addresses"), "two outputs": (["-c", "x.cu", "y.cu", "-o", "z.o"], "-o with several sources"),
    "other file": (["x.txt"], "x.txt: neither source nor object"), "options file": (["--options-file", "none", "x.cu"], "none: No such file"),
}


@pytest.mark.parametrize("words, text", REFUSED.values(), ids=REFUSED)
def test_refused(nvcc, tmp_path, words, text):
    """One line, and the exit status of a compiler."""
    done = nvcc(*words, cwd=tmp_path)
    assert done.returncode == 1 and done.stderr.startswith("gantry-nvcc: ") and text in done.stderr and done.stderr.count("\n") == 1, done


OPTION_FILES = {  # what is wrong -> (files, words, environment, line)
    "names itself": ({"a": b"-O2 -optf a"}, ["-optf", "a", "x.cu"], {}, "a: an options file that names itself"),
    "name each other": ({"a": b"-optf b", "b": b"--options-file=./a"}, ["-optf=a", "x.cu"], {}, "./a: an options file that names itself"),
    "by a link": ({"a": b"-optf link"}, ["-optf", "link", "x.cu"], {}, "link: an options file that names itself"),
    "double each other": ({f"f{n}": f"-optf f{n + 1} -optf f{n + 1}".encode() for n in range(20)} | {"f20": b""}, ["-optf", "f0", "x.cu"], {},
                          "more than 64 options files"),
    "quote": ({"a": b"-O2 '-DX=1"}, ["-optf", "a", "x.cu"], {}, "a: no closing quotation"),
    "backslash": ({"a": b"-O2 \\"}, ["-optf", "a", "x.cu"], {}, "a: no escaped character"),
    "no UTF-8": ({"a": b"-DX=\xff\xfe -frob\xff"}, ["-optf", "a", "x.cu"], {}, "-frob\\udcff: unknown option"),
    "NUL": ({"a": b"-DX=\0"}, ["-optf", "a", "x.cu"], {}, "a: holds a NUL byte"),
    "value behind its end": ({"a": b"-o"}, ["-optf", "a", "x.cu"], {}, "-o: needs a value"),
    "endless": ({}, ["-optf", "/dev/zero", "x.cu"], {}, "/dev/zero: longer than 1 MiB"),
    "folder": ({}, ["-optf", ".", "x.cu"], {}, ".: Is a directory"),
    "prepended": ({}, ["x.cu"], {"NVCC_PREPEND_FLAGS": "-DX='1"}, "NVCC_PREPEND_FLAGS: no closing quotation"),
    "appended": ({}, ["x.cu"], {"NVCC_APPEND_FLAGS": '"'}, "NVCC_APPEND_FLAGS: no closing quotation"),
    "no compiler": ({}, ["-ccbin", ".", "-c", "x.c"], {}, ".: Permission denied"),
}


@pytest.mark.parametrize("what", OPTION_FILES)
def test_options_file_that_is_wrong(nvcc, tmp_path, what):
    """One line and an end, whatever a file or a variable of the environment holds."""
    files, words, environment, line = OPTION_FILES[what]
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "link").symlink_to("a")
    (tmp_path / "x.cu").write_text("")
    (tmp_path / "x.c").write_text("")
    done = nvcc(*words, cwd=tmp_path, env={**os.environ, **environment}, timeout=20)
    assert done.returncode == 1 and done.stderr.startswith("gantry-nvcc: ") and line in done.stderr and done.stderr.count("\n") == 1, done


def test_options_files_in_each_other(nvcc, tmp_path):
    """Used twice, but not in itself; any bytes reach the compiler as they are."""
    (tmp_path / "outer").write_bytes(b"-optf inner -D'B=2 + 1' -optf inner")
    (tmp_path / "inner").write_bytes(b"'-DNAME=\"\xff\"' -c")
    (tmp_path / "x.c").write_text('char text[B] = NAME "x";\n')
    done = nvcc("-optf", "outer", "x.c", "-o", "x.o", cwd=tmp_path, env=dict(os.environ))
    assert done.returncode == 0 and b"\xffx\0" in (tmp_path / "x.o").read_bytes(), done


@pytest.mark.parametrize("body, text, status", [
    ('unsigned r; asm volatile("bfe.u32 %0, %1, 4, 8;" : "=r"(r) : "r"(*p)); *p = r;', 'k.cu:1: inline PTX "bfe.u32 %0, %1, 4, 8;": gfx803 executes no PTX', 1),
    ('int r; asm("mov.u32 %0, %%laneid;" : "=r"(r)); *p = r;', "", 0)], ids=["refused", "laneid"])
def test_inline_ptx(nvcc, tmp_path, body, text, status):
    (tmp_path / "k.cu").write_text(KERNEL % (body, ""))
    done = nvcc("-c", "k.cu", cwd=tmp_path)
    assert done.returncode == status and text in done.stderr and done.stderr.count("\n") == status, done


def test_what_hip_cannot_do_says_why(nvcc, tmp_path):
    (tmp_path / "k.cu").write_text(KERNEL % ("", "cudaGraphicsMapResources(1, 0, 0);"))
    done = nvcc("-c", "k.cu", cwd=tmp_path)
    assert done.returncode == 1 and "k.cu:2:14: error: 'cudaGraphicsMapResources' is unavailable: there is no OpenGL" in done.stderr, done
    (tmp_path / "d.cu").write_text(KERNEL % ("*p = (int)__fdiv_rz(2.0f, 3.0f); *p = tex2DLayered<int>(1, 1, 1, 1);", ""))
    done = nvcc("-c", "d.cu", cwd=tmp_path)
    assert done.returncode == 1 and "'__fdiv_rz<float, float>' is unavailable: gfx803 rounds a division" in done.stderr, done
    assert "is unavailable: textures are loads here: no layers" in done.stderr, done
    (tmp_path / "h.c").write_text('#include <cuda.h>\nint main(void) { return cuLinkCreate(); }\n')
    done = nvcc("-c", "h.c", cwd=tmp_path)
    assert done.returncode == 1 and "cuLinkCreate" in done.stderr and "there is no linker of PTX" in done.stderr, done


@pytest.mark.parametrize("body, warnings", [
    ("if ((threadIdx.x & 31) == 0) *p = __any(*p);", ["k.cu:1: warning: 32"]), ("*p = __shfl_down(*p, 1, 32);", ["k.cu:1:", "a warp has 64 lanes"]),
    ("*p = __shfl_xor_sync(0xffffffff, *p, 1);", ["k.cu:1:", "a warp has 64 lanes"]), ("if ((threadIdx.x & 31) == 0) *p = 1;", []),
    ("*p = __shfl_down(*p, 1);", [])], ids=["lane", "width", "mask", "no warp function", "any warp"])
def test_a_literal_32_is_warned_of(nvcc, tmp_path, body, warnings):
    """Without --warp32, where the literal meets a function between lanes; never with it."""
    (tmp_path / "k.cu").write_text(KERNEL % (body, ""))
    done = nvcc("-c", "k.cu", cwd=tmp_path)
    assert done.returncode == 0 and all(w in done.stderr for w in warnings) and bool(done.stderr) == bool(warnings), done
    if warnings:
        assert nvcc("-c", "--warp32", "k.cu", cwd=tmp_path).stderr == ""


@pytest.mark.parametrize("before, after", [
    ("k<< <1, 2>> >(p);", "k<<< 1, 2>>> (p);"), ("k< <<1, 2> >>\n(p);", "k<<< 1, 2>>> \n(p);"), ('cout << "a" << b;', 'cout << "a" << b;'),
    ('f << " " << x; // << < y', 'f << " " << x; // << < y'), ("A<B<C<D> > > v;", "A<B<C<D> > > v;"), ("static texture<int> t;", "       texture<int> t;"),
    ("k << /* grid */ <1>>>(p);", "k <<<            1>>>(p);")])
def test_rewritten(before, after):
    assert source.rewritten(before) == after


def test_an_included_file_is_rewritten_where_it_stands(nvcc, tmp_path):
    """Lines and names are those of the files; what they include is found beside them."""
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/launch.cu").write_text('#include "value.h"\nvoid go(int *p) { k<< <1, VALUE>> >(p); }\nint bad = wrong;\n')
    (tmp_path / "sub/value.h").write_text("#define VALUE 3\n")
    (tmp_path / "k.cu").write_text('__global__ void k(int *p) {}\n#include "sub/launch.cu"\nint main() { return 0; }\n')
    done = nvcc("-c", "k.cu", cwd=tmp_path)
    assert done.returncode == 1 and "sub/launch.cu:3:11: error: use of undeclared identifier 'wrong'" in done.stderr, done
    assert done.stderr.count("error:") == 1, done


def test_options(nvcc, tmp_path):
    """What hipcc, gcc and g++ are called with."""
    for name in ("a.cu", "b.cpp", "c.c"):
        (tmp_path / name).write_text("")
    words = ["-gencode=arch=compute_35,code=sm_35", "-gencode", 'arch=compute_70,code="sm_70,compute_70"', "-Xcompiler", "-Wall,-O2,-march=native", "-Xptxas", "-v",
             "--maxrregcount=32", "-Iinc", "-I", "inc2", "-DX=1", "-Llib", "-lm", "--use_fast_math", "-fmad=false", "-std=c++17", "--dryrun", "--warp32"]
    done = nvcc(*words, "a.cu", "b.cpp", "c.c", "-o", "prog", cwd=tmp_path)
    device, cpp, c, link = done.stderr.splitlines()
    assert done.returncode == 0, done
    for word in ("hipcc --offload-arch=gfx803 -x hip", "-std=c++17", "-DGANTRY_CUDA_ARCH=700", "-DGANTRY_WARP=32", "-Xarch_device -ffast-math", "-ffp-contract=off",
                 "-DX=1 -Iinc -Iinc2", "-Wall -Xarch_host -march=native"):
        assert word in device, (word, device)
    assert "-O2" not in device and "-Wall -O2 -march=native" in cpp
    assert cpp.startswith("#$ g++ -x c++ -std=c++17") and c.startswith("#$ gcc -x c ") and "-std" not in c, done
    assert "-Llib" in link and "-lcudart" in link and link.endswith("-o prog"), link


@pytest.mark.parametrize("arch, value", [("sm_20", 600), ("compute_70", 700), ("sm_90a", 900)])
def test_the_architecture_that_programs_see(nvcc, tmp_path, arch, value):
    """Of the device's pass alone."""
    (tmp_path / "k.cu").write_text(f"#if __HIP_DEVICE_COMPILE__ ? __CUDA_ARCH__ != {value} : defined(__CUDA_ARCH__)\n#error wrong\n#endif\n" + KERNEL % ("", ""))
    done = nvcc("-c", f"-arch={arch}", "k.cu", cwd=tmp_path)
    assert done.returncode == 0, done


def test_flags_from_the_environment(nvcc, tmp_path):
    (tmp_path / "a.cu").write_text("")
    done = nvcc("--dryrun", "-c", "a.cu", cwd=tmp_path, env=dict(os.environ, NVCC_APPEND_FLAGS="--warp32"))
    assert "-DGANTRY_WARP=32" in done.stderr and "-DGANTRY_CUDA_ARCH=600" in done.stderr, done


def test_version_as_makefiles_read_it(nvcc):
    done = nvcc("--version")
    assert done.returncode == 0 and "release 11.8, V11.8.0" in done.stdout, done


@pytest.mark.nightly
def test_device_code_in_two_files(nvcc, tmp_path):
    """-rdc=true: a function of another file; the link finds out by itself."""
    (tmp_path / "a.cu").write_text("extern __device__ int f(int);\n" + KERNEL % ("*p = f(*p);", "k<<<1, 1>>>(0);"))
    (tmp_path / "b.cu").write_text("__device__ int f(int x) { return x + 1; }\n")
    for words in (["-rdc=true", "-c", "a.cu"], ["-dc", "b.cu"], ["a.o", "b.o", "-o", "prog"]):
        done = nvcc(*words, cwd=tmp_path)
        assert done.returncode == 0, done
    assert nvcc("-dlink", "a.o", cwd=tmp_path).returncode == 1


LIBRARY = """
__global__ void k(int *p) { *p += 1; }
extern "C" int next(int v)
{
    int *p;
    cudaMalloc(&p, sizeof(int));
    cudaMemcpy(p, &v, sizeof(int), cudaMemcpyHostToDevice);
    k<<<1, 1>>>(p);
    cudaMemcpy(&v, p, sizeof(int), cudaMemcpyDeviceToHost);
    return cudaFree(p) == cudaSuccess ? v : -1;
}
"""


@pytest.mark.nightly
def test_libraries_of_both_kinds(nvcc, tmp_path):
    """A shared library and an archive, used by a C program that gcc links."""
    (tmp_path / "k.cu").write_text(LIBRARY)
    (tmp_path / "main.c").write_text("int next(int);\nint main(void) { return next(41); }\n")
    for words in (["-shared", "-Xcompiler", "-fPIC", "k.cu", "-o", "libk.so"], ["-c", "k.cu"], ["-lib", "k.o", "-o", "libk2.a"],
                  ["main.c", "libk.so", "-Xlinker", f"-rpath,{tmp_path}", "-o", "one"], ["main.c", "-L.", "-lk2", "-o", "two"]):
        done = nvcc(*words, cwd=tmp_path)
        assert done.returncode == 0, (words, done)
    for program in ("one", "two"):
        assert gantry_run([tmp_path / program], "golden", 1).status == 42, program


def test_preprocessed_and_dependencies(nvcc, tmp_path):
    (tmp_path / "k.cu").write_text('#include "k.h"\n' + KERNEL % ("*p = THREE;", ""))
    (tmp_path / "k.h").write_text("#define THREE 3\n")
    assert "*p = 3;" in nvcc("-E", "k.cu", cwd=tmp_path).stdout
    assert "k.h" in nvcc("-M", "k.cu", cwd=tmp_path).stdout.split()


def test_nvcc_on_the_path_is_not_called_by_hipcc(cuda, nvcc, tmp_path):
    (tmp_path / "k.cu").write_text(KERNEL % ("", ""))
    done = nvcc("-c", "k.cu", cwd=tmp_path, env=dict(os.environ, PATH=f"{cuda}/bin:{os.environ['PATH']}"))
    assert done.returncode == 0 and not list(tmp_path.glob("*-gfx803*")), done

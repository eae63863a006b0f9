# SPDX-License-Identifier: Apache-2.0
"""nvcc's options: read(words, environment) -> what to do.  Refused: one line why not.  Not responsible for: running anything."""
import collections
import dataclasses
import os
import re
import shlex

KNOWN_ARCH = (10, 11, 12, 13, 20, 21, 30, 32, 35, 37, 50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90)
KINDS = {".cu": "cu", ".hip": "cu", ".c": "c", ".cpp": "c++", ".cc": "c++", ".cxx": "c++", ".C": "c++", ".c++": "c++"}
# Long names of options that have a short one.
ALIASES = {"output-file": "o", "define-macro": "D", "undefine-macro": "U", "include-path": "I", "library-path": "L", "library": "l",
           "gpu-architecture": "arch", "gpu-code": "code", "generate-code": "gencode", "compiler-options": "Xcompiler", "linker-options": "Xlinker",
           "ptxas-options": "Xptxas", "relocatable-device-code": "rdc", "device-c": "dc", "compile": "c", "device-link": "dlink", "debug": "g",
           "device-debug": "G", "optimize": "O", "verbose": "v", "dryrun": "dryrun", "version": "V", "help": "h", "use-fast-math": "use_fast_math",
           "preprocess": "E", "system-include": "isystem", "pre-include": "include", "compiler-bindir": "ccbin", "output-directory": "odir",
           "disable-warnings": "w", "machine": "m", "options-file": "optf", "generate-dependencies": "M", "generate-nonsystem-dependencies": "MM",
           "expt-extended-lambda": "extended-lambda", "generate-line-info": "lineinfo", "profile": "pg", "threads": "t", "Wno-deprecated": "w0",
           "generate-dependencies-with-compile": "MD", "dependency-output": "MF", "dependency-target-name": "MT"}
# Options with a value (others with = are split, too), and those that change nothing here.
VALUED = set("""o D U I L l arch code gencode Xcompiler Xlinker Xptxas Xnvlink Xarchive maxrregcount rdc O isystem include ccbin odir m optf std x
 cudart t ftz prec-div prec-sqrt fmad default-stream diag-suppress diag-error diag-warn keep-dir MF MT Werror nvlink-options archive-options
 entries""".split())
NOTHING = set("""Xptxas Xnvlink Xarchive nvlink-options archive-options maxrregcount lineinfo Wno-deprecated-gpu-targets keep keep-dir res-usage
 extended-lambda expt-relaxed-constexpr restrict extra-device-vectorization t clean-targets forward-unknown-to-host-compiler
 forward-unknown-to-host-linker diag-suppress diag-error diag-warn Wreorder Wno-deprecated-declarations ftz prec-sqrt source-in-ptx
 suppress-stack-size-warning no-align-double m m64 compress-all entries no-device-link Werror""".split())
JOINED = ("I", "D", "U", "L", "l", "O")  # -Ifolder
REFUSED = {"ptx": "there is no PTX for gfx803; -fatbin makes a module that cuModuleLoad takes",
           "deviceemu": "there is no emulation of the device by the host: run the program on the golden model",
           "m32": "gfx803 has 64-bit addresses only",
           "dlto": "device code is not kept for a later optimization", "run": "gantry run -- PROGRAM runs it"}
WITHOUT_SOURCE = {".ptx": "PTX", ".cubin": "a cubin", ".fatbin": "a fatbin", ".gpu": "intermediate code", ".ii": "preprocessed code"}
HELP = """gantry-nvcc [OPTION]... FILE...: CUDA programs for the simulated gfx803; options of nvcc (docs/cuda.md), and:
  --warp32   warps of 32 lanes: two in each wavefront of 64
"""


FILES_MOST = 64  # options files in all: those that each name the next one twice are never at an end otherwise
FILE_BYTES = 1 << 20


class Refused(Exception):
    pass


class FileEnd(str):
    """Behind the words of an options file: its path."""


@dataclasses.dataclass
class Chosen:
    inputs: list = dataclasses.field(default_factory=list)  # all files, in their order
    sources: list = dataclasses.field(default_factory=list)  # (file, cu | c | c++)
    macros: list = dataclasses.field(default_factory=list)
    includes: list = dataclasses.field(default_factory=list)
    other_includes: list = dataclasses.field(default_factory=list)
    library_folders: list = dataclasses.field(default_factory=list)
    libraries: list = dataclasses.field(default_factory=list)
    host: list = dataclasses.field(default_factory=list)  # of -Xcompiler
    linker: list = dataclasses.field(default_factory=list)
    stage: str = "link"
    output: str = ""
    folder: str = ""
    std: str = ""
    level: str = ""
    ccbin: str = ""
    show: str = ""
    language: str = ""
    arch: int = 0
    rdc: bool = False
    shared: bool = False
    debug: bool = False
    debug_device: bool = False
    warp32: bool = False
    fast_math: bool = False
    fmad: bool = True
    loose_division: bool = False
    stream_per_thread: bool = False
    no_warnings: bool = False
    verbose: bool = False
    dry: bool = False
    cudart: bool = True


def split(value):
    return [w for w in re.split(r"[,\s]+", value) if w]


def architecture(chosen, text):
    """The number in sm_35, compute_35, lto_35, or several of them."""
    for word in re.split(r"[,=\s]+", text.replace('"', "").replace("'", "").replace("[", "").replace("]", "")):
        m = re.fullmatch(r"(?:sm|compute|lto)_(\d+)[af]?", word)
        if m and int(m[1]) > KNOWN_ARCH[-1]:
            raise Refused(f"{word}: newer than sm_{KNOWN_ARCH[-1]}, the newest architecture that is known here")
        if m and int(m[1]) in KNOWN_ARCH:
            chosen.arch = max(chosen.arch, int(m[1]))
        elif word and word not in ("arch", "code", "native", "all", "all-major"):
            raise Refused(f"{word}: unknown architecture")


STAGES = {"c": "compile", "dc": "compile", "dw": "compile", "E": "preprocess", "cuda": "host", "M": "depend", "MM": "depend-own", "cubin": "module", "fatbin": "module",
          "lib": "lib", "dlink": "dlink", "link": "link"}
LISTS = {"I": "includes", "L": "library_folders", "l": "libraries", "Xcompiler": "host"}
FLAGS = {"shared": "shared", "g": "debug", "G": "debug_device", "warp32": "warp32", "use_fast_math": "fast_math", "w": "no_warnings", "w0": "no_warnings",
         "v": "verbose", "dryrun": "dry"}


def take(chosen, name, value):
    """One option; False: unknown."""
    if name in REFUSED:
        raise Refused(f"-{name}: {REFUSED[name]}")
    if name in STAGES:
        chosen.stage = STAGES[name]
        chosen.rdc = chosen.rdc or name == "dc"
    elif name in LISTS:
        getattr(chosen, LISTS[name]).extend(split(value) if name != "I" else value.split(","))
    elif name in ("arch", "code", "gencode"):
        architecture(chosen, value)
    elif name in ("D", "U"):
        chosen.macros.append(f"-{name}{value}")
    elif name in ("isystem", "include"):
        chosen.other_includes += [f"-{name}", value]
    elif name == "Xlinker":
        chosen.linker += [f"-Wl,{word}" for word in split(value)]
    elif name in ("MD", "MMD", "MP"):
        chosen.other_includes.append(f"-{name}")
    elif name in ("MF", "MT"):
        chosen.other_includes += [f"-{name}", value]
    elif name in FLAGS:
        setattr(chosen, FLAGS[name], True)
    elif name in ("o", "odir", "std", "ccbin", "x", "O"):
        setattr(chosen, {"o": "output", "odir": "folder", "x": "language", "O": "level"}.get(name, name), value)
    elif name in ("V", "h"):
        chosen.show = {"V": "version", "h": "help"}[name]
    elif name == "rdc":
        chosen.rdc = value == "true"
    elif name == "fmad":
        chosen.fmad = value == "true"
    elif name == "prec-div":
        chosen.loose_division = value == "false"
    elif name == "default-stream":
        chosen.stream_per_thread = value == "per-thread"
    elif name == "cudart":
        chosen.cudart = value != "none"
    elif name == "pg":
        chosen.host.append("-pg")
    else:
        return name in NOTHING
    return True


def file_taken(chosen, word):
    suffix = os.path.splitext(word)[1]
    if suffix in WITHOUT_SOURCE:
        raise Refused(f"{word}: {WITHOUT_SOURCE[suffix]} without its source cannot be compiled for gfx803")
    kind = {"cu": "cu", "c": "c", "c++": "c++"}.get(chosen.language) or KINDS.get(suffix)
    if kind:
        chosen.sources.append((word, kind))
    elif not (suffix in (".o", ".a", ".obj", ".lib") or re.search(r"\.so(\.\d+)*$", word)):
        raise Refused(f"{word}: neither source nor object")
    chosen.inputs.append(word)


def words_of(place, text):
    """As a shell splits it, any bytes in it."""
    try:
        return shlex.split(text)
    except ValueError as wrong:  # a quote that is not closed, a backslash at the end
        raise Refused(f"{place}: {str(wrong)[:1].lower()}{str(wrong)[1:]}") from None


def file_words(path):
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            text = file.read(FILE_BYTES + 1)
    except OSError as wrong:
        raise Refused(f"{path}: {wrong.strerror}") from None
    if len(text) > FILE_BYTES:
        raise Refused(f"{path}: longer than 1 MiB")
    if "\0" in text:
        raise Refused(f"{path}: holds a NUL byte")
    return words_of(path, text)


def read(words, environment):
    chosen, open_files, files = Chosen(), [], 0
    before, behind = (words_of(name, environment.get(name, "")) for name in ("NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS"))
    words = collections.deque([*before, *words, *behind])
    while words:
        word = words.popleft()
        if isinstance(word, FileEnd):
            open_files.remove(word)
            continue
        if not word.startswith("-") or word == "-":
            file_taken(chosen, word)
            continue
        name, equals, value = word.lstrip("-").partition("=")
        if not word.startswith("--") and name[:1] in JOINED and name not in VALUED | NOTHING | set(STAGES):
            name, value, equals = word[1], word[2:], "="
        name = ALIASES.get(name, name)
        if name in VALUED and not equals:
            if not words or isinstance(words[0], FileEnd):
                raise Refused(f"{word}: needs a value")
            value = words.popleft()
        if name == "optf":
            path, files = os.path.realpath(value), files + 1
            if path in open_files:
                raise Refused(f"{value}: an options file that names itself")
            if files > FILES_MOST:
                raise Refused(f"{value}: more than {FILES_MOST} options files")
            words.extendleft(reversed([*file_words(value), FileEnd(path)]))
            open_files.append(path)
        elif not take(chosen, name, value):
            raise Refused(f"{word}: unknown option")
    return chosen

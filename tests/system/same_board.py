#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One simulated board for several runs, as a real one is: its process stays while runs come and go.

As a program (GANTRY_BOARD_SIM, `--fd N`) it hands its socket to whoever holds the board (GANTRY_TEST_BOARD, a socket's path), and ends with the run.
As a module: the holder, which carries bytes between the present run and the board's process, one run after the other."""
import os
import pathlib
import select
import socket
import subprocess
import sys
import threading


class SameBoard:
    """with SameBoard(PROCESS, FOLDER) as board: runs in the environment board.env are on that board."""

    def __init__(self, process, folder):
        path = pathlib.Path(folder) / "same-board"
        self.env = {"GANTRY_BOARD_SIM": __file__, "GANTRY_TEST_BOARD": str(path)}
        self.runs = 0
        self.board, end = socket.socketpair()
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(path))
        self.listener.listen()
        self.process = subprocess.Popen([process, "--fd", str(end.fileno())], pass_fds=[end.fileno()])
        end.close()
        self.thread = threading.Thread(target=self.serve, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.thread.join(60)
        self.board.close()  # by which the process ends
        self.process.wait(60)

    def serve(self):
        while True:
            try:
                door, _ = self.listener.accept()
            except OSError:  # shut down
                return
            _, (fd, *_), _, _ = socket.recv_fds(door, 1, 1)
            door.close()
            self.runs += 1
            with socket.socket(fileno=fd) as run:
                self.carry(run)

    def carry(self, run):
        """Until the run has closed its end."""
        while True:
            for ready in select.select([run, self.board], [], [])[0]:
                data = ready.recv(1 << 16)
                if not data:
                    return
                try:
                    (self.board if ready is run else run).sendall(data)
                except BrokenPipeError:  # an answer that nobody waits for any more
                    return


def main():
    fd = int(sys.argv[sys.argv.index("--fd") + 1])
    with socket.socket(socket.AF_UNIX) as door:
        door.connect(os.environ["GANTRY_TEST_BOARD"])
        socket.send_fds(door, [b"x"], [fd])
    closed = select.poll()
    closed.register(fd, select.POLLRDHUP)
    closed.poll()


if __name__ == "__main__":
    main()

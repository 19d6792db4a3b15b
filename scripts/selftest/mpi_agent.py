#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Instead of ssh, for mpirun between two guests:

mpi_agent.py --serve ADDRESS	runs commands for whoever connects
mpi_agent.py HOST CMD...	runs CMD there, as a remote shell does
"""
import socket
import subprocess
import sys

PORT = 5522


def serve(address):
    with socket.create_server((address, PORT)) as server:
        print("ready", flush=True)
        while True:
            conn, _ = server.accept()
            with conn:
                cmd = conn.makefile("r").readline()
                subprocess.run(["/bin/sh", "-c", cmd], check=False, stdin=subprocess.DEVNULL, stdout=conn,
                               stderr=subprocess.STDOUT)


def main():
    if sys.argv[1] == "--serve":
        serve(sys.argv[2])
    with socket.create_connection((sys.argv[1], PORT)) as conn:
        conn.sendall((" ".join(sys.argv[2:]) + "\n").encode())
        while data := conn.recv(65536):
            sys.stdout.buffer.write(data)
            sys.stdout.flush()


main()

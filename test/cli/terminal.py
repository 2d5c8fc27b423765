"""Runs a command on a terminal of its own: terminal.py ROWS COLUMNS '[["text to wait for", "keys to type"]]' COMMAND...

What the command writes goes to stdout as it is; the exit code is the command's."""

import fcntl, json, os, pty, select, struct, sys, termios, time

rows, columns, keys, command = int(sys.argv[1]), int(sys.argv[2]), json.loads(sys.argv[3]), sys.argv[4:]
pid, terminal = pty.fork()
if pid == 0:
    # Its size is set before anything can ask for it.
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    os.execvp(command[0], command)
seen = b""
# Only for what hangs: a machine may be slow. The test itself ends a little later.
deadline = time.monotonic() + 100
while time.monotonic() < deadline:
    ready, _, _ = select.select([terminal], [], [], 0.1)
    if not ready:
        continue
    try:
        data = os.read(terminal, 65536)
    except OSError:
        break
    if not data:
        break
    os.write(1, data)
    seen += data
    while keys and keys[0][0].encode() in seen:
        seen = seen[seen.index(keys[0][0].encode()) + len(keys[0][0]):]
        os.write(terminal, keys.pop(0)[1].encode())
else:
    os.kill(pid, 9)
_, status = os.waitpid(pid, 0)
sys.exit(os.waitstatus_to_exitcode(status) % 256)

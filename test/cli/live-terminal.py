"""Connects a command on a terminal of its own with this process: live-terminal.py ROWS COLUMNS COMMAND...

What comes on stdin is typed, what the command writes goes to stdout, and a line "ROWS COLUMNS" on file 3 resizes the terminal. The
exit code is the command's. The terminal is closed when stdin ends, as it does when the process of the test ends."""

import fcntl, os, pty, select, signal, struct, sys, termios

def resize(rows, columns):
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

rows, columns, command = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
pid, terminal = pty.fork()
if pid == 0:
    # Its size is set before anything can ask for it.
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    os.execvp(command[0], command)
def close(*_):
    os.kill(pid, signal.SIGHUP)

# The command ends with this process, as with a terminal that is closed.
signal.signal(signal.SIGTERM, close)
inputs = [terminal, 0, 3]
while True:
    ready, _, _ = select.select(inputs, [], [])
    if 3 in ready:
        line = os.read(3, 64)
        if line:
            resize(*map(int, line.split()))
        else:
            inputs.remove(3)
    if 0 in ready:
        typed = os.read(0, 65536)
        if typed:
            while typed:
                typed = typed[os.write(terminal, typed):]
        else:
            inputs.remove(0)
            close()
    if terminal in ready:
        try:
            data = os.read(terminal, 65536)
        except OSError:
            break
        if not data:
            break
        try:
            os.write(1, data)
        except BrokenPipeError:
            os.close(terminal)
            break
_, status = os.waitpid(pid, 0)
sys.exit(os.waitstatus_to_exitcode(status) % 256)

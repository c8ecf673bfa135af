# progress_line_test.sh - the progress line of `rubato simulate` on a real pseudo terminal: it comes by itself, is
# erased at the end, however that comes, and is not in a pipe.
source "$(dirname "$0")/cli.sh"

cat >"$work/terminal.py" <<'END'
"""What a terminal gets and shows of a program whose standard error it is."""
import os, pty, re, signal, subprocess, sys

signal.signal(signal.SIGALRM, lambda *_: sys.exit("the line or the end does not come within 600 s"))
signal.alarm(600)


class OnTerminal:
    def __init__(self, *words):
        self.master, slave = pty.openpty()
        self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=slave)
        os.close(slave)
        self.bytes = b""

    def read(self):
        """False at the end, when nobody has the other side any more."""
        try:
            self.bytes += (more := os.read(self.master, 4096))
        except OSError:
            return False
        return more != b""

    def until_lines(self, count):
        while len(re.findall(rb"time left [^\r\x1b]+\r", self.bytes)) < count:
            assert self.read(), self.bytes

    def end(self):
        while self.read():
            pass
        return self.process.wait()

    def screen(self):
        lines, line, column = [], "", 0
        for part in re.findall(r"\r|\n|\x1b\[K|[^\r\n\x1b]+", self.bytes.decode()):
            if part == "\r":
                column = 0
            elif part == "\n":
                lines, line = lines + [line], ""
            elif part == "\x1b[K":
                line = line[:column]
            else:
                line = line[:column] + part + line[column + len(part):]
                column += len(part)
        return lines + ([line] if line else [])


def shows(what, found, expected):
    if not re.fullmatch(expected, found):
        sys.exit(f"{what}: {found!r}, expected {expected!r}")
    print(what)


rubato, trace, endless, fifo = sys.argv[1:]
line = r"fifo: simulated [0-9]+ s, [0-9]+ of [0-9]+ jobs settled, [0-9]+ events/s, time left .+"

# A run that goes on for ever, on the terminal and in a pipe.
words = [rubato, "simulate", "--policy", "fifo", "--cluster", "n1g1", "--slot", "1", "--node-mtbf", "1000",
         "--node-repair", "10", "--checkpoint-interval", "100", endless]
piped = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
run = OnTerminal(*words)
run.until_lines(2)
shows("lines on the screen", str(len(run.screen())), "1")
shows("the line", run.screen()[0], line)
run.process.send_signal(signal.SIGINT)
piped.send_signal(signal.SIGINT)
shows("the status of a run that is stopped", str(run.end()), "130")
stopped = r"rubato simulate: stopped at [0-9]+ s of simulated time with 0 of 1 jobs settled; no result is written"
shows("what is left of a line when a run is stopped", "\n".join(run.screen()), stopped)
shows("what is in a pipe", piped.communicate()[1].decode(), stopped + "\n")

# A run that comes to its end: it waits for the reader of its record until the line is asked for.
run = OnTerminal(rubato, "simulate", "--policy", "themis", "--cluster", "n16g8", "--slot", "20", "--record", fifo, trace)
with open(fifo, "rb") as record:
    run.process.send_signal(signal.SIGUSR1)
    while record.read(1 << 20):
        pass
shows("the status of a run that ends", str(run.end()), "0")
shows("the line of a run that ends", str(len(re.findall(rb"\r\x1b\[Kthemis: simulated [0-9]+ s, ", run.bytes))), "[1-9][0-9]*")
shows("what is left of a line when a run ends", "\n".join(run.screen()), r"rubato simulate: the record is in .*")
END

printf '%s\n' job_id,submission_time,num_iteration,model_name,deadline,batch_size,num_gpu,duration \
    long,0,1000000000000,vgg16,1000000,64,1,100 >"$work/endless.csv"
mkfifo "$work/record"
python3 "$work/terminal.py" "$rubato" traces/testbed195.csv "$work/endless.csv" "$work/record" >"$out" || fail "$(cat "$out")"
same "what was looked at" "$(wc -l <"$out")" 8
done_checking 1

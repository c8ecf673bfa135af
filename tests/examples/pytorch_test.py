"""pytorch_test.py - examples/pytorch/train.py, stopped and gone on with on other numbers of ranks, started by
environment variables alone: the loss curve is that of an undisturbed run."""
import ctypes
import itertools
import os
import re
import resource
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile

SCRIPT = os.path.join(os.getcwd(), "examples", "pytorch", "train.py")
SMALL = ["--batch-size=16", "--width=4", "--samples=64", "--print-every=1", "--double"]
ITERATIONS = 60
DEADLINE_S = 600  # a guard against hanging, no measure of anything
LIBC = ctypes.CDLL(None)
ports = itertools.count(29500)  # the network is the test's own, and the kernel gives out higher ones only

work = tempfile.mkdtemp()
checks = 0


def check(what, found, expected):
    global checks
    if found != expected:
        sys.exit(f"FAILED: {what}: expected {expected}, found {found}")
    checks += 1


def ends_with_us():
    LIBC.prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


class Run:
    """One incarnation: `world` ranks of the script, each with a socket for what it tells."""

    def __init__(self, world, *options, folder=None, folders=None, step=0, code=None, limit=None):
        port = next(ports)
        self.told = []
        self.sockets, self.ranks = [], []
        for rank in range(world):
            environment = {name: text for name, text in os.environ.items() if not name.startswith("RUBATO")}
            environment.update(
                RANK=str(rank), WORLD_SIZE=str(world), LOCAL_RANK=str(rank), LOCAL_WORLD_SIZE=str(world),
                MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port), CUDA_VISIBLE_DEVICES="", PYTHONDONTWRITEBYTECODE="1")
            if folder or folders:
                listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
                listener.bind("")  # the kernel gives an abstract address
                self.sockets.append(listener)
                environment["RUBATO_CHECKPOINT_DIR"] = folders[rank] if folders else folder
                environment["RUBATO_STEP"] = str(step)
                environment["RUBATO_PROGRESS"] = "@" + listener.getsockname()[1:].decode()
            if code:
                environment["PYTHONPATH"] = code
            self.ranks.append(subprocess.Popen(
                [sys.executable, SCRIPT, *SMALL, *options], env=environment, text=True,
                stdout=open(f"{work}/out.{rank}", "w+"), stderr=open(f"{work}/err.{rank}", "w+"),
                preexec_fn=lambda: (ends_with_us(), limit and resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))))

    def hear(self, more=()):
        """Waits until something is told, or one of the descriptors `more` is ready; returns those that are."""
        ready, _, _ = select.select([*self.sockets, *more], [], [], DEADLINE_S)
        if not ready:
            sys.exit(f"FAILED: nothing happens any more; the last words of rank 0 are {self.told[-5:]}; {self.errors()}")
        for listener in ready:
            if listener in self.sockets:
                text = listener.recv(4096).decode()
                if listener is self.sockets[0]:
                    self.told.append(text)
        return ready

    def wait_for(self, pattern):
        """The first message of rank 0 that matches."""
        while not self.told or not re.fullmatch(pattern, self.told[-1]):
            self.hear()
        return self.told[-1]

    def ends(self):
        """The exit status of every rank."""
        left = {os.pidfd_open(rank.pid) for rank in self.ranks}
        while left:
            for ended in left.intersection(self.hear(left)):
                os.close(ended)
                left.remove(ended)
        while self.sockets and select.select(self.sockets, [], [], 0)[0]:
            self.hear()
        return [rank.wait() for rank in self.ranks]

    def losses(self):
        """step -> loss, as rank 0 printed them; the other ranks print nothing."""
        found = {}
        for rank in range(len(self.ranks)):
            with open(f"{work}/out.{rank}") as out:
                lines = out.read().splitlines()
            if rank > 0:
                check(f"what rank {rank} prints", lines, [])
            for line in lines:
                _, step, _, loss = line.split()
                found[int(step)] = float(loss)
        return found

    def errors(self):
        text = ""
        for rank in range(len(self.ranks)):
            with open(f"{work}/err.{rank}") as err:
                text += err.read()
        return text


def new_folder(name):
    path = os.path.join(work, name)
    os.mkdir(path)
    return path


def stopped_and_resized(undisturbed):
    """4 ranks, then 2, then 1: the losses of all three are, step by step, those of the undisturbed run."""
    folder = new_folder("resized")
    length = [f"--iterations={ITERATIONS}"]

    # One rank alone is asked: they all leave, at the same step.
    run = Run(4, *length, folder=folder)
    check("a rate is told", float(run.wait_for(r"stable 15 rate \S+").split()[3]) > 0, True)
    run.wait_for(r"step 20")
    run.ranks[2].send_signal(signal.SIGTERM)
    check("4 ranks of which one is stopped", run.ends(), [143] * 4)
    check("their complaints", run.errors(), "")
    losses = run.losses()
    stopped_at = max(losses)
    check("where they stop", 20 <= stopped_at < ITERATIONS, True)
    check("the last word", run.told[-1], f"checkpoint {stopped_at}")
    check("what they leave", os.listdir(folder), ["checkpoint.pt"])

    # All are asked at once, as a supervisor does.
    run = Run(2, *length, folder=folder, step=stopped_at)
    run.wait_for(f"step {stopped_at + 15}")
    for rank in run.ranks:
        rank.send_signal(signal.SIGTERM)
    check("2 ranks that are stopped", run.ends(), [143] * 2)
    check("the first step of 2 ranks", min(run.losses()), stopped_at + 1)
    stopped_at = max(run.losses())
    losses.update(run.losses())

    run = Run(1, *length, folder=folder, step=stopped_at)
    check("1 rank to the end", run.ends(), [0])
    check("the first step of 1 rank", min(run.losses()), stopped_at + 1)
    check("the last word of all", run.told[-1], f"checkpoint {ITERATIONS}")
    losses.update(run.losses())

    check("the steps", sorted(losses), list(range(1, ITERATIONS + 1)))
    worst = max(abs(losses[step] - undisturbed[step]) for step in losses)
    check(f"the losses are the same ({worst:.6f})", worst < 0.00001, True)
    print(f"losses from {losses[1]:.4f} to {losses[ITERATIONS]:.4f}; on 4, 2 and 1 ranks at most {worst:.6f} off")


def stopped_before_it_began():
    """SIGTERM while torch is being loaded: a checkpoint at step 0, no death."""
    code, folder = new_folder("code"), new_folder("early")
    with open(os.path.join(code, "sitecustomize.py"), "w") as file:
        file.write("import os, signal, sys\n"
                   "class Finder:\n"
                   "    def find_spec(name, path, target=None):\n"
                   "        if name == 'torch':\n"
                   "            os.kill(os.getpid(), signal.SIGTERM)\n"
                   "sys.meta_path.insert(0, Finder)\n")
    run = Run(2, "--iterations=5", folder=folder, code=code)
    check("ranks that are stopped while they start", run.ends(), [143] * 2)
    check("what they tell", run.told, ["ready", "checkpoint 0"])
    check("what they print", run.losses(), {})


def checkpoint_that_cannot_be_written():
    """The former checkpoint stays, nothing else does, and no new one is told of."""
    folder = new_folder("full")
    check("a run", Run(1, "--iterations=3", folder=folder).ends(), [0])
    with open(os.path.join(folder, "checkpoint.pt"), "rb") as file:
        former = file.read()
    run = Run(1, "--iterations=5", folder=folder, step=3, limit=4096)
    check("a disk that is full", run.ends(), [1])
    check("what is told", [text for text in run.told if text.startswith("checkpoint")], [])
    check("what is left", os.listdir(folder), ["checkpoint.pt"])
    with open(os.path.join(folder, "checkpoint.pt"), "rb") as file:
        check("the former checkpoint", file.read() == former, True)


def folder_that_is_not_shared():
    folders = [new_folder("one"), new_folder("other"), new_folder("third")]
    check("a run", Run(1, "--iterations=3", folder=folders[0]).ends(), [0])
    check("another run", Run(1, "--iterations=4", folder=folders[1]).ends(), [0])
    for step, found in ((3, folders[:2]), (4, [folders[0]] * 2), (3, [folders[2]] * 2)):
        run = Run(2, "--iterations=5", folders=found, step=step)
        check("ranks that see different checkpoints, or none", run.ends(), [1, 1])
        check("the complaint", "do all nodes share this folder?" in run.errors(), True)


def folder_of_an_earlier_job():
    """A run that begins at step 0 takes nothing over."""
    folder = new_folder("used")
    check("a run", Run(1, "--iterations=5", folder=folder).ends(), [0])
    run = Run(1, "--iterations=3", folder=folder)
    check("another run", run.ends(), [0])
    check("its steps", sorted(run.losses()), [1, 2, 3])
    check("its checkpoint", run.told[-1], "checkpoint 3")


def batch_that_cannot_be_shared():
    run = Run(3)
    check("16 samples for 3 ranks", run.ends(), [2] * 3)
    check("the complaint", "a batch of 16 cannot be shared by 3 ranks" in run.errors(), True)


def alone():
    """Started alone: no ranks, no Rubato."""
    environment = {name: text for name, text in os.environ.items() if not name.startswith("RUBATO")}
    done = subprocess.run(
        [sys.executable, "-B", SCRIPT, *SMALL, f"--iterations={ITERATIONS}"], env=dict(environment, CUDA_VISIBLE_DEVICES=""),
        cwd=work, text=True, capture_output=True, timeout=DEADLINE_S, preexec_fn=ends_with_us)
    check("a run alone", (done.returncode, done.stderr), (0, ""))
    lines = [line.split() for line in done.stdout.splitlines()]
    return {int(step): float(loss) for _, step, _, loss in lines}


try:
    losses = alone()
    check("the steps of a run alone", sorted(losses), list(range(1, ITERATIONS + 1)))
    check("it learns", losses[ITERATIONS] < 0.85 * losses[1], True)
    stopped_and_resized(losses)
    stopped_before_it_began()
    checkpoint_that_cannot_be_written()
    folder_that_is_not_shared()
    folder_of_an_earlier_job()
    batch_that_cannot_be_shared()
    print(f"{checks} checks")
finally:
    shutil.rmtree(work)

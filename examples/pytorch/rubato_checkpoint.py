"""rubato_checkpoint.py - lets Rubato stop, move and resize a training script: a checkpoint on request, by all ranks.

    checkpoint = Checkpoint(device, model=model, optimizer=optimizer)
    step = checkpoint.resume()
    while step < iterations and checkpoint.goes_on():
        ...
        step += 1
        checkpoint.progress(step, loss)
    checkpoint.leave(step)

Outside of Rubato (no RUBATO_CHECKPOINT_DIR) it does nothing.
"""
import contextlib
import io
import os
import signal
import socket
import struct
import sys
import time
import traceback

asked_to_stop = False
folder = os.environ.get("RUBATO_CHECKPOINT_DIR")
address = os.environ.get("RUBATO_PROGRESS", "")
if address.startswith("@"):
    address = "\0" + address[1:]
progress_socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
progress_socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", 5, 0))


def tell(message, flags=0):
    if address:
        with contextlib.suppress(OSError):  # there is no listener, or not a fast one
            progress_socket.sendto(message.encode(), flags, address)


def ask_to_stop(_number, _frame):
    global asked_to_stop
    asked_to_stop = True


def end(status):
    """Ends the process at once: a Python that ends in its own time may be aborted by threads of gloo that still let go of
    their tensors."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


if folder:  # before torch is loaded, which takes seconds in which the signal may come
    signal.signal(signal.SIGTERM, ask_to_stop)
    tell("ready")

import torch
import torch.distributed as dist

WARM_UP, MEASURED = 5, 10  # steps of this process before its rate is measured, and those that measure it


class Checkpoint:
    def __init__(self, device, **parts):
        """`parts` have state_dict and load_state_dict; of a DDP model the one inside, which fits any world size."""
        self.device, self.parts, self.stopping, self.steps, self.since = device, parts, False, 0, 0.0
        self.path = os.path.join(folder, "checkpoint.pt") if folder else None

    def resume(self):
        """Loads the last checkpoint and returns the step it was made at; 0 if the job begins. What lies there then is
        of another job that had this folder before."""
        confirmed = int(os.environ.get("RUBATO_STEP", 0))
        step = 0
        if self.path and confirmed != 0 and os.path.exists(self.path):
            state = torch.load(self.path, map_location=self.device)
            step = state.pop("step")
            for name, part in self.parts.items():
                part.load_state_dict(state[name])
        if step < confirmed or self.largest([step, -step]) != [step, -step]:
            print(f"{self.path}: found step {step}, but {confirmed} was saved and all ranks must find the same: "
                  "do all nodes share this folder?", file=sys.stderr)
            end(1)
        return step

    def goes_on(self):
        """False once any rank was asked to stop: all hear of it at the same step, so that none is waited for in vain."""
        self.stopping = bool(folder) and self.largest([int(asked_to_stop)]) != [0]
        return not self.stopping

    def progress(self, step, loss):
        self.steps += 1
        tell(f"step {step}", socket.MSG_DONTWAIT)
        tell(f"loss {loss:.6g}", socket.MSG_DONTWAIT)
        if self.steps == WARM_UP:
            self.since = time.monotonic()
        if self.steps == WARM_UP + MEASURED:
            tell(f"stable {step} rate {MEASURED / (time.monotonic() - self.since):.6g}")

    def save(self, step):
        """Rank 0 writes the checkpoint; only when it is on disk is the former one replaced and Rubato told."""
        if not self.path or (dist.is_initialized() and dist.get_rank() > 0):
            return
        state = io.BytesIO()  # torch.save would abort the process where a file cannot be written
        torch.save({"step": step, **{name: part.state_dict() for name, part in self.parts.items()}}, state)
        try:
            with open(self.path + ".new", "wb") as file:
                file.write(state.getbuffer())
                file.flush()
                os.fsync(file.fileno())
            os.rename(self.path + ".new", self.path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(self.path + ".new")
            raise
        directory = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        os.fsync(directory)
        os.close(directory)
        tell(f"checkpoint {step}")

    def leave(self, step):
        """The last call: saves, and ends the process with the status that says whether it was stopped."""
        if not folder:
            return
        try:
            self.save(step)
        except Exception:
            traceback.print_exc()
            end(1)
        end(128 + signal.SIGTERM if self.stopping else 0)

    def largest(self, numbers):
        tensor = torch.tensor(numbers, device=self.device)
        if dist.is_initialized():
            dist.all_reduce(tensor, op=dist.ReduceOp.MAX)
        return tensor.tolist()

"""train.py - a small ResNet, or transformer, on images shaped like CIFAR-10, on any number of ranks.

Alone: python3 train.py. In parallel: by the environment that torchrun sets, one process a rank. What makes it fit for
Rubato are the lines with `checkpoint`.

The loss curve is the same, up to rounding, on any number of ranks: a step takes the same samples, shared out among
the ranks, DDP averages the gradients, and the norms are of groups of channels, since batch norm would be of the
samples of one rank.
"""
import argparse
import os
import time

from rubato_checkpoint import Checkpoint

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Block(nn.Module):
    def __init__(self, channels, out_channels, stride):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(channels, out_channels, 3, stride, 1, bias=False),
            nn.GroupNorm(4, out_channels),
            nn.ReLU(inplace=True),
            nn.Conv2d(out_channels, out_channels, 3, 1, 1, bias=False),
            nn.GroupNorm(4, out_channels),
        )
        self.skip = nn.Conv2d(channels, out_channels, 1, stride, bias=False)

    def forward(self, images):
        return torch.relu(self.body(images) + self.skip(images))


def resnet(width):
    return nn.Sequential(
        nn.Conv2d(3, width, 3, 1, 1, bias=False),
        Block(width, width, 1),
        Block(width, 2 * width, 2),
        Block(2 * width, 4 * width, 2),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(4 * width, 10),
    )


class Transformer(nn.Module):
    """A transformer of two layers on the 64 squares of 4 x 4 points that an image has."""

    def __init__(self, width):
        super().__init__()
        self.squares = nn.Conv2d(3, width, 4, 4)
        self.places = nn.Parameter(torch.zeros(1, 64, width))
        layer = nn.TransformerEncoderLayer(width, 4, 4 * width, dropout=0.0, batch_first=True)
        self.body = nn.TransformerEncoder(layer, 2)
        self.head = nn.Linear(width, 10)

    def forward(self, images):
        squares = self.squares(images).flatten(2).transpose(1, 2)
        return self.head(self.body(squares + self.places).mean(1))


models = {"resnet": resnet, "transformer": Transformer}


def synthetic_cifar10(samples, seed):
    """Ten classes of images of 3 x 32 x 32: a pattern each, under noise."""
    generator = torch.Generator().manual_seed(seed)
    patterns = torch.randn(10, 3, 32, 32, generator=generator)
    labels = torch.randint(10, (samples,), generator=generator)
    images = patterns[labels] + 2 * torch.randn(samples, 3, 32, 32, generator=generator)
    return TensorDataset(images, labels)


def batches(dataset, batch_size, step, rank, world, seed):
    """This rank's share of the batch of every step from `step` on, without end."""
    sampler = DistributedSampler(dataset, world, rank, seed=seed)
    per_epoch = len(dataset) // batch_size
    while True:
        sampler.set_epoch(step // per_epoch)
        share = batch_size // world
        rest = list(sampler)[step % per_epoch * share:per_epoch * share]
        yield from DataLoader(dataset, share, sampler=rest)
        step += len(rest) // share


def main():
    parser = argparse.ArgumentParser(description="Trains a small model on synthetic images of the shape of CIFAR-10.")
    parser.add_argument("--batch-size", type=int, default=os.environ.get("RUBATO_BATCH_SIZE", 64), help="over all ranks")
    parser.add_argument("--iterations", type=int, default=os.environ.get("RUBATO_ITERATIONS", 200))
    parser.add_argument("--checkpoint-every", type=int, default=500, help="steps")
    parser.add_argument("--print-every", type=int, default=10, help="steps")
    parser.add_argument("--samples", type=int, default=2048, help="in the data set")
    parser.add_argument("--model", choices=models, default="resnet")
    parser.add_argument("--width", type=int, default=16, help="channels of the first layer, a multiple of 4")
    parser.add_argument("--sample-seconds", type=float, default=0, help="a sample takes at least, as in a larger model")
    parser.add_argument("--learning-rate", type=float, default=0.05)
    parser.add_argument("--double", action="store_true", help="64-bit numbers, to compare loss curves")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()

    rank, world = int(os.environ.get("RANK", 0)), int(os.environ.get("WORLD_SIZE", 1))
    if args.batch_size % world != 0 or not 0 < args.batch_size <= args.samples:
        parser.error(f"a batch of {args.batch_size} cannot be shared by {world} ranks and taken from {args.samples} samples")
    on_gpu = torch.cuda.is_available()
    if on_gpu:
        # A rank may see the GPUs of all ranks on its node, or its own only.
        torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", 0)) % torch.cuda.device_count())
    else:
        torch.set_num_threads(1)
    device = torch.device("cuda" if on_gpu else "cpu")
    if "RANK" in os.environ:
        dist.init_process_group("nccl" if on_gpu else "gloo")

    if args.double:
        torch.set_default_dtype(torch.float64)
    torch.manual_seed(args.seed)
    model = models[args.model](args.width).to(device)
    optimizer = torch.optim.SGD(model.parameters(), args.learning_rate, momentum=0.9)
    checkpoint = Checkpoint(device, model=model, optimizer=optimizer)
    step = checkpoint.resume()
    parallel = DistributedDataParallel(model) if dist.is_initialized() else model

    data = batches(synthetic_cifar10(args.samples, args.seed), args.batch_size, step, rank, world, args.seed)
    while step < args.iterations and checkpoint.goes_on():
        begun = time.monotonic()
        images, labels = next(data)
        loss = nn.functional.cross_entropy(parallel(images.to(device)), labels.to(device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        step += 1
        time.sleep(max(0, begun + args.sample_seconds * len(images) - time.monotonic()))

        loss = loss.detach() / world
        if dist.is_initialized():
            dist.all_reduce(loss)
        checkpoint.progress(step, loss.item())
        if rank == 0 and step % args.print_every == 0:
            print(f"step {step} loss {loss.item():.6f}", flush=True)
        if step % args.checkpoint_every == 0:
            checkpoint.save(step)
    checkpoint.leave(step)


if __name__ == "__main__":
    main()

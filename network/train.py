"""Trains the network of aspirant-network from positions in bulletformat (`aspirant-lab convert`); needs PyTorch and NumPy.

usage: train.py TRAINING.bullet --test TEST.bullet --out network.bin [...]

Writes three files: the quantized network; the settings and losses (.toml); and 1,000 positions with the scores that the
network has in floating point (.csv), for the tests. After each epoch, the state is saved in a .checkpoint: the same command
continues an interrupted training. The positions of TEST must be those of other games. Uses a GPU if there is one.
"""

import argparse
import json
import math
import os
import pathlib
import time

import numpy as np
import torch
from torch import nn

INPUTS, BUCKETS = 768, 8
# Quantization, see src/network.rs: the values of 1 in the hidden layer, in the output weights and in the output. Weights
# are clipped, so that the sums fit.
HIDDEN_ONE, WEIGHT_ONE, OUTPUT_ONE = 510, 512, 255 * 255 * 512 // 2
HIDDEN_LIMIT, OUTPUT_LIMIT_OF_ALL = 1.9, 128
POSITION = np.dtype([("occupied", "<u8"), ("pieces", "u1", 16), ("score", "<i2"), ("result", "u1"), ("own_king", "u1"),
                     ("opposing_king", "u1"), ("unused", "u1", 3)])


def inputs_of(records):
    """Returns the inputs of all positions in both views, where those of each position begin, and the output buckets."""
    bits = np.unpackbits(records["occupied"].copy().view("u1").reshape(-1, 8), axis=1, bitorder="little")
    row, square = np.nonzero(bits)
    counts = bits.sum(axis=1, dtype=np.int64)
    first = np.concatenate(([0], np.cumsum(counts)[:-1]))
    index = np.arange(len(row)) - first[row]
    code = records["pieces"][row, index // 2] >> (4 * (index % 2)) & 15
    kind = (code & 7) + 6 * (code >> 3).astype(np.int64)
    own_mirror, opposing_mirror = (7 * (records[king] % 8 >= 4) for king in ("own_king", "opposing_king"))
    own = 64 * kind + (square ^ own_mirror[row])
    opposing = 64 * ((kind + 6) % 12) + (square ^ 56 ^ opposing_mirror[row])
    return np.concatenate((own, opposing)), np.concatenate((first, first + len(row))), np.minimum((counts - 2) // 4, BUCKETS - 1)


class Sum(torch.autograd.Function):
    """The sums of the weights of each position's inputs. On a processor, the gradient of PyTorch's embedding_bag is slow."""

    @staticmethod
    def forward(context, weights, inputs, first):
        context.save_for_backward(inputs, first)
        return nn.functional.embedding_bag(inputs, weights, first, mode="sum")

    @staticmethod
    def backward(context, gradient):
        inputs, first = context.saved_tensors
        # The transposed sum: for each input, over the positions that have it.
        counts = torch.diff(first, append=first.new_tensor([len(inputs)]))
        positions = torch.repeat_interleave(torch.arange(len(first), device=first.device), counts)
        inputs, order = torch.sort(inputs.to(torch.int16), stable=True)
        begin = torch.searchsorted(inputs, torch.arange(INPUTS, dtype=torch.int16, device=first.device))
        return nn.functional.embedding_bag(positions[order], gradient.contiguous(), begin, mode="sum"), None, None


class Network(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        # The weights of a piece are those of its kind plus those of its square: material is learned from few games.
        self.kind = nn.Parameter(torch.empty(INPUTS // 64, hidden).uniform_(-0.1, 0.1))
        self.square = nn.Parameter(torch.empty(INPUTS, hidden).uniform_(-0.1, 0.1))
        self.bias = nn.Parameter(torch.zeros(hidden))
        self.output = nn.Linear(2 * hidden, BUCKETS)

    def hidden(self):
        return self.square + self.kind.repeat_interleave(64, 0)

    def forward(self, inputs, first, bucket):
        neurons = (Sum.apply(self.hidden(), inputs, first) + self.bias).clamp(0, 1).square()
        own, opposing = neurons.chunk(2)
        return self.output(torch.cat((own, opposing), 1)).gather(1, bucket[:, None]).squeeze(1)

    @torch.no_grad()
    def clip(self):
        self.kind.clamp_(-HIDDEN_LIMIT / 2, HIDDEN_LIMIT / 2)
        self.square.clamp_(-HIDDEN_LIMIT / 2, HIDDEN_LIMIT / 2)
        self.bias.clamp_(-HIDDEN_LIMIT, HIDDEN_LIMIT)
        limit = OUTPUT_LIMIT_OF_ALL / self.bias.numel()
        self.output.weight.clamp_(-limit, limit)


def evaluate(network, records, device):
    return network(*(torch.from_numpy(array).to(device) for array in inputs_of(records)))


def losses(network, records, arguments, device):
    """Returns the mean squared errors of the expected score: against the blended target, and against the result alone."""
    output = torch.sigmoid(evaluate(network, records, device))
    score = torch.from_numpy(records["score"].astype(np.float32)).to(device)
    result = torch.from_numpy(records["result"].astype(np.float32)).to(device) / 2
    target = arguments.result * result + (1 - arguments.result) * torch.sigmoid(score / arguments.scale)
    return (output - target).square().mean(), (output - result).square().mean()


@torch.no_grad()
def test(network, records, arguments, device):
    batches = [records[start:start + 65536] for start in range(0, len(records), 65536)]
    sums = [[len(batch) * loss.item() for loss in losses(network, batch, arguments, device)] for batch in batches]
    return [sum(column) / len(records) for column in zip(*sums)]


def fen(record, flip):
    """Returns the position as a FEN, with exchanged colors if `flip`; castling rights are not in the data."""
    squares, pieces = ["1"] * 64, record["pieces"]
    for index, square in enumerate(square for square in range(64) if int(record["occupied"]) >> square & 1):
        code = int(pieces[index // 2]) >> (4 * (index % 2)) & 15
        piece = "PNBRQK"[code & 7]
        squares[square ^ 56 * flip] = piece if (code < 8) != flip else piece.lower()
    ranks = "/".join("".join(squares[8 * rank:8 * rank + 8]) for rank in reversed(range(8)))
    for run in range(8, 1, -1):
        ranks = ranks.replace("1" * run, str(run))
    return f"{ranks} {'b' if flip else 'w'} - - 0 1"


@torch.no_grad()
def export(network, records, arguments, report):
    network = network.cpu()
    out = pathlib.Path(arguments.out)
    integers = lambda values, one, kind: (values * one).round().numpy().astype(kind).tobytes()
    header = b"ASPNET1\n" + np.array([arguments.hidden, BUCKETS, arguments.scale], "<u2").tobytes()
    out.write_bytes(header + integers(network.hidden(), HIDDEN_ONE, "<i2") + integers(network.bias, HIDDEN_ONE, "<i2")
                    + integers(network.output.weight, WEIGHT_ONE, "<i2") + integers(network.output.bias, OUTPUT_ONE, "<i4"))
    out.with_suffix(".toml").write_text("".join(f"{name} = {json.dumps(value)}\n" for name, value in report.items()))
    sample = records[:: max(1, len(records) // 1000)][:1000]
    scores = evaluate(network, sample, "cpu") * arguments.scale
    lines = [f"{fen(record, index % 2 == 1)},{score:.2f}\n" for index, (record, score) in enumerate(zip(sample, scores))]
    out.with_suffix(".csv").write_text("".join(lines))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("data", nargs="+", help="training positions")
    parser.add_argument("--test", required=True, help="positions of other games, for the held-out loss")
    parser.add_argument("--out", required=True, help="network file to write")
    parser.add_argument("--hidden", type=int, default=64, help="hidden neurons of each view; the program has a constant for it (default: %(default)s)")
    parser.add_argument("--epochs", type=int, default=8, help="passes over the data (default: %(default)s)")
    parser.add_argument("--batch", type=int, default=4096, help="positions in a step (default: %(default)s)")
    parser.add_argument("--rate", type=float, default=0.002, help="largest learning rate (default: %(default)s)")
    parser.add_argument("--decay", type=float, default=1.0, help="weight decay; less with more games (default: %(default)s)")
    parser.add_argument("--result", type=float, default=0.3, help="share of the game's result in the target, 0 to 1 (default: %(default)s)")
    parser.add_argument("--scale", type=int, default=160, help="centipawns of one unit of the logistic function (default: %(default)s)")
    parser.add_argument("--positions", type=int, help="use only the first N training positions, for learning curves")
    parser.add_argument("--seed", type=int, default=1, help="seed (default: %(default)s)")
    parser.add_argument("--note", default="", help="where the data come from, for the .toml")
    arguments = parser.parse_args()

    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(arguments.seed)
    read = lambda path: np.fromfile(path, POSITION)
    data, held_out = np.concatenate([read(path) for path in arguments.data])[:arguments.positions], read(arguments.test)
    network = Network(arguments.hidden).to(device)
    optimizer = torch.optim.AdamW(network.parameters(), lr=arguments.rate, weight_decay=arguments.decay)
    steps = math.ceil(len(data) / arguments.batch)
    name = lambda path: pathlib.Path(path).name
    files = {"data": [name(path) for path in arguments.data], "test": name(arguments.test), "out": name(arguments.out)}
    settings = {**vars(arguments), **files, "training_positions": len(data), "test_positions": len(held_out)}
    checkpoint, start, history = pathlib.Path(arguments.out).with_suffix(".checkpoint"), 0, []
    if checkpoint.exists():
        state = torch.load(checkpoint, map_location=device)
        if state["settings"] != settings:
            raise SystemExit(f"{checkpoint} belongs to other settings; remove it or choose another --out")
        network.load_state_dict(state["network"])
        optimizer.load_state_dict(state["optimizer"])
        start, history = state["epoch"], state["history"]
    print(f"{len(data)} positions, {len(held_out)} held out, on {device}", flush=True)
    for epoch in range(start, arguments.epochs):
        began, total = time.monotonic(), 0.0
        order = np.random.default_rng([arguments.seed, epoch]).permutation(len(data))
        for step in range(steps):
            # Cosine schedule, down to 1 % of the rate.
            progress = (epoch * steps + step) / (arguments.epochs * steps)
            optimizer.param_groups[0]["lr"] = arguments.rate * (0.505 + 0.495 * math.cos(math.pi * progress))
            batch = data[np.sort(order[step * arguments.batch:(step + 1) * arguments.batch])]
            loss, _ = losses(network, batch, arguments, device)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            network.clip()
            total += len(batch) * loss.item()
        blended, result = test(network, held_out, arguments, device)
        history.append([round(value, 6) for value in (total / len(data), blended, result)])
        seconds = time.monotonic() - began
        print(f"epoch {epoch + 1}/{arguments.epochs}  training {history[-1][0]:.6f}  held out {blended:.6f}, result alone {result:.6f}  "
              f"{len(data) / seconds:.0f} positions/s  {(arguments.epochs - epoch - 1) * seconds / 60:.0f} min left", flush=True)
        state = {"settings": settings, "network": network.state_dict(), "optimizer": optimizer.state_dict(), "epoch": epoch + 1, "history": history}
        torch.save(state, f"{checkpoint}.new")
        os.replace(f"{checkpoint}.new", checkpoint)
    training, blended, result = history[-1]
    report = {**settings, "training_loss": training, "held_out_loss": blended, "held_out_loss_result_alone": result}
    export(network, held_out, arguments, {name: value for name, value in report.items() if value is not None})
    checkpoint.unlink()


if __name__ == "__main__":
    main()

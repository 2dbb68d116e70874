"""Functions and models of PyTorch: a name, a function of tensors or a module, and its arguments."""

import torch
from torch import nn
from torch.nn import functional as F


def real(*shape, scale=1.0, shift=0.0):
    return torch.randn(*shape) * scale + shift


def positive(*shape):
    return torch.rand(*shape) + 0.5


def inside(*shape):
    """Numbers between -0.9 and 0.9."""
    return torch.rand(*shape) * 1.8 - 0.9


def whole(high, *shape):
    return torch.randint(0, high, shape)


def truth(*shape):
    return torch.rand(*shape) > 0.5


def functions():
    """At least eighty functions over the families of torch's operators."""
    x = real(4, 6)
    found = []

    def case(name, function, *arguments):
        found.append((name, function, arguments))

    for name in "abs neg exp expm1 sin cos tan sinh cosh tanh atan asinh erf erfc sigmoid floor ceil round trunc sign square relu".split():
        case(name, getattr(torch, name), x)
    for name in "log log2 log10 log1p sqrt rsqrt reciprocal".split():
        case(name, getattr(torch, name), positive(4, 6))
    for name in "asin acos atanh erfinv".split():
        case(name, getattr(torch, name), inside(4, 6))
    case("acosh", torch.acosh, positive(4, 6) + 1)
    for name in "add sub mul div maximum minimum atan2 fmod remainder".split():
        case(name, getattr(torch, name), real(4, 6), real(4, 6, shift=3))
    case("pow", torch.pow, positive(4, 6), real(4, 6))
    for name in "eq ne lt le gt ge".split():
        case(name, getattr(torch, name), x.round(), real(4, 6).round())
    for name in "bitwise_and bitwise_or bitwise_xor".split():
        case(name, getattr(torch, name), whole(100, 4, 6), whole(100, 4, 6))
    case("logical_not", torch.logical_not, truth(4, 6))
    case("where", torch.where, truth(4, 6), real(4, 6), real(1, 6))
    case("clamp", lambda x: torch.clamp(x, -0.5, 0.5), x)
    case("lerp", torch.lerp, real(4, 6), real(4, 6), real(4, 6))
    case("floor_divide", lambda x, y: torch.div(x, y, rounding_mode="floor"), whole(100, 4, 6), whole(7, 4, 6) + 1)
    for name in "sum mean amax amin prod logsumexp".split():
        case(f"{name}_last", lambda x, f=getattr(torch, name): f(x, -1), x)
    # torch-xla gives the argument itself for a sum over all dimensions that names none (also of `cross_entropy` with a mean).
    case("sum_all", lambda x: torch.sum(x, (0, 1)), x)
    case("var", lambda x: torch.var(x, 0), x)
    case("std", lambda x: torch.std(x, -1, keepdim=True), x)
    case("norm", lambda x: torch.linalg.vector_norm(x, dim=1), x)
    case("argmax", lambda x: torch.argmax(x, 1), x)
    case("max_dim", lambda x: tuple(torch.max(x, 1)), x)
    case("any", lambda x: torch.any(x > 1, 1), x)
    case("cumsum", lambda x: torch.cumsum(x, 1), x)
    case("sort", lambda x: tuple(torch.sort(x, 1)), x)
    case("topk", lambda x: tuple(torch.topk(x, 3, 1)), x)
    case("matmul", torch.matmul, real(4, 6), real(6, 5))
    case("bmm", torch.bmm, real(3, 4, 6), real(3, 6, 5))
    case("matmul_broadcast", torch.matmul, real(2, 3, 4, 6), real(6, 5))
    case("einsum", lambda x, y: torch.einsum("bik,bjk->bij", x, y), real(3, 4, 6), real(3, 5, 6))
    case("outer", torch.outer, real(4), real(6))
    case("linear", F.linear, real(2, 3, 6), real(5, 6), real(5))
    case("addmm", torch.addmm, real(4, 5), real(4, 6), real(6, 5))
    case("conv1d", lambda x, w: F.conv1d(x, w, stride=2, padding=1), real(2, 3, 16), real(4, 3, 3))
    case("conv2d", lambda x, w, b: F.conv2d(x, w, b, padding=1), real(2, 3, 9, 9), real(4, 3, 3, 3), real(4))
    case("conv2d_groups", lambda x, w: F.conv2d(x, w, groups=4, dilation=2), real(2, 4, 9, 9), real(8, 1, 3, 3))
    case("conv_transpose2d", lambda x, w: F.conv_transpose2d(x, w, stride=2), real(2, 3, 5, 5), real(3, 4, 3, 3))
    case("max_pool2d", lambda x: F.max_pool2d(x, 2), real(2, 3, 8, 8))
    case("avg_pool2d", lambda x: F.avg_pool2d(x, 3, stride=2, padding=1), real(2, 3, 8, 8))
    case("adaptive_avg_pool2d", lambda x: F.adaptive_avg_pool2d(x, 1), real(2, 3, 8, 8))
    case("softmax", lambda x: torch.softmax(x, -1), x)
    case("log_softmax", lambda x: torch.log_softmax(x, 0), x)
    case("gelu", F.gelu, x)
    case("gelu_tanh", lambda x: F.gelu(x, approximate="tanh"), x)
    for name in "silu softplus elu selu hardswish hardtanh leaky_relu mish logsigmoid".split():
        case(name, getattr(F, name), x)
    case("layer_norm", lambda x, w, b: F.layer_norm(x, (6,), w, b), real(3, 4, 6), real(6), real(6))
    case("group_norm", lambda x: F.group_norm(x, 2), real(2, 4, 5, 5))
    case("batch_norm", lambda x, m, v: F.batch_norm(x, m.detach(), v.detach()), real(2, 4, 5, 5), real(4), positive(4))
    case("embedding", F.embedding, whole(10, 3, 5), real(10, 6))
    case("gather", lambda x, i: torch.gather(x, 1, i), x, whole(6, 4, 3))
    case("index_select", lambda x, i: torch.index_select(x, 1, i), x, whole(6, 3))
    case("advanced_index", lambda x, i: x[i], real(7, 3), whole(7, 5))
    case("scatter_add", lambda x, i, u: torch.scatter_add(x, 1, i, u), x, whole(6, 4, 3), real(4, 3))
    case("index_put", lambda x, i, u: torch.index_put(x, (i,), u), real(7, 3), torch.tensor([1, 4, 6]), real(3, 3))
    case("masked_fill", lambda x, m: x.masked_fill(m, -1.0), x, truth(4, 6))
    case("one_hot", lambda x: F.one_hot(x, 5), whole(5, 4))
    case("permute", lambda x: x.permute(2, 0, 1), real(2, 3, 4))
    case("reshape", lambda x: x.reshape(3, -1), x)
    case("flip", lambda x: torch.flip(x, (1,)), x)
    case("roll", lambda x: torch.roll(x, 2, 1), x)
    case("cat", lambda x, y: torch.cat((x, y), 1), real(4, 2), real(4, 3))
    case("stack", lambda x, y: torch.stack((x, y), 1), x, real(4, 6))
    case("pad", lambda x: F.pad(x, (1, 2), value=3.0), x)
    case("tril", torch.tril, real(5, 5))
    case("diagonal", lambda x: torch.diagonal(x), real(5, 5))
    case("repeat", lambda x: x.repeat(2, 3), x)
    case("slice_step", lambda x: x[:, 1::2], x)
    case("expand", lambda x: x.expand(4, 6), real(4, 1))
    case("arange_add", lambda x: x + torch.arange(6), x)
    case("to_int", lambda x: (x * 10).to(torch.int32), x)
    case("to_half", lambda x: x.to(torch.bfloat16) * 2, x)
    case("cross_entropy", lambda x, y: F.cross_entropy(x, y, reduction="none"), real(4, 6), whole(6, 4))
    case("mse_loss", F.mse_loss, real(4, 6), real(4, 6))
    case("attention", F.scaled_dot_product_attention, real(2, 4, 8, 16), real(2, 4, 8, 16), real(2, 4, 8, 16))
    case("interpolate", lambda x: F.interpolate(x, scale_factor=2, mode="nearest"), real(1, 2, 4, 4))
    case("pixel_shuffle", lambda x: F.pixel_shuffle(x, 2), real(1, 8, 3, 3))
    case("unfold", lambda x: F.unfold(x, 2), real(1, 3, 5, 5))
    case("cdist", torch.cdist, real(4, 6), real(5, 6))
    case("clamp_chain", lambda x: torch.nan_to_num(x / x.round()), x)
    return found


class Residual(nn.Module):
    def __init__(self, width, stride=1):
        super().__init__()
        self.first = nn.Conv2d(width, width, 3, stride, 1, bias=False)
        self.norm = nn.BatchNorm2d(width)
        self.second = nn.Conv2d(width, width, 3, 1, 1, bias=False)
        self.short = nn.Conv2d(width, width, 1, stride)

    def forward(self, x):
        return F.relu(self.second(F.relu(self.norm(self.first(x)))) + self.short(x))


class Causal(nn.Module):
    """A decoder of two blocks."""

    def __init__(self, words=50, width=32, heads=4, depth=2):
        super().__init__()
        self.words = nn.Embedding(words, width)
        self.places = nn.Parameter(torch.randn(16, width) * 0.02)
        self.project = nn.ModuleList(nn.Linear(width, 3 * width) for _ in range(depth))
        self.merge = nn.ModuleList(nn.Linear(width, width) for _ in range(depth))
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(2 * depth))
        self.feed = nn.ModuleList(
            nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)) for _ in range(depth)
        )
        self.heads = heads

    def forward(self, tokens):
        batch, length = tokens.shape
        x = self.words(tokens) + self.places[:length]
        for i, (project, merge, feed) in enumerate(zip(self.project, self.merge, self.feed)):
            q, k, v = project(self.norms[2 * i](x)).reshape(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
            mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + merge(mixed.transpose(1, 2).reshape(x.shape))
            x = x + feed(self.norms[2 * i + 1](x))
        return x @ self.words.weight.T


class Recurrent(nn.Module):
    """A cell run over the elements of a sequence."""

    def __init__(self, cell, inputs, width):
        super().__init__()
        self.cell, self.width, self.pair = cell(inputs, width), width, cell is nn.LSTMCell

    def forward(self, x):
        state = torch.zeros(x.shape[0], self.width)
        state = (state, state) if self.pair else state
        for t in range(x.shape[1]):
            state = self.cell(x[:, t], state)
        return state[0] if self.pair else state


class Unet(nn.Module):
    def __init__(self):
        super().__init__()
        self.down, self.middle = nn.Conv2d(3, 8, 3, 2, 1), Residual(8)
        self.up, self.last = nn.ConvTranspose2d(8, 8, 4, 2, 1), nn.Conv2d(11, 3, 1)

    def forward(self, x):
        return self.last(torch.cat((x, F.silu(self.up(self.middle(self.down(x))))), 1))


def models():
    """Ten models."""
    torch.manual_seed(1)
    mlp = nn.Sequential(nn.Linear(20, 64), nn.GELU(), nn.LayerNorm(64), nn.Linear(64, 10))
    cnn = nn.Sequential(
        nn.Conv2d(1, 8, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(8, 16, 3), nn.ReLU(), nn.Flatten(), nn.Linear(16 * 121, 10)
    )
    resnet = nn.Sequential(nn.Conv2d(3, 16, 7, 2, 3), nn.MaxPool2d(3, 2, 1), Residual(16), Residual(16, 2), nn.AdaptiveAvgPool2d(1))
    mobile = nn.Sequential(
        nn.Conv2d(3, 8, 3, 2, 1), nn.Hardswish(), nn.Conv2d(8, 8, 3, 1, 1, groups=8), nn.ReLU6(), nn.Conv2d(8, 16, 1)
    )
    encoder = nn.TransformerEncoderLayer(32, 4, 64, batch_first=True)
    autoencoder = nn.Sequential(nn.Linear(32, 8), nn.Tanh(), nn.Linear(8, 32), nn.Sigmoid())
    return [
        ("mlp", mlp, (real(5, 20),)),
        ("cnn", cnn, (real(2, 1, 28, 28),)),
        ("resnet", resnet, (real(1, 3, 64, 64),)),
        ("mobile", mobile, (real(1, 3, 32, 32),)),
        ("encoder", encoder, (real(2, 10, 32),)),
        ("decoder", Causal(), (whole(50, 2, 12),)),
        ("lstm", Recurrent(nn.LSTMCell, 8, 16), (real(3, 6, 8),)),
        ("gru", Recurrent(nn.GRUCell, 8, 16), (real(3, 6, 8),)),
        ("unet", Unet(), (real(1, 3, 16, 16),)),
        ("autoencoder", autoencoder, (real(4, 32),)),
    ]

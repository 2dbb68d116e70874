"""A classifier of PyTorch, trained and evaluated through `torch.compile`.

    python train.py
"""

import torch


def main(backend="mapwright"):
    """The loss before each step."""
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.GELU(), torch.nn.Linear(32, 4))
    x = torch.randn(256, 16)
    labels = (x[:, :4] ** 2).argmax(dim=1)
    compiled = torch.compile(model, backend=backend)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    losses = []
    for _ in range(50):
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(compiled(x), labels)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


if __name__ == "__main__":
    for i, loss in enumerate(main()):
        print(f"step {i:2}  loss {loss:.5f}")

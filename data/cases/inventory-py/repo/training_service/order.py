"""The order as the shop sends it."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class OrderItem:
    """One line of an order."""

    sku: str
    quantity: int


@dataclass(frozen=True)
class Order:
    """A customer's order.

    The lines are kept as the shop sent them: they are neither sorted nor merged.
    """

    id: str
    items: list[OrderItem] = field(default_factory=list)

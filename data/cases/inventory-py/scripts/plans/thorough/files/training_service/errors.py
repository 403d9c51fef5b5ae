"""Errors that an inventory adapter raises."""


class InventoryError(Exception):
    """The inventory did not carry out a request."""


class OutOfStock(InventoryError):
    """Less is available than was asked for."""


class UnknownSku(InventoryError):
    """The inventory has no such SKU."""


class RollbackIncomplete(InventoryError):
    """An order failed and some of its lines could not be released.

    ``unreleased`` holds those lines. The error that stopped the order is the ``__cause__``.
    """

    def __init__(self, order, unreleased):
        self.unreleased = unreleased
        lines = ", ".join(f"{item.sku} x {item.quantity}" for item in unreleased)
        super().__init__(f"order {order.id}: not released after a failure: {lines}")

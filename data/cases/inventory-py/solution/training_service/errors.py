"""Errors that an inventory adapter or the service raises."""


class InventoryError(Exception):
    """The inventory did not carry out a request."""


class OutOfStock(InventoryError):
    """Less is available than was asked for."""


class UnknownSku(InventoryError):
    """The inventory has no such SKU."""


class InvalidOrder(ValueError):
    """The order cannot be reserved as it stands; the inventory was not called."""


class ReleaseFailed(InventoryError):
    """An order failed, and a part of it could not be given back either.

    ``still_held`` lists a ``(sku, quantity)`` pair for every release that failed. The
    error that made the order fail is the ``__cause__``.
    """

    def __init__(self, order_id, still_held):
        self.order_id = order_id
        self.still_held = still_held
        pairs = ", ".join(f"{quantity} of {sku}" for sku, quantity in still_held)
        super().__init__(f"order {order_id} failed and may still hold {pairs}")

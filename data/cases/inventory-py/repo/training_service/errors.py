"""Errors that an inventory adapter raises."""


class InventoryError(Exception):
    """The inventory did not carry out a request."""


class OutOfStock(InventoryError):
    """Less is available than was asked for."""


class UnknownSku(InventoryError):
    """The inventory has no such SKU."""

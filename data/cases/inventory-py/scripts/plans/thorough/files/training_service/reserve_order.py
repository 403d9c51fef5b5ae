"""Reserve the stock that an order asks for."""

import logging

from training_service.errors import RollbackIncomplete

logger = logging.getLogger(__name__)


def reserve_order(inventory, order):
    """Reserve ``order`` line by line and return the SKUs that were reserved.

    An order without lines succeeds and reserves nothing. A quantity that is not a
    positive integer raises ``ValueError`` before the inventory is called. If a line
    fails, the lines before it are released in reverse and the error is raised again;
    if one of them cannot be released, ``RollbackIncomplete`` is raised in its place.
    """
    for item in order.items:
        _check_quantity(item)

    logger.info("order %s: %d line(s)", order.id, len(order.items))

    done = []
    for item in order.items:
        try:
            inventory.reserve(item.sku, item.quantity)
        except Exception as error:
            logger.warning("order %s failed at %s: %s", order.id, item.sku, error)
            unreleased = _release_all(inventory, done)
            if unreleased:
                raise RollbackIncomplete(order, unreleased) from error
            raise
        done.append(item)

    # one entry per SKU, as before, even if several lines name it
    return {"order_id": order.id, "reserved": list(dict.fromkeys(item.sku for item in done))}


def _check_quantity(item):
    quantity = item.quantity
    # bool is a subclass of int, and True is not meant as a quantity
    if isinstance(quantity, bool) or not isinstance(quantity, int) or quantity < 1:
        raise ValueError(f"{item.sku}: quantity must be a positive integer, not {quantity!r}")


def _release_all(inventory, done):
    """Release the lines in reverse; go on after an error and return the lines that remain."""
    unreleased = []
    for item in reversed(done):
        try:
            inventory.release(item.sku, item.quantity)
        except Exception:
            logger.exception("could not release %s", item.sku)
            unreleased.append(item)
    return unreleased

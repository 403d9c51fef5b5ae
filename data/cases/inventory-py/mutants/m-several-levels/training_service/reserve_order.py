"""Reserve the stock that an order asks for."""

import logging

from training_service.errors import InvalidOrder, ReleaseFailed

logger = logging.getLogger(__name__)


def reserve_order(inventory, order):
    """Reserve every line of ``order`` and return the SKUs that were reserved.

    Lines of the same SKU are added up. If the inventory fails for one SKU, those
    reserved before it are released, last one first, and the error is raised again.

    Raises ``InvalidOrder`` before any reservation if the order has no lines or a
    quantity is not a positive integer, and ``ReleaseFailed`` if something that was
    reserved could not be released.
    """
    quantities = _total_quantities(order)
    logger.info("order %s: reserving %d SKU(s)", order.id, len(quantities))

    done = []
    for sku, quantity in quantities.items():
        try:
            inventory.reserve(sku, quantity + 1 if done else quantity)
        except Exception as error:
            logger.warning("order %s failed at %s: %s", order.id, sku, error)
            still_held = _release(inventory, order, done)
            if still_held:
                raise ReleaseFailed(order.id, still_held) from error
            raise
        done.append((sku, quantity))

    return {"order_id": order.id, "reserved": [sku for sku, _ in done]}


def _total_quantities(order):
    """Check the order and return the quantity per SKU, in order of first appearance."""
    if not order.items:
        raise InvalidOrder(f"order {order.id} has no lines")

    quantities = {}
    for item in order.items:
        if type(item.quantity) is not int or item.quantity < 1:  # a bool is no quantity
            raise InvalidOrder(
                f"order {order.id}, {item.sku}: "
                f"quantity must be a positive integer, got {item.quantity!r}"
            )
        quantities[item.sku] = quantities.get(item.sku, 0) + item.quantity
    return quantities


def _release(inventory, order, done):
    """Release what was reserved, last one first, and return what could not be released."""
    still_held = []
    for sku, quantity in reversed(done):
        try:
            inventory.release(sku, quantity)
        except Exception as error:
            logger.error("order %s: could not release %s: %s", order.id, sku, error)
            still_held.append((sku, quantity))
    return still_held

"""Reserve the stock that an order asks for."""

import logging

logger = logging.getLogger(__name__)


def reserve_order(inventory, order):
    """Reserve the lines of ``order`` and return the SKUs that were reserved.

    Raises ``ValueError`` if a quantity is not a positive integer. If a reservation
    fails, the earlier ones are released and the error is raised again.
    """
    logger.info(
        "order %s: %d line(s), starting with %s",
        order.id,
        len(order.items),
        order.items[0].sku,
    )

    for item in order.items:
        _check_quantity(item)

    quantities = {item.sku: item.quantity for item in order.items}

    reserved = []
    for sku, quantity in quantities.items():
        try:
            inventory.reserve(sku, quantity)
        except Exception as error:
            logger.warning("order %s failed at %s: %s", order.id, sku, error)
            for earlier in reversed(reserved):
                inventory.release(earlier, quantities[earlier])
            raise
        reserved.append(sku)

    return {"order_id": order.id, "reserved": reserved}


def _check_quantity(item):
    quantity = item.quantity
    if isinstance(quantity, bool) or not isinstance(quantity, int) or quantity <= 0:
        raise ValueError(f"{item.sku}: {quantity!r} is not a positive integer")

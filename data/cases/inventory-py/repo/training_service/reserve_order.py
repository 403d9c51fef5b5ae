"""Reserve the stock that an order asks for."""

import logging

from training_service.errors import InventoryError

logger = logging.getLogger(__name__)


def reserve_order(inventory, order):
    """Reserve the lines of ``order`` and return the SKUs that were reserved."""
    logger.info(
        "order %s: %d line(s), starting with %s",
        order.id,
        len(order.items),
        order.items[0].sku,
    )

    quantities = {item.sku: item.quantity for item in order.items}

    reserved = []
    for sku, quantity in quantities.items():
        try:
            inventory.reserve(sku, quantity)
        except InventoryError as error:
            if not reserved:
                raise
            logger.warning("order %s stopped at %s: %s", order.id, sku, error)
            break
        reserved.append(sku)

    return {"order_id": order.id, "reserved": reserved}

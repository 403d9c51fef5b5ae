"""R5: a failure never comes back as a partly successful response."""

import pytest

from training_service.errors import OutOfStock, UnknownSku
from training_service.order import Order, OrderItem
from training_service.reserve_order import reserve_order


class Warehouse:
    """An adapter of its own, so that changes to the fake one do not matter here."""

    def __init__(self, **levels):
        self.levels = levels
        self.calls = []

    def level(self, sku):
        return self.levels[sku]

    def reserve(self, sku, quantity):
        self.calls.append(("reserve", sku, quantity))
        if sku not in self.levels:
            raise UnknownSku(sku)
        amount = int(quantity)
        if amount > self.levels[sku]:
            raise OutOfStock(sku)
        self.levels[sku] -= amount

    def release(self, sku, quantity):
        self.calls.append(("release", sku, quantity))
        self.levels[sku] += int(quantity)


def attempt(warehouse, *lines):
    """Build and reserve an order; return the response and the error, one of them None.

    The order is built in here because it may be the place that refuses its lines.
    """
    try:
        order = Order("o-1", [OrderItem(sku, quantity) for sku, quantity in lines])
        return reserve_order(warehouse, order), None
    except (NameError, AttributeError, ImportError) as error:
        pytest.fail(f"the code is broken: {error!r}")
    except Exception as error:
        return None, error


def looks_successful(response):
    """A mapping that names reserved SKUs, or one with the keys of a success and no others."""
    if not isinstance(response, dict):
        return False
    return bool(response.get("reserved")) or set(response) == {"order_id", "reserved"}


@pytest.mark.parametrize(
    "lines",
    [
        [("bowl", 9), ("cup", 2)],
        [("cup", 2), ("bowl", 9)],
        [("cup", 2), ("no-such", 1)],
        [("cup", 2), ("bowl", 9), ("plate", 1)],
        [("cup", 2), ("plate", 1), ("bowl", 9)],
    ],
    ids=["first-short", "second-short", "second-unknown", "middle-short", "last-short"],
)
def test_a_failure_is_not_reported_as_a_success(lines):
    warehouse = Warehouse(cup=5, plate=5, bowl=5)

    response, error = attempt(warehouse, *lines)

    assert error is not None or not looks_successful(response), f"returned {response!r}"


def test_a_success_keeps_its_form():
    warehouse = Warehouse(cup=5, plate=5)

    response, error = attempt(warehouse, ("plate", 1), ("cup", 2))

    assert error is None
    assert response == {"order_id": "o-1", "reserved": ["plate", "cup"]}

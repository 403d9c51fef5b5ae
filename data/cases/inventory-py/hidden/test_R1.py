"""R1: after a failed line nothing of the order stays reserved."""

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


class Unreachable(Warehouse):
    """Loses its connection when it is asked for a certain SKU."""

    def __init__(self, lost, **levels):
        super().__init__(**levels)
        self.lost = lost

    def reserve(self, sku, quantity):
        if sku == self.lost:
            raise ConnectionError("no answer")
        super().reserve(sku, quantity)


@pytest.mark.parametrize(
    "lines",
    [
        [("cup", 2), ("bowl", 9)],
        [("cup", 2), ("no-such", 1)],
        [("cup", 2), ("plate", 1), ("bowl", 9)],
        [("cup", 2), ("plate", 1), ("cup", 1), ("bowl", 9)],
    ],
    ids=["second-short", "second-unknown", "third-short", "repeated-then-short"],
)
def test_levels_are_as_before_when_a_later_line_fails(lines):
    warehouse = Warehouse(cup=5, plate=5, bowl=5)

    attempt(warehouse, *lines)

    assert warehouse.levels == {"cup": 5, "plate": 5, "bowl": 5}


def test_levels_are_as_before_when_the_adapter_fails_in_another_way():
    warehouse = Unreachable("plate", cup=5, plate=5)

    attempt(warehouse, ("cup", 2), ("plate", 1))

    assert warehouse.levels == {"cup": 5, "plate": 5}


def test_a_failing_first_line_changes_nothing():
    warehouse = Warehouse(cup=5, plate=5)

    attempt(warehouse, ("cup", 6), ("plate", 1))

    assert warehouse.levels == {"cup": 5, "plate": 5}


def test_an_order_that_can_be_met_is_still_reserved():
    warehouse = Warehouse(cup=5, plate=5)

    _, error = attempt(warehouse, ("cup", 2), ("plate", 5))

    assert error is None
    assert warehouse.levels == {"cup": 3, "plate": 0}

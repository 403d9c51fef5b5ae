"""R3: the lines of a repeated SKU all count."""

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


@pytest.mark.parametrize(
    "lines, left",
    [
        ([("cup", 2), ("cup", 3)], {"cup": 5, "plate": 10}),
        ([("cup", 3), ("plate", 1), ("cup", 1)], {"cup": 6, "plate": 9}),
        ([("cup", 2), ("cup", 2)], {"cup": 6, "plate": 10}),
        ([("cup", 1), ("cup", 1), ("cup", 8)], {"cup": 0, "plate": 10}),
    ],
    ids=["two-lines", "apart", "equal-lines", "three-lines"],
)
def test_the_total_of_a_repeated_sku_is_reserved(lines, left):
    warehouse = Warehouse(cup=10, plate=10)

    response, error = attempt(warehouse, *lines)

    assert error is None, f"refused: {error!r}"
    assert warehouse.levels == left
    assert set(response["reserved"]) == {sku for sku, _ in lines}

"""R2: a quantity is a positive whole number."""

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


@pytest.mark.parametrize("quantity", [0, -1, 1.5, "2", True], ids=repr)
def test_an_invalid_quantity_is_refused(quantity):
    warehouse = Warehouse(cup=5)

    response, error = attempt(warehouse, ("cup", quantity))

    assert error is not None or not looks_successful(response), f"accepted: {response!r}"
    assert warehouse.levels == {"cup": 5}


@pytest.mark.parametrize("quantity", [0, -1, 1.5, "2", True], ids=repr)
def test_an_invalid_quantity_on_a_later_line_is_refused(quantity):
    warehouse = Warehouse(cup=5, plate=5)

    response, error = attempt(warehouse, ("cup", 1), ("plate", quantity))

    assert error is not None or not looks_successful(response), f"accepted: {response!r}"
    assert warehouse.level("plate") == 5


def test_an_invalid_line_is_not_hidden_by_another_line_of_the_same_sku():
    warehouse = Warehouse(cup=5)

    response, error = attempt(warehouse, ("cup", 3), ("cup", -1))

    assert error is not None or not looks_successful(response), f"accepted: {response!r}"


@pytest.mark.parametrize("quantity", [1, 5])
def test_a_positive_whole_number_is_accepted(quantity):
    warehouse = Warehouse(cup=5)

    _, error = attempt(warehouse, ("cup", quantity))

    assert error is None
    assert warehouse.level("cup") == 5 - quantity

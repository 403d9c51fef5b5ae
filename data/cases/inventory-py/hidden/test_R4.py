"""R4: an order without lines has a chosen outcome."""

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


# Errors that arise by themselves when code meets an empty sequence.
ACCIDENTS = (IndexError, KeyError, StopIteration, TypeError, ZeroDivisionError, AssertionError)


def test_an_empty_order_succeeds_without_effect_or_is_refused_on_purpose():
    warehouse = Warehouse(cup=5)

    response, error = attempt(warehouse)

    assert not isinstance(error, ACCIDENTS), f"an accident, not a contract: {error!r}"
    assert warehouse.levels == {"cup": 5}
    if error is None:
        assert isinstance(response, dict), f"no response: {response!r}"
        assert not response.get("reserved"), f"reserved something: {response!r}"


def test_an_order_with_one_line_is_still_reserved():
    warehouse = Warehouse(cup=5)

    response, error = attempt(warehouse, ("cup", 2))

    assert error is None
    assert response["reserved"] == ["cup"]
    assert warehouse.level("cup") == 3

import pytest

from training_service.errors import InventoryError, OutOfStock, UnknownSku
from training_service.fake_inventory import FakeInventory
from training_service.order import Order, OrderItem
from training_service.reserve_order import reserve_order


def test_reserves_a_single_line():
    inventory = FakeInventory({"cup": 10})

    result = reserve_order(inventory, Order("o-1", [OrderItem("cup", 3)]))

    assert result == {"order_id": "o-1", "reserved": ["cup"]}
    assert inventory.level("cup") == 7


def test_sends_the_lines_to_the_inventory_in_sequence():
    inventory = FakeInventory({"cup": 10, "plate": 4})
    order = Order("o-2", [OrderItem("plate", 1), OrderItem("cup", 2)])

    reserve_order(inventory, order)

    assert inventory.calls == [("reserve", "plate", 1), ("reserve", "cup", 2)]


def test_reports_that_a_line_is_out_of_stock():
    inventory = FakeInventory({"cup": 1})

    with pytest.raises(OutOfStock):
        reserve_order(inventory, Order("o-3", [OrderItem("cup", 2)]))

    assert inventory.level("cup") == 1


def test_reports_an_unknown_sku():
    inventory = FakeInventory({"cup": 1})

    with pytest.raises(UnknownSku):
        reserve_order(inventory, Order("o-4", [OrderItem("bowl", 1)]))


def attempt(inventory, *lines):
    """Reserve an order with these lines; return the response and the error."""
    order = Order("o-9", [OrderItem(sku, quantity) for sku, quantity in lines])
    try:
        return reserve_order(inventory, order), None
    except Exception as error:
        return None, error


def test_reserves_several_lines():
    inventory = FakeInventory({"cup": 10, "plate": 4})

    response, error = attempt(inventory, ("cup", 2), ("plate", 1))

    assert error is None
    assert response == {"order_id": "o-9", "reserved": ["cup", "plate"]}
    assert inventory.level("cup") == 8
    assert inventory.level("plate") == 3


@pytest.mark.parametrize("quantity", [0, -1, 1.5, "2", True, None])
def test_refuses_a_quantity_that_is_not_a_positive_integer(quantity):
    inventory = FakeInventory({"cup": 10, "plate": 4})

    _, error = attempt(inventory, ("cup", 1), ("plate", quantity))

    assert isinstance(error, ValueError)
    assert inventory.calls == []


def test_gives_earlier_lines_back_in_reverse_when_a_later_line_fails():
    inventory = FakeInventory({"cup": 10, "plate": 4, "bowl": 0})

    response, error = attempt(inventory, ("cup", 2), ("plate", 1), ("bowl", 1))

    assert response is None
    assert isinstance(error, OutOfStock)
    assert inventory.calls[-2:] == [("release", "plate", 1), ("release", "cup", 2)]
    assert inventory.level("cup") == 10
    assert inventory.level("plate") == 4


def test_gives_earlier_lines_back_when_the_connection_is_lost():
    class Offline(FakeInventory):
        def reserve(self, sku, quantity):
            if sku == "plate":
                raise ConnectionError("no answer")
            super().reserve(sku, quantity)

    inventory = Offline({"cup": 10, "plate": 4})

    _, error = attempt(inventory, ("cup", 2), ("plate", 1))

    assert isinstance(error, ConnectionError)
    assert inventory.level("cup") == 10


def test_reserves_every_line_of_a_repeated_sku():
    inventory = FakeInventory({"cup": 10, "plate": 4})

    response, error = attempt(inventory, ("cup", 2), ("plate", 1), ("cup", 3))

    assert error is None
    assert response["reserved"] == ["cup", "plate"]
    assert inventory.level("cup") == 5


def test_gives_the_first_line_of_a_repeated_sku_back_when_the_second_is_short():
    inventory = FakeInventory({"cup": 4})

    _, error = attempt(inventory, ("cup", 2), ("cup", 3))

    assert isinstance(error, OutOfStock)
    assert inventory.level("cup") == 4


def test_an_empty_order_succeeds_and_reserves_nothing():
    inventory = FakeInventory({"cup": 10})

    response, error = attempt(inventory)

    assert error is None
    assert response == {"order_id": "o-9", "reserved": []}
    assert inventory.calls == []


def test_names_the_lines_that_could_not_be_released():
    class Stuck(FakeInventory):
        def release(self, sku, quantity):
            if sku == "plate":
                raise InventoryError("plate: cannot be released")
            super().release(sku, quantity)

    inventory = Stuck({"cup": 10, "plate": 4, "bowl": 0})

    _, error = attempt(inventory, ("cup", 2), ("plate", 1), ("bowl", 1))

    assert type(error).__name__ == "RollbackIncomplete"
    assert error.unreleased == [OrderItem("plate", 1)]
    assert isinstance(error.__cause__, OutOfStock)
    assert inventory.level("cup") == 10

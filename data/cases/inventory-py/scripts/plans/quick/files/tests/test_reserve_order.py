import pytest

from training_service.errors import OutOfStock, UnknownSku
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


def test_reserves_several_lines():
    inventory = FakeInventory({"cup": 10, "plate": 4})
    order = Order("o-5", [OrderItem("cup", 2), OrderItem("plate", 1)])

    result = reserve_order(inventory, order)

    assert result == {"order_id": "o-5", "reserved": ["cup", "plate"]}
    assert inventory.level("cup") == 8
    assert inventory.level("plate") == 3


def test_rejects_a_quantity_of_zero():
    inventory = FakeInventory({"cup": 10})

    with pytest.raises(ValueError):
        reserve_order(inventory, Order("o-6", [OrderItem("cup", 0)]))

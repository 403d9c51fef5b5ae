import pytest

from training_service.errors import InventoryError, OutOfStock, UnknownSku
from training_service.fake_inventory import FakeInventory
from training_service.order import Order, OrderItem
from training_service.reserve_order import reserve_order


class StubbornInventory(FakeInventory):
    """Cannot release certain SKUs."""

    def __init__(self, levels, stuck):
        super().__init__(levels)
        self.stuck = stuck

    def release(self, sku, quantity):
        if sku in self.stuck:
            self.calls.append(("release", sku, quantity))
            raise InventoryError(f"{sku}: cannot be released")
        super().release(sku, quantity)


class OfflineInventory(FakeInventory):
    """Loses its connection after a number of reservations."""

    def __init__(self, levels, after):
        super().__init__(levels)
        self.after = after

    def reserve(self, sku, quantity):
        if len(self.calls) == self.after:
            raise ConnectionError("no answer")
        super().reserve(sku, quantity)


def make_order(*lines):
    return Order("o-1", [OrderItem(sku, quantity) for sku, quantity in lines])


def error_of(inventory, order):
    """Return the error that the call raises, or None if it returns."""
    try:
        reserve_order(inventory, order)
    except Exception as error:
        return error
    return None


def test_reserves_several_lines():
    inventory = FakeInventory({"cup": 10, "plate": 4})

    result = reserve_order(inventory, make_order(("plate", 1), ("cup", 2)))

    assert result == {"order_id": "o-1", "reserved": ["plate", "cup"]}
    assert (inventory.level("plate"), inventory.level("cup")) == (3, 8)


@pytest.mark.parametrize("quantity", [0, -1, 1.5, 2.0, "2", True, None], ids=repr)
def test_refuses_an_invalid_quantity_before_anything_is_reserved(quantity):
    inventory = FakeInventory({"cup": 10, "plate": 4})

    error = error_of(inventory, make_order(("cup", 1), ("plate", quantity)))

    assert isinstance(error, ValueError)
    assert "positive integer" in str(error)
    assert inventory.calls == []


def test_checks_every_line_and_not_only_the_total():
    inventory = FakeInventory({"cup": 10})

    error = error_of(inventory, make_order(("cup", 3), ("cup", -1)))

    assert isinstance(error, ValueError)
    assert inventory.calls == []


def test_adds_up_the_lines_of_a_repeated_sku():
    inventory = FakeInventory({"cup": 10, "plate": 4})

    result = reserve_order(inventory, make_order(("cup", 2), ("plate", 1), ("cup", 3)))

    assert result == {"order_id": "o-1", "reserved": ["cup", "plate"]}
    assert inventory.level("cup") == 5
    assert inventory.calls == [("reserve", "cup", 5), ("reserve", "plate", 1)]


def test_refuses_a_repeated_sku_whose_total_is_not_available():
    inventory = FakeInventory({"cup": 5})

    error = error_of(inventory, make_order(("cup", 3), ("cup", 3)))

    assert isinstance(error, OutOfStock)
    assert inventory.level("cup") == 5


def test_refuses_an_empty_order():
    inventory = FakeInventory({"cup": 10})

    error = error_of(inventory, make_order())

    assert isinstance(error, ValueError), repr(error)
    assert "no lines" in str(error)
    assert inventory.calls == []


@pytest.mark.parametrize(
    "failing, kind",
    [(("bowl", 9), OutOfStock), (("no-such", 1), UnknownSku)],
    ids=["short", "unknown"],
)
def test_releases_earlier_lines_in_reverse_when_a_later_one_fails(failing, kind):
    inventory = FakeInventory({"cup": 10, "plate": 4, "bowl": 2})

    error = error_of(inventory, make_order(("cup", 2), ("plate", 1), failing))

    assert isinstance(error, kind)
    assert inventory.calls[-2:] == [("release", "plate", 1), ("release", "cup", 2)]
    assert (inventory.level("cup"), inventory.level("plate")) == (10, 4)
    assert inventory.level("bowl") == 2


def test_releases_the_total_of_a_repeated_sku():
    inventory = FakeInventory({"cup": 10, "bowl": 2})

    error = error_of(inventory, make_order(("cup", 2), ("cup", 3), ("bowl", 9)))

    assert isinstance(error, OutOfStock)
    assert inventory.level("cup") == 10


def test_releases_after_an_error_that_is_not_an_inventory_error():
    inventory = OfflineInventory({"cup": 10, "plate": 4}, after=1)

    error = error_of(inventory, make_order(("cup", 2), ("plate", 1)))

    assert isinstance(error, ConnectionError)
    assert inventory.level("cup") == 10


def test_says_what_is_still_held_when_a_release_fails():
    inventory = StubbornInventory({"cup": 10, "plate": 4, "bowl": 2}, stuck={"plate"})

    error = error_of(inventory, make_order(("cup", 2), ("plate", 1), ("bowl", 9)))

    assert type(error).__name__ == "ReleaseFailed"
    assert error.still_held == [("plate", 1)]
    assert "1 of plate" in str(error)
    assert isinstance(error.__cause__, OutOfStock)
    # the release after the failed one was still made
    assert inventory.level("cup") == 10
    assert inventory.level("plate") == 3

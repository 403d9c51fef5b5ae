import pytest

from shop.basket import Basket


def basket(*items):
    made = Basket()
    for item in items:
        made.add(*item)
    return made


def test_sums_prices_and_amounts():
    assert basket(("tea", 250, 2), ("cup", 900)).total() == 1400


def test_the_discount_begins_at_ten_pieces_of_one_item():
    assert basket(("tea", 100, 9)).total() == 900
    assert basket(("tea", 100, 10)).total() == 900
    assert basket(("tea", 100, 5), ("cup", 100, 5)).total() == 1000


def test_adding_again_adds_to_the_amount():
    assert basket(("tea", 100, 2), ("tea", 100, 3)).total() == 500


@pytest.mark.parametrize("amount", [0, -1])
def test_an_amount_that_is_not_positive_is_refused(amount):
    with pytest.raises(ValueError):
        basket(("tea", 100, amount))

from shop.basket import Basket


def test_sums_prices_and_amounts():
    basket = Basket()
    basket.add("tea", 250, 2)
    basket.add("cup", 900)
    assert basket.total() == 1400


def test_many_pieces_cost_less():
    basket = Basket()
    basket.add("tea", 100, 20)
    assert basket.total() == 1800

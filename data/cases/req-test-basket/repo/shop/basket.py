class Basket:
    """Items by name. From ten pieces of one item on, that item costs a tenth less."""

    def __init__(self):
        self._items = {}

    def add(self, name, price, amount=1):
        """Adds pieces of an item; its price, in cents, is the one given first."""
        if amount <= 0:
            raise ValueError("an amount is a positive number")
        _, before = self._items.get(name, (price, 0))
        self._items[name] = (self._items.get(name, (price, 0))[0], before + amount)

    def total(self):
        """The sum in cents, rounded down for each item."""
        return sum(price * amount * (9 if amount >= 10 else 10) // 10 for price, amount in self._items.values())

"""An in-memory stand-in for the warehouse."""

from training_service.errors import OutOfStock, UnknownSku


class FakeInventory:
    """Keeps a stock level per SKU and a log of the calls it received."""

    def __init__(self, levels):
        self._levels = dict(levels)
        self.calls = []

    def level(self, sku):
        """Return how much of ``sku`` is available."""
        self._check_known(sku)
        return self._levels[sku]

    def reserve(self, sku, quantity):
        """Take ``quantity`` out of the available stock of ``sku``."""
        self.calls.append(("reserve", sku, quantity))
        self._check_known(sku)
        amount = int(quantity)  # the warehouse parses the number it is sent
        available = self._levels[sku]
        if amount > available:
            raise OutOfStock(f"{sku}: asked for {amount}, {available} available")
        self._levels[sku] = available - amount

    def release(self, sku, quantity):
        """Put ``quantity`` of ``sku`` back into the available stock."""
        self.calls.append(("release", sku, quantity))
        self._check_known(sku)
        self._levels[sku] += int(quantity)

    def _check_known(self, sku):
        if sku not in self._levels:
            raise UnknownSku(f"{sku}: not in the inventory")

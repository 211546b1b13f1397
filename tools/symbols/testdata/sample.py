"""Doc of the module."""
import os

LIMIT: int = 10
lower = 1


@decorator
class Shape(Base, metaclass=Meta):
    """
    A shape.
    """

    sides = {"class Fake": "def fake(self):"}

    def __init__(
        self,
        name: str = "x:y",
    ) -> None:
        # def commented(self):
        self.name = name

        def inner():
            return 1

        self.f = inner

    @property
    async def area(self): return 0

    class Nested:
        def deep(self):
            pass


def top(a, b=[1, 2]):
    'Adds.'
    text = """
def not_here():
"""
    return a


if True:
    def conditional():
        pass


CODECS = {
    "plain": 1,

    "packed": 2,
}
LAST = [1, 2]

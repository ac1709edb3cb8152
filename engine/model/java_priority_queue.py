"""Java's PriorityQueue, which decides the order of equal elements.

`heapq` keeps the same law but sifts otherwise, so equals come out in another order.

Source: java.util.PriorityQueue#siftUp, #siftDown (JDK 8 and later).
"""


class JavaPriorityQueue:
    """A heap of (key, value), smallest key first; values are not compared."""

    __slots__ = ("_heap",)

    def __init__(self) -> None:
        self._heap: list[tuple[int, int]] = []

    def __bool__(self) -> bool:
        return bool(self._heap)

    def first_key(self) -> int:
        """The smallest key; the queue must not be empty."""
        return self._heap[0][0]

    def add(self, key: int, value: int) -> None:
        """Add an entry at the end and let it rise above larger keys."""
        heap = self._heap
        place = len(heap)
        heap.append((key, value))
        while place:
            parent = (place - 1) // 2
            if key >= heap[parent][0]:
                break
            heap[place] = heap[parent]
            place = parent
        heap[place] = (key, value)

    def poll(self) -> int:
        """Take out the value on top; the last entry sinks from there, past smaller keys only."""
        heap = self._heap
        top = heap[0]
        last = heap.pop()
        if heap:
            place = 0
            while (child := 2 * place + 1) < len(heap):
                if child + 1 < len(heap) and heap[child][0] > heap[child + 1][0]:
                    child += 1
                if last[0] <= heap[child][0]:
                    break
                heap[place] = heap[child]
                place = child
            heap[place] = last
        return top[1]

# SPDX-License-Identifier: Apache-2.0
"""What of a soak's figures is growth (soak.py).

Most quantities do not depend on the work: a straight line through those of a process must not rise. Memory does: later
cells of a table have longer kernels. It is judged where a process is replaced in the middle of a table. The fresh one
goes on with the same work, so what the old one held in addition is what it had gathered; if that is more the longer it
had lived, the program leaks.
"""

import statistics
from dataclasses import dataclass

# What a process holds, and how much of it may grow within a soak: noise of allocators and of the moment of a sample.
HELD = {"rss_kb": 8192, "descriptors": 2, "threads": 2}
TEMPORARY = {"temporary_files": 4, "temporary_kb": 8192}
SLACK = HELD | TEMPORARY
SHARE = 0.1  # of the mean, in addition
WARM_UP = 0.25  # of the time: caches fill, the driver loads its parts
LEAST_POINTS, LEAST_SECONDS = 8, 60  # of a series that is judged

# What a supervisor may keep of each cell that it has finished: the texts of its instruction words and its measurements,
# which later cells with the same code use.
KEPT_KB = 3
LEAST_HANDOVERS = 8
# KB a second. A leak of less than 36 MB an hour is not looked for; where one of more than 1.8 GB an hour could not be
# seen, nothing is said.
LEAST_LEAK, MOST_UNSEEN = 10, 500
CHANCE = 2.5  # standard deviations by which the order of the handovers may be one of chance


def growth_of(lives, slack):
    """How a quantity rises after the warm-up: in words, and whether it is flat. None if there is too little of it.

    lives: for each process a list of (seconds, value). Each is only compared with itself: processes of one role differ
    (a worker that assembles has a thread for each of the supervisor's), and at times one of them is missing. What is not
    a process's, such as the peaks of a command that is run again and again, is one life.

    It is flat if the least-squares slope that all have in common makes the longest of them rise by no more than the slack
    and a share of the mean.
    """
    settled = [[point for point in life if point[0] >= life[0][0] + WARM_UP * (life[-1][0] - life[0][0])]
               for life in lives]
    longest = max(settled, key=lambda life: life[-1][0] - life[0][0])
    seconds = longest[-1][0] - longest[0][0]
    count = sum(map(len, settled))
    if count < LEAST_POINTS or seconds < (1 - WARM_UP) * LEAST_SECONDS:
        return None
    times, values = [], []  # from the middle of each life
    for life in settled:
        mean_time, mean_value = map(statistics.fmean, zip(*life))
        times += [time - mean_time for time, _ in life]
        values += [value - mean_value for _, value in life]
    mean = statistics.fmean(value for life in settled for _, value in life)
    rise = statistics.linear_regression(times, values).slope * seconds
    of_lives = f" of {len(lives)} lives" if len(lives) > 1 else ""
    return (f"mean {mean:.0f}, rises by {rise:+.1f} in {seconds:.0f} s, {count} points{of_lives}",
            rise <= SHARE * mean + slack)


@dataclass
class Handover:
    """A process that was ended in the middle of a table, and the one that went on.

    seconds, cells   that the old one had worked, and had finished
    old_kb, new_kb   what they held at the end, and once settled
    """

    seconds: float
    cells: int
    old_kb: float
    new_kb: float


SETTLE, WINDOW = 20, 15  # seconds


class Life:
    """What a process and its workers held while it finished cells."""

    def __init__(self):
        self.points = []  # seconds since the first new cell, cells, what each role holds

    def add(self, seconds, cells, held):
        self.points.append((seconds, cells, held))

    def level(self, role, begin):
        """The least that it held in a window: what comes and goes with each chunk is above that.

        None if it did not live through it.
        """
        window = [held[role] for seconds, _, held in self.points if begin <= seconds < begin + WINDOW and role in held]
        if not self.points or self.points[-1][0] < begin + WINDOW or len(window) < 2:
            return None
        return statistics.quantiles(window, n=10)[0]


def handover(old, new, role):
    """None if one of them did not live long enough."""
    if not old.points or old.points[-1][0] < SETTLE + WINDOW:
        return None
    seconds, cells, _ = old.points[-1]
    old_kb, new_kb = old.level(role, seconds - WINDOW), new.level(role, SETTLE)
    return None if old_kb is None or new_kb is None else Handover(seconds, cells, old_kb, new_kb)


def leak_of(handovers, kept_kb):
    """What processes gather, in words, and whether that is flat. None if there are too few to say.

    kept_kb: what may be kept of each cell.
    """
    if len(handovers) < LEAST_HANDOVERS:
        return None
    gathered = [one.old_kb - one.new_kb - kept_kb * one.cells for one in handovers]
    points = sorted(zip([one.seconds for one in handovers], gathered))
    # Theil and Sen's slope, and Kendall's bounds for it: single handovers, between different cells, do not move them.
    slopes = sorted((later[1] - point[1]) / (later[0] - point[0]) for number, point in enumerate(points)
                    for later in points[number + 1:] if later[0] > point[0])
    count = len(points)
    reach = CHANCE * (count * (count - 1) * (2 * count + 5) / 18) ** 0.5
    beyond = int((len(slopes) - reach) / 2)
    if beyond < 0 or not slopes:
        return None
    low, high = slopes[beyond], slopes[-1 - beyond]
    if low <= LEAST_LEAK and high > MOST_UNSEEN:
        return None
    return (f"gathers {statistics.median(slopes):+.1f} KB a second, between {low:+.1f} and {high:+.1f}; {count} handovers "
            f"after {points[0][0]:.0f} to {points[-1][0]:.0f} s", low <= LEAST_LEAK)

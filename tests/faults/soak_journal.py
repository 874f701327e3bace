# SPDX-License-Identifier: Apache-2.0
"""What a soak (soak.py) writes down in its folder, and reads back when it goes on after it was killed."""

import contextlib
import csv
import json

from soak_judge import KEPT_KB, SLACK, Handover, growth_of, handover, leak_of

HANDOVER_FIELDS = list(Handover.__dataclass_fields__)


class Journal:
    """samples.csv, commands.csv, points.csv, handovers.csv, state.json and verdict.txt."""

    def __init__(self, folder):
        self.folder = folder
        self.state = {"seconds": 0, "commands": 0, "kills": 0, "problems": []}
        self.series = {}  # (command, role, quantity) -> process -> [(seconds, value)]
        self.handovers = {}  # (command, role) -> [Handover]
        folder.mkdir(parents=True, exist_ok=True)
        self.goes_on = (folder / "state.json").exists() and not (folder / "verdict.txt").exists()
        if self.goes_on:
            self.read()
        else:
            for old in [folder / "state.json", folder / "verdict.txt", *folder.glob("*.csv")]:
                old.unlink(missing_ok=True)
        self.files = contextlib.ExitStack()
        self.samples = self.writer("samples.csv", ["seconds", "command", "process", "pid", *SLACK])
        self.ends = self.writer("commands.csv", ["seconds", "command", "disturbance", "status", "took"])
        self.points = self.writer("points.csv", ["seconds", "command", "role", "process", "quantity", "value"])
        self.replaced = self.writer("handovers.csv", ["command", "role", *HANDOVER_FIELDS])

    def read(self):
        self.state = json.loads((self.folder / "state.json").read_text())
        for row in self.rows("points.csv"):
            self.add_point(float(row["seconds"]), row["command"], row["role"], row["process"], row["quantity"],
                           float(row["value"]))
        for row in self.rows("handovers.csv"):
            self.handovers.setdefault((row["command"], row["role"]), []).append(
                Handover(*(float(row[name]) for name in HANDOVER_FIELDS)))

    def rows(self, name):
        """A last line that was cut is left out."""
        text = (self.folder / name).read_text()
        whole = text[:text.rfind("\n") + 1]
        if whole != text:
            (self.folder / name).write_text(whole)
        return csv.DictReader(whole.splitlines())

    def writer(self, name, header):
        """What was written is in the file after each row."""
        file = self.files.enter_context(open(self.folder / name, "a", newline="", buffering=1))
        writer = csv.writer(file, lineterminator="\n")
        if file.tell() == 0:
            writer.writerow(header)
        return writer

    def save(self, seconds):
        """What has been counted until now."""
        self.state["seconds"] = round(seconds, 1)
        new = self.folder / "state.json.new"
        new.write_text(json.dumps(self.state))
        new.replace(self.folder / "state.json")

    def add_point(self, moment, command, role, process, quantity, value):
        lives = self.series.setdefault((command, role, quantity), {})
        lives.setdefault(process, []).append((moment, value))

    def note(self, moment, command, role, values, process=""):
        """process: whose life it is a point of; empty if the series does not end with a process."""
        for name, value in values.items():
            self.add_point(moment, command, role, process, name, value)
            self.points.writerow([f"{moment:.1f}", command, role, process, name, value])

    def note_handover(self, command, old, new):
        for role in ("supervisor", "worker"):
            if one := handover(old, new, role):
                self.handovers.setdefault((command, role), []).append(one)
                self.replaced.writerow([command, role, *(f"{value:.0f}" for value in vars(one).values())])

    def problem(self, seconds, text):
        self.state["problems"].append(f"at {seconds:.0f} s: {text}")
        print(self.state["problems"][-1], flush=True)

    def growth(self, seconds):
        """A line for each series."""
        judged = []
        for (command, role, quantity), lives in sorted(self.series.items()):
            if growth := growth_of(list(lives.values()), SLACK[quantity]):
                judged.append((*growth, f"{command}, {role}, {quantity}"))
        lines = []
        for (command, role), handovers in sorted(self.handovers.items()):
            subject = f"{command}, {role}, rss_kb"
            if leak := leak_of(handovers, KEPT_KB if role == "supervisor" else 0):
                judged.append((*leak, subject))
            else:
                lines.append(f"?     {subject}: {len(handovers)} handovers are too few to say")
        for words, is_flat, subject in judged:
            lines.append(f"{'flat' if is_flat else 'GROWS':6}{subject}: {words}")
            if not is_flat:
                self.problem(seconds, f"grows: {lines[-1]}")
        return lines

    def close(self, seconds):
        """Writes the verdict; whether all is as promised."""
        growth = self.growth(seconds)
        self.save(seconds)
        self.files.close()
        problems = self.state["problems"]
        verdict = (f"{'NOT ' if problems else ''}as promised: {self.state['commands']} commands in {seconds:.0f} s, "
                   f"{self.state['kills']} kills")
        (self.folder / "verdict.txt").write_text("\n".join([*growth, *problems, verdict]) + "\n")
        print("\n".join([*growth, verdict]))
        return not problems

#!/usr/bin/env python3
"""Draws queue depth and search latency under a burst, from the metrics of a running service.

    tributary demo                    # in one terminal; note the password
    scripts/burst_chart.py http://127.0.0.1:8000 admin PASSWORD docs/pictures/burst.svg

Posts SEARCHES searches as fast as it can, reads `/svc/metrics/tasks/` and `/metrics/` meanwhile, and writes an SVG.
"""

import base64
import json
import re
import sys
import threading
import time
import urllib.request

SEARCHES = 640
CLIENTS = 32
LOOK_EVERY_S = 0.05
QUIET_LOOKS = 10
WIDTH, HEIGHT, LEFT, TOP, GAP = 760, 420, 64, 56, 40


class Service:
    def __init__(self, base, user, password):
        self.base = base.rstrip("/")
        token = base64.b64encode(f"{user}:{password}".encode()).decode()
        self.headers = {"Authorization": f"Basic {token}", "Content-Type": "application/json"}

    def ask(self, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data=data, headers=self.headers)
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.read().decode()

    def number(self, text, pattern):
        found = re.search(pattern + r" ([0-9.e+-]+)", text)
        return float(found.group(1)) if found else 0.0

    def look(self):
        tasks = self.ask("/svc/metrics/tasks/")
        general = self.ask("/metrics/")
        return {
            "depth": self.number(tasks, r'tasks_queue_depth\{queue="search"\}'),
            "active": self.number(tasks, r'tasks_queue_active_tasks\{queue="search"\}'),
            "sum": self.number(general, r"tributary_search_duration_seconds_sum"),
            "count": self.number(general, r"tributary_search_duration_seconds_count"),
        }


def post(service, count):
    for number in range(count):
        service.ask("/svc/search/", {"query_string": f"river level {number}"})


def measure(service):
    """Takes samples until the burst is over: (seconds, depth, active, mean latency of the searches that ended since)."""
    first = service.look()
    clients = [threading.Thread(target=post, args=(service, SEARCHES // CLIENTS)) for _ in range(CLIENTS)]
    started = time.monotonic()
    for client in clients:
        client.start()
    rows, before, quiet = [], first, 0
    while quiet < QUIET_LOOKS:
        time.sleep(LOOK_EVERY_S)
        now = service.look()
        ended = now["count"] - before["count"]
        latency = (now["sum"] - before["sum"]) / ended if ended else None
        rows.append((time.monotonic() - started, now["depth"], now["active"], latency))
        posted = not any(client.is_alive() for client in clients)
        over = posted and now["count"] - first["count"] >= SEARCHES and now["depth"] == 0
        quiet = quiet + 1 if over else 0
        before = now
    return rows


def line(points, left, top, width, height, x_max, y_max, color):
    place = lambda x, y: f"{left + x / x_max * width:.1f},{top + height - y / y_max * height:.1f}"
    path = " ".join(place(x, y) for x, y in points)
    return f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="2" stroke-linejoin="round"/>'


def axis(title, top, height, y_max, unit, x_max, width, last):
    parts = [f'<text class="title" x="{LEFT}" y="{top - 8}">{title}</text>']
    for step in range(3):
        value = y_max * step / 2
        y = top + height - height * step / 2
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{LEFT + width}" y1="{y}" y2="{y}"/>')
        parts.append(f'<text class="label" x="{LEFT - 8}" y="{y + 4}" text-anchor="end">{value:g}{unit}</text>')
    if last:
        for step in range(5):
            x = LEFT + width * step / 4
            y = top + height + 18
            parts.append(f'<text class="label" x="{x}" y="{y}" text-anchor="middle">{x_max * step / 4:.1f} s</text>')
    return "".join(parts)


def rounded_up(value):
    size = 10 ** max(0, len(str(int(value))) - 1)
    return max(1, -(-int(value + 0.999) // size) * size)


def draw(rows):
    x_max = rows[-1][0]
    height, width = (HEIGHT - TOP - 2 * GAP) / 2, WIDTH - LEFT - 24
    depth_max = rounded_up(max(max(row[1], row[2]) for row in rows))
    latency = [(row[0], row[3] * 1000) for row in rows if row[3] is not None]
    latency_max = rounded_up(max(value for _, value in latency))
    second = TOP + height + GAP
    style = (
        "text{font-family:system-ui,sans-serif;fill:#1f2328}.title{font-size:14px;font-weight:600}"
        ".label{font-size:12px;fill:#57606a}.grid{stroke:#d0d7de}"
        "@media(prefers-color-scheme:dark){text{fill:#e6edf3}.label{fill:#9198a1}.grid{stroke:#3d444d}}"
    )
    said = f"{SEARCHES} searches posted at once by {CLIENTS} clients: the queue fills and drains in {x_max:.1f} seconds."
    return "".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{said}">',
            f"<title>A burst of {SEARCHES} searches</title><desc>{said}</desc><style>{style}</style>",
            f'<text class="title" x="{LEFT}" y="20">A burst of {SEARCHES} searches</text>',
            axis("waiting (blue) and running (green) searches", TOP, height, depth_max, "", x_max, width, False),
            line([(row[0], row[1]) for row in rows], LEFT, TOP, width, height, x_max, depth_max, "#0969da"),
            line([(row[0], row[2]) for row in rows], LEFT, TOP, width, height, x_max, depth_max, "#1a7f37"),
            axis("from post to ready, mean", second, height, latency_max, " ms", x_max, width, True),
            line(latency, LEFT, second, width, height, x_max, latency_max, "#bc4c00"),
            "</svg>\n",
        ]
    )


def main(arguments):
    if len(arguments) != 4:
        sys.exit(__doc__)
    base, user, password, path = arguments
    rows = measure(Service(base, user, password))
    with open(path, "w") as file:
        file.write(draw(rows))
    print(f"{path}: {rows[-1][0]:.1f} s, at most {max(row[1] for row in rows):.0f} waiting")


if __name__ == "__main__":
    main(sys.argv[1:])

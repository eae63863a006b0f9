# SPDX-License-Identifier: Apache-2.0
"""A curve as SVG: logarithmic x axis in powers of two, linear y axis from 0, hardware's figures as bands or lines."""
WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 640, 360, 64, 48, 28


def text(x, y, words, anchor="middle", extra=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" {extra}>{words}</text>'


def curve(title, x_name, y_name, lines, bands=()):
    """SVG of lines {name: [(x > 0, y)]} over bands (name, low, high) of hardware."""
    xs = sorted({x for points in lines.values() for x, _ in points})
    top = 1.1 * max([y for points in lines.values() for _, y in points] + [high for *_, high in bands])
    place = {x: LEFT + 20 + (WIDTH - LEFT - 40) * n / max(1, len(xs) - 1) for n, x in enumerate(xs)}

    def height(y):
        return HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * y / top

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="11">',
           f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>', text(WIDTH / 2, 16, title, extra='font-size="13"'),
           text(WIDTH / 2, HEIGHT - 10, x_name), text(14, HEIGHT / 2, y_name, extra=f'transform="rotate(-90 14 {HEIGHT / 2})"')]
    for name, low, high in bands:
        out += [f'<rect x="{LEFT}" y="{height(high):.1f}" width="{WIDTH - LEFT - 10}" height="{max(1.5, height(low) - height(high)):.1f}" fill="#f3c08a"/>',
                text(WIDTH - 12, height(high) - 3, name, "end", 'fill="#a05a00"')]
    for n in range(6):
        y = top * n / 5
        out += [f'<path d="M{LEFT} {height(y):.1f}H{WIDTH - 10}" stroke="#ddd"/>', text(LEFT - 5, height(y) + 4, f"{y:.3g}", "end")]
    out += [text(place[x], HEIGHT - BOTTOM + 16, f"{x:g}") for x in xs]
    for n, (name, points) in enumerate(lines.items()):
        color = ("#1f5fa8", "#2a8a3e", "#8a2a7a", "#777")[n % 4]
        dots = [(place[x], height(y)) for x, y in sorted(points)]
        out += [f'<polyline fill="none" stroke="{color}" stroke-width="2" points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in dots)}"/>',
                *(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{color}"/>' for x, y in dots),
                text(LEFT + 8, TOP + 14 + 14 * n, name, "start", f'fill="{color}"')]
    return "\n".join([*out, "</svg>"]) + "\n"

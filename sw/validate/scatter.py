# SPDX-License-Identifier: Apache-2.0
"""Points as SVG with two logarithmic axes, and the lines on which both are equal or differ by a quarter."""
import math

SIZE, LEFT, BOTTOM, TOP = 480, 64, 48, 28


def scatter(title, x_name, y_name, groups, within):
    """groups: {name: [(x > 0, y > 0)]}; within: 0.25 draws lines at 0.75 and 1.25 of equal."""
    values = [v for points in groups.values() for point in points for v in point]
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    high = max(high, low + 1)

    def place(value):
        return (math.log10(value) - low) / (high - low)

    def x_of(value):
        return LEFT + (SIZE - LEFT - 16) * place(value)

    def y_of(value):
        return SIZE - BOTTOM - (SIZE - BOTTOM - TOP) * place(value)

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {SIZE} {SIZE}" font-family="sans-serif" font-size="11">',
           f'<rect width="{SIZE}" height="{SIZE}" fill="white"/>', f'<text x="{SIZE / 2}" y="16" text-anchor="middle" font-size="13">{title}</text>',
           f'<text x="{SIZE / 2}" y="{SIZE - 10}" text-anchor="middle">{x_name}</text>',
           f'<text x="14" y="{SIZE / 2}" text-anchor="middle" transform="rotate(-90 14 {SIZE / 2})">{y_name}</text>']
    for power in range(low, high + 1):
        at = 10.0 ** power
        out += [f'<path d="M{LEFT} {y_of(at):.1f}H{SIZE - 16}M{x_of(at):.1f} {TOP}V{SIZE - BOTTOM}" stroke="#ddd"/>',
                f'<text x="{LEFT - 5}" y="{y_of(at) + 4:.1f}" text-anchor="end">{at:g}</text>',
                f'<text x="{x_of(at):.1f}" y="{SIZE - BOTTOM + 16}" text-anchor="middle">{at:g}</text>']
    first, last = 10.0 ** low, 10.0 ** high
    for factor, color in ((1.0, "#555"), (1 - within, "#bbb"), (1 + within, "#bbb")):
        begin, end = max(first, first / factor), min(last, last / factor)
        out.append(f'<path d="M{x_of(begin):.1f} {y_of(begin * factor):.1f}L{x_of(end):.1f} {y_of(end * factor):.1f}" stroke="{color}"/>')
    for n, (name, points) in enumerate(groups.items()):
        color = ("#1f5fa8", "#c04a1a")[n % 2]
        out += [f'<circle cx="{x_of(x):.1f}" cy="{y_of(y):.1f}" r="3" fill="{color}" fill-opacity="0.7"/>' for x, y in points]
        out.append(f'<text x="{LEFT + 8}" y="{TOP + 14 + 14 * n}" fill="{color}">{name}</text>')
    return "\n".join([*out, "</svg>"]) + "\n"

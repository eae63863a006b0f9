# SPDX-License-Identifier: Apache-2.0
"""The one table of floating-point builtins of OpenCL C under test.

A row: name, kinds of the arguments (of the type under test: f any value, n no NaN, q finite, p in the domain only; i int), statement
that leaves its result in r (V, I: vectors of the type and of int, S: the scalar, b.SX the first component), function of the oracle, limits in ULP for float, double, half, and where arguments are drawn.
Limits: "ULP values for math instructions", full profile, of the OpenCL SPIR-V environment specification; 0 stands for
"correctly rounded" and "0 ulp" alike: one value is right.  None: the type has no such function, or no limit is given
(REPORT: the error is measured only).  Not responsible for: the kernels (source.py), the arithmetic (oracle.c).
"""
import collections

from builder import release

REPORT = 1e30
Row = collections.namedtuple("Row", "name args statement oracle limits domain result", defaults=["f"])


def unary(name, limits, domain, oracle=None):
    return Row(name, "f", f"r = {name}(a);", oracle or name, limits, domain)


def binary(name, limits, domain, args="ff", oracle=None):
    return Row(name, args, f"r = {name}(a, b);", oracle or name, limits, domain)


EXACT = (0, 0, 0)
UNIT, ANY, WIDE = ((-1.0, 1.0),), "any", ((-1e4, 1e4),)
MATH = [
    unary("acos", (4, 4, 2), UNIT), unary("acosh", (4, 4, 2), ((1.0, 500.0),)), unary("acospi", (5, 5, 2), UNIT),
    unary("asin", (4, 4, 2), UNIT), unary("asinh", (4, 4, 2), WIDE), unary("asinpi", (5, 5, 2), UNIT),
    unary("atan", (5, 5, 2), ((-20.0, 20.0),)), unary("atanh", (5, 5, 2), UNIT), unary("atanpi", (5, 5, 2), ((-20.0, 20.0),)),
    unary("cbrt", (2, 2, 2), ANY), unary("cos", (4, 4, 2), WIDE), unary("cosh", (4, 4, 2), ((-80.0, 80.0),)),
    unary("cospi", (4, 4, 2), ((-40.0, 40.0),)), unary("erf", (16, 16, 4), ((-5.0, 5.0),)), unary("erfc", (16, 16, 4), ((-5.0, 10.0),)),
    unary("exp", (3, 3, 2), ((-90.0, 90.0),)), unary("exp2", (3, 3, 2), ((-130.0, 130.0),)), unary("exp10", (3, 3, 2), ((-38.0, 38.0),)),
    unary("expm1", (3, 3, 2), ((-20.0, 50.0),)), unary("log", (3, 3, 2), ((0.0, 10.0),)), unary("log2", (3, 3, 2), ((0.0, 10.0),)),
    unary("log10", (3, 3, 2), ((0.0, 10.0),)), unary("log1p", (2, 2, 2), ((-1.0, 5.0),)), unary("sin", (4, 4, 2), WIDE),
    unary("sinh", (4, 4, 2), ((-80.0, 80.0),)), unary("sinpi", (4, 4, 2), ((-40.0, 40.0),)), unary("tan", (5, 5, 2), WIDE),
    unary("tanh", (5, 5, 2), ((-10.0, 10.0),)), unary("tanpi", (6, 6, 2), ((-40.0, 40.0),)),
    Row("tgamma", "p", "r = tgamma(a);", "tgamma", (16, 16, 4), ((0.02, 34.0),)),
    Row("tgamma anywhere", "f", "r = tgamma(a);", "tgamma", (REPORT, 16, REPORT), ((-20.0, 30.0),)),
    unary("lgamma", (REPORT,) * 3, ((0.0, 100.0),)), unary("rsqrt", (2, 2, 1), ANY),
    Row("sincos.sin", "f", "V c; r = sincos(a, &c);", "sin", (4, 4, 2), WIDE),
    Row("sincos.cos", "f", "sincos(a, &r);", "cos", (4, 4, 2), WIDE),
    Row("lgamma_r", "f", "I s; r = lgamma_r(a, &s);", "lgamma", (REPORT,) * 3, ((0.0, 100.0),)),
    Row("lgamma_r.sign", "q", "lgamma_r(a, &r);", "lgamma_sign", EXACT, ((-20.0, 30.0),), "i"),
    binary("atan2", (6, 6, 2), ((-9.0, 9.0),) * 2), binary("atan2pi", (6, 6, 2), ((-9.0, 9.0),) * 2), binary("hypot", (4, 4, 2), ANY),
    binary("pow", (16, 16, 4), ((-9.0, 20.0), (-20.0, 20.0))), binary("powr", (16, 16, 4), ((0.0, 20.0), (-20.0, 20.0))),
    binary("pown", (16, 16, 4), ((-9.0, 9.0), (-30, 30)), "fi"), binary("rootn", (16, 16, 4), (ANY, (-12, 12)), "fi"),
    # one right value
    *[unary(n, EXACT, ((-300.0, 300.0),)) for n in ("ceil", "floor", "rint", "round", "trunc", "fabs", "logb")],
    Row("fract", "f", "V w; r = fract(a, &w);", "fract", EXACT, ((-300.0, 300.0),)),
    Row("fract.whole", "f", "fract(a, &r);", "floor", EXACT, ((-300.0, 300.0),)),
    Row("modf", "f", "V w; r = modf(a, &w);", "modf", EXACT, ((-300.0, 300.0),)),
    Row("modf.whole", "f", "modf(a, &r);", "trunc", EXACT, ((-300.0, 300.0),)),
    Row("frexp", "f", "I e; r = frexp(a, &e);", "frexp", EXACT, ANY),
    Row("frexp.exponent", "f", "frexp(a, &r);", "frexp_exponent", EXACT, ANY, "i"),
    Row("ilogb", "f", "r = ilogb(a);", "ilogb", EXACT, ANY, "i"),
    binary("ldexp", EXACT, (ANY, (-300, 300)), "fi"),
    *[binary(n, EXACT, (ANY, ANY)) for n in ("fdim", "nextafter", "fmax", "fmin", "maxmag", "minmag")],
    Row("copysign", "nn", "r = copysign(a, b);", "copysign", EXACT, (ANY, ANY)),
    binary("fmod", EXACT, ((-1e3, 1e3), (-30.0, 30.0))), binary("remainder", EXACT, ((-1e3, 1e3), (-30.0, 30.0))),
    Row("remquo", "ff", "I q; r = remquo(a, b, &q);", "remainder", EXACT, ((-1e3, 1e3), (-30.0, 30.0))),
    Row("remquo.quotient", "ff", "remquo(a, b, &r);", "remquo_quotient", EXACT, ((-1e3, 1e3), (-30.0, 30.0)), "i"),
    Row("fma", "fff", "r = fma(a, b, c);", "fma", EXACT, ((-9.0, 9.0),) * 3), Row("mad", "fff", "r = mad(a, b, c);", "mad", EXACT, ((-9.0, 9.0),) * 3),
    Row("+", "ff", "r = a + b;", "add", EXACT, ((-9.0, 9.0),) * 2), Row("-", "ff", "r = a - b;", "sub", EXACT, ((-9.0, 9.0),) * 2),
    Row("*", "ff", "r = a * b;", "mul", EXACT, ((-9.0, 9.0),) * 2),
    Row("/", "ff", "r = a / b;", "div", (2.5, 0, 1), ((-9.0, 9.0),) * 2), Row("1/x", "f", "r = (S)1 / a;", "recip", (2.5, 0, 1), ((-9.0, 9.0),)),
    unary("sqrt", (3, 0, 1), ANY),
    # common functions; the arguments that the specification leaves undefined are not drawn
    Row("degrees", "f", "r = degrees(a);", "degrees", (2, 2, 2), ((-7.0, 7.0),)), Row("radians", "f", "r = radians(a);", "radians", (2, 2, 2), ((-400.0, 400.0),)),
    Row("sign", "f", "r = sign(a);", "sign", EXACT, ANY), Row("step", "nn", "r = step(a, b);", "step", EXACT, ((-2.0, 2.0),) * 2),
    Row("max", "nn", "r = max(a, b);", "fmax", EXACT, ANY), Row("min", "nn", "r = min(a, b);", "fmin", EXACT, ANY),
    Row("clamp", "nnn", "r = clamp(a, min(b, c), max(b, c));", "clamp", EXACT, ANY),
    Row("mix", "ppp", "r = mix(a, b, c);", "mix", ("abs 1e-3", "abs 1e-3", "abs 0.02"), ((-5.0, 5.0), (-5.0, 5.0), (0.0, 1.0))),
    Row("smoothstep", "ppp", "r = smoothstep(fmin(a, b), fmax(a, b), c);", "smoothstep", ("abs 1e-5", "abs 1e-5", "abs 0.01"), ((-1.0, 0.25), (0.5, 2.0), (-2.0, 3.0))),
    # a scalar last argument
    Row("fmax.scalar", "ff", "r = fmax(a, b.SX);", "fmax", EXACT, ANY), Row("fmin.scalar", "ff", "r = fmin(a, b.SX);", "fmin", EXACT, ANY),
    Row("ldexp.scalar", "fi", "r = ldexp(a, b.SX);", "ldexp", EXACT, (ANY, (-40, 40))),
]
# Where the device libraries of Debian 12 and 13 (rocm-device-libs 5.2.3 and 6.0) do not meet the specification, and LLVM's constant folding of
# the library's code (APFloat) or IEEE arithmetic on its instructions gives the same value as the models:
# - zeros of the other sign (the sign is not checked): the function's last step is a sum of a zero and +0, or a sign put on late;
# - (name, type): the library's own error, by release.
ZERO_SIGN = {("sinpi", "float"), ("cospi", "float"), ("sinpi", "double"), ("cospi", "double"), ("sinpi", "half"), ("cospi", "half"), ("fract", "float"),
             ("fract", "double"), ("fract", "half"), ("sign", "float"), ("sign", "double"), ("sign", "half"), ("expm1", "float"), ("expm1", "double"),
             ("expm1", "half"), ("log1p", "double"), ("sinh", "half"), ("tanh", "half"),
             ("tgamma anywhere", "float"), ("tgamma anywhere", "half")}
LIBRARY = {("tan", "half"): "2.25 ulp (limit 2) for four arguments",
           ("atan2", "half"): "2.05 to 2.19 ulp (limit 2)"}
if release.name() == "12":
    LIBRARY["sin", "half"] = "NaN for every finite argument (select reversed)"
# what -cl-fp32-correctly-rounded-divide-sqrt promises in addition
ROUNDED = [r._replace(limits=EXACT) for r in MATH if r.name in ("/", "1/x", "sqrt")]
H, N = (8192, None, None), (REPORT, None, None)


def quick(prefix, limits):
    domain = {"cos": ((-3.0, 3.0),), "sin": ((-3.0, 3.0),), "tan": ((-1.5, 1.5),), "exp": ((-80.0, 80.0),), "exp2": ((-120.0, 120.0),),
              "exp10": ((-36.0, 36.0),), "powr": ((0.1, 9.0), (-9.0, 9.0)), "divide": ((0.1, 9.0), (0.1, 9.0))}
    one = [Row(f"{prefix}_{n}", "p", f"r = {prefix}_{n}(a);", {"rsqrt": "rsqrt", "recip": "recip"}.get(n, n), limits, domain.get(n, ((0.1, 90.0),)))
           for n in ("cos", "exp", "exp2", "exp10", "log", "log2", "log10", "recip", "rsqrt", "sin", "sqrt", "tan")]
    two = [Row(f"{prefix}_{n}", "pp", f"r = {prefix}_{n}(a, b);", {"divide": "div"}.get(n, n), limits, domain[n]) for n in ("divide", "powr")]
    return one + two


# half_ and native_ forms: arguments inside the domain only
QUICK = quick("half", H) + quick("native", N)
SIMPLE = {"acos": 4096, "asin": 4096, "atan": 4096, "/": 2.5, "1/x": 2.5, "sqrt": 3, "rsqrt": 2, "floor": 0, "fma": 0, "+": 0, "*": 0, "mad": 0}
TURN = {"cos": ((-3.14, 3.14),), "sin": ((-3.14, 3.14),), "sincos.sin": ((-3.14, 3.14),), "sincos.cos": ((-3.14, 3.14),), "cospi": UNIT, "sinpi": UNIT}
EXPONENTIAL = {"exp", "exp2"}
LOGARITHM = {"log", "log2", "log10"}


def relaxed():
    """float with -cl-fast-relaxed-math: rows whose error the specification bounds; arguments finite and in the domain."""
    rows = []
    for r in MATH:
        args = "p" * len(r.args) if "i" not in r.args else r.args
        if r.name in SIMPLE:
            domain = r.domain if r.domain != ANY else ((0.01, 1e4),) * len(args)
            rows.append(r._replace(args=args, limits=(SIMPLE[r.name], None, None), domain=domain))
        elif r.name in TURN:
            rows.append(r._replace(args=args, limits=(f"abs {2.0 ** -11}", None, None), domain=TURN[r.name]))
        elif r.name in EXPONENTIAL:
            rows.append(r._replace(args=args, limits=("exp", None, None), domain=((-80.0, 80.0),)))
        elif r.name in LOGARITHM:
            rows.append(r._replace(name=r.name + " in [0.5, 2]", args=args, limits=(f"abs {2.0 ** -21}", None, None), domain=((0.5, 2.0),)))
            rows.append(r._replace(name=r.name + " above 2", args=args, limits=(3, None, None), domain=((2.0, 1e6),)))
    return rows


RELAXED = relaxed()

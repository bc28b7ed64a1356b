"""Records of a kernel's variants and of the reasons why each was compiled; warnings about unexpected compilations.

    print(add.specializations())
        add: 2 variants on cpu, 61 ms of compiling
        in all: x_ptr: *fp32:16, BLOCK=1024
           n       launches  time   why
        0  i32:16        12  35 ms  first call
        1  i32            3  26 ms  n is 17: not divisible by 16, unlike before

    add.specializations().why                "n is 17: not divisible by 16, unlike before"
    TESSERA_ON_RECOMPILE=warn                a RecompilationWarning with that sentence; =error raises RecompilationError

":16" marks an address or an int that is known to be divisible by 16. "unlike before" compares with the variant that differs in
the fewest arguments.
"""
from __future__ import annotations

import contextvars
import sys
import time

from .. import knobs
from .._lazily import lazily
from ..errors import TritonError, level_of_program, plain
from . import values


class RecompilationWarning(UserWarning):
    """A kernel was compiled again, under TESSERA_ON_RECOMPILE=warn."""


class RecompilationError(TritonError):
    """A kernel would have to be compiled again, under TESSERA_ON_RECOMPILE=error."""


# ---- requests ---------------------------------------------------------------

class Leaf:
    """The type and key of one argument, or of one element of a tuple. `shown` is its value as messages show it, or ""."""
    __slots__ = ("name", "type", "key", "shown")

    def __init__(self, name, type, key, shown):
        self.name, self.type, self.key, self.shown = name, type, key, shown

    @property
    def is_constant(self):
        return self.type == "constexpr"

    def text(self):
        if self.is_constant:
            return f"{self.name}={self.shown}"
        hint = "16" * ("D" in str(self.key)) + "S" * ("S" in str(self.key))
        return f"{self.name}: {self.type}{':' if hint else ''}{hint}"

    def same_as(self, other):
        return (self.name, self.type, type(self.key), self.shown if self.is_constant else self.key) == \
               (other.name, other.type, type(other.key), other.shown if other.is_constant else other.key)


class _Shown(str):
    """A value as messages show it."""


_PLAIN_TYPES = (int, float, str, bool, type(None))


class Request:
    """Everything that decides which variant a launch needs, except the globals that the kernel reads."""

    why = None  # the reason for compiling, if the caller knows it

    def __init__(self, fn, specialization, bound, options, device, target=None):
        """`options` are those of the launch; the function's own options are added."""
        self.fn, self.specialization, self.device = fn, specialization, device
        self.launch_options, self.options = options, fn._all_options(options)
        self._target = target
        self._debug = bool(options.get("debug", fn.debug) or knobs.runtime.debug)
        self._instrumentation = knobs.compilation.instrumentation_mode  # now
        self.signature, self.constants, self.attrs = {}, {}, {}
        self._values = []  # of each Leaf: its value if that is plain, else a _Shown, as it may be a tensor
        self._add((), fn.arg_names, specialization, [bound.get(name) for name in fn.arg_names])
        for name, leaf in zip(fn.arg_names, specialization):
            self.signature[name] = leaf[0]

    def _add(self, path, names, specialization, given):
        """Adds the arguments, or the elements of the tuple at a path."""
        for index, (name, (kind, key), value) in enumerate(zip(names, specialization, given)):
            where = (*path, index)
            if isinstance(kind, tuple):
                parts = value if isinstance(value, tuple) else [None] * len(kind)
                self._add(where, _names_of_elements(name, kind), zip(kind, key), parts)
                continue
            if kind == "constexpr":
                if type(key) not in _PLAIN_TYPES:
                    _check_hashable(self.fn, name, key)
                self.constants[where] = value if value is not None else key
            elif isinstance(key, str):  # otherwise the parameter is not specialized on alignment
                promises = self.attrs[where] = [["tt.divisibility", 16]] if "D" in key else []
                if "S" in key and knobs.amd.use_buffer_ops:
                    promises.append(["tt.pointer_range", 32])
            self._values.append(value if type(value) in _PLAIN_TYPES else _Shown("" if kind[0] == "*" else _shown(kind, value)))

    @lazily
    def leaves(self):
        found, values = [], iter(self._values)

        def add(names, specialization):
            for name, (kind, key) in zip(names, specialization):
                if isinstance(kind, tuple):
                    add(_names_of_elements(name, kind), zip(kind, key))
                else:
                    value = next(values)
                    found.append(Leaf(name, kind, key, value if type(value) is _Shown else _shown(kind, value)))

        add(self.fn.arg_names, self.specialization)
        return found

    @property
    def target(self):
        if self._target is None:
            self._target = _driver().target_of_device(self.device)
        return self._target

    @property
    def options_key(self):
        return tuple(sorted([(name, type(value).__name__, repr(value)) for name, value in self.options.items()]))

    @property
    def key(self):
        """The key that hooks get, a str that identifies the variant among those of the function. It equals compute_cache_key of
        the result of the binder of `device_caches`, with the two options that Triton's launches add, because programs that
        launch compiled kernels themselves look kernels up by it."""
        added = {"debug": self._debug, "instrumentation_mode": self._instrumentation}
        return compute_cache_key({}, self.specialization, {**self.launch_options, **added})

    @property
    def where(self):
        """The device, or the target of a compilation without one."""
        return self.device or _spelling(self.target)

    def text(self):
        given = {name: value for name, value in self.options.items() if value is not None}
        options = "".join(f", {name}={value}" for name, value in given.items())
        return f"{self.fn.__name__}({', '.join(leaf.text() for leaf in self.leaves)}) on {self.where}{options}"


def _names_of_elements(name, kind):
    """What messages call the elements of a tuple argument."""
    fields = getattr(kind, "_fields", None)
    return [f"{name}.{field}" for field in fields] if fields else [f"{name}[{i}]" for i in range(len(kind))]


def _driver():
    """The module driver.py, which is imported when it is first needed."""
    found = sys.modules.get(f"{__package__}.driver")
    if found is None:
        from . import driver as found
    return found


def compute_cache_key(kernel_key_cache, specialization, options):
    """A str that identifies a variant by the result of the binder of `device_caches`; jit functions count by their code. Cached in
    `kernel_key_cache`. Clients of Triton call it."""
    known = tuple(specialization), str(options)
    if known not in kernel_key_cache:
        kernel_key_cache[known] = f"{_by_code(list(specialization))}{options}"
    return kernel_key_cache[known]


def _by_code(value):
    if isinstance(value, (list, tuple)):
        parts = [_by_code(each) for each in value]
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    return getattr(value, "cache_key", value)


def _spelling(target):
    """The target as the command line writes it: cuda:90."""
    return target.backend if target.backend == "cpu" else f"{target.backend}:{target.arch}"


def _check_hashable(fn, name, value):
    try:
        hash(value)
    except TypeError:
        raise plain(TypeError(f"'{name}' of '{fn.__name__}' is {values.describe(value)}; a compile-time argument is part of a "
                              "key, so it must be hashable, as tuples are")) from None


def _shown(kind, value):
    """The value of an int or a constant, for messages; "" for a tensor, which must not be kept alive."""
    if values.is_constexpr(value):
        value = value.value
    if kind != "constexpr":
        return repr(value) if isinstance(value, (int, float)) else ""
    if value is None or isinstance(value, (bool, int, float, str, bytes, tuple)):
        return repr(value)
    name = getattr(value, "__name__", None)
    return name if isinstance(name, str) else str(value) if values.is_dtype(value) else values.describe(value)


# ---- reasons ----------------------------------------------------------------------------------------------

def _difference(new, old):
    """A sentence about the difference between two arguments."""
    if new.is_constant and old.is_constant:
        kinds = (type(new.key).__name__, type(old.key).__name__)
        if new.shown == old.shown:
            return f"{new.name} is another {new.shown}"
        return f"{new.name} is {new.shown}, before {old.shown}" if kinds[0] == kinds[1] else \
            f"{new.name} is {new.shown} ({kinds[0]}), before {old.shown} ({kinds[1]})"
    if new.is_constant:
        what = "compiled in as a constant" if new.shown == "1" else "a constant"
        return f"{new.name} is {new.shown}: {what}, unlike before"
    if old.is_constant:
        what = f"is {new.shown}" if new.shown else f"is {_noun(new.type)}"
        return f"{new.name} {what}, before {old.shown}, which is a variant of its own"
    if new.type != old.type:
        return f"{new.name} is {_noun(new.type)}, before {_noun(old.type)}"
    if ("D" in str(new.key)) == ("D" in str(old.key)) and ("S" in str(new.key)) != ("S" in str(old.key)):
        size = "less than 2 GiB" if "S" in str(new.key) else "2 GiB or more, or a size that is not known"
        return f"{new.name} is part of memory of {size}, unlike before"
    return f"{_divisibility(new)}, unlike before"


def _noun(kind):
    if not isinstance(kind, str):
        return str(kind)
    if kind.startswith("*"):
        return f"a pointer to {'constant ' if kind.startswith('*k') else ''}{kind.lstrip('*').lstrip('k')}"
    return f"a tensor descriptor {kind}" if kind.startswith("tensordesc") else kind


def _divisibility(leaf):
    negation = "" if "D" in str(leaf.key) else "not "
    if leaf.type.startswith("*"):
        return f"{leaf.name} is {negation}aligned to 16 bytes"
    if leaf.type.startswith("tensordesc"):
        return f"{leaf.name} has rows of {'a' if leaf.key == 'D' else 'no'} multiple of 16 bytes"
    if leaf.key == 1:
        return f"{leaf.name} is 1"
    return f"{leaf.name}{' is ' + leaf.shown if leaf.shown else ''}: {negation}divisible by 16"


def _option_differences(new, old):
    for name in sorted(set(new) | set(old)):
        before, now = old.get(name), new.get(name)
        if type(before) is not type(now) or before != now:
            yield f"{name} is {'not given' if now is None else now}, before {'not given' if before is None else before}"


class Specialization:
    """One compiled variant. `types` has a line per argument, `why` the reason, `kernel` the CompiledKernel."""

    trials = 0  # launches by searches of autotune

    def __init__(self, request, kernel, text, why, seconds):
        """`text` is the collected text of everything that the kernel reads."""
        self.kernel, self._why, self.seconds = kernel, why, seconds
        self.compiled_at = time.time()
        self._request, self._read = request, text
        self._variants = []

    @property
    def _leaves(self):
        return self._request.leaves

    @property
    def why(self):
        if not isinstance(self._why, str):
            self._why = self._why()
        return self._why

    @property
    def device(self):
        return self._request.device

    @property
    def target(self):
        return str(self._request.target)

    @property
    def options(self):
        return self._request.options

    @property
    def key(self):
        """The key that hooks got."""
        return self._request.key

    @property
    def types(self):
        """{argument: its type, "i32:16" if divisible, or the constant}."""
        return {leaf.name: leaf.shown if leaf.is_constant else leaf.text().partition(": ")[2] for leaf in self._leaves}

    @property
    def all_launches(self):
        """The number of launches by the fast path, with those of searches."""
        return sum(getattr(variant, "launches", 0) for variant in self._variants)

    @property
    def launches(self):
        """The number of launches by the fast path, without those that autotune made to measure."""
        return self.all_launches - self.trials

    @property
    def data(self):
        """JSON from which `preload` and tessera.load_variants compile the variant again, also in another process."""
        from .jit_hooks import write_specialization_data
        return write_specialization_data(self._request.fn, self._request)

    @property
    def can_be_restored(self):
        """Returns whether `data` represents all constants, so that the variant can be compiled from it."""
        from .jit_hooks import can_be_restored
        return can_be_restored(self._request)

    @property
    def from_cache(self):
        """Returns whether the kernel came from the disk cache."""
        return bool(getattr(getattr(self.kernel, "_native_kernel", None), "is_cached", False))

    def differences(self, request):
        """Sentences about the differences between a request and this variant."""
        found = [_difference(new, old) for new, old in zip(request.leaves, self._leaves) if not new.same_as(old)]
        if len(request.leaves) != len(self._leaves):
            found.append("a tuple has another length")
        found += _option_differences(request.options, self.options)
        if str(request.target) != self.target:
            found.append(f"the target is {_spelling(request.target)}, before {_spelling(self._request.target)}")
        return found

    def distance(self, request):
        """The number of differences between a request and this variant, and how many of them are a constant instead of a run-time
        value, which counts more than another type."""
        count = len(request.leaves) != len(self._leaves)
        kinds = 0
        for new, old in zip(request.leaves, self._leaves):
            if not new.same_as(old):
                count += 1
                kinds += new.is_constant != old.is_constant
        count += sum(1 for _ in _option_differences(request.options, self.options))
        return count + (request.target != self._request.target), kinds

    def __str__(self):
        when = time.strftime("%H:%M:%S", time.localtime(self.compiled_at))
        how = f"{'from the disk cache' if self.from_cache else 'compiled'} at {when} in {_duration(self.seconds)}"
        launches = f"{self.launches} launch{'' if self.launches == 1 else 'es'}"
        return f"{self._request.text()}\n    {self.why}; {how}; {launches}"

    __repr__ = __str__


def _duration(seconds):
    return f"{seconds:.1f} s" if seconds >= 1 else f"{seconds * 1e3:.1f} ms" if seconds < 0.01 else f"{seconds * 1e3:.0f} ms"


MAX_ROWS = 40  # of a table that is printed


class Specializations(list):
    """The variants of one kernel in the order in which they were compiled; prints as a table (variant_table.py)."""

    def __init__(self, name, records=(), chosen=()):
        """`chosen` are the variants that autotune has chosen."""
        super().__init__(records)
        self.name, self.chosen = name, list(chosen)
        self._of_kernels = {}  # id of a kernel -> its record, which keeps the kernel

    @property
    def last(self):
        return self[-1] if self else None

    @property
    def why(self):
        """The reason for the last compilation."""
        return self[-1].why if self else f"{self.name} has not been compiled yet"

    def reason_for(self, request, text, changed_names):
        """Why a request needs a new variant: a sentence, or a _Reason. `text` is the collected text of everything that the kernel reads,
        `changed_names` are the globals that changed last."""
        known = request.why or _because.get() or (None if self else "first call")
        return known or _Reason(self, request, text, changed_names)

    def _difference_to(self, count, request, text, changed_names):
        """How a request differs from the nearest of the first `count` variants."""
        recent = self[max(0, count - 199):count][::-1]
        same = [record for record in recent if record._read == text]
        nearest, least = None, None
        for record in same or recent:  # the last one first, which is mostly the nearest
            distance = record.distance(request)
            if least is None or distance < least:
                nearest, least = record, distance
            if least <= ((1, 0) if same else (0, 0)):
                break
        found = nearest.differences(request)
        if changed_names and not same:
            found.append(" and ".join(f"'{name}'" for name in dict.fromkeys(changed_names)) + " changed, which the kernel reads")
        return "; ".join(found) or "something that the kernel reads has changed"

    def add(self, request, kernel, text, why, seconds):
        record = self._of_kernels[id(kernel)] = Specialization(request, kernel, text, why, seconds)
        self.append(record)

    def loaded(self, kernel, variant):
        record = self._of_kernels.get(id(kernel))
        if record is not None:
            record._variants.append(variant)

    def table(self, max_rows=MAX_ROWS, width=None):
        """The table as a str: at most `max_rows` rows (None: all), each at most `width` columns wide (None: the terminal's)."""
        from .variant_table import VariantTable
        text = VariantTable(self.name, self, self.chosen).text(max_rows, width)
        return f"{self._head()}\n{text}" if text else self._head()

    def _head(self):
        total = sum(record.seconds for record in self)
        return f"{self.name}: {len(self)} variant{'' if len(self) == 1 else 's'}{self._where()}, {_duration(total)} of compiling"

    def _where(self):
        """" on cpu", if all variants are for one device or target."""
        places = {record._request.where for record in self}
        return f" on {places.pop()}" if len(places) == 1 else ""

    def __str__(self):
        return self.table()

    __repr__ = __str__

    def _repr_html_(self):
        from .variant_table import VariantTable
        return VariantTable(self.name, self, self.chosen).html(self._head())


class _Reason:
    """Why a variant was compiled, as a sentence that is made when somebody asks: the request is compared with the variants that there
    were then."""
    __slots__ = ("records", "count", "request", "read", "changed_names")

    def __init__(self, records, request, read, changed_names):
        self.records, self.count, self.request, self.read, self.changed_names = records, len(records), request, read, changed_names

    def __call__(self):
        return self.records._difference_to(self.count, self.request, self.read, self.changed_names)


# ---- unexpected compilations -----------------------------------------------------------------------------

_expected = contextvars.ContextVar("tessera_compilations_are_expected", default=False)
_because = contextvars.ContextVar("tessera_reason_of_compilations", default="")


def give_reason(reason):
    """Compilations in this context, from now on, have this reason; returns what restore_reason takes."""
    return _because.set(reason)


restore_reason = _because.reset
TRIED_BY_AUTOTUNE = "tried by autotune"  # the reason of a search's compilations


def expected_compilations():
    """Compilations inside are intended (tuning, precompiling): TESSERA_ON_RECOMPILE does not apply to them."""
    from contextlib import contextmanager
    return contextmanager(_expecting)()


def _expecting():
    token = _expected.set(True)
    try:
        yield
    finally:
        _expected.reset(token)


def _policy(fn, is_warmup):
    """The policy for a compilation that is about to happen: "", "warn" or "error"."""
    policy = knobs.runtime.on_recompile.strip().lower()
    if policy not in ("", "0", "off", "ignore", "warn", "error"):
        raise plain(ValueError(f"TESSERA_ON_RECOMPILE={policy}: warn and error are known"))
    return policy if policy in ("warn", "error") and fn.specializations() and not is_warmup and not _expected.get() else ""


def before_recompiling(fn, why, is_warmup):
    if _policy(fn, is_warmup) == "error":
        raise RecompilationError(f"'{fn.__name__}' needs another variant: {why if isinstance(why, str) else why()}. TESSERA_ON_RECOMPILE=error forbids compiling it "
                                 f"now; {fn.__name__}.precompile(...) builds variants ahead")


def after_recompiling(fn, seconds, is_warmup):
    # The variant is already among the records here, so the first one must not count as a second.
    if len(fn.specializations()) > 1 and _policy(fn, is_warmup) == "warn":
        how = "was loaded again from the disk cache" if fn.specializations()[-1].from_cache else "was compiled again"
        import warnings
        warnings.warn(f"'{fn.__name__}' {how} in {_duration(seconds)}: {fn.specializations()[-1].why}", RecompilationWarning,
                      stacklevel=level_of_program())

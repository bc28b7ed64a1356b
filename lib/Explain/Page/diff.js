// The diff of lib/Explain/TextDiff.cpp: lines are aligned without the numbers of values first, then values are renamed.

function alignEqual(a, b) {
  const found = [], waiting = [[0, a.length, 0, b.length]];
  const exact = (i0, i1, j0, j1) => {
    const n = i1 - i0, m = j1 - j0, width = m + 1, lengths = new Uint32Array((n + 1) * width);
    for (let i = n - 1; i >= 0; --i)
      for (let j = m - 1; j >= 0; --j)
        lengths[i * width + j] = a[i0 + i] === b[j0 + j] ? lengths[(i + 1) * width + j + 1] + 1
          : Math.max(lengths[(i + 1) * width + j], lengths[i * width + j + 1]);
    for (let i = 0, j = 0; i < n && j < m;) {
      if (a[i0 + i] === b[j0 + j]) found.push([i0 + i++, j0 + j++]);
      else if (lengths[(i + 1) * width + j] >= lengths[i * width + j + 1]) ++i;
      else ++j;
    }
  };
  const anchors = (i0, i1, j0, j1) => {
    const places = new Map();
    for (let i = i0; i < i1; ++i) { const p = places.get(a[i]); if (p) ++p[0]; else places.set(a[i], [1, 0, 0]); }
    for (let j = j0; j < j1; ++j) { const p = places.get(b[j]); if (p) { ++p[1]; p[2] = j; } }
    const pairs = [];
    for (let i = i0; i < i1; ++i) { const p = places.get(a[i]); if (p[0] === 1 && p[1] === 1) pairs.push([i, p[2]]); }
    const tails = [], previous = new Int32Array(pairs.length).fill(-1);
    pairs.forEach((pair, i) => {
      let low = 0, high = tails.length;
      while (low < high) { const middle = (low + high) >> 1; if (pairs[tails[middle]][1] < pair[1]) low = middle + 1; else high = middle; }
      if (low > 0) previous[i] = tails[low - 1];
      tails[low] = i;
    });
    const run = [];
    for (let i = tails.length ? tails[tails.length - 1] : -1; i >= 0; i = previous[i]) run.push(pairs[i]);
    return run.reverse();
  };
  while (waiting.length) {
    let [i0, i1, j0, j1] = waiting.pop();
    while (i0 < i1 && j0 < j1 && a[i0] === b[j0]) found.push([i0++, j0++]);
    while (i0 < i1 && j0 < j1 && a[i1 - 1] === b[j1 - 1]) found.push([--i1, --j1]);
    const size = (i1 - i0) * (j1 - j0);
    if (size === 0) continue;
    if (size <= 10000) { exact(i0, i1, j0, j1); continue; }
    const run = anchors(i0, i1, j0, j1);
    if (run.length) {
      for (const [i, j] of run) { found.push([i, j]); waiting.push([i0, i, j0, j]); i0 = i + 1; j0 = j + 1; }
      waiting.push([i0, i1, j0, j1]);
    } else if (size <= 250000) {
      exact(i0, i1, j0, j1);
    } else {
      for (let i = i0, j = j0; i < i1 && j < j1; ++i)
        for (let k = j; k < Math.min(j1, j + 64); ++k)
          if (a[i] === b[k]) { found.push([i, k]); j = k + 1; break; }
    }
  }
  return found.sort((x, y) => x[0] - y[0]);
}

const NAME = /"(?:[^"\\]|\\.)*"|([%^$][\w.$-]+)/g;
/** The line with each name replaced by what `name` returns; strings stay. */
function replaceNames(line, name) {
  const label = /^(\d+)(?=:)/.exec(line);
  const head = label ? name("%" + label[1]).replace(/^%(?=.)/, "") : "";
  return head + (label ? line.slice(label[1].length) : line).replace(NAME, (all, found) => found === undefined ? all : name(found));
}
const baseOf = name => name.replace(/\d+$/, "").replace(/[_.]+$/, "");
function namesOf(line) { const names = []; replaceNames(line, name => { names.push(name); return name; }); return names; }

const LONG = 40000; // lines of two texts whose equal beginnings and ends are not looked at more closely

/** Rows {kind: same|del|add|edit, a, b, old, oldSpans, newSpans, moved} for two texts {lines, places}. */
function diffTexts(before, after) {
  const n = before.lines.length, m = after.lines.length;
  if (n + m < LONG) return diffAll(before, after);
  let head = 0, tail = 0;
  const least = Math.min(n, m);
  while (head < least && before.lines[head] === after.lines[head]) ++head;
  while (tail < least - head && before.lines[n - 1 - tail] === after.lines[m - 1 - tail]) ++tail;
  const part = (text, end) => ({lines: text.lines.slice(head, end), places: text.places.slice(head, end)});
  const rows = [];
  for (let i = 0; i < head; ++i) rows.push({kind: "same", a: i, b: i});
  for (const row of diffAll(part(before, n - tail), part(after, m - tail)))
    rows.push({...row, ...(row.a === undefined ? {} : {a: row.a + head}), ...(row.b === undefined ? {} : {b: row.b + head})});
  for (let i = tail; i > 0; --i) rows.push({kind: "same", a: n - i, b: m - i});
  return rows;
}

function diffAll(before, after) {
  const A = before.lines, B = after.lines, ids = new Map();
  const id = key => { let n = ids.get(key); if (n === undefined) ids.set(key, n = ids.size); return n; };
  const strong = (t, i) => t.places[i] + "s" + replaceNames(t.lines[i], baseOf);
  const weak = line => "w" + replaceNames(line, () => "%");
  const op = (t, i) => {
    const match = /^\s*(?:%[^=]*= )?([\w.$"#-]+)/.exec(t.lines[i]);
    return match ? "o" + match[1] + " " + t.places[i] : "u" + ids.size;
  };
  const keys = (t, f) => t.lines.map((_, i) => id(f(t, i)));
  const sa = keys(before, strong), sb = keys(after, strong);
  const wa = keys(before, (t, i) => weak(t.lines[i])), wb = keys(after, (t, i) => weak(t.lines[i]));
  let pairs = [];
  const refine = (ka, kb) => {
    const all = [];
    let i = 0, j = 0;
    for (const pair of [...pairs, [A.length, B.length]]) {
      for (const [x, y] of alignEqual(ka.slice(i, pair[0]), kb.slice(j, pair[1]))) all.push([i + x, j + y]);
      if (pair[0] < A.length || pair[1] < B.length) all.push(pair);
      i = pair[0] + 1; j = pair[1] + 1;
    }
    pairs = all.filter(([x, y]) => x < A.length && y < B.length);
  };
  refine(sa, sb);
  refine(wa, wb);
  const usedA = new Set(pairs.map(p => p[0])), usedB = new Set(pairs.map(p => p[1])), moved = [], movedA = new Set(), movedB = new Set();
  for (const withPlace of [true, false]) {
    const key = (t, i) => (withPlace ? t.places[i] : "") + replaceNames(t.lines[i].trim(), baseOf), waiting = new Map();
    for (let j = B.length - 1; j >= 0; --j)
      if (!usedB.has(j) && /^\s*[^\s{}^]/.test(B[j])) { const k = key(after, j), list = waiting.get(k); if (list) list.push(j); else waiting.set(k, [j]); }
    for (let i = 0; i < A.length; ++i) {
      const list = usedA.has(i) ? null : waiting.get(key(before, i));
      if (!list || !list.length) continue;
      const j = list.pop();
      moved.push([i, j]); usedA.add(i); usedB.add(j); movedA.add(i); movedB.add(j);
    }
  }
  let unique = -1;
  const oa = A.map((_, i) => movedA.has(i) ? unique-- : id(op(before, i))), ob = B.map((_, j) => movedB.has(j) ? unique-- : id(op(after, j)));
  refine(oa, ob);

  // Which old name is which new one.
  const names = new Map(), taken = new Set(), used = new Set();
  for (const line of B) for (const name of namesOf(line)) used.add(name);
  const learn = (x, y, whole) => {
    if (!whole) { x = x.split(" = ")[0]; y = y.split(" = ")[0]; }
    const from = namesOf(x), to = namesOf(y);
    if (from.length === to.length)
      from.forEach((name, k) => { if (!names.has(name) && !taken.has(to[k])) { names.set(name, to[k]); taken.add(to[k]); } });
  };
  const all = [...pairs.map(([i, j]) => [i, j, wa[i] === wb[j]]), ...moved.map(([i, j]) => [i, j, true])].sort((x, y) => x[0] - y[0]);
  for (const [i, j] of all) if (A[i].includes(" = ") && B[j].includes(" = ")) learn(A[i], B[j], false);
  for (const [i, j, whole] of all) learn(A[i], B[j], whole);
  const renamed = line => replaceNames(line, name => names.get(name) ?? (used.has(name) && taken.has(name) ? name + "'" : name));

  const rows = [];
  const remove = i => rows.push({kind: "del", a: i, old: renamed(A[i]), moved: movedA.has(i)});
  const add = j => rows.push({kind: "add", b: j, moved: movedB.has(j)});
  let i = 0, j = 0;
  for (const [x, y] of [...pairs, [A.length, B.length]]) {
    while (i < x) remove(i++);
    while (j < y) add(j++);
    if (x < A.length && y < B.length) {
      const old = renamed(A[x]);
      if (old === B[y]) rows.push({kind: "same", a: x, b: y});
      else {
        const spans = compareWords(old, B[y]);
        if (spans.similar) rows.push({kind: "edit", a: x, b: y, old, oldSpans: spans.old, newSpans: spans.now});
        else { remove(x); add(y); }
      }
    }
    i = x + 1; j = y + 1;
  }
  return rows;
}

/** The parts of two lines that differ, as [begin, end). */
function compareWords(old, now) {
  const words = line => line.match(/[\w.$%#^'-]+|[^]/gu) || [];
  const a = words(old), b = words(now), pairs = alignEqual(a, b);
  const spans = (list, kept) => {
    const result = [];
    let at = 0;
    list.forEach((word, k) => {
      if (!kept.has(k)) {
        const last = result[result.length - 1];
        if (last && last[1] === at) last[1] = at + word.length; else result.push([at, at + word.length]);
      }
      at += word.length;
    });
    return result;
  };
  return {old: spans(a, new Set(pairs.map(p => p[0]))), now: spans(b, new Set(pairs.map(p => p[1]))),
          similar: 2 * pairs.length >= Math.min(a.length, b.length)};
}

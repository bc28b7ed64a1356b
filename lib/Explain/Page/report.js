// The report's data, and what views share: the kernel that is shown, its texts as lines, the search.

const state = {report: null, kernel: null, tab: "passes", step: 0, from: null, hidesQuiet: false, line: 0, pinned: 0, needle: "", views: {}};

/** The JSON that tessera wrote, compressed and in base64: it holds no markup, whatever names it has. */
async function readReport() {
  const text = document.getElementById("data").textContent;
  const bytes = Uint8Array.from(atob(text.trim()), c => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

/** A text of the kernel as lines, with a key for the source line of each. */
function textOf(index) {
  const text = state.kernel.texts[index];
  if (!text.cut) {
    const lines = text.text.split("\n");
    if (lines[lines.length - 1] === "") lines.pop();
    const files = text.files || [];
    text.cut = {lines, syntax: text.syntax, level: text.level, places: text.lines.map((line, i) => (files[i] || 0) * 1e7 + line),
                widest: lines.reduce((most, line) => Math.max(most, Math.min(line.length, 3000)), 0)};
  }
  return text.cut;
}

/** "12", or "sums.py:12" for another file. */
function placeText(place) {
  if (!(place % 1e7)) return "";
  const file = Math.floor(place / 1e7);
  return file === 0 ? String(place) : "+" + (place % 1e7);
}

function sourceText() { return state.kernel.sources.length ? state.kernel.sources[0].text : ""; }
/** A line of the source, without its indentation; the source may have 10 MB, and is cut into lines once. */
function sourceLine(line) {
  const kernel = state.kernel;
  kernel.sourceLines = kernel.sourceLines || sourceText().split("\n");
  return (kernel.sourceLines[line - 1] || "").trim();
}

/** The largest of a list, at least `least`. Math.max takes no list of 100,000. */
function largest(list, least) { return list.reduce((most, each) => Math.max(most, each), least); }

function totalOps(text) { return Object.values(text.ops).reduce((sum, count) => sum + count, 0); }

/** What a step adds and removes: [[name, difference]], the largest first. */
function opChanges(step) {
  const before = state.kernel.texts[step.before], after = state.kernel.texts[step.after];
  if (!step.changed || !before || !after || before.syntax !== after.syntax) return [];
  const names = new Set([...Object.keys(before.ops), ...Object.keys(after.ops)]);
  return [...names].map(name => [name, (after.ops[name] || 0) - (before.ops[name] || 0)]).filter(change => change[1])
    .sort((x, y) => Math.abs(y[1]) - Math.abs(x[1]) || (x[0] < y[0] ? -1 : 1));
}

function duration(seconds) {
  if (seconds >= 1) return seconds.toPrecision(3) + " s";
  if (seconds >= 1e-3) return (seconds * 1e3).toPrecision(3) + " ms";
  return Math.round(seconds * 1e6) + " us";
}
function bytes(count) { return count < 1024 ? count + " B" : count < 1 << 20 ? (count / 1024).toFixed(1) + " KiB" : (count / (1 << 20)).toFixed(1) + " MiB"; }

/** The texts of levels, the last of each, in order. */
function levels() {
  const found = new Map();
  for (const step of state.kernel.steps) if (step.after !== undefined) found.set(state.kernel.texts[step.after].level, step.after);
  return [...found];
}

function remarksOf(line) {
  return state.kernel.steps.flatMap(step => step.remarks).filter(remark => remark.line === line);
}
function remarkText(remark) { return remark.message + (remark.reason ? ": " + remark.reason : ""); }

/** A link to a line of Python in the code view. */
function lineLink(line) {
  return element("a", {onclick: () => { state.pinned = line; show("code"); }}, "line " + line);
}

/** "ttg.local_load uses the banks of shared memory 64 times per warp, twice as often as without conflicts". */
function accessText(access) {
  const factor = access.wavefronts / access.least_wavefronts;
  return `${access.op} uses the banks of shared memory ${access.wavefronts} times per warp, ` +
    (factor > 1 ? `${factor.toFixed(1).replace(/\.0$/, "")} times as often as without bank conflicts` : "without bank conflicts");
}

/** What costs time, as [kind, text, line]. */
function warnings() {
  const found = [], kernel = state.kernel, record = kernel.record || {};
  for (const diagnostic of kernel.diagnostics)
    if (["error", "unsupported", "internal", "warning"].includes(diagnostic.kind)) found.push(["bad", diagnostic.message, diagnostic.line || 0]);
  if (record.spill_bytes > 0) found.push(["bad", `${record.spill_bytes} bytes of registers are spilled to memory`, 0]);
  if (record.assembler_advice) found.push(["bad", record.assembler_advice, 0]);
  for (const access of kernel.accesses)
    if (access.wavefronts > access.least_wavefronts) found.push(["warn", accessText(access), access.line]);
  for (const step of kernel.steps)
    for (const remark of step.remarks)
      if (remark.outcome === "declined" || /bank conflict|through shared memory/.test(remark.message))
        found.push(["warn", `${step.name}: ${remarkText(remark)}`, remark.line || 0]);
  const seen = new Set();
  return found.filter(([kind, text, line]) => { const key = kind + line + text; return !seen.has(key) && seen.add(key); });
}

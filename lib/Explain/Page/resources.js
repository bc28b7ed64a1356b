// Occupancy, shared memory over the program, live registers, bytes and operations per line, and the remarks.

const SVG = "http://www.w3.org/2000/svg";
function svg(name, attributes, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function card(title, ...children) { return element("div", {class: "card"}, element("h2", {}, title), ...children); }

function resourcesView(main) {
  const cards = element("div", {class: "cards"});
  main.append(element("div", {class: "scroll"}, cards));
  for (const made of [occupancyCard(), sharedCard(), registersCard(), trafficCard(), attemptsCard(), opsCard()]) if (made) cards.append(made);
  if (!cards.children.length) cards.append(card("Resources", element("p", {}, "Nothing is known: the compilation ended too early, or the target does not say.")));
  return {};
}

function occupancyCard() {
  const machine = state.kernel.machine, record = state.kernel.record;
  if (!machine || !machine.warps) return null;
  const least = Math.min(...Object.values(machine.limits)), share = machine.warps / machine.max_warps;
  const rows = Object.entries(machine.limits).map(([name, count]) => element("tr", {}, element("td", {}, name), element("td", {class: "n"}, String(count)), element("td", {class: "warn"}, count === least ? "limits" : "")));
  return card("Occupancy", element("div", {}, `${machine.warps} of ${machine.max_warps} warps on an SM, ${Math.round(100 * share)} %`), element("div", {class: "meter"}, element("i", {style: `width:${100 * share}%`})),
    element("table", {}, element("tr", {}, element("th", {}, "resource"), element("th", {class: "n"}, "CTAs that fit")), rows),
    element("p", {class: "soft"}, `${record.registers} registers per thread, ${record.spill_bytes} bytes spilled, ${bytes(record.shared)} of shared memory and ${record.num_warps} warps per CTA`));
}

/** Buffers with their offsets, sizes and the lines between which they live. */
function sharedBuffers() {
  const texts = state.kernel.texts.filter(text => text.syntax === "mlir" && text.text.includes("allocation.offset"));
  if (!texts.length) return null;
  const lines = texts[0].text.split("\n"), owner = new Map(), buffers = [];
  const sizeOf = line => {
    const type = /!ttg\.memdesc<((?:\d+x)+)[a-z]+(\d+)/.exec(line);
    return type ? type[1].split("x").filter(Boolean).reduce((product, extent) => product * Number(extent), 1) * Number(type[2]) / 8 : 0;
  };
  lines.forEach((line, i) => {
    const offset = /allocation\.offset = (\d+)/.exec(line), result = /^\s*(%[\w.$-]+)(?::\d+)? = /.exec(line);
    for (const name of new Set(line.match(/%[\w.$-]+/g) || [])) if (owner.has(name)) owner.get(name).last = i;
    if (offset) {
      const isBuffer = /local_alloc/.test(line);
      buffers.push({name: isBuffer && result ? result[1] : "scratch", offset: Number(offset[1]), size: isBuffer ? sizeOf(line) : 0, first: i, last: i, place: texts[0].lines[i]});
      if (isBuffer && result) owner.set(result[1], buffers[buffers.length - 1]);
    } else if (result && /memdesc_/.test(line)) {
      const source = (line.split(" = ")[1].match(/%[\w.$-]+/) || [])[0];
      if (owner.has(source)) owner.set(result[1], owner.get(source));
    }
  });
  return {buffers, lines: lines.length};
}

function sharedCard() {
  const found = sharedBuffers(), total = state.kernel.record ? state.kernel.record.shared : 0;
  if (!found || !found.buffers.length || !total) return null;
  const width = 520, height = 220, x = line => 64 + (width - 74) * line / found.lines, y = offset => 10 + (height - 30) * offset / total;
  const picture = svg("svg", {viewBox: `0 0 ${width} ${height}`, width: "100%", role: "img"});
  picture.append(svg("rect", {x: 64, y: 10, width: width - 74, height: height - 30, fill: "none", stroke: "currentColor", "stroke-opacity": .3}));
  for (const at of [0, .5, 1]) { const label = svg("text", {x: 60, y: y(total * at) + 4, "text-anchor": "end"}); label.textContent = bytes(Math.round(total * at)); picture.append(label); }
  found.buffers.forEach((buffer, i) => {
    const next = Math.min(total, ...found.buffers.filter(each => each.offset > buffer.offset).map(each => each.offset));
    const size = buffer.size || next - buffer.offset;
    const box = svg("rect", {x: x(buffer.first), y: y(buffer.offset), width: Math.max(3, x(buffer.last + 1) - x(buffer.first)), height: Math.max(2, y(size) - y(0)), fill: COLORS[i % COLORS.length], "fill-opacity": .55});
    const title = svg("title", {});
    title.textContent = `${buffer.name}: ${buffer.size ? bytes(buffer.size) : "scratch"} at ${buffer.offset}, lines ${buffer.first + 1} to ${buffer.last + 1} of the IR` + (buffer.place ? `, line ${buffer.place} of Python` : "");
    box.append(title);
    picture.append(box);
  });
  const label = svg("text", {x: width / 2, y: height - 4, "text-anchor": "middle"});
  label.textContent = "the program, from its first line to its last";
  picture.append(label);
  return card(`Shared memory: ${bytes(total)}`, picture);
}

/** An estimate: how many 32-bit registers hold a value at each instruction, before the assembler's own allocation. */
function liveRegisters() {
  const level = levels().find(([name, text]) => state.kernel.texts[text].syntax === "assembly" && /^\s*\.reg /m.test(state.kernel.texts[text].text));
  if (!level) return null;
  const lines = textOf(level[1]).lines, first = new Map(), last = new Map(), labels = new Map(), loops = [];
  lines.forEach((line, i) => {
    const label = /^\s*(\$[\w.]+):/.exec(line), jump = /\bbra(?:\.\w+)*\s+(\$[\w.]+)/.exec(line);
    if (label) labels.set(label[1], i);
    if (jump && labels.has(jump[1])) loops.push([labels.get(jump[1]), i]);
    if (/^\s*\./.test(line)) return;
    for (const name of line.match(/%(?:rd|r|f|fd|rs|b)\d+\b/g) || []) { if (!first.has(name)) first.set(name, i); last.set(name, i); }
  });
  // A value that is defined before a loop and used in it lives to the loop's end.
  for (const [begin, end] of loops) for (const [name, at] of last) if (at >= begin && at < end && first.get(name) < begin) last.set(name, end);
  const live = new Int32Array(lines.length + 1);
  for (const [name, at] of first) { const size = /^%(rd|fd)/.test(name) ? 2 : 1; live[at] += size; live[last.get(name)] -= size; }
  for (let i = 1; i < live.length; ++i) live[i] += live[i - 1];
  return {live: live.subarray(0, lines.length), places: textOf(level[1]).places, level: level[0]};
}

function registersCard() {
  const found = liveRegisters();
  if (!found || !found.live.length) return null;
  const used = state.kernel.record ? state.kernel.record.registers : 0;
  const width = 520, height = 160, peakLive = largest(found.live, 1), most = Math.max(peakLive, used), n = found.live.length;
  const points = Array.from(found.live, (value, i) => `${40 + (width - 50) * i / n},${height - 20 - (height - 30) * value / most}`);
  const picture = svg("svg", {viewBox: `0 0 ${width} ${height}`, width: "100%", role: "img"}, svg("polyline", {points: points.join(" "), fill: "none", stroke: "#4c8bf5", "stroke-width": 1.2}));
  if (used > 0) {
    const y = height - 20 - (height - 30) * used / most, label = svg("text", {x: 44, y: y < 14 ? y + 12 : y - 3});
    label.textContent = `the assembler's ${used}`;
    picture.append(svg("line", {x1: 40, x2: width - 10, y1: y, y2: y, stroke: "#d2605a", "stroke-dasharray": "4 3"}), label);
  }
  for (const at of [0, most]) { const label = svg("text", {x: 36, y: height - 16 - (height - 30) * at / most, "text-anchor": "end"}); label.textContent = String(at); picture.append(label); }
  const peak = found.live.indexOf(peakLive), place = found.places.slice(peak).find(each => each % 1e7 && each < 1e7);
  return card("Live registers, estimated", picture, element("div", {}, `At most ${peakLive} 32-bit values are live at once in ${found.level}`, place ? [", at ", lineLink(place)] : "", "."),
    element("div", {class: "soft"}, "From the first to the last use of each value in the order of the text; the assembler reorders them" + (state.kernel.record && state.kernel.record.registers > 0 ? ` and used ${state.kernel.record.registers} registers per thread.` : ".")));
}

/** Bytes moved and operations done by each line of Python, from TTIR: `times` is how often one program executes it, as far as that is
 *  known, and `loop` the line of the innermost loop whose trip count is not, or 0. */
function traffic() {
  const level = levels().find(([name]) => name === "ttir");
  if (!level) return [];
  const text = textOf(level[1]), perLine = new Map(), constants = new Map(), open = [];
  const count = type => type.split("x").slice(0, -1).reduce((product, extent) => product * Number(extent), 1);
  text.lines.forEach((line, i) => {
    const constant = /^\s*(%[\w.$-]+) = arith\.constant (-?\d+) : i/.exec(line), place = text.places[i];
    if (constant) constants.set(constant[1], Number(constant[2]));
    const indent = /^\s*/.exec(line)[0].length;
    while (open.length && indent <= open[open.length - 1].indent && /^\s*\}/.test(line)) open.pop();
    const loop = /\bscf\.(for|while)\b(?: %[\w.$-]+ = (%[\w.$-]+) to (%[\w.$-]+) step (%[\w.$-]+))?/.exec(line);
    if (loop) {
      const [from, to, step] = loop.slice(2).map(name => constants.get(name)), isKnown = [from, to, step].every(Number.isFinite) && step > 0;
      open.push({indent, line: place % 1e7, trips: isKnown ? Math.max(0, Math.ceil((to - from) / step)) : null});
    }
    if (!place || place >= 1e7) return;
    const access = /\btt\.(?:load|store|atomic_\w+|descriptor_load|descriptor_store)\b.*?(?:tensor<((?:\d+x)+)(?:!tt\.ptr<)?[a-zA-Z]+(\d+))/.exec(line);
    const dot = /\btt\.dot\b.*: tensor<(\d+)x(\d+)x\w+> \* tensor<\d+x(\d+)x/.exec(line), math = /= (?:arith\.\w*f|math\.\w+)\b.*tensor<((?:\d+x)+)/.exec(line);
    const bytes = access ? count(access[1]) * Number(access[2]) / 8 : 0, flops = dot ? 2 * dot[1] * dot[2] * dot[3] : math ? count(math[1]) : 0;
    if (!bytes && !flops) return;
    const unknown = open.filter(each => each.trips === null), loopLine = unknown.length ? unknown[unknown.length - 1].line || -1 : 0;
    const times = open.reduce((product, each) => product * (each.trips === null ? 1 : each.trips), 1), key = place + "/" + loopLine;
    const entry = perLine.get(key) || {line: place, loop: loopLine, bytes: 0, flops: 0, times: 0};
    entry.bytes += bytes * times;
    entry.flops += flops * times;
    entry.times = Math.max(entry.times, times);
    perLine.set(key, entry);
  });
  return [...perLine.values()].sort((x, y) => x.line - y.line);
}

function si(n) { return n >= 1e9 ? (n / 1e9).toFixed(2) + " G" : n >= 1e6 ? (n / 1e6).toFixed(2) + " M" : n >= 1e3 ? (n / 1e3).toFixed(1) + " k" : String(n); }

/** How some lines compare with the roofline: operations per byte, and what limits them. */
function rooflineText(entries, what, machine) {
  const moved = entries.reduce((sum, entry) => sum + entry.bytes, 0), flops = entries.reduce((sum, entry) => sum + entry.flops, 0);
  if (!moved) return "";
  const ridge = machine.flops_per_second / machine.bytes_per_second, intensity = flops / moved;
  return element("p", {}, `${what}: ${intensity.toFixed(1)} operations per byte, `, element("b", {}, intensity < ridge ? "limited by memory" : "limited by arithmetic"),
    intensity < ridge ? `, unless caches hold what is read again: at most ${(intensity * machine.bytes_per_second / 1e12).toFixed(1)} Tflop/s.` : ".");
}

function trafficCard() {
  const lines = traffic();
  if (!lines.length) return null;
  const machine = state.kernel.machine, parts = [];
  const hasRates = machine && machine.bytes_per_second && machine.flops_per_second;
  const seconds = entry => hasRates ? [entry.bytes / machine.bytes_per_second, entry.flops / machine.flops_per_second] : [0, 0];
  const longest = largest(lines.flatMap(seconds), 1e-30);
  const bars = entry => element("div", {class: "bars", title: "time at the chip's rates: memory above, 16-bit matrix products below"},
    seconds(entry).map((time, i) => element("i", {style: `width:${100 * time / longest}%;background:${COLORS[i]}`})));
  const often = entry => entry.loop ? [entry.times > 1 ? si(entry.times) + " per iteration of " : "per iteration of ", entry.loop > 0 ? lineLink(entry.loop) : "a loop"] : si(entry.times) + "\u00d7";
  const rows = lines.map(entry => element("tr", {title: sourceLine(entry.line)}, element("td", {}, lineLink(entry.line)), element("td", {class: "n"}, entry.bytes ? bytes(entry.bytes) : ""),
    element("td", {class: "n"}, entry.flops ? si(entry.flops) : ""), element("td", {class: "whole"}, often(entry)), hasRates ? element("td", {class: "wide"}, bars(entry)) : ""));
  if (hasRates) {
    parts.push(element("p", {}, `The ${machine.chip} (other chips of ${state.kernel.target} have other rates): ${(machine.flops_per_second / 1e12).toFixed(0)} Tflop/s of 16-bit matrix products, ${(machine.bytes_per_second / 1e12).toFixed(2)} TB/s; ` +
      `arithmetic limits a kernel with more than ${(machine.flops_per_second / machine.bytes_per_second).toFixed(0)} operations per byte.`));
    const hasLoops = lines.some(entry => entry.loop);
    for (const loop of [...new Set(lines.map(entry => entry.loop))].sort((x, y) => x - y))
      parts.push(rooflineText(lines.filter(entry => entry.loop === loop), loop ? `An iteration of ${loop > 0 ? "the loop in line " + loop : "a loop"}` : hasLoops ? "Outside of loops" : "The kernel", machine));
  }
  const head = element("tr", {}, element("th", {}, "Python"), element("th", {class: "n"}, "bytes"), element("th", {class: "n"}, "operations"), element("th", {}, "of one program"), hasRates ? element("th", {}, "at full rate") : "");
  const made = card("Bytes and operations per line", ...parts, element("div", {class: "sideways"}, element("table", {}, head, rows)),
    element("p", {class: "soft"}, "Counted in TTIR, masks ignored. Loops whose bounds are constants are multiplied in; of others one iteration is counted."));
  made.classList.add("broad");
  return made;
}

/** The compilations that were tried because registers were spilled; the steps shown are those of the one that was kept. */
function attemptsCard() {
  const record = state.kernel.record;
  if (!record || !record.attempts) return null;
  return card("Attempts", element("p", {class: "soft"}, "The kernel was compiled in several ways. The passes that are shown are those of the one that was kept."),
    element("table", {}, record.attempts.split("; ").map(text => element("tr", {}, text.split(": ").map(part => element("td", {}, part))))));
}

function opsCard() {
  const points = state.kernel.steps.filter(step => step.after !== undefined && state.kernel.texts[step.after].syntax === "mlir").map(step => [step.name, totalOps(state.kernel.texts[step.after])]);
  if (points.length < 2) return null;
  const width = 520, height = 160, most = largest(points.map(point => point[1]), 1);
  const picture = svg("svg", {viewBox: `0 0 ${width} ${height}`, width: "100%", role: "img"});
  points.forEach(([name, count], i) => {
    const x = 40 + (width - 50) * i / points.length, tall = (height - 30) * count / most;
    const bar = svg("rect", {x, y: height - 20 - tall, width: Math.max(1, (width - 50) / points.length - 1), height: tall, fill: "#4c8bf5", "fill-opacity": .6});
    const title = svg("title", {});
    title.textContent = `${name}: ${count} ops`;
    bar.append(title);
    picture.append(bar);
  });
  const label = svg("text", {x: 36, y: 16, "text-anchor": "end"});
  label.textContent = String(most);
  picture.append(label);
  return card("Ops after each pass", picture);
}

function remarksView(main) {
  const panel = element("div", {class: "scroll"}), found = warnings();
  main.append(panel);
  if (found.length) {
    panel.append(element("h2", {}, "What costs"));
    for (const [kind, text, line] of found) panel.append(element("div", {class: "remark " + kind}, line ? [lineLink(line), " "] : "", text));
  }
  const byLine = new Map();
  for (const step of state.kernel.steps) for (const remark of step.remarks) { const line = remark.line || 0; byLine.set(line, [...(byLine.get(line) || []), [step, remark]]); }
  for (const line of [...byLine.keys()].sort((x, y) => x - y)) {
    panel.append(element("h2", {}, line ? [lineLink(line), " ", element("span", {class: "mono soft"}, sourceLine(line))] : "The kernel"));
    for (const [step, remark] of byLine.get(line))
      panel.append(element("div", {class: "remark"}, element("a", {onclick: () => { state.step = state.kernel.steps.indexOf(step); state.from = null; show("passes"); }}, step.name), " ", remark.message,
        remark.reason ? element("span", {class: "soft"}, ": " + remark.reason) : ""));
  }
  if (!byLine.size && !found.length) panel.append("No pass said anything.");
  return {};
}

// Layouts as pictures: which thread and register holds an element of a tensor, and which bank an element of a buffer lies in.

const MAX_CELLS = 64;

/** The value of a linear map: bases are combined by exclusive or. */
function applyLayout(layout, point) {
  const result = layout.shape.map(() => 0);
  for (const input of layout.inputs)
    input.bases.forEach((basis, bit) => { if ((point[input.name] >> bit) & 1) basis.forEach((value, k) => { result[k] ^= value; }); });
  return result;
}

/** For each element (row-major) the points that hold it; only the first four of many copies. */
function holdersOf(layout) {
  const total = layout.inputs.reduce((sum, input) => sum + input.bases.length, 0);
  if (total > 20) return null;
  const size = layout.shape.reduce((product, extent) => product * extent, 1), holders = new Map();
  const flat = element => layout.shape.reduce((sum, extent, k) => sum * extent + element[k], 0);
  for (let code = 0; code < 1 << total; ++code) {
    const point = {};
    let rest = code;
    for (const input of layout.inputs) { point[input.name] = rest & ((1 << input.bases.length) - 1); rest >>= input.bases.length; }
    const at = flat(applyLayout(layout, point));
    if (at >= size) continue;
    const list = holders.get(at);
    if (!list) holders.set(at, [point]); else if (list.length < 4) list.push(point); else list.more = (list.more || 4) + 1;
  }
  return holders;
}

function bankOf(layout, point, machine) {
  return Math.floor(point.offset * layout.bits / 8 / machine.bank_bytes) % machine.banks;
}

function layoutsView(main) {
  const layouts = [...state.kernel.layouts].sort((x, y) => y.shared - x.shared || y.uses - x.uses), list = element("div", {class: "list layoutlist"});
  const panel = element("div", {class: "scroll"});
  if (!layouts.length) {
    main.append(element("div", {class: "scroll"}, "This compilation has no layouts: the target works on whole tensors, or it ended before TTGIR."));
    return {};
  }
  const names = aliasNames();
  main.append(element("div", {class: "side"}, list), panel);
  let at = Math.min(state.layoutAt || 0, layouts.length - 1), color = null, redraw = () => {};

  function drawList() {
    const title = i => i === 0 || layouts[i - 1].shared !== layouts[i].shared ? [element("div", {class: "stage"}, layouts[i].shared ? "Buffers in shared memory" : "Tensors in registers")] : [];
    list.replaceChildren(...layouts.flatMap((layout, i) => [...title(i), element("div", {class: "pass" + (i === at ? " at" : ""), title: layout.type, onclick: () => { at = state.layoutAt = i; color = null; drawList(); drawPanel(); }},
      element("span", {class: "p mono"}, `${layout.shape.join("\u00d7")} ${layout.bits}-bit ${shortEncoding(layout.encoding, names)}`),
      element("span", {class: "d"}, `${layout.uses}\u00d7`))]));
  }

  function drawPanel() {
    const layout = layouts[at], machine = state.kernel.machine || {banks: 32, bank_bytes: 4}, holders = holdersOf(layout);
    panel.replaceChildren(element("h2", {}, `${shortEncoding(layout.encoding, names)} ${layout.shape.join(" \u00d7 ")}, ${layout.bits} bits each`), element("div", {class: "mono soft wrapped"}, layout.type),
      element("div", {class: "mono soft wrapped"}, layout.values.slice(0, 24).join(", ") + (layout.values.length > 24 ? ", \u2026" : "")));
    if (!holders) { panel.append(element("p", {}, "This layout has too many elements to draw."), basisTable(layout)); return; }
    const modes = layout.shared ? ["bank", "offset"] : ["lane", "warp", "register"];
    color = color && modes.includes(color) ? color : modes[0];
    const rank = layout.shape.length, origin = layout.shape.map(() => 0);
    const columns = layout.shape[rank - 1], rowsOf = rank > 1 ? layout.shape[rank - 2] : Math.ceil(columns / 32), wraps = rank === 1;
    const width = Math.min(MAX_CELLS, wraps ? Math.min(32, columns) : columns), height = Math.min(MAX_CELLS, rowsOf);
    const controls = element("div", {class: "controls"}, "colour by", ...modes.map(mode => element("button", {"aria-pressed": String(mode === color), onclick: () => { color = mode; drawPanel(); }}, mode)));
    const tip = element("div", {class: "tip mono soft"}, "point at an element");
    const canvas = element("canvas", {"data-layout": at});
    const slide = (k, step) => {
      if (layout.shape[k] <= step) return;
      const slider = element("input", {type: "range", min: 0, max: layout.shape[k] - step, step, value: 0, "aria-label": `dim ${k}`, oninput: () => { origin[k] = Number(slider.value); draw(); }});
      controls.append(element("label", {}, `dim ${k} `, slider));
    };
    if (!wraps) { slide(rank - 1, width); slide(rank - 2, height); }
    for (let k = 0; k < rank - 2; ++k) slide(k, 1);
    const elementAt = (row, column) => {
      const found = [...origin];
      if (wraps) { found[0] = row * 32 + column; return found[0] < columns ? found : null; }
      found[rank - 1] += column;
      found[rank - 2] += row;
      return found[rank - 1] < columns && found[rank - 2] < rowsOf ? found : null;
    };
    const flat = found => layout.shape.reduce((sum, extent, k) => sum * extent + found[k], 0);
    const cell = Math.max(10, Math.min(44, Math.floor((Math.min(panel.clientWidth || 900, 1500) - 60) / width)));
    const value = point => color === "bank" ? bankOf(layout, point, machine) : point[color];
    const most = color === "bank" ? machine.banks : 1 << (layout.inputs.find(input => input.name === color) || {bases: []}).bases.length;

    function draw() {
      const ratio = window.devicePixelRatio || 1, style = getComputedStyle(document.documentElement), isDark = document.documentElement.dataset.theme === "dark";
      canvas.width = width * cell * ratio;
      canvas.height = height * cell * ratio;
      canvas.style.width = width * cell + "px";
      canvas.style.height = height * cell + "px";
      const pen = canvas.getContext("2d");
      pen.scale(ratio, ratio);
      pen.font = `${Math.min(11, cell / 2.6)}px ${style.getPropertyValue("--mono")}`;
      pen.textAlign = "center";
      pen.textBaseline = "middle";
      for (let row = 0; row < height; ++row)
        for (let column = 0; column < width; ++column) {
          const found = elementAt(row, column), points = found && holders.get(flat(found));
          if (!points) continue;
          const shown = value(points[0]);
          pen.fillStyle = `hsl(${Math.round(360 * shown / Math.max(most, 1))} 60% ${isDark ? 32 : 82}%)`;
          pen.fillRect(column * cell, row * cell, cell - 1, cell - 1);
          if (cell < 20) continue;
          pen.fillStyle = isDark ? "#e6ebf0" : "#20262c";
          pen.fillText(layout.shared ? String(shown) : cell >= 34 ? `${points[0].lane ?? 0}:${points[0].register ?? 0}` : String(shown), column * cell + cell / 2, row * cell + cell / 2);
        }
    }
    canvas.addEventListener("mousemove", event => {
      const found = elementAt(Math.floor(event.offsetY / cell), Math.floor(event.offsetX / cell)), points = found && holders.get(flat(found));
      if (!points) return;
      const describe = point => layout.shared ? `offset ${point.offset} elements, bank ${bankOf(layout, point, machine)}`
        : Object.entries(point).filter(([name]) => name !== "block" || point.block).map(([name, n]) => `${name} ${n}`).join(", ");
      tip.textContent = `element (${found.join(", ")}): ${points.map(describe).join("; ")}` + (points.more ? `; and ${points.more - 4} more copies` : "");
    });
    redraw = draw;
    panel.append(controls, canvas, tip);
    if (!layout.shared && cell >= 34) panel.append(element("div", {class: "soft"}, "lane:register"));
    panel.append(accessTable(layout, names), basisTable(layout));
    draw();
  }

  drawList();
  drawPanel();
  return {redraw: () => redraw(), move(direction) { at = state.layoutAt = Math.max(0, Math.min(layouts.length - 1, at + direction)); color = null; drawList(); drawPanel(); }};
}

/** Who reads and writes a buffer, how wide, and how often each access uses the banks. */
function accessTable(layout, names) {
  const kernel = state.kernel, own = kernel.accesses.filter(access => kernel.layouts[layout.shared ? access.buffer : access.tensor] === layout);
  if (!own.length) return "";
  const head = ["line", "access", layout.shared ? "registers" : "buffer", "bits at once", "wavefronts", "without conflicts"];
  const rows = own.map(access => element("tr", {}, element("td", {}, access.line ? lineLink(access.line) : ""), element("td", {class: "mono"}, access.op.replace("ttg.", "")),
    element("td", {class: "mono"}, shortEncoding(kernel.layouts[layout.shared ? access.tensor : access.buffer].encoding, names)), element("td", {class: "n"}, String(access.bits)),
    element("td", {class: "n" + (access.wavefronts > access.least_wavefronts ? " warn" : "")}, String(access.wavefronts)), element("td", {class: "n"}, String(access.least_wavefronts))));
  return element("div", {}, element("h2", {}, "Accesses of shared memory"), element("div", {class: "soft"}, "A wavefront uses each bank once. Numbers are of one warp, from the layouts; matrix instructions of stores are not counted."),
    element("div", {class: "sideways"}, element("table", {}, element("tr", {}, head.map((text, i) => element("th", {class: i > 2 ? "n" : ""}, text))), rows)));
}

function basisTable(layout) {
  const rows = layout.inputs.flatMap(input => input.bases.map((basis, bit) => element("tr", {}, element("td", {}, `${input.name} = ${2 ** bit}`), element("td", {class: "mono"}, `(${basis.join(", ")})`))));
  return element("div", {}, element("h2", {}, "The linear map"), element("div", {class: "soft"}, "Where a bit of a coordinate leads; several are combined by exclusive or. (0, 0) means a copy."), element("table", {}, rows));
}

/** "#blocked1", or "slice<{dim = 1, parent = #mma}>": with the names of the texts, where they have one. */
function shortEncoding(encoding, names) {
  if (names.has(encoding)) return names.get(encoding);
  let text = encoding;
  for (const [body, name] of [...names].sort((x, y) => y[0].length - x[0].length)) text = text.split(body).join(name);
  return text.replace(/^#ttg\./, "");
}

/** The names that texts use for encodings: "#ttg.blocked<...>" -> "#blocked1". */
function aliasNames() {
  const names = new Map();
  for (const text of state.kernel.texts) {
    if (text.syntax !== "mlir" || !text.text.startsWith("#")) continue;
    const bodies = new Map();
    for (const line of text.text.split("\n")) {
      const match = /^(#\w+) = (.*)$/.exec(line);
      if (!match) break;
      const body = match[2].replace(/#\w+(?![\w.])/g, alias => bodies.get(alias) || alias);
      bodies.set(match[1], body);
      names.set(body, match[1]);
    }
  }
  return names;
}

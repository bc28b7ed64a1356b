// The levels side by side. A line of any of them leads to the lines of the others that come from the same line of Python.

function codeView(main) {
  const kernel = state.kernel, all = [["python", -1], ...levels()];
  const room = Math.max(1, Math.min(all.length, Math.floor(window.innerWidth / 420)));
  // The source, the last IR with tensors, and assembly, as far as there is room.
  const last = found => found[found.length - 1], byKind = syntax => all.slice(1).filter(([, text]) => state.kernel.texts[text].syntax === syntax);
  const wanted = [all[0], last(byKind("mlir").filter(([level]) => level !== "llir")) || all[1], byKind("assembly")[0], last(byKind("assembly")), last(byKind("llvm")), ...all];
  const preferred = [...new Set(wanted.filter(Boolean))].slice(0, room);
  const open = state.openLevels || (state.openLevels = new Set(preferred.map(([level]) => level)));
  const panes = element("div", {class: "panes"}), bar = element("div", {class: "levels"});
  const said = element("div", {class: "said", hidden: true});
  main.append(element("div", {class: "code"}, bar, panes, said));
  const share = instructionShare();
  let opened = [];

  function drawBar() {
    bar.replaceChildren(...all.map(([level]) => element("button", {"aria-pressed": String(open.has(level)), onclick: () => {
      if (open.has(level)) open.delete(level); else open.add(level);
      drawBar();
      drawPanes();
    }}, level === "python" ? "Python" : level)));
  }

  function drawPanes() {
    panes.replaceChildren();
    opened = all.filter(([level]) => open.has(level)).map(([level, text]) => makePane(level, text));
    panes.append(...opened.map(pane => pane.element));
    for (const pane of opened) {
      pane.list.setCount(pane.lines.length, pane.widest);
      if (state.pinned) revealIn(pane, state.pinned);
      else if (pane.level === "python" && kernel.line) pane.list.element.scrollTop = Math.max(0, kernel.line - 4) * ROW;
    }
  }

  function makePane(level, text) {
    const isSource = level === "python", cut = isSource ? null : textOf(text);
    const lines = isSource ? sourceText().split("\n") : cut.lines;
    const places = isSource ? lines.map((_, i) => i + 1) : cut.places;
    const firsts = new Map();
    places.forEach((place, i) => { if (place && place < 1e7 && !firsts.has(place)) firsts.set(place, i); });
    const pane = {level, lines, places, firsts, widest: isSource ? largest(lines.map(line => line.length), 0) : cut.widest};
    const syntax = isSource ? "python" : cut.syntax;
    pane.list = new LineList(i => {
      const place = places[i], line = place < 1e7 ? place : 0;
      const body = element("span", {});
      paintCode(body, lines[i], syntax, state.needle);
      const remarks = isSource ? remarksOf(line) : [];
      const row = element("div", {class: rowClass(line), "data-line": line,
        onmouseenter: () => hover(line), onclick: () => pin(line, pane)},
        element("span", {class: "g"}, isSource ? String(i + 1) : placeText(place)));
      if (isSource) {
        const part = share.get(line) || 0;
        row.append(element("span", {class: "w", title: part ? `${(100 * part).toFixed(1)} % of the last level's instructions` : ""}, part ? element("i", {style: `width:${Math.max(2, Math.min(36, 120 * part))}px`}) : ""));
        row.append(element("span", {class: "m warn", title: remarks.map(remarkText).join("\n")}, remarks.length ? "\u25b8" : ""));
      }
      row.append(body);
      return row;
    });
    pane.list.element.addEventListener("mouseleave", () => hover(0));
    const shownLevel = isSource ? (kernel.sources[0] ? kernel.sources[0].path : "") : `${lines.length} lines`;
    pane.element = element("div", {class: "pane", "data-level": level}, element("h3", {}, element("span", {}, isSource ? "Python" : level), element("span", {class: "soft"}, shownLevel)), pane.list.element);
    return pane;
  }

  function rowClass(line) { return "row" + (line && line === state.line ? " linked" : "") + (line && line === state.pinned ? " pinned" : ""); }
  /** What passes said about the line that is pinned. */
  function drawRemarks() {
    const found = state.pinned ? kernel.steps.flatMap(step => step.remarks.filter(remark => remark.line === state.pinned).map(remark => [step, remark])) : [];
    said.hidden = !found.length;
    said.replaceChildren(...found.map(([step, remark]) => element("div", {class: "remark"}, element("a", {onclick: () => { state.step = kernel.steps.indexOf(step); state.from = null; show("passes"); }}, step.name),
      " ", remark.message, remark.reason ? element("span", {class: "soft"}, ": " + remark.reason) : "")));
  }
  function recolor() {
    drawRemarks();
    for (const pane of opened)
      for (const row of pane.list.shown.values()) row.className = rowClass(Number(row.dataset.line));
  }
  function hover(line) { if (state.line !== line) { state.line = line; recolor(); } }
  function pin(line, from) {
    if (!line) return;
    state.pinned = state.pinned === line ? 0 : line;
    recolor();
    if (state.pinned) for (const pane of opened) if (pane !== from) revealIn(pane, line);
  }
  function revealIn(pane, line) { const row = pane.firsts.get(line); if (row !== undefined) pane.list.reveal(row); }

  drawBar();
  drawPanes();
  drawRemarks();
  return {
    get list() { return (opened.find(pane => pane.list.element.contains(document.activeElement)) || opened[opened.length - 1] || {}).list; },
    lists: () => opened.map(pane => [pane.list, pane.lines]),
    texts: () => { const pane = opened.find(each => each.list.element.contains(document.activeElement)) || opened[opened.length - 1]; return pane ? pane.lines : []; },
    move(direction) {
      const lines = [...new Set(opened.flatMap(pane => pane.level === "python" ? [] : [...pane.firsts.keys()]))].sort((x, y) => x - y);
      if (!lines.length) return;
      const at = lines.indexOf(state.pinned);
      const next = at < 0 ? lines[direction > 0 ? 0 : lines.length - 1] : lines[Math.min(lines.length - 1, Math.max(0, at + direction))];
      state.pinned = 0;
      pin(next, null);
    },
  };
}

/** How much of the last level each line of Python has. */
function instructionShare() {
  const counts = new Map(), found = levels();
  if (!found.length) return counts;
  const text = textOf(found[found.length - 1][1]);
  let total = 0;
  for (const place of text.places) if (place % 1e7) { ++total; if (place < 1e7) counts.set(place, (counts.get(place) || 0) + 1); }
  for (const [line, count] of counts) counts.set(line, count / total);
  return counts;
}

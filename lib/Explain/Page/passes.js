// The timeline of passes, and the diff of the program before and after one of them, or between any two points.

const COLORS = ["#4c8bf5", "#33a06f", "#c98a1b", "#a05cc4", "#d2605a", "#4aa3b8", "#8a8f98"];

function passesView(main) {
  const kernel = state.kernel, list = element("div", {class: "list"}), detail = element("div", {class: "detail"});
  const box = element("input", {type: "checkbox", id: "quiet", onchange: () => { state.hidesQuiet = box.checked; drawList(); }});
  box.checked = state.hidesQuiet;
  const strip = element("div", {class: "strip"});
  const stages = [...new Set(kernel.steps.map(step => step.stage))], total = kernel.steps.reduce((sum, step) => sum + step.seconds, 0);
  kernel.steps.forEach((step, i) => {
    if (step.seconds > 0)
      strip.append(element("i", {style: `flex:${100 * step.seconds / total} 0 0;background:${COLORS[stages.indexOf(step.stage) % COLORS.length]}`,
                                 title: `${step.name}: ${duration(step.seconds)}`, onclick: () => choose(i)}));
  });
  main.append(element("div", {class: "side"}, strip, element("div", {class: "bar"}, box, element("label", {for: "quiet"}, "hide passes that change nothing")), list), detail);
  const longest = largest(kernel.steps.map(step => step.seconds), 1e-9);

  function drawList() {
    list.replaceChildren();
    let stage = null;
    kernel.steps.forEach((step, i) => {
      const isQuiet = !step.changed && !step.failed;
      if (state.hidesQuiet && isQuiet && i !== state.step) return;
      if (step.stage !== stage) {
        stage = step.stage;
        const time = kernel.stages.find(each => each.name === stage);
        list.append(element("div", {class: "stage"}, stage, element("span", {class: "soft"}, time ? duration(time.seconds) : "")));
      }
      const changes = opChanges(step), plus = changes.filter(c => c[1] > 0).reduce((s, c) => s + c[1], 0),
            minus = changes.filter(c => c[1] < 0).reduce((s, c) => s - c[1], 0);
      const delta = step.failed ? "failed" : step.bytes ? bytes(step.bytes) : (plus ? "+" + plus : "") + (minus ? " \u2212" + minus : "");
      const row = element("div", {class: `pass${i === state.step ? " at" : ""}${isQuiet ? " quiet" : ""}${step.failed ? " failed" : ""}`, "data-step": i,
                                  title: step.summary || step.name, onclick: () => choose(i)},
        element("span", {}, step.failed ? "\u2717" : step.changed ? "\u25cf" : "\u00b7"),
        element("span", {class: "p", style: `padding-left:${step.depth * 10}px`}, step.name + (step.remarks.length ? ` \u00b7${step.remarks.length}` : "")),
        element("span", {class: "d"}, delta));
      if (step.seconds > longest / 200)
        row.append(element("div", {class: "time", style: `width:${Math.max(2, 100 * step.seconds / longest)}%`}));
      list.append(row);
    });
  }

  function choose(i) {
    state.step = i;
    state.from = null;
    history.replaceState(null, "", "#passes/" + (i + 1));
    drawList();
    drawDetail();
    const row = list.querySelector(".at");
    if (row) row.scrollIntoView({block: "nearest"});
  }

  const diffList = new LineList(i => renderRow(i));
  let rows = [], before = null, after = null;

  function drawDetail() {
    const step = kernel.steps[state.step];
    detail.replaceChildren();
    if (!step) { detail.append(element("div", {class: "scroll"}, "The compilation ended before the first pass.")); return; }
    const head = element("div", {class: "head"}, element("b", {}, step.name), " ", element("span", {class: "soft"}, `${step.stage} \u00b7 ${duration(step.seconds)}`),
      step.failed ? element("b", {class: "bad"}, " failed") : step.changed ? null : element("span", {class: "soft"}, " \u00b7 changed nothing"));
    if (step.summary) head.append(element("div", {}, step.summary));
    if (step.failed)
      for (const diagnostic of kernel.diagnostics.filter(each => each.kind !== "remark"))
        head.append(element("div", {class: diagnostic.kind === "note" ? "soft" : "bad"}, diagnostic.line ? [lineLink(diagnostic.line), " "] : [], diagnostic.message));
    if (step.options) head.append(element("div", {class: "soft mono wrapped"}, step.options));
    const changes = opChanges(step);
    if (changes.length)
      head.append(element("div", {class: "mono soft wrapped"}, changes.slice(0, 14).map(([name, n]) => `${n > 0 ? "+" : "\u2212"}${Math.abs(n)} ${name}`).join("   ") + (changes.length > 14 ? "  \u2026" : "")));
    for (const remark of step.remarks)
      head.append(element("div", {class: "remark"}, remark.line ? [lineLink(remark.line), " "] : [], remark.message, remark.reason ? element("span", {class: "soft"}, ": " + remark.reason) : ""));
    head.append(rangeControls(step));
    detail.append(head, diffList.element);
    drawDiff();
  }

  function rangeControls(step) {
    const points = kernel.steps.map((each, i) => [i, each]).filter(([, each]) => each.after !== undefined && (each.changed || each.failed));
    const select = (chosen, choose) => {
      const made = element("select", {onchange: event => choose(Number(event.target.value))});
      for (const [i, each] of points) {
        const option = element("option", {value: i}, `${i + 1} ${each.name}`);
        option.selected = i === chosen;
        made.append(option);
      }
      return made;
    };
    const isDefault = state.from === null;
    const earlier = points.filter(([i]) => i < state.step).map(([i]) => i);
    const from = isDefault ? (earlier.length ? earlier[earlier.length - 1] : points.length ? points[0][0] : 0) : state.from;
    const to = points.some(([i]) => i === state.step) ? state.step : from;
    return element("div", {class: "range"}, element("span", {class: "soft"}, "from"),
      select(from, i => { state.from = i; drawDiff(); }), element("span", {class: "soft"}, "to"),
      select(to, i => { const kept = state.from === null ? from : state.from; choose(i); state.from = kept; drawDetail(); }));
  }

  function drawDiff() {
    const step = kernel.steps[state.step];
    const a = state.from === null ? step.before : kernel.steps[state.from].after, b = step.after;
    rows = [];
    if (b !== undefined) {
      after = textOf(b);
      before = a === undefined ? null : textOf(a);
      if (!before || before.syntax !== after.syntax || (a === b && state.from === null))
        rows = after.lines.map((_, i) => ({kind: "same", b: i, plain: true}));
      else
        rows = foldRows(diffTexts(before, after));
    }
    diffList.setCount(rows.length, after ? Math.max(after.widest, before ? before.widest : 0) : 0);
    diffList.element.scrollTop = 0;
    countFound();
  }

  function renderRow(i) {
    const row = rows[i];
    if (row.fold)
      return element("div", {class: "row fold", onclick: () => { rows.splice(i, 1, ...row.fold); diffList.setCount(rows.length, after.widest); }},
        element("span", {class: "g"}), element("span", {class: "m"}, "\u22ef"), `${row.fold.length} lines`);
    const isOld = row.kind === "del" || row.half === "old", text = isOld ? row.old : after.lines[row.b];
    const place = isOld ? before.places[row.a] : after.places[row.b];
    const kind = row.moved ? "move" : row.plain ? "" : row.kind;
    const sign = row.plain ? "" : row.moved ? (isOld ? "<" : ">") : {same: "", del: "\u2212", add: "+", edit: row.half === "old" ? "\u2212" : "+"}[row.kind];
    const body = element("span", {});
    if (row.kind === "edit") paintSpans(body, text, isOld ? row.oldSpans : row.newSpans, isOld ? "del" : "ins");
    else paintCode(body, text, after.syntax, state.needle);
    const number = place % 1e7;
    return element("div", {class: `row ${kind}${number && number === state.pinned ? " pinned" : ""}`, onclick: () => { if (number && place < 1e7) { state.pinned = number; diffList.refresh(); } }},
      element("span", {class: "g", title: place < 1e7 && number ? sourceLine(number) : ""}, placeText(place)), element("span", {class: "m"}, sign), body);
  }

  drawList();
  drawDetail();
  const chosen = list.querySelector(".at");
  if (chosen) chosen.scrollIntoView({block: "center"});
  return {
    list: diffList,
    texts: () => rows.map(row => row.fold ? "" : row.kind === "del" ? row.old : after.lines[row.b]),
    move(direction) {
      for (let i = state.step + direction; i >= 0 && i < kernel.steps.length; i += direction)
        if (kernel.steps[i].changed || kernel.steps[i].failed || i === 0) { choose(i); return; }
    },
    toggleQuiet() { box.checked = state.hidesQuiet = !state.hidesQuiet; drawList(); },
    choose,
  };
}

/** Keeps three lines around changes; edited lines become two rows. */
function foldRows(diff) {
  const shown = new Uint8Array(diff.length);
  diff.forEach((row, i) => { if (row.kind !== "same") shown.fill(1, Math.max(0, i - 3), i + 4); });
  const rows = [];
  for (let i = 0; i < diff.length;) {
    let end = i;
    while (end < diff.length && !shown[end]) ++end;
    if (end - i > 2) { rows.push({fold: diff.slice(i, end)}); i = end; continue; }
    if (diff[i].kind === "edit") rows.push({...diff[i], half: "old"}, {...diff[i], half: "new"});
    else rows.push(diff[i]);
    ++i;
  }
  return rows;
}

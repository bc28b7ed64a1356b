// Tabs, keys, search and theme.

const TABS = {passes: ["Passes", passesView], code: ["Code", codeView], layouts: ["Layouts", layoutsView], resources: ["Resources", resourcesView], remarks: ["Remarks", remarksView]};
const KEYS = [["j, k", "the next or previous pass that changes something; in Code, line of Python"], ["1 ... 5", "tabs"], ["/", "search; Enter and Shift+Enter go through the places"],
              ["h", "hide passes that change nothing"], ["t", "light or dark"], ["Escape", "end the search; let the line go"], ["?", "this list"]];

function show(tab) {
  state.tab = tab;
  for (const button of document.querySelectorAll("#tabs button")) button.setAttribute("aria-selected", String(button.dataset.tab === tab));
  const main = document.getElementById("main");
  main.className = tab === "passes" || tab === "layouts" ? "split" : "";
  main.replaceChildren();
  state.view = TABS[tab][1](main);
  history.replaceState(null, "", tab === "passes" ? "#passes/" + (state.step + 1) : "#" + tab);
  countFound();
}

function showKernel(index) {
  const kernel = state.kernel = state.report.kernels[index];
  state.openLevels = null;
  state.pinned = state.line = 0;
  const failed = kernel.steps.findIndex(step => step.failed), changed = kernel.steps.findIndex((step, i) => i > 0 && step.changed);
  state.step = failed >= 0 ? failed : Math.max(0, changed);
  state.from = null;
  document.title = kernel.kernel + " \u2013 Tessera explain";
  document.getElementById("name").textContent = kernel.kernel;
  document.getElementById("subtitle").textContent = `${kernel.file}${kernel.line ? ":" + kernel.line : ""} \u00b7 ${kernel.target} \u00b7 ${duration(kernel.seconds)}`;
  drawFacts();
}

function drawFacts() {
  const record = state.kernel.record, facts = document.getElementById("facts"), machine = state.kernel.machine;
  const chip = (text, kind, title) => element("span", {class: "chip " + (kind || ""), title: title || ""}, text);
  facts.replaceChildren();
  if (state.kernel.outcome !== "done") facts.append(chip(state.kernel.outcome, "bad"));
  if (record && record.registers >= 0) facts.append(chip(record.registers + " registers"), chip(record.spill_bytes + " B spilled", record.spill_bytes > 0 ? "bad" : ""));
  if (record && record.num_warps) facts.append(chip(record.num_warps + " warps"), chip(bytes(record.shared) + " shared"));
  if (machine && machine.warps) facts.append(chip(`occupancy ${Math.round(100 * machine.warps / machine.max_warps)} %`));
  const found = warnings();
  if (found.length) {
    const warn = chip(`${found.length} warning${found.length > 1 ? "s" : ""}`, "warn");
    warn.addEventListener("click", () => show("remarks"));
    facts.append(warn);
  }
}

// ---- search

function matchesOf() {
  if (!state.needle || !state.view || !state.view.texts) return [];
  const found = [];
  state.view.texts().forEach((text, i) => { if (text.toLowerCase().includes(state.needle)) found.push(i); });
  return found;
}

function countFound() {
  const label = document.getElementById("found");
  if (!state.needle) { label.textContent = ""; return; }
  const passes = state.kernel.steps.filter(step => step.name.toLowerCase().includes(state.needle)).length;
  label.textContent = `${matchesOf().length} lines` + (passes ? `, ${passes} passes` : "");
}

function search(text) {
  state.needle = text.trim().toLowerCase();
  state.hit = -1;
  for (const [list] of state.view.lists ? state.view.lists() : state.view.list ? [[state.view.list]] : []) list.refresh();
  countFound();
}

/** Goes to the next place; if there is none here, to the next pass of that name. */
function nextHit(direction) {
  const found = matchesOf();
  if (!found.length) {
    const steps = state.kernel.steps.map((step, i) => i).filter(i => state.needle && state.kernel.steps[i].name.toLowerCase().includes(state.needle));
    if (steps.length && state.tab === "passes") state.view.choose(steps.find(i => i > state.step) ?? steps[0]);
    return;
  }
  state.hit = ((state.hit ?? -1) + direction + found.length) % found.length;
  document.getElementById("found").textContent = `${state.hit + 1} of ${found.length}`;
  const list = state.view.list, row = found[state.hit];
  if (!list) return;
  list.reveal(row);
  for (const [i, each] of list.shown) each.classList.toggle("hit", i === row);
}

// ---- theme and keys

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  try { localStorage.setItem("tessera-theme", theme); } catch { /* a file may have no storage */ }
  if (state.view && state.view.redraw) state.view.redraw();
}
function firstTheme() {
  try { const kept = localStorage.getItem("tessera-theme"); if (kept === "light" || kept === "dark") return kept; } catch { /* as above */ }
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}
function toggleTheme() { setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"); }

function showKeys() {
  const dialog = document.getElementById("keys");
  dialog.replaceChildren(element("h2", {}, "Keys"), element("table", {}, KEYS.map(([key, what]) => element("tr", {}, element("td", {}, key), element("td", {}, what)))),
    element("p", {class: "soft"}, "Click a line to find what it comes from and what it becomes. This file loads nothing from a network."), element("form", {method: "dialog"}, element("button", {}, "close")));
  dialog.showModal();
}

function onKey(event) {
  const isTyping = ["INPUT", "SELECT", "TEXTAREA"].includes(event.target.tagName) && event.target.type !== "checkbox";
  if (event.key === "Escape") {
    document.getElementById("search").value = "";
    document.getElementById("search").blur();
    state.pinned = 0;
    search("");
    return;
  }
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  const actions = {j: () => state.view.move && state.view.move(1), k: () => state.view.move && state.view.move(-1), "/": () => document.getElementById("search").focus(),
                   "?": showKeys, t: toggleTheme, h: () => state.view.toggleQuiet && state.view.toggleQuiet()};
  Object.keys(TABS).forEach((tab, i) => { actions[String(i + 1)] = () => show(tab); });
  if (!Object.hasOwn(actions, event.key)) return;
  event.preventDefault();
  actions[event.key]();
}

async function start() {
  setTheme(firstTheme());
  try {
    state.report = await readReport();
  } catch (error) {
    document.getElementById("subtitle").textContent = "this report is damaged: " + error.message;
    return;
  }
  const tabs = document.getElementById("tabs");
  tabs.setAttribute("role", "tablist");
  for (const [tab, [title]] of Object.entries(TABS)) tabs.append(element("button", {"data-tab": tab, role: "tab", onclick: () => show(tab)}, title));
  const chooser = document.getElementById("kernel");
  state.report.kernels.forEach((kernel, i) => chooser.append(element("option", {value: i}, `${kernel.kernel} (${kernel.target})`)));
  chooser.hidden = state.report.kernels.length < 2;
  chooser.addEventListener("change", () => { showKernel(Number(chooser.value)); show(state.tab); });
  const box = document.getElementById("search");
  box.addEventListener("input", () => search(box.value));
  box.addEventListener("keydown", event => { if (event.key === "Enter") nextHit(event.shiftKey ? -1 : 1); });
  document.getElementById("theme").addEventListener("click", toggleTheme);
  document.getElementById("help").addEventListener("click", showKeys);
  document.addEventListener("keydown", onKey);
  showKernel(0);
  const [tab, step] = decodeURIComponent(location.hash.slice(1)).split("/");
  if (Number(step) >= 1 && Number(step) <= state.kernel.steps.length) state.step = Number(step) - 1;
  show(Object.hasOwn(TABS, tab) ? tab : "passes");
  document.body.dataset.ready = "yes";
}
start();

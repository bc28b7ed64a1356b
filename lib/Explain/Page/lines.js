// A list of lines of which only those on the screen are elements, so that a module of 10 MB scrolls as a small one does.

const ROW = 18, CHAR = 7.6;

function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (key === "class") made.className = value;
    else if (value !== undefined && value !== false) made.setAttribute(key, value === true ? "" : value);
  }
  for (const child of children.flat()) if (child !== null && child !== undefined) made.append(child); // strings become text nodes
  return made;
}

class LineList {
  /** `render(i)` returns the element of row i; `widest` is the length of the longest line. */
  constructor(render) {
    this.render = render;
    this.sizer = element("div", {class: "sizer"});
    this.element = element("div", {class: "lines", tabindex: 0}, this.sizer);
    this.count = 0;
    this.shown = new Map();
    this.element.addEventListener("scroll", () => this.draw(), {passive: true});
    new ResizeObserver(() => this.draw()).observe(this.element);
  }
  setCount(count, widest) {
    this.count = count;
    this.sizer.style.height = count * ROW + 40 + "px";
    this.sizer.style.width = Math.max(0, widest * CHAR + 120) + "px";
    this.refresh();
  }
  refresh() {
    this.sizer.replaceChildren();
    this.shown.clear();
    this.draw();
  }
  draw() {
    const height = this.element.clientHeight || 600;
    const first = Math.max(0, Math.floor(this.element.scrollTop / ROW) - 20);
    const last = Math.min(this.count, Math.ceil((this.element.scrollTop + height) / ROW) + 20);
    for (const [i, row] of this.shown) if (i < first || i >= last) { row.remove(); this.shown.delete(i); }
    for (let i = first; i < last; ++i) {
      if (this.shown.has(i)) continue;
      const row = this.render(i);
      row.style.top = i * ROW + "px";
      this.shown.set(i, row);
      this.sizer.append(row);
    }
  }
  reveal(i) {
    const top = i * ROW, view = this.element;
    if (top < view.scrollTop + ROW || top > view.scrollTop + view.clientHeight - 3 * ROW)
      view.scrollTop = Math.max(0, top - view.clientHeight / 3);
    this.draw();
  }
}

const TOKENS = {
  mlir: /("(?:[^"\\]|\\.)*")|([%^][\w.$-]+(?:#\d+)?)|([#!][\w.]+)|(\/\/.*)|(@[\w.$]+|\b[a-z_]\w*\.[\w.]+)|(\b0x[\da-fA-F]+\b|\b\d[\d.e+-]*\b)/g,
  llvm: /("(?:[^"\\]|\\.)*")|(%[\w.$-]+)|([#!][\w.]+)|(;.*)|(@[\w.$]+)|(\b0x[\da-fA-F]+\b|\b\d[\d.]*\b)/g,
  assembly: /("(?:[^"\\]|\\.)*")|([%$][\w.]+|\bU?R\d+\b|\bU?P\d\b)|(^\s*\.\w+)|(\/\/.*|\/\*.*?\*\/|#.*)|(^\s*(?:@!?%?\w+\s+)?[a-zA-Z][\w.:]*)|(\b0[xfd][\da-fA-F]+\b|\b\d+\b)/g,
  python: /("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(\b(?:tl|triton)\.\w+)|(@[\w.]+)|(#.*)|(\b(?:def|return|for|in|if|else|elif|while|import|from|as|and|or|not|lambda|None|True|False|with|is)\b)|(\b\d[\d.]*\b)/g,
};
const CLASSES = ["t-string", "t-name", "t-attr", "t-comment", "t-op", "t-number"];
const MAX_COLORED = 4000; // characters of a line; longer ones are shown plain

/** Appends text to an element with colours, and with marks of `needle`. */
function paintCode(parent, text, syntax, needle) {
  if (text.length > MAX_COLORED) { parent.append(text); return; }
  const plain = part => {
    if (!needle) { parent.append(part); return; }
    appendMarked(parent, part, needle);
  };
  let at = 0;
  for (const match of text.matchAll(TOKENS[syntax] || TOKENS.mlir)) {
    if (match.index > at) plain(text.slice(at, match.index));
    const kind = match.slice(1).findIndex(group => group !== undefined);
    const span = element("span", {class: CLASSES[kind]});
    appendMarked(span, match[0], needle);
    parent.append(span);
    at = match.index + match[0].length;
  }
  if (at < text.length) plain(text.slice(at));
}

function appendMarked(parent, text, needle) {
  if (!needle) { parent.append(text); return; }
  const lower = text.toLowerCase();
  let at = 0;
  for (let hit = lower.indexOf(needle); hit >= 0; hit = lower.indexOf(needle, at)) {
    parent.append(text.slice(at, hit), element("mark", {}, text.slice(hit, hit + needle.length)));
    at = hit + needle.length;
  }
  parent.append(text.slice(at));
}

/** Text with its changed parts as <ins> or <del>. */
function paintSpans(parent, text, spans, name) {
  let at = 0;
  for (const [begin, end] of spans) {
    parent.append(text.slice(at, begin), element(name, {}, text.slice(begin, end)));
    at = end;
  }
  parent.append(text.slice(at));
}

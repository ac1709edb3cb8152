"use strict";
// The terminal of the page: what the program draws comes as bytes, keys and sizes go as JSON.
const PIECE = 2048; // characters of a message at most
const AGAIN_MS = 1000, LONGEST_AGAIN_MS = 10000;
const LARGEST_FILE = 8 * 1024 * 1024;

const terminal = new Terminal({
  fontFamily: '"DejaVu Sans Mono", "Cascadia Mono", Menlo, Consolas, monospace',
  fontSize: 15, scrollback: 0, cursorBlink: false, macOptionIsMeta: true, theme: { background: "#0c1014" },
});
const fit = new FitAddon.FitAddon();
terminal.loadAddon(fit);
terminal.open(document.getElementById("screen"));
const said = document.getElementById("said");
let socket = null, wait = AGAIN_MS, hasEnded = false;

function say(words) { said.textContent = words; said.hidden = !words; }

function send(message) {
  if (socket && socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
}

function type(data) {
  if (hasEnded) { begin(); return; }
  const signs = Array.from(data);
  for (let at = 0; at < signs.length; at += PIECE) send(["keys", signs.slice(at, at + PIECE).join("")]);
}

function begin() {
  hasEnded = false;
  sessionStorage.removeItem("run");
  terminal.reset();
  connect();
}

function connect() {
  fit.fit();
  const own = socket = new WebSocket(`ws${location.protocol === "https:" ? "s" : ""}://${location.host}/socket`);
  own.binaryType = "arraybuffer";
  // Decoded here: xterm.js 6.0.0 loses a sign such as U+2013 whose bytes come in two messages.
  const decoder = new TextDecoder();
  own.onopen = () => send(["open", sessionStorage.getItem("run") || "", terminal.cols, terminal.rows]);
  own.onmessage = (event) => {
    if (typeof event.data !== "string") { terminal.write(decoder.decode(event.data, { stream: true })); return; }
    const [kind, words] = JSON.parse(event.data);
    if (kind === "run") { sessionStorage.setItem("run", words); wait = AGAIN_MS; say(""); terminal.focus(); }
    if (kind === "ended") { hasEnded = true; say(`${words} Press a key to begin again.`); }
    if (kind === "refused") { hasEnded = true; say(words); }
  };
  own.onclose = () => {
    if (hasEnded || own !== socket) return;
    say("The connection is lost; trying again …");
    setTimeout(connect, wait);
    wait = Math.min(2 * wait, LONGEST_AGAIN_MS);
  };
}

function bytes(text) { return Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0)); }

// What the program copies goes to the clipboard of whoever looks.
terminal.parser.registerOscHandler(52, (data) => {
  const text = data.split(";")[1] || "";
  if (text !== "?" && navigator.clipboard) {
    navigator.clipboard.writeText(new TextDecoder().decode(bytes(text))).catch(() => say(""));
  }
  return true;
});

// What the program saves is a download. Source: iTerm2, OSC 1337 ; File=name=…:….
terminal.parser.registerOscHandler(1337, (data) => {
  const [head, content] = data.split(":");
  const name = /(?:^File=|;)name=([A-Za-z0-9+/=]*)/.exec(head);
  if (!name || !content || content.length > LARGEST_FILE) return true;
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([bytes(content)], { type: "application/octet-stream" }));
  link.download = new TextDecoder().decode(bytes(name[1]));
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  return true;
});

terminal.onData(type);
terminal.onBinary(type);
terminal.onResize(({ cols, rows }) => send(["size", cols, rows]));
new ResizeObserver(() => fit.fit()).observe(document.getElementById("screen"));
window.addEventListener("focus", () => terminal.focus());
window.terminal = terminal;
connect();

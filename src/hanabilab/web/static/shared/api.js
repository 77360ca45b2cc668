// The server's API: jobs with progress, and seats that reconnect.

let aboutPromise = null;

/** Return strategies, rules and limits. */
export function about() {
  aboutPromise ??= fetch("/api/about").then((answer) => answer.json());
  return aboutPromise;
}

/** Return an object as JSON. Seeds may be too large for JavaScript: they are kept as digits. */
function toJson(object) {
  return JSON.stringify(object).replace(/"(seed|game)":"(\d+)"/g, '"$1":$2');
}

async function post(address, body) {
  const answer = await fetch(address, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: toJson(body),
  });
  const data = await answer.json();
  if (!answer.ok) throw new Error(data.error ?? `the server answered ${answer.status}`);
  return data;
}

/** Return the object at an address of the server. */
export async function getJson(address) {
  const answer = await fetch(address);
  const data = await answer.json();
  if (!answer.ok) throw new Error(data.error ?? `the server answered ${answer.status}`);
  return data;
}

export const createTable = (setup) => post("/api/tables", setup);

/** Return the status of tables by their names; missing tables are left out. */
export const tableStatuses = (tables) => post("/api/tables/now", { tables });

/** Return the rows of a QR code, as texts of 0 and 1. */
export const qrRows = async (text) => (await post("/api/qr", { text })).rows;

function socketTo(path) {
  return new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}${path}`);
}

/** Start a job. `onprogress` and `onstatus` receive its progress; `cancel` ends it. */
export function startJob(kind, fields, { onprogress = () => {}, onstatus = () => {}, read = JSON.parse } = {}) {
  const socket = socketTo("/ws/ask");
  let cancelled = false;
  const answer = new Promise((resolve, reject) => {
    socket.onopen = () => socket.send(toJson({ type: "ask", id: 1, kind, ...fields }));
    socket.onerror = () => reject(new Error("the connection to the server was lost"));
    socket.onclose = () => reject(new Error(cancelled ? "stopped" : "the connection to the server was lost"));
    socket.onmessage = ({ data }) => {
      const message = read(data);
      if (message.type === "progress") onprogress(message);
      else if (message.type === "status") onstatus(message.words);
      else {
        if (message.type === "answer") resolve(message.answer);
        else reject(new Error(message.error ?? "stopped"));
        socket.close();
      }
    };
  });
  const cancel = () => {
    cancelled = true;
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ type: "cancel", id: 1 }));
    else socket.close();
  };
  return { answer, cancel };
}

/** Run a job and return its result. */
export const runJob = (kind, fields) => startJob(kind, fields).answer;

/** Parse results in which integers that JavaScript would round become text. */
export const EXACT = { read: (text) => JSON.parse(text.replace(/([:[,]\s*)(\d{16,})(?=\s*[,\]}])/g, '$1"$2"')) };

/** A seat at a table: `onMessage` receives its messages; it reconnects by itself. */
export class Seat {
  constructor(table, key, onMessage) {
    Object.assign(this, { table, key, onMessage, number: 0, wait: 250, left: false });
    this.connect();
  }

  connect() {
    this.socket = socketTo(`/ws/table/${this.table}`);
    this.socket.onopen = () => {
      this.wait = 250;
      this.send({ type: "join", ...(this.key ? { seat: this.key } : {}) });
      this.onMessage({ type: "connected" });
    };
    this.socket.onmessage = ({ data }) => {
      const message = JSON.parse(data);
      // An error that answers no message refuses the join: do not try again.
      if (message.type === "error" && (message.id === null || message.id === undefined)) this.left = true;
      this.onMessage(message);
    };
    this.socket.onclose = () => {
      if (this.left) return;
      this.onMessage({ type: "lost" });
      setTimeout(() => this.connect(), this.wait);
      this.wait = Math.min(this.wait * 2, 5000);
    };
  }

  get connected() {
    return this.socket.readyState === WebSocket.OPEN;
  }

  /** Send a message; without a connection, report it as unsent. */
  send(message) {
    if (this.connected) this.socket.send(JSON.stringify(message));
    else this.onMessage({ type: "unsent" });
  }

  act(turn, action) {
    this.number += 1;
    this.send({ type: "act", id: this.number, turn, action });
  }

  undo() {
    this.number += 1;
    this.send({ type: "undo", id: this.number });
  }

  hurry() {
    this.number += 1;
    this.send({ type: "hurry", id: this.number });
  }

  /** Deal another game at the same seats, with the next deck or the same one. */
  rematch(sameDeck) {
    this.number += 1;
    this.rematchAsked = true;
    this.send({ type: "rematch", id: this.number, same_deck: sameDeck });
  }

  /** Say something to everybody at the table: `{text}` or `{reaction}`. */
  say(words) {
    this.number += 1;
    this.send({ type: "say", id: this.number, ...words });
  }

  /** Ask the coach what to do, in practice. */
  advise() {
    this.number += 1;
    this.send({ type: "advise", id: this.number });
  }

  /** Ask for the board after an earlier turn. */
  requestBoard(turn) {
    this.number += 1;
    this.send({ type: "look", id: this.number, turn });
  }

  leave() {
    this.left = true;
    this.socket.close();
  }
}

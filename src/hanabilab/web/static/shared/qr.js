// An address as a QR code, drawn when it is opened.

import { qrRows } from "./api.js";
import { h, s } from "./dom.js";

const QUIET = 4;

/** Return the picture of a QR code with its light border. */
function picture(rows, label) {
  const size = rows.length + 2 * QUIET;
  const dark = rows.flatMap((row, y) => [...row].map((module, x) => (module === "1" ? `M${x + QUIET} ${y + QUIET}h1v1h-1z` : ""))).join("");
  return s("svg", { class: "qr-code", viewBox: `0 0 ${size} ${size}`, role: "img", "aria-label": label, "shape-rendering": "crispEdges" },
    s("rect", { width: size, height: size, fill: "#ffffff" }), s("path", { d: dark, fill: "#000000" }));
}

/** Make a part that shows the QR code of an address when it is opened. */
export function qrDetails(address, label) {
  const place = h("div", { role: "status" });
  const part = h("details", { class: "qr" }, h("summary", {}, "QR code"), place);
  part.addEventListener("toggle", async () => {
    if (!part.open || place.children.length) return;
    try {
      place.replaceChildren(picture(await qrRows(address), label));
    } catch (error) {
      place.replaceChildren(h("small", {}, error.message));
    }
  });
  return part;
}

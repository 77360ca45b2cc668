// What all pages share: the header with its links, the theme, a place for announcements and errors.

import { find, h } from "./dom.js";
import { helpButton } from "./help.js";
import { saveSetting, loadSetting } from "./settings.js";

const PAGES = [["/play", "Play"], ["/learn", "Learn"], ["/daily", "Today"], ["/tables", "My games"], ["/agreements", "Agreements"], ["/watch", "Replay"], ["/solve", "Solve"], ["/lab", "Experiments"], ["/numbers", "Counting"]];
const THEMES = ["auto", "light", "dark"];

function stored() {
  const theme = loadSetting("theme", "auto");
  return THEMES.includes(theme) ? theme : "auto";
}

function applyTheme(theme) {
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

function themeButton() {
  let theme = stored();
  const button = h("button", {
    type: "button",
    class: "quiet theme",
    onclick() {
      theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
      saveSetting("theme", theme);
      show();
    },
  });
  const show = () => {
    applyTheme(theme);
    button.textContent = { auto: "◐", light: "☀", dark: "☾" }[theme];
    button.title = `theme: ${theme}`;
    button.setAttribute("aria-label", `theme: ${theme}`);
  };
  show();
  return button;
}

function lantern() {
  const mark = h("span", { class: "mark", "aria-hidden": "true" });
  mark.textContent = "✺";
  return mark;
}

/** Add the header and the place for messages around the main part of the page. */
export function shell() {
  const here = location.pathname;
  const links = PAGES.map(([address, name]) =>
    h("li", {}, h("a", { href: address, "aria-current": here === address ? "page" : null }, name)));
  const main = find("main");
  main.id = "main";
  main.tabIndex = -1;
  document.body.prepend(
    h("a", { class: "skip", href: "#main" }, "Skip to content"),
    h("header", { class: "top" },
      h("a", { class: "brand", href: "/", "aria-label": "hanabilab" }, lantern(), h("span", {}, "hanabilab")),
      h("nav", { "aria-label": "pages" }, h("ul", {}, links)),
      h("div", { class: "tools" }, helpButton(), themeButton())));
  const current = find(".top [aria-current]");
  const row = find(".top nav");
  // scrollIntoView would let the first Tab start here, behind "Skip to content"
  if (current) row.scrollLeft = current.offsetLeft - row.offsetLeft - (row.clientWidth - current.offsetWidth) / 2;
  document.body.append(
    h("div", { id: "announcer", class: "visually-hidden", role: "log", "aria-live": "polite", "aria-relevant": "additions" }),
    h("div", { id: "notices", role: "alert" }));
}

/** Show an error until it is dismissed or replaced. */
export function showError(words) {
  const place = find("#notices");
  place.replaceChildren();
  if (!words) return;
  place.append(h("div", { class: "notice" }, h("p", {}, words),
    h("button", { type: "button", class: "quiet", "aria-label": "dismiss", onclick: () => place.replaceChildren() }, "✕")));
}

applyTheme(stored());

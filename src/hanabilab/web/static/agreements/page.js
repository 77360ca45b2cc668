// The agreements of `conventions`: a list to browse, and each as an exercise on a board.

import { Exercise } from "../learn/exercise.js";
import { getJson } from "../shared/api.js";
import { find, h } from "../shared/dom.js";
import { awaitWithProgress } from "../shared/progress.js";
import { loadSetting, saveSetting } from "../shared/settings.js";
import { shell } from "../shared/shell.js";
import { loadTerms, withTerms } from "../shared/terms.js";

const KEPT = "agreements";
const WIDE = "(min-width: 900px)";

class Agreements {
  constructor(main, agreements) {
    this.all = agreements;
    this.place = h("section", { class: "lesson panel", "aria-label": "agreement" });
    this.groups = h("div", {});
    this.list = h("details", { class: "lesson-list", open: matchMedia(WIDE).matches }, h("summary", {}, `All ${agreements.length} agreements`), h("nav", { "aria-label": "agreements" }, this.groups));
    main.append(h("div", { class: "browse" }, this.list, this.place));
    addEventListener("hashchange", () => this.open(true));
    this.open(false);
  }

  get solved() {
    const kept = loadSetting(KEPT, []);
    return Array.isArray(kept) ? kept : [];
  }

  current() {
    return this.all.find(({ name }) => `#${name}` === decodeURIComponent(location.hash)) ?? this.all[0];
  }

  showList() {
    const [shown, solved] = [this.current(), this.solved];
    const levels = [...new Set(this.all.map(({ level }) => level))].sort((one, other) => one - other);
    this.groups.replaceChildren(...levels.flatMap((level) => [h("h2", {}, `Level ${level}`), h("ul", { class: "lessons" },
      this.all.filter((each) => each.level === level).map((each) => h("li", {}, h("a", { href: `#${each.name}`, "aria-current": each === shown ? "true" : null },
        each.title, solved.includes(each.name) ? h("span", { class: "tick" }, " ✓", h("span", { class: "visually-hidden" }, "solved")) : null))))]));
  }

  async open(moved) {
    const shown = this.current();
    this.showList();
    if (!matchMedia(WIDE).matches) this.list.open = false;
    const heading = h("h2", { tabindex: "-1" }, shown.title);
    const lead = [h("div", { class: "steps" }, h("span", {}, `Level ${shown.level} · ${this.all.indexOf(shown) + 1} of ${this.all.length}`), this.steps(shown)),
      heading, h("p", {}, withTerms(shown.words))];
    if (shown.board) await this.pose(shown, lead);
    else this.place.replaceChildren(h("div", { class: "exercise-text" }, lead));
    if (moved) {
      heading.focus({ preventScroll: true });
      scrollTo(0, 0);
    }
  }

  async pose(shown, lead) {
    const data = await awaitWithProgress(this.place, "Setting up the table", getJson(`/api/lessons/agreements/${shown.name}`));
    if (this.current() !== shown) return;
    const question = h("p", { class: "question" }, withTerms(data.question));
    new Exercise(this.place, { ...data, lead: [...lead, question] }, () => {
      saveSetting(KEPT, [...new Set([...this.solved, shown.name])]);
      this.showList();
    });
  }

  /** Return links to the agreements before and after one. */
  steps(shown) {
    const at = this.all.indexOf(shown);
    const link = (other, sign, word) => (other ? h("a", { class: "button", href: `#${other.name}`, "aria-label": `${word}: ${other.title}` }, sign) : null);
    return h("nav", { class: "buttons previous-next", "aria-label": "previous and next" }, link(this.all[at - 1], "‹ Previous", "‹ Previous"), link(this.all[at + 1], "Next ›", "Next ›"));
  }
}

async function start() {
  shell();
  const main = find("main");
  main.append(h("h1", {}, "Agreements"),
    h("p", { class: "lead" }, "What your partner’s hints say, and how your partner reads yours. Partners of a higher level keep all agreements up to it."));
  const [{ agreements }] = await awaitWithProgress(main, "Looking for agreements", Promise.all([getJson("/api/lessons"), loadTerms()]));
  new Agreements(main, agreements);
}

start().catch(() => {});

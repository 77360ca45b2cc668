// Learn Hanabi in five minutes: a scripted first game, then exercises; progress stays in this browser.

import { getJson } from "../shared/api.js";
import { announce } from "../shared/announcer.js";
import { find, h } from "../shared/dom.js";
import { awaitWithProgress } from "../shared/progress.js";
import { loadSetting, saveSetting } from "../shared/settings.js";
import { shell } from "../shared/shell.js";
import { loadTerms, withTerms } from "../shared/terms.js";
import { Exercise } from "./exercise.js";
import { FirstGame } from "./first_game.js";

const KEPT = "learned";
const GAME = { name: "first-game", title: "Your first game" };

class Lessons {
  constructor(main, exercises) {
    this.lessons = [GAME, ...exercises];
    this.list = h("ol", { class: "lessons" });
    this.count = h("p", { class: "quiet", role: "status" });
    this.reset = h("button", { type: "button", class: "quiet", onclick: () => this.forget() }, "Start over");
    this.place = h("section", { class: "lesson-body", "aria-label": "lesson" });
    main.append(h("div", { class: "lesson panel" }, this.place, h("nav", { class: "lesson-list", "aria-label": "lessons" }, this.count, this.list, this.reset)));
    addEventListener("hashchange", () => this.open());
    this.open();
  }

  get kept() {
    const { done = [], step = 0 } = loadSetting(KEPT, {}) ?? {};
    return { done, step };
  }

  keep(changed) {
    saveSetting(KEPT, { ...this.kept, ...changed });
    this.showProgress();
  }

  forget() {
    saveSetting(KEPT, null);
    announce("Progress cleared.");
    if (location.hash === `#${GAME.name}`) this.open();
    else location.hash = GAME.name;
  }

  /** Return the lesson of the address, else the first that is not done. */
  current() {
    const { done } = this.kept;
    const named = this.lessons.find(({ name }) => `#${name}` === location.hash);
    return named ?? this.lessons.find(({ name }) => !done.includes(name)) ?? GAME;
  }

  showProgress() {
    const { done } = this.kept;
    const shown = this.current().name;
    const count = this.lessons.filter(({ name }) => done.includes(name)).length;
    this.count.textContent = `${count} of ${this.lessons.length} done`;
    this.reset.hidden = !count && !this.kept.step;
    this.list.replaceChildren(...this.lessons.map(({ name, title }) => {
      const solved = done.includes(name);
      return h("li", {}, h("a", { href: `#${name}`, class: solved ? "done" : null, "aria-current": name === shown ? "step" : null },
        title, solved ? h("span", { class: "tick" }, " ✓", h("span", { class: "visually-hidden" }, "done")) : null));
    }));
  }

  async open() {
    const lesson = this.current();
    this.showProgress();
    const kind = lesson === GAME ? "game" : "exercises";
    const data = await awaitWithProgress(this.place, "Setting up the table", getJson(`/api/lessons/${kind}/${lesson.name}`));
    if (this.current() !== lesson) return;
    if (lesson === GAME) this.openGame(data);
    else this.openExercise(lesson, data);
  }

  openGame(data) {
    const step = this.kept.done.includes(GAME.name) ? 0 : this.kept.step;
    new FirstGame(this.place, data, { first: step, reached: (number) => this.keep({ step: number }), finish: () => { this.solve(GAME); this.next(GAME); } });
  }

  openExercise(lesson, data) {
    const number = this.lessons.indexOf(lesson);
    const heading = h("h2", { tabindex: "-1" }, lesson.title);
    const lead = [h("div", { class: "steps" }, `Exercise ${number} of ${this.lessons.length - 1}`), heading, h("p", { class: "question" }, withTerms(data.question))];
    const exercise = new Exercise(this.place, { ...data, lead }, () => {
      this.solve(lesson);
      const next = this.afterwards(lesson);
      exercise.text.append(h("div", { class: "buttons" }, next));
      next.focus({ preventScroll: true });
    });
  }

  /** Return the button that follows a solved exercise. */
  afterwards(lesson) {
    if (lesson !== this.lessons.at(-1)) return h("button", { type: "button", class: "main", onclick: () => this.next(lesson) }, "Next exercise");
    return h("a", { class: "button main", href: "/play" }, "Play a game");
  }

  solve({ name }) {
    this.keep({ done: [...new Set([...this.kept.done, name])] });
  }

  next(lesson) {
    location.hash = this.lessons[this.lessons.indexOf(lesson) + 1].name;
  }
}

async function start() {
  shell();
  const main = find("main");
  main.append(h("h1", {}, "Learn Hanabi in five minutes"));
  const [{ exercises }] = await awaitWithProgress(main, "Looking for lessons", Promise.all([getJson("/api/lessons"), loadTerms()]));
  new Lessons(main, exercises);
}

start().catch(() => {});

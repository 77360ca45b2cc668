// Short sounds, made here; off unless somebody turns them on.

import { loadSetting } from "./settings.js";

const NOTES = {
  turn: [[660, 0], [880, 0.09]],
  light: [[523, 0], [659, 0.07], [784, 0.14]],
  misplay: [[196, 0], [147, 0.14]],
  discard: [[294, 0]],
  hint: [[587, 0]],
  over: [[523, 0], [659, 0.12], [784, 0.24], [1047, 0.36]],
  late: [[440, 0], [440, 0.2]],
};

let context = null;

/** Play a sound if sounds are on. */
export function sound(name) {
  if (!loadSetting("sounds", false)) return;
  context ??= new AudioContext();
  for (const [pitch, later] of NOTES[name]) {
    const at = context.currentTime + later;
    const tone = new OscillatorNode(context, { type: "triangle", frequency: pitch });
    const volume = new GainNode(context, { gain: 0 });
    volume.gain.linearRampToValueAtTime(0.12, at + 0.015);
    volume.gain.exponentialRampToValueAtTime(0.001, at + 0.22);
    tone.connect(volume).connect(context.destination);
    tone.start(at);
    tone.stop(at + 0.25);
  }
}

/** Play the sound of a turn. */
export function soundOf(last) {
  if (last.type === "play" && last.card !== null) sound(last.lit ? "light" : "misplay");
  else sound(last.type === "play" || last.type === "discard" ? "discard" : "hint");
}

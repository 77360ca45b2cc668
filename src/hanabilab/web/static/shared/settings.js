// What this browser remembers. A private window may keep nothing: then everything has its default.

/** Return what is kept under a name, or a default. */
export function loadSetting(name, usual = null) {
  try {
    const kept = localStorage.getItem(name);
    return kept === null ? usual : JSON.parse(kept);
  } catch {
    return usual;
  }
}

/** Keep a value under a name; return whether it was kept. */
export function saveSetting(name, value) {
  try {
    if (value === null) localStorage.removeItem(name);
    else localStorage.setItem(name, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}

export const PACES = [[0, "at once"], [0.5, "0.5 s apart"], [1, "1 s apart"], [2, "2 s apart"]];

/** Return how many seconds lie between two turns. */
export const pace = () => {
  const kept = Number(loadSetting("pace", 1));
  return PACES.some(([seconds]) => seconds === kept) ? kept : 1;
};

/** Return whether animations are allowed. */
export const motionAllowed = () => !matchMedia("(prefers-reduced-motion: reduce)").matches;

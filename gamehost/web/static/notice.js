// A sentence at the foot of the window, for some seconds.

import { say } from "./dom.js";

const SECONDS = 6;
let silence = 0;

export function notice(text) {
  const place = document.getElementById("notice");
  say(place, text);
  clearTimeout(silence);
  silence = setTimeout(() => say(place, ""), SECONDS * 1000);
}

// A short tone when it is your turn: off until somebody asks for it. Made by the browser itself, so nothing is loaded for it.

const SAVED = "sound";
let audio = null;

/** Whether this browser was asked for sound. */
export const sounds = () => localStorage.getItem(SAVED) === "on";

/** Ask for sound, or for none. A tone says that it is on. */
export function setSound(on) {
  localStorage.setItem(SAVED, on ? "on" : "off");
  if (on) tone();
}

/** Play the tone, if this browser was asked for it. */
export function tone() {
  if (!sounds()) return;
  audio ??= new AudioContext();
  const [source, volume] = [audio.createOscillator(), audio.createGain()];
  const now = audio.currentTime;
  source.frequency.value = 660;
  volume.gain.setValueAtTime(0.12, now);
  volume.gain.exponentialRampToValueAtTime(0.001, now + 0.25);
  source.connect(volume).connect(audio.destination);
  source.start(now);
  source.stop(now + 0.25);
}

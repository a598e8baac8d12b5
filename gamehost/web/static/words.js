// The words of the pages: in which language they are, and what depends on it.
//
// The words in the modules are English, and they are the keys of the catalogues, `words-cs.json` and so on, which are loaded only
// when they are wanted. What changes in a sentence stands in braces. `a|b` are the forms of a plural, for the number `n`: for one,
// for few where the language has that, and for all others.

/** The languages of the pages. The first one has no catalogue. */
const LANGUAGES = ["en", "cs", "it", "nl", "pl"];
const CHOSEN = "language";

/** The language that was chosen with the switch, or else the browser's; English, if there is no catalogue for any of these. */
export const language = [globalThis.localStorage?.getItem(CHOSEN), ...(globalThis.navigator?.languages ?? [])]
  .map((one) => one?.split("-")[0]).find((one) => LANGUAGES.includes(one)) ?? LANGUAGES[0];

const english = language === LANGUAGES[0];
/** What dates and lists are written for; undefined: as the browser does it. */
export const locale = english ? undefined : language;
const plural = new Intl.PluralRules(language);
const catalogue = {};

/** Learn what a catalogue says. Without it the words stay English. */
export async function learn(address) {
  Object.assign(catalogue, await fetch(new URL(address, import.meta.url)).then((answer) => answer.json()).catch(() => ({})));
}

/** Learn the words of a part of the pages that is loaded when it is used. */
export const learnPart = (part) => english || learn(`./words-${part}-${language}.json`);

/** A text of a game or of the host in the language of the pages; as it is, if no catalogue has it. */
export const told = (text) => catalogue[text] ?? text;

/** Why a match has ended: sentences of the host, in the language of the page where the game's catalogue has them. */
export const reason = (why) => why.split("; ").map(told).join("; ");

/** A text in the language of the pages, with values in the place of their names in braces. */
export function t(text, values = {}) {
  const forms = told(text).split("|");
  const form = forms[1] ? forms.at({ one: 0, few: 1 }[plural.select(values.n)] ?? -1) : forms[0];
  return form.replace(/{(\w+)}/g, (_, name) => values[name]);
}

// Every module that imports this one waits until the words are there.
if (!english) {
  await learn(`./words-${language}.json`);
  document.documentElement.lang = language;
  for (const node of document.querySelectorAll(".skip, header *")) {
    if (node.ariaLabel) node.ariaLabel = t(node.ariaLabel);
    if (node.firstChild?.data?.trim()) node.firstChild.data = t(node.firstChild.data);
  }
}

/** The title of a page: what it shows, and where. */
export const titled = (text) => `${text} - gamehost`;

const LIST = new Intl.ListFormat(english ? "en-GB" : language);
/** Names as a list in words. */
export const listed = (names) => LIST.format(names);

/** Offer the languages in a `<select>`. A choice is kept in this browser, and loads the page again. */
export function languageSwitch(choice) {
  for (const one of LANGUAGES) choice.append(new Option(new Intl.DisplayNames(one, { type: "language" }).of(one), one, false, one === language));
  choice.addEventListener("change", () => {
    localStorage.setItem(CHOSEN, choice.value);
    location.reload();
  });
}

/** Seconds in words: `5 minutes`, `1 hour`, `90 seconds`. */
export function lasting(seconds) {
  if (seconds % 86400 === 0) return t("{n} day|{n} days", { n: seconds / 86400 });
  if (seconds % 3600 === 0) return t("{n} hour|{n} hours", { n: seconds / 3600 });
  return seconds % 60 ? t("{n} second|{n} seconds", { n: seconds }) : t("{n} minute|{n} minutes", { n: seconds / 60 });
}

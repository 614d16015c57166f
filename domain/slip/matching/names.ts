import type { Receiver } from "../transfer.ts"
import type { ReceivingAccount } from "./receiving-account.ts"

/**
 * Titles and company words around names on slips, which are not compared (docs/spec/http.md, "Matching an account").
 */

/** Titles, each split into words at spaces and dots. */
export const TITLES: ReadonlyArray<ReadonlyArray<string>> = [
  ["ว่าที่", "ร้อยตรี", "หญิง"],
  ["ว่าที่", "ร้อยตรี"],
  ["ว่าที่", "ร", "ต", "หญิง"],
  ["ว่าที่", "ร", "ต"],
  ["ว่าที่ร", "ต", "หญิง"],
  ["ว่าที่ร", "ต"],
  ["น", "ส"],
  ["ด", "ช"],
  ["ด", "ญ"],
  ["นส"]
]

/** Titles that may also precede a name without a space. */
export const GLUED_TITLES: ReadonlyArray<string> = [
  "ว่าที่ร้อยตรีหญิง",
  "ว่าที่ร้อยตรี",
  "นางสาว",
  "นาง",
  "นาย",
  "เด็กชาย",
  "เด็กหญิง",
  "คุณ",
  "ดร",
  "MASTER",
  "MISS",
  "MRS",
  "MR",
  "MS",
  "DR"
]

/** Words of a company's form that may precede or follow its name without a space, the longest first. */
export const GLUED_FRONT = /^(?:ห้างหุ้นส่วนจำกัด|ห้างหุ้นส่วนสามัญ|ห้างหุ้นส่วน|บริษัท|บจก|บมจ|หจก)/u
export const GLUED_BACK = /(?:จำกัด|มหาชน|จำกัดมหาชน)$/u

/** Other words of a company's form, always separate words. */
export const COMPANY_WORDS: ReadonlySet<string> = new Set([
  "บจ",
  "จก",
  "CO",
  "COLTD",
  "COMPANY",
  "LTD",
  "LIMITED",
  "PARTNERSHIP",
  "PCL",
  "PLC"
])

/** `unclear`: one of the names is missing, or too much of it is hidden. */
export type Evidence = "agrees" | "differs" | "unclear"

/** The words of a name. `*` in a word stands for any number of masked letters. */
type Words = ReadonlyArray<string>

/** A masked name with fewer visible letters proves nothing, like a masked number with fewer visible digits. */
const MIN_LETTERS = 4

/** Normalizes letters that vendors encode in different ways. */
const normalize = (name: string): string =>
  name
    .normalize("NFC")
    .replaceAll(/\p{Cf}/gu, "")
    // NIKHAHIT and SARA AA, with a tone mark before or between them, look like SARA AM. NFC does not unify them.
    .replaceAll(/\u0e4d([\u0e48-\u0e4b]?)\u0e32/gu, "$1\u0e33")
    // Two SARA E look like SARA AE.
    .replaceAll("\u0e40\u0e40", "\u0e41")
    .toUpperCase()

/** Replaces runs of masked letters by `*`. A single X is a letter, except beside Thai letters. */
const unmask = (folded: string): string =>
  folded.replaceAll(/X{2,}|(?<=[\p{sc=Thai}*•])X|X(?=[\p{sc=Thai}*•])|[*•]+/gu, "*").replaceAll(/\*+/gu, "*")

const split = (text: string): Words => text.split(/[\s.,()'"“”‘’/]+/u).filter((word) => word !== "")

const withoutCompanyWords = (words: Words): Words =>
  words
    .map((word) => word.replace(GLUED_FRONT, "").replace(GLUED_BACK, ""))
    .filter((word) => word !== "" && !COMPANY_WORDS.has(word))

const startsWith = (words: Words, start: Words): boolean =>
  words.length > start.length && start.every((word, at) => word === words[at])

/**
 * The possible readings of a name without its titles. A title before a space or a dot is removed. Without a separator,
 * the letters may be a title or the beginning of the name: both readings count.
 */
const readings = (words: Words): ReadonlyArray<Words> => {
  const title = [...TITLES, ...GLUED_TITLES.map((word) => [word])].find((start) => startsWith(words, start))
  if (title !== undefined) return readings(words.slice(title.length))
  const [first = "", ...others] = words
  const glued = GLUED_TITLES.filter((start) => first.startsWith(start) && first !== start)
  return [words, ...glued.flatMap((start) => readings([first.slice(start.length), ...others]))]
}

/** Whether the beginning of a text matches a masked word. With `whole`, all of the text must match. */
const matchesMask = (masked: string, text: string, whole: boolean): boolean => {
  const [start = "", ...pieces] = masked.split("*")
  if (!text.startsWith(start)) return false
  let at = start.length
  for (const piece of pieces) {
    const found = text.indexOf(piece, at)
    if (found === -1) return false
    at = found + piece.length
  }
  const last = pieces.at(-1)
  return !whole || (last === undefined ? at === text.length : text.endsWith(last))
}

const readingsOf = (text: string): ReadonlyArray<Words> =>
  readings(withoutCompanyWords(split(text))).filter(({ length }) => length > 0)

/** The first words must match. The further words may be missing in one name, or be a prefix of the other's. */
const isSameName = ([shownFirst = "", ...shownOthers]: Words, [first = "", ...others]: Words): boolean => {
  const shownRemaining = shownOthers.join("")
  const remaining = others.join("")
  return matchesMask(shownFirst, first, true)
    && (remaining === "" || matchesMask(shownRemaining, remaining, false) || shownRemaining.startsWith(remaining))
}

const hasEnoughLetters = (words: Words): boolean => {
  const text = words.join("")
  return !text.includes("*") || (text.match(/\p{L}/gu)?.length ?? 0) >= MIN_LETTERS
}

/** Compares the name on a slip, which may be masked or cut off, with a complete name in the same language. */
export const compareNames = (shown: string, registered: string): Evidence => {
  const registeredReadings = readingsOf(normalize(registered))
  const shownReadings = readingsOf(unmask(normalize(shown)))
  if (registeredReadings.length === 0 || shownReadings.length === 0) return "unclear"
  const same = shownReadings.filter((reading) => registeredReadings.some((own) => isSameName(reading, own)))
  if (same.length === 0) return "differs"
  return same.some(hasEnoughLetters) ? "agrees" : "unclear"
}

const isThai = (name: string): boolean => /\p{sc=Thai}/u.test(name)

/**
 * Compares the receiver's names with those of an account. One agreement suffices. Names of the same script are
 * compared, because upstreams put an English name into the Thai field when they have no Thai name.
 */
export const nameEvidence = (shown: Receiver["account"]["name"], account: ReceivingAccount): Evidence => {
  const evidence = [shown.th ?? "", shown.en ?? ""].flatMap((name) =>
    [account.nameTh, account.nameEn ?? ""]
      .filter((own) => isThai(own) === isThai(name))
      .map((own) => compareNames(name, own))
  )
  if (evidence.includes("agrees")) return "agrees"
  return evidence.includes("differs") ? "differs" : "unclear"
}

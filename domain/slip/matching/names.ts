import type { Receiver } from "../transfer.ts"
import type { ReceivingAccount } from "./receiving-account.ts"

/** What stands around names on slips and is no part of them (docs/spec/http.md, "Matching an account"). */

/** Titles, each in the words that it comes apart into where there are spaces and dots. */
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

/** Titles that may also stand before a name without a space. */
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

/** Words of a company's form that may also stand before or behind its name without a space, the longest first. */
export const GLUED_FRONT = /^(?:ห้างหุ้นส่วนจำกัด|ห้างหุ้นส่วนสามัญ|ห้างหุ้นส่วน|บริษัท|บจก|บมจ|หจก)/u
export const GLUED_BACK = /(?:จำกัด|มหาชน|จำกัดมหาชน)$/u

/** The others. */
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

/** `unclear`: one of the two is not given, or too much of it is hidden. */
export type Evidence = "agrees" | "differs" | "unclear"

/** The words of a name; `*` in one stands for any number of letters that are masked. */
type Words = ReadonlyArray<string>

/** A masked name with fewer visible letters says as little as a masked number with fewer visible digits. */
const TELLING_LETTERS = 4

/** Letters alike that vendors write in different ways, written in one. */
const fold = (name: string): string =>
  name
    .normalize("NFC")
    .replaceAll(/\p{Cf}/gu, "")
    // NIKHAHIT and SARA AA, with a tone mark before or between them, look like SARA AM and are not it even in NFC.
    .replaceAll(/\u0e4d([\u0e48-\u0e4b]?)\u0e32/gu, "$1\u0e33")
    // Two SARA E look like SARA AE.
    .replaceAll("\u0e40\u0e40", "\u0e41")
    .toUpperCase()

/** Runs of masked letters as `*`. A single X is a letter, save in Thai, which has none. */
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
 * The ways in which a name can be read. A title with a space or a dot behind it is one; without either it is one, or
 * the beginning of the name.
 */
const readings = (words: Words): ReadonlyArray<Words> => {
  const title = [...TITLES, ...GLUED_TITLES.map((word) => [word])].find((start) => startsWith(words, start))
  if (title !== undefined) return readings(words.slice(title.length))
  const [first = "", ...others] = words
  const glued = GLUED_TITLES.filter((start) => first.startsWith(start) && first !== start)
  return [words, ...glued.flatMap((start) => readings([first.slice(start.length), ...others]))]
}

/** Whether a text begins as the masked word says, in full with `whole`. */
const fits = (masked: string, text: string, whole: boolean): boolean => {
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

/** First words equal, and what follows absent, equal, or one the beginning of the other. */
const isSame = ([shownFirst = "", ...shownOthers]: Words, [first = "", ...others]: Words): boolean => {
  const shownRest = shownOthers.join("")
  const rest = others.join("")
  return fits(shownFirst, first, true)
    && (rest === "" || fits(shownRest, rest, false) || shownRest.startsWith(rest))
}

const isTelling = (words: Words): boolean => {
  const text = words.join("")
  return !text.includes("*") || (text.match(/\p{L}/gu)?.length ?? 0) >= TELLING_LETTERS
}

/** Compares the name on a slip, which may be masked or cut off, with a whole one in the same language. */
export const compareNames = (shown: string, registered: string): Evidence => {
  const ours = readingsOf(fold(registered))
  const theirs = readingsOf(unmask(fold(shown)))
  if (ours.length === 0 || theirs.length === 0) return "unclear"
  const same = theirs.filter((reading) => ours.some((own) => isSame(reading, own)))
  if (same.length === 0) return "differs"
  return same.some(isTelling) ? "agrees" : "unclear"
}

const isThai = (name: string): boolean => /\p{sc=Thai}/u.test(name)

/**
 * What the receiver's names say of an account. One that agrees suffices. The script decides what is compared with what:
 * upstreams put an English name where the Thai one belongs when they know no other.
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

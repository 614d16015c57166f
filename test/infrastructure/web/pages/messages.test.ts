import { assert, describe, it } from "@effect/vitest"
import { type Language, loadTexts } from "../../../../infrastructure/web/languages/languages.ts"

const sites: ReadonlyArray<readonly [name: string, texts: Readonly<Record<Language, unknown>>]> = [
  ["the console", await loadTexts(({ console }) => console())],
  ["the shop's page", await loadTexts(({ shop }) => shop())],
  ["the documentation", await loadTexts(({ docs }) => docs())]
]

/** Words and units that other languages write in Latin letters too. */
const SAME_AS_ENGLISH = new Set(["ms", "URL", "Webhook"])

type Message = (...values: ReadonlyArray<unknown>) => unknown

const isMessage = (value: unknown): value is Message => typeof value === "function"

/** Messages have numbers and texts as values: 1 is good for both. */
const filled = (message: Message): string => String(message(...Array.from({ length: message.length }, () => 1)))

/** Every text with its path. A message with values has them filled in. */
const textsOf = (messages: unknown, path = ""): ReadonlyArray<readonly [path: string, text: string]> => {
  if (typeof messages === "object" && messages !== null) {
    return Object.entries(messages).flatMap(([name, value]) => textsOf(value, `${path}.${name}`))
  }
  return [[path, isMessage(messages) ? filled(messages) : String(messages)]]
}

const hasLetters = (text: string): boolean => /\p{L}/u.test(text)

describe("the messages", () => {
  for (const [name, { en, ...others }] of sites) {
    const english = textsOf(en)

    for (const [language, messages] of Object.entries(others)) {
      it(`of ${name} have every text in ${language}, different from English except for words that are the same`, () => {
        const texts = new Map(textsOf(messages))
        assert.sameMembers([...texts.keys()], english.map(([path]) => path))
        const same = english.filter(([path, text]) => hasLetters(text) && texts.get(path) === text)
        assert.deepStrictEqual(same.filter(([, text]) => !SAME_AS_ENGLISH.has(text)), [])
      })
    }

    it(`of ${name} are not empty`, () => {
      const texts = [...english, ...Object.values(others).flatMap((messages) => textsOf(messages))]
      assert.deepStrictEqual(texts.filter(([, text]) => text.trim() === ""), [])
    })
  }
})

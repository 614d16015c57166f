import { assert, describe, it } from "@effect/vitest"
import { en as consoleEn } from "../../../infrastructure/console/messages/en.ts"
import { th as consoleTh } from "../../../infrastructure/console/messages/th.ts"
import { frameTexts } from "../../../infrastructure/http/docs/frame-texts.ts"
import { en as shopEn } from "../../../infrastructure/shop/messages/en.ts"
import { th as shopTh } from "../../../infrastructure/shop/messages/th.ts"

const pages = [
  ["the console", consoleEn, consoleTh],
  ["the shop's page", shopEn, shopTh],
  ["the documentation", frameTexts.en, frameTexts.th]
] as const

/** Words and units that Thai people write in Latin letters too. */
const SAME_IN_BOTH = new Set(["ms", "URL", "Webhook"])

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

describe("the Thai messages", () => {
  for (const [name, en, th] of pages) {
    it(`of ${name} differ from the English ones, except for words that are the same`, () => {
      const thai = new Map(textsOf(th))
      const same = textsOf(en).filter(([path, text]) => hasLetters(text) && thai.get(path) === text)
      assert.deepStrictEqual(same.filter(([, text]) => !SAME_IN_BOTH.has(text)), [])
      assert.strictEqual(thai.size, textsOf(en).length)
    })
  }
})

import { assert, describe, it } from "@effect/vitest"
import { accountWarnings } from "../../../../../infrastructure/adapters/banks/upstream/account.ts"

const now = Date.parse("2026-11-22T10:00:00+07:00")
const DAY = 86_400_000
const account = { remaining: 1_000, limit: 1_000, expiresAt: now + 30 * DAY }

const messages = (changes: Partial<typeof account> | { readonly limit: null } | { readonly remaining: null }) =>
  accountWarnings({ ...account, ...changes }, now).map(({ message }) => message)

describe("the warnings about an account at a vendor", () => {
  it.each(
    [
      [{ remaining: 201 }, []],
      [{ remaining: 200 }, ["only 200 of 1000 questions are left"]],
      [{ remaining: 100 }, ["only 100 of 1000 questions are left"]],
      [{ remaining: 50 }, ["only 50 of 1000 questions are left"]],
      [{ remaining: 0 }, ["no questions are left in the package"]],
      [{ remaining: -3 }, ["no questions are left in the package"]],
      [{ remaining: null }, []],
      [{ remaining: 101, limit: null }, []],
      [{ remaining: 100, limit: null }, ["only 100 questions are left"]],
      [{ expiresAt: now + 3 * DAY + 1 }, []],
      [{ expiresAt: now + 3 * DAY }, ["the package ends on 2026-11-25"]],
      [{ expiresAt: now }, ["the package ended on 2026-11-22"]],
      [{ remaining: 0, expiresAt: now + DAY }, [
        "no questions are left in the package",
        "the package ends on 2026-11-23"
      ]]
    ] as ReadonlyArray<[Parameters<typeof messages>[0], ReadonlyArray<string>]>
  )("for %o are %o", (changes, expected) => assert.deepStrictEqual(messages(changes), expected))

  it("change their key only when they become more urgent", () => {
    const keys = (remaining: number) => accountWarnings({ ...account, remaining }, now).map(({ key }) => key)
    assert.deepStrictEqual(keys(200), keys(101))
    assert.notDeepEqual(keys(200), keys(100))
  })
})

import { assert, describe, it } from "@effect/vitest"
import { randomBytes } from "node:crypto"
import { adminTokenFault } from "../../../../infrastructure/platform/settings/admin-token.ts"

describe("ADMIN_TOKEN", () => {
  it("accepts the tokens of the usual generators", () => {
    for (let index = 0; index < 1_000; index++) {
      for (const bytes of [16, 32]) {
        for (const encoding of ["hex", "base64", "base64url"] as const) {
          const token = randomBytes(bytes).toString(encoding)
          assert.isUndefined(adminTokenFault(token), token)
        }
      }
    }
  })

  it.each([
    "a",
    "changeme",
    "0123456789abcdefABCDE",
    "0123456789abcdef0123456789abcde",
    "0123456789ABCDEF0123456789ABCDE",
    "01234567890123456789012345678901234567",
    "a".repeat(64),
    "abcdefg".repeat(10)
  ])("refuses a token that can be guessed: %s", (token) => {
    const fault = adminTokenFault(token)
    assert.include(fault, "ADMIN_TOKEN: the token can be guessed")
    assert.include(fault, "openssl rand -hex 32")
  })

  it.each(["0123456789abcdefABCDEF", "0123456789abcdef0123456789abcdef", "012345678901234567890123456789012345678"])(
    "accepts a token of 128 bits: %s",
    (token) => assert.isUndefined(adminTokenFault(token))
  )

  it("refuses what a header cannot carry", () => {
    for (const token of ["ö".repeat(40), "twenty-two characters and spaces", "line\nline".repeat(5)]) {
      assert.include(adminTokenFault(token), "printable ASCII without spaces")
    }
  })
})

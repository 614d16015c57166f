import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { concernsGateway, readRetryAfter } from "../../../../../infrastructure/adapters/banks/upstream/answer.ts"
import { parseBaseUrl } from "../../../../../infrastructure/adapters/banks/upstream/gateway-settings.ts"

const now = Date.parse("2026-11-21T08:45:00Z")

describe("a response of a bank", () => {
  it.each([
    ["17", 17],
    [" 5 ", 5],
    ["0", 1],
    ["86400", 300],
    ["Sat, 21 Nov 2026 08:45:12 GMT", 12],
    ["Sat, 21 Nov 2026 08:44:00 GMT", 1],
    ["Sun, 22 Nov 2026 08:45:00 GMT", 300],
    ["soon", 30],
    ["-5", 30],
    ["", 30],
    [undefined, 30]
  ])("with Retry-After %s gives a delay of %d seconds", (header, seconds) => {
    assert.strictEqual(readRetryAfter(header, now), seconds)
  })

  it.each([[401, true], [403, true], [429, true], [500, true], [503, true], [200, false], [400, false], [404, false]])(
    "with HTTP %d concerns the gateway: %s",
    (status, concerns) => assert.strictEqual(concernsGateway(status), concerns)
  )
})

describe("a base URL", () => {
  it.each([
    ["https://api.partners.scb/partners/", "https://api.partners.scb/partners"],
    ["https://openapi.kasikornbank.com", "https://openapi.kasikornbank.com"],
    ["http://127.0.0.1:8080/x", "http://127.0.0.1:8080/x"],
    ["http://localhost", "http://localhost"],
    ["http://[::1]:1/", "http://[::1]:1"],
    ["http://0x7f000001/", "http://127.0.0.1"]
  ])("%s is accepted", (text, expected) => {
    assert.deepStrictEqual(parseBaseUrl("SCB_BASE_URL", text), Result.succeed(expected))
  })

  it.each([
    "http://api.partners.scb/",
    "http://127.0.0.1.evil.test/",
    "ftp://127.0.0.1/",
    "https://user:pass@api.partners.scb/",
    "https://api.partners.scb/?x=1",
    "https://api.partners.scb/#x",
    "api.partners.scb",
    ""
  ])("%s is refused and not quoted", (text) => {
    const result = parseBaseUrl("SCB_BASE_URL", text)
    assert(Result.isFailure(result))
    assert.strictEqual(result.failure.setting, "SCB_BASE_URL")
    assert.match(result.failure.message, /^SCB_BASE_URL (is not a URL|must )/u)
    if (text !== "") assert.notInclude(result.failure.message, text)
  })
})

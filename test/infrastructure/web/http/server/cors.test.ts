import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { parseOrigins } from "../../../../../infrastructure/web/http/server/cors.ts"

describe("CORS_ORIGINS", () => {
  it("takes origins as browsers send them, or * alone", () => {
    assert.deepStrictEqual(parseOrigins(["*"]), Result.succeed("*"))
    const origins = ["https://shop.example", "http://127.0.0.1:5173", "https://xn--q3ct9b5e.example", "http://[::1]:81"]
    assert.deepStrictEqual(parseOrigins(origins), Result.succeed(new Set(origins)))
  })

  it.each([
    ["shop.example", "write https://shop.example"],
    ["", "write https://shop.example"],
    ["null", "write https://shop.example"],
    ["https://", "write https://shop.example"],
    ["file:///etc/passwd", "write https://shop.example"],
    ["javascript:alert(1)", "write https://shop.example"],
    ["https://*.shop.example", "list each origin"],
    ["https://shop.example/", "write https://shop.example"],
    ["https://shop.example/pay", "write https://shop.example"],
    ["https://shop.example?a=1", "write https://shop.example"],
    ["https://user:secret@shop.example", "write https://shop.example"],
    ["https://Shop.Example", "write https://shop.example"],
    ["https://shop.example:443", "write https://shop.example"],
    ["http://shop.example:80", "write http://shop.example"],
    ["https://ร้าน.example", "write https://xn--q3ct9b5e.example"]
  ])("refuses %s and says what to write", (entry, advice) => {
    const result = parseOrigins([entry])
    assert.isTrue(Result.isFailure(result) && result.failure.includes(advice), JSON.stringify(result))
  })

  it("refuses * beside an origin, and names each wrong entry", () => {
    const result = parseOrigins(["*", "https://shop.example", "shop"])
    assert.isTrue(Result.isFailure(result))
    if (Result.isFailure(result)) {
      assert.match(result.failure, /"\*" stands for every origin/u)
      assert.match(result.failure, /"shop" is not an origin/u)
      assert.notMatch(result.failure, /"https:\/\/shop\.example"/u)
    }
  })
})

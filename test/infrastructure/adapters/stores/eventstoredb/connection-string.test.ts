import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import {
  describeConnection,
  parseConnectionString
} from "../../../../../infrastructure/adapters/stores/eventstoredb/connection-string.ts"
import { makeToStoreError } from "../../../../../infrastructure/adapters/stores/eventstoredb/store-error.ts"

const parsed = (text: string) => Result.getOrThrow(parseConnectionString(text))

describe("a connection string", () => {
  it("contains hosts, a scheme, credentials and options", () => {
    const { credentials, discover, hosts, options, tls } = parsed(
      "kurrentdb+discover://admin:p%40ss@one:2114,two/?tlsCaFile=%2Fca.pem&keepAlive-interval=20000"
    )
    assert.deepStrictEqual(credentials, { username: "admin", password: "p@ss" })
    assert.deepStrictEqual(hosts, [{ address: "one", port: 2114 }, { address: "two", port: 2113 }])
    assert.isTrue(discover)
    assert.isTrue(tls)
    assert.deepStrictEqual([...options], [["tlscafile", "/ca.pem"], ["keepaliveinterval", "20000"]])
  })

  it("has TLS and no credentials by default", () => {
    const { credentials, discover, tls } = parsed("esdb://localhost")
    assert.deepStrictEqual([credentials, discover, tls], [undefined, false, true])
    assert.isFalse(parsed("esdb://localhost:2113?tls=false").tls)
  })

  it("is printed without its credentials", () => {
    const settings = parsed("esdb+discover://admin:changeit@one,two:2114?tls=false")
    assert.strictEqual(describeConnection(settings), "esdb+discover://one:2113,two:2114?tls=false")
  })

  it("is refused when it is invalid", () => {
    const wrong = ["", "one:2113", "redis://one", "esdb://", "esdb://one:99999999", "esdb://one,,two", "esdb://:x@one"]
    for (const text of wrong) {
      assert.isTrue(Result.isFailure(parseConnectionString(text)), text)
    }
  })

  it("leaves no secrets in an error, in any encoding", () => {
    const text = "esdb://admin:p%40ss@one:2113"
    const header = Buffer.from("admin:p@ss").toString("base64")
    const serverError = new Error(`${text} and p@ss and p%40ss and Basic ${header} were not taken`)
    const { cause } = makeToStoreError(parsed(text), text)("append", serverError)
    const redacted = "<redacted>"
    assert.strictEqual(
      cause instanceof Error ? cause.message : "",
      `${redacted} and ${redacted} and ${redacted} and Basic ${redacted} were not taken`
    )
  })
})

import { assert, describe, it } from "../../../../support/it.ts"
import { Effect } from "effect"
import { makeEasySlipGateway } from "../../../../../infrastructure/adapters/banks/easyslip/easyslip-gateway.ts"
import { startLocalBank } from "../../../../support/banks/local-bank.ts"
import { easySlipData } from "../../../../support/banks/slip-data.ts"
import { easySlipValues } from "../../../../support/banks/vendors.ts"
import { testAuthority } from "../../../../support/tls.ts"
import { known, unknown } from "../given-banks.ts"

/** Version 1 of EasySlip, which knows the slip `known`. */
const given = Effect.gen(function* () {
  const server = yield* startLocalBank({
    kindOf: ({ method, url }) => {
      if (method !== "GET") return undefined
      return url.startsWith("/api/v1/verify?payload=") ? "slip" : url === "/api/v1/me" ? "account" : undefined
    },
    answerAccount: () => ({
      status: 200,
      body: { status: 200, data: { remainingQuota: 10, maxQuota: 250, expiredAt: "2026-12-01T00:00:00+07:00" } }
    }),
    answerSlip: ({ url }) =>
      new URL(url, "https://vendor.test").searchParams.get("payload") === known.payload
        ? { status: 200, body: { status: 200, data: easySlipData(known) } }
        : { status: 404, body: { status: 404, message: "slip_not_found" } }
  })
  const gateway = yield* makeEasySlipGateway(easySlipValues(`${server.url}/api/v1/`), [testAuthority.certificate])
  return { gateway, server }
})

describe("a base URL of version 1", () => {
  it.effect("is asked in its words, and never to look for duplicates", function* () {
    const { gateway, server } = yield* given

    const { answer } = yield* gateway.verify(known)
    assert(answer._tag === "Found", `the answer was ${answer._tag}`)
    assert.strictEqual(answer.transfer.amount, 150_050)
    assert.deepStrictEqual((yield* gateway.verify(unknown)).answer, { _tag: "NotFound" })
    yield* gateway.check

    assert.deepStrictEqual(
      server.requests("slip").map(({ body, url }) => [url, body]),
      [known, unknown].map(({ payload }) => [`/api/v1/verify?payload=${payload}`, ""])
    )
    assert.deepStrictEqual(gateway.traits.charges, { notFound: true, repeat: true })
  })

  it.effect("states the account", function* () {
    const { gateway, server } = yield* given
    assert.deepStrictEqual(yield* gateway.account ?? Effect.void, {
      remaining: 10,
      limit: 250,
      expiresAt: Date.parse("2026-12-01T00:00:00+07:00")
    })
    assert.lengthOf(server.requests("account"), 1)
  })
})

import { assert, describe, it } from "../../../../support/it.ts"
import { Effect } from "effect"
import { createServer } from "node:http"
import type { LookupFunction } from "node:net"
import { makeUpstreamClient } from "../../../../../infrastructure/adapters/banks/upstream/https-client.ts"
import {
  makeIpv4Lookup,
  makeSharedLookup
} from "../../../../../infrastructure/adapters/banks/upstream/shared-lookup.ts"
import { eventuallyHolds } from "../../../../support/eventually.ts"
import { listening } from "../../../../support/loopback-server.ts"

type Callback = Parameters<LookupFunction>[2]

/** A resolver that answers when the test says so. */
const given = () => {
  const asked: Array<{ readonly hostname: string; readonly all: boolean; readonly answer: Callback }> = []
  const lookup: LookupFunction = (hostname, { all = false }, answer) => void asked.push({ hostname, all, answer })
  return { asked, lookup: makeSharedLookup(lookup) }
}

describe("lookups of the names of banks", () => {
  it("are shared by requests that wait for the same name", () => {
    const { asked, lookup } = given()
    const answers: Array<unknown> = []
    const ask = (hostname: string, options = {}) =>
      lookup(hostname, options, (error, address) => answers.push(error?.code ?? address))

    for (let index = 0; index < 100; index++) ask("bank.example")
    ask("other.example")
    ask("bank.example", { all: true })
    assert.deepStrictEqual(asked.map(({ hostname }) => hostname), ["bank.example", "other.example", "bank.example"])

    asked[1]?.answer(null, "192.0.2.2", 4)
    assert.deepStrictEqual(answers, ["192.0.2.2"])
    asked[0]?.answer(Object.assign(new Error("no answer"), { code: "EAI_AGAIN" }), "")
    assert.deepStrictEqual(answers.slice(1), Array.from({ length: 100 }, () => "EAI_AGAIN"))

    ask("bank.example")
    assert.strictEqual(asked.length, 4)
    asked[3]?.answer(null, "192.0.2.1", 4)
    assert.strictEqual(answers.at(-1), "192.0.2.1")
  })

  it.live("are used by the connections to a bank", function* () {
    const { asked, lookup } = given()
    const port = yield* listening(createServer((_, response) => response.end("answer")), "127.0.0.1")
    const client = yield* makeUpstreamClient({ title: "Bank", baseUrl: `http://bank.example:${port}`, lookup })
    const questions = Effect.forEach(
      Array.from({ length: 20 }),
      () => client({ method: "GET", path: "/", headers: {} }),
      { concurrency: "unbounded" }
    )
    const answer = Effect.gen(function* () {
      yield* eventuallyHolds(Effect.sync(() => asked.length > 0))
      for (const { all, answer } of asked) {
        answer(null, all ? [{ address: "127.0.0.1", family: 4 }] : "127.0.0.1", 4)
      }
    })
    const [answers] = yield* Effect.all([questions, answer], { concurrency: 2 })
    assert.deepStrictEqual(answers.map(({ text }) => text), Array.from({ length: 20 }, () => "answer"))
    assert.deepStrictEqual(asked.map(({ hostname }) => hostname), ["bank.example"])
  })

  it("prefer IPv4 for vendors, whose lists of allowed addresses hold no others", () => {
    const asked: Array<unknown> = []
    const answers: Array<unknown> = []
    const resolve = (results: Readonly<Record<string, string>>) =>
      makeIpv4Lookup((_, { all, family = 0 }, answer) => {
        asked.push({ all, family })
        const result = results[family] ?? ""
        if (result.includes(".") || result.includes(":")) answer(null, result, family === 4 ? 4 : 6)
        else answer(Object.assign(new Error("no address"), { code: result }), "")
      })("vendor.example", { all: true }, (error, address) => answers.push(error?.code ?? address))

    resolve({ 4: "192.0.2.1", 0: "2001:db8::1" })
    resolve({ 4: "ENOTFOUND", 0: "2001:db8::1" })
    resolve({ 4: "ENOTFOUND", 0: "ENOTFOUND" })
    resolve({ 4: "EAI_AGAIN", 0: "2001:db8::1" })

    assert.deepStrictEqual(answers, ["192.0.2.1", "2001:db8::1", "ENOTFOUND", "EAI_AGAIN"])
    const [ipv4, any] = [{ all: true, family: 4 }, { all: true, family: 0 }]
    assert.deepStrictEqual(asked, [ipv4, ipv4, any, ipv4, any, ipv4])
  })

  it.live("find this machine by its name", function* () {
    const port = yield* listening(createServer((_, response) => response.end("answer")), "127.0.0.1")
    const client = yield* makeUpstreamClient({
      title: "Vendor",
      baseUrl: `http://localhost:${port}`,
      lookup: makeIpv4Lookup(makeSharedLookup())
    })
    assert.strictEqual((yield* client({ method: "GET", path: "/", headers: {} })).text, "answer")
  })
})

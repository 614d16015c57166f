import { assert, describe, it } from "../../../support/it.ts"
import { Effect } from "effect"
import { dnsLookup, type Lookup, LookupFailed } from "../../../../infrastructure/adapters/egress/dns.ts"
import { check, httpServer, request, text } from "./loopback.ts"

/** A resolver that returns these answers in order, and records the names. */
const answering = (...answers: ReadonlyArray<ReadonlyArray<string>>) => {
  const names: Array<string> = []
  const lookup: Lookup = (name) =>
    Effect.sync(() => {
      names.push(name)
      return answers[names.length - 1] ?? []
    })
  return { names, lookup }
}

/** The hosts file and the DNS servers of this machine. */
const systemLookup = dnsLookup({ servers: [] })

describe("a name", () => {
  it.live("is resolved once for a request", function* () {
    const server = yield* httpServer((_, response) => response.end("the checked address"))
    const rebinding = answering(["127.0.0.1"], ["10.0.0.1"])

    const answer = yield* request({ url: `http://rebinding.test:${server.port}/` }, { lookup: rebinding.lookup })

    assert.strictEqual(text(answer.body), "the checked address")
    assert.deepStrictEqual(rebinding.names, ["rebinding.test"])
  })

  it.effect("is checked again for each request", function* () {
    const rebinding = answering(["203.150.1.1"], ["127.0.0.1"])
    const settings = { lookup: rebinding.lookup, allowCidrs: [] }

    const checked = yield* check("https://rebinding.test/", settings)
    const error = yield* Effect.flip(request({ url: "https://rebinding.test/" }, settings))

    assert.deepStrictEqual(checked, ["203.150.1.1"])
    assert.strictEqual(error.reason, "not-public")
  })

  it.live("is checked again at each redirect, also for the same name", function* () {
    const server = yield* httpServer((_, response) => response.writeHead(302, { location: "/again" }).end())
    const rebinding = answering(["127.0.0.1"], ["192.168.0.1"])
    const url = `http://rebinding.test:${server.port}/`

    const error = yield* Effect.flip(request({ url, maxRedirects: 3 }, { lookup: rebinding.lookup }))

    assert.strictEqual(error.reason, "not-public")
    assert.strictEqual(server.requests.length, 1)
  })

  it.effect.each([
    [["8.8.8.8", "10.0.0.1"]],
    [["10.0.0.1", "8.8.8.8"]],
    [["2606:4700::1", "::1"]],
    [["8.8.8.8", "fe80::1%eth0"]],
    [["8.8.8.8", "not an address"]],
    [["169.254.169.254"]]
  ])("is refused if one of its addresses is not public: %j", function* ([answers]) {
    const { lookup } = answering(answers ?? [], answers ?? [])

    const checked = Effect.flip(check("https://mixed.test/?a=1", { lookup }))
    const requested = Effect.flip(request({ url: "https://mixed.test/" }, { lookup }))

    for (const error of [yield* checked, yield* requested]) {
      assert.strictEqual(error.reason, "not-public")
      assert.match(error.detail, /^mixed\.test resolves to .+, which is not a public address$/u)
    }
  })

  it.effect("returns all its addresses to a check, the preferred one first, without duplicates", function* () {
    const { lookup } = answering(["2606:4700:0::1", "1.1.1.1", "::ffff:1.1.1.1"])

    assert.deepStrictEqual(yield* check("https://two.test/", { lookup }), ["2606:4700::1", "1.1.1.1"])
  })

  it.live("is connected to at its first address", function* () {
    const server = yield* httpServer((_, response) => response.end())
    const { lookup } = answering(["127.0.0.1", "127.0.0.2"])

    const answer = yield* request({ url: `http://two.test:${server.port}/` }, { lookup })

    assert.strictEqual(answer.hops[0]?.address, "127.0.0.1")
  })

  it.effect("is unresolvable without an address and when the resolver fails", function* () {
    const failing: Lookup = () => Effect.fail(new LookupFailed({ cause: new Error("ENOTFOUND") }))

    for (const lookup of [failing, answering([]).lookup]) {
      const error = yield* Effect.flip(check("https://unknown.test/", { lookup }))
      assert.strictEqual(error.reason, "unresolvable")
      assert.include(error.detail, "unknown.test")
    }
  })

  it.effect("is not resolved when it is empty, because some resolvers answer with loopback", function* () {
    const { names, lookup } = answering(["127.0.0.1"])

    assert.strictEqual((yield* Effect.flip(check("http://./", { lookup }))).reason, "unresolvable")
    assert.deepStrictEqual(names, [])
  })

  it.effect("is unresolvable when the system does not know it", function* () {
    for (const url of ["http://a..b/", "http://.a/"]) {
      assert.strictEqual((yield* Effect.flip(check(url, { lookup: systemLookup }))).reason, "unresolvable")
    }
  })

  it.effect("is checked by the addresses of the system", function* () {
    const settings = { lookup: systemLookup, allowCidrs: [] }

    const error = yield* Effect.flip(check("http://localhost/", settings))
    const addresses = yield* check("http://localhost/", { ...settings, allowCidrs: ["127.0.0.0/8", "::1"] })

    assert.strictEqual(error.reason, "not-public")
    assert.isTrue(addresses.includes("127.0.0.1") || addresses.includes("::1"))
  })

  it.effect("is checked by its addresses even for localhost, with and without a trailing dot", function* () {
    for (const name of ["localhost", "LOCALHOST.", "printer.local", "metadata.google.internal"]) {
      const { names, lookup } = answering(["127.0.0.1"], ["127.0.0.1"])
      const error = yield* Effect.flip(check(`http://${name}:8080/`, { lookup, allowCidrs: [] }))

      assert.strictEqual(error.reason, "not-public")
      assert.deepStrictEqual(yield* check(`http://${name}/`, { lookup }), ["127.0.0.1"])
      assert.deepStrictEqual(new Set(names), new Set([name.toLowerCase().replace(/\.$/u, "")]))
    }
  })
})

describe("the fixed hosts", () => {
  it.effect("take precedence over the resolver and are checked too", function* () {
    const hosts = { "Receiver.Test.": "127.0.0.1", "ร้าน.test": "127.0.0.2", "inside.test": "10.0.0.1" }

    assert.deepStrictEqual(yield* check("https://receiver.TEST/", { hosts }), ["127.0.0.1"])
    assert.deepStrictEqual(yield* check("https://receiver.test./", { hosts }), ["127.0.0.1"])
    assert.deepStrictEqual(yield* check("https://ร้าน.test/", { hosts }), ["127.0.0.2"])
    assert.strictEqual((yield* Effect.flip(check("https://inside.test/", { hosts }))).reason, "not-public")
  })
})

describe("an address", () => {
  it.effect("as the host is checked without the resolver", function* () {
    assert.deepStrictEqual(yield* check("https://1.1.1.1/"), ["1.1.1.1"])
    assert.deepStrictEqual(yield* check("https://[2606:4700:4700::1111]/"), ["2606:4700:4700::1111"])
    for (const host of ["10.0.0.1", "0xa9fea9fe", "[::1]", "[::ffff:a00:1]", "192.168.1"]) {
      assert.strictEqual((yield* Effect.flip(check(`https://${host}/`))).reason, "not-public")
    }
  })

  it.live("that differs after the connection ends the request before anything is sent", function* () {
    const server = yield* httpServer((_, response) => response.end())
    // The system connects 0.0.0.0 to 127.0.0.1, so the peer differs from the checked address.
    const url = `http://0.0.0.0:${server.port}/`

    const error = yield* Effect.flip(
      request({ url, method: "POST", body: new Uint8Array(9) }, { allowCidrs: ["0.0.0.0/8", "127.0.0.0/8"] })
    )

    assert.strictEqual(error.reason, "unreachable")
    assert.include(error.detail, "another address")
    assert.deepStrictEqual(server.requests, [])
  })
})

import { NodeFileSystem } from "@effect/platform-node"
import { assert, describe, it } from "../../../support/it.ts"
import { Effect, Fiber, FileSystem, Logger } from "effect"
import { TestClock } from "effect/testing"
import { dnsLookup, LOOKUP_MILLIS } from "../../../../infrastructure/adapters/egress/dns.ts"
import { makeHostsFile, parseHosts } from "../../../../infrastructure/adapters/egress/hosts-file.ts"
import { type DnsAnswer, startDnsServer } from "../../../support/dns-server.ts"
import { eventuallyHolds } from "../../../support/eventually.ts"

const test = it.effect.with(() => NodeFileSystem.layer)

const noHosts = () => Effect.succeed([])

/** Longer than a test: no lookup fails because the machine is slow. */
const LONG = 600_000

/** A lookup that asks a local DNS server. */
const given = Effect.fnUntraced(function* (answer: DnsAnswer) {
  const server = yield* startDnsServer(answer)
  return { server, lookup: dnsLookup({ servers: [server.address], hostsFile: noHosts, limitMillis: LONG }) }
})

const both: DnsAnswer = ({ type }) => type === "A" ? ["203.150.1.1", "203.150.1.2"] : ["2606:4700::1"]

describe("a DNS lookup", () => {
  it.live("returns the addresses of both families", function* () {
    const { lookup, server } = yield* given(both)

    const found = yield* lookup("shop.test")

    assert.deepStrictEqual(new Set(found), new Set(["203.150.1.1", "203.150.1.2", "2606:4700::1"]))
    assert.deepStrictEqual(new Set(server.questions.map(({ type }) => type)), new Set(["A", "AAAA"]))
  })

  it.live.each(
    [
      [(({ type }) => type === "A" ? ["203.150.1.1"] : []) satisfies DnsAnswer, ["203.150.1.1"]],
      [(({ type }) => type === "A" ? [] : ["2606:4700::1"]) satisfies DnsAnswer, ["2606:4700::1"]]
    ] as const
  )("returns the addresses of the family that has some: %#", function* ([answer, addresses]) {
    const { lookup } = yield* given(answer)

    assert.deepStrictEqual(yield* lookup("shop.test"), [...addresses])
  })

  it.live("fails for a name that does not exist", function* () {
    const { lookup } = yield* given(() => "no such name")

    assert.strictEqual((yield* Effect.flip(lookup("unknown.test")))._tag, "LookupFailed")
  })

  it.live("asks for the name as it stands, without a search domain", function* () {
    const { lookup, server } = yield* given(() => "no such name")

    yield* Effect.flip(lookup("shop"))

    assert.deepStrictEqual(new Set(server.questions.map(({ name }) => name)), new Set(["shop"]))
  })

  it.effect("fails at its limit without an answer", function* () {
    const { lookup } = yield* given(() => undefined)

    const failing = yield* Effect.forkChild(Effect.flip(lookup("never.hole.test")))
    yield* TestClock.adjust(LONG - 1)
    assert.isUndefined(failing.pollUnsafe())
    yield* TestClock.adjust(1)
    assert.match(String((yield* Fiber.join(failing)).cause), /no answer within 600000 ms/u)
  })

  it.live("has a limit of five seconds by default", function* () {
    const server = yield* startDnsServer(() => undefined)
    const lookup = dnsLookup({ servers: [server.address], hostsFile: noHosts })

    assert.strictEqual(LOOKUP_MILLIS, 5_000)
    // The runtime may give up earlier than the limit.
    assert.strictEqual((yield* Effect.flip(lookup("never.hole.test")))._tag, "LookupFailed")
  })

  it.live("ends at once when it is interrupted, and many of them do not delay another one", function* () {
    const { lookup, server } = yield* given((question) =>
      question.name.endsWith("hole.test") ? undefined : both(question)
    )
    const stuck = yield* Effect.forEach(
      Array.from({ length: 64 }, (_, index) => `${index}.hole.test`),
      (name) => Effect.forkChild(lookup(name))
    )
    yield* eventuallyHolds(Effect.sync(() => server.questions.length >= 64))

    assert.include(yield* lookup("shop.test"), "203.150.1.1")
    assert.isTrue(stuck.every((fiber) => fiber.pollUnsafe() === undefined))
    yield* Fiber.interruptAll(stuck)
  })

  it.effect("of localhost and of names below it never asks a server", function* () {
    const { lookup, server } = yield* given(() => ["203.150.1.1"])

    for (const name of ["localhost", "shop.localhost"]) {
      assert.deepStrictEqual(yield* lookup(name), ["127.0.0.1", "::1"])
    }
    assert.isEmpty(server.questions)
  })
})

describe("the hosts file", () => {
  it("gives the addresses of names and aliases, in its order", () => {
    const hosts = parseHosts([
      "127.0.0.1\tlocalhost # comment 10.0.0.9 commented",
      "::1 localhost ip6-localhost",
      "  10.0.0.7   Printer.Local.  printer\r",
      "fe80::1%eth0 zone",
      "# 10.0.0.8 disabled",
      "not-an-address broken",
      ""
    ].join("\n"))

    assert.deepStrictEqual(Object.fromEntries(hosts), {
      "localhost": ["127.0.0.1", "::1"],
      "ip6-localhost": ["::1"],
      "printer.local": ["10.0.0.7"],
      "printer": ["10.0.0.7"]
    })
  })

  test("takes precedence over DNS, and a change takes effect within a second", function* () {
    const files = yield* FileSystem.FileSystem
    const file = `${yield* files.makeTempDirectoryScoped()}/hosts`
    const server = yield* startDnsServer(() => undefined)
    const lookup = dnsLookup({ servers: [server.address], hostsFile: makeHostsFile(file) })
    const write = (text: string) => files.writeFileString(file, text)

    yield* write("10.0.0.7 shop.test\n")
    assert.deepStrictEqual(yield* lookup("shop.test"), ["10.0.0.7"])
    yield* write("10.0.0.11 shop.test\n")
    assert.deepStrictEqual(yield* lookup("shop.test"), ["10.0.0.7"])
    yield* TestClock.adjust("1 second")
    assert.deepStrictEqual(yield* lookup("shop.test"), ["10.0.0.11"])
    assert.isEmpty(server.questions)
  })

  test("may be missing, and be there later", function* () {
    const files = yield* FileSystem.FileSystem
    const file = `${yield* files.makeTempDirectoryScoped()}/hosts`
    const hosts = makeHostsFile(file)

    assert.deepStrictEqual(yield* hosts("shop.test"), [])
    yield* files.writeFileString(file, "10.0.0.7 shop.test\n")
    yield* TestClock.adjust("1 second")
    assert.deepStrictEqual(yield* hosts("shop.test"), ["10.0.0.7"])
  })

  test("keeps its names while it cannot be read, with one warning", function* () {
    const files = yield* FileSystem.FileSystem
    const file = `${yield* files.makeTempDirectoryScoped()}/hosts`
    const hosts = makeHostsFile(file)
    const logged: Array<string> = []
    const logger = Logger.layer([Logger.make(({ message }) => void logged.push(String(message)))])
    const nextSecond = Effect.andThen(TestClock.adjust("1 second"), hosts("shop.test")).pipe(Effect.provide(logger))

    yield* files.writeFileString(file, "10.0.0.7 shop.test\n")
    yield* nextSecond
    yield* files.remove(file)
    // A folder, because root may read a file without rights.
    yield* files.makeDirectory(file)
    for (const _ of [1, 2, 3]) assert.deepStrictEqual(yield* nextSecond, ["10.0.0.7"])
    assert.lengthOf(logged, 1)
    assert.match(logged[0] ?? "", /cannot be read/u)

    yield* files.remove(file, { recursive: true })
    yield* files.writeFileString(file, "10.0.0.8 shop.test\n")
    assert.deepStrictEqual(yield* nextSecond, ["10.0.0.8"])
  })
})

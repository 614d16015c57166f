import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { canonicalAddress, clientAddress, isProxy, isWhitelisted } from "../../../infrastructure/http/authenticate.ts"
import { isWhitelistEntry } from "../../../infrastructure/input/operator-requests.ts"
import { parseRange } from "../../../infrastructure/ip-address.ts"

const Octet = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 }))
const Ipv4 = Schema.Tuple([Octet, Octet, Octet, Octet])
const Bits = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 32 }))

const ranges = (...texts: ReadonlyArray<string>) => texts.map(parseRange).filter((range) => range !== undefined)

const number = (octets: ReadonlyArray<number>): number => octets.reduce((sum, octet) => sum * 256 + octet, 0)

describe("addresses", () => {
  const pair = { one: Ipv4, other: Ipv4, bits: Bits }
  it.prop("lie in a range exactly when their first bits are the same", pair, ({ bits, one, other }) => {
    const width = 2 ** (32 - bits)
    const expected = Math.floor(number(one) / width) === Math.floor(number(other) / width)
    assert.strictEqual(isProxy(one.join("."), ranges(`${other.join(".")}/${bits}`)), expected)
    assert.strictEqual(isProxy(`::ffff:${one.join(".")}`, ranges(`::ffff:${other.join(".")}/${bits + 96}`)), expected)
  })

  it.each([
    "",
    "*",
    "10.1",
    "1",
    "010.0.0.1",
    "0x7f.0.0.1",
    "256.0.0.1",
    "10.0.0.1/33",
    "10.0.0.1/-1",
    "10.0.0.1/",
    "10.0.0.1/8/8",
    "10.0.0.1/08a",
    "::1/129",
    "::ffff:10.0.0.1/95",
    "fe80::1%eth0",
    "localhost",
    "10.0.0.1:80",
    "[::1]"
  ])("has no range %o", (text) => {
    assert.isUndefined(parseRange(text))
    assert.isFalse(isProxy(text, ranges("0.0.0.0/0", "::/0")))
    assert.strictEqual(isWhitelistEntry(text), text === "*")
  })

  it("are compared as IPv4 where they are IPv4 in IPv6", () => {
    assert.strictEqual(canonicalAddress("::ffff:192.0.2.1"), "192.0.2.1")
    assert.strictEqual(canonicalAddress("2001:DB8:0:0::1"), "2001:db8::1")
    assert.isTrue(isWhitelisted("::ffff:c000:201", ["192.0.2.1"]))
    assert.isTrue(isWhitelisted("2001:db8::1", ["2001:db8::/32"]))
    assert.isFalse(isWhitelisted("192.0.2.1", ["::/0"]))
    assert.isFalse(isWhitelisted("", ["0.0.0.0/0"]))
    assert.isTrue(isWhitelisted("", ["*"]))
  })

  it("of callers are read where a proxy writes the port behind them", () => {
    const proxies = ranges("10.0.0.1")
    assert.strictEqual(clientAddress("10.0.0.1", "198.51.100.9:4711", proxies), "198.51.100.9")
    assert.strictEqual(clientAddress("10.0.0.1", "[2001:db8::9]:4711", proxies), "2001:db8::9")
    assert.strictEqual(clientAddress("10.0.0.1", "[2001:db8::9]", proxies), "2001:db8::9")
  })

  const forgeries = { forged: Schema.Array(Ipv4) }
  it.prop("of callers are never what they wrote themselves, however many they write", forgeries, ({ forged }) => {
    const header = [...forged.map((octets) => octets.join(".")), "198.51.100.9"].join(", ")
    assert.strictEqual(clientAddress("10.0.0.1", header, ranges("10.0.0.1")), "198.51.100.9")
    assert.strictEqual(clientAddress("198.51.100.9", header, ranges("10.0.0.1")), "198.51.100.9")
    assert.strictEqual(clientAddress("::ffff:198.51.100.9", header, []), "198.51.100.9")
  })
})

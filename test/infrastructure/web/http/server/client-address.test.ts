import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { isWhitelisted } from "../../../../../infrastructure/web/http/auth/authenticate.ts"
import {
  canonicalAddress,
  clientAddress,
  isProxy
} from "../../../../../infrastructure/web/http/server/client-address.ts"
import { isWhitelistEntry } from "../../../../../infrastructure/web/api/requests/provisioning.ts"
import { parseRange } from "../../../../../infrastructure/platform/ip-address.ts"

const Octet = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 }))
const Ipv4 = Schema.Tuple([Octet, Octet, Octet, Octet])
const Bits = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 32 }))

const ranges = (...texts: ReadonlyArray<string>) => texts.map(parseRange).filter((range) => range !== undefined)

const number = (octets: ReadonlyArray<number>): number => octets.reduce((sum, octet) => sum * 256 + octet, 0)

describe("addresses", () => {
  const pair = { first: Ipv4, second: Ipv4, bits: Bits }
  it.prop("are in a range exactly when their first bits are equal", pair, ({ bits, first, second }) => {
    const width = 2 ** (32 - bits)
    const expected = Math.floor(number(first) / width) === Math.floor(number(second) / width)
    assert.strictEqual(isProxy(first.join("."), ranges(`${second.join(".")}/${bits}`)), expected)
    assert.strictEqual(
      isProxy(`::ffff:${first.join(".")}`, ranges(`::ffff:${second.join(".")}/${bits + 96}`)),
      expected
    )
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
  ])("have no range %o", (text) => {
    assert.isUndefined(parseRange(text))
    assert.isFalse(isProxy(text, ranges("0.0.0.0/0", "::/0")))
    assert.strictEqual(isWhitelistEntry(text), text === "*")
  })

  it("are compared as IPv4 when they are IPv4-mapped IPv6", () => {
    assert.strictEqual(canonicalAddress("::ffff:192.0.2.1"), "192.0.2.1")
    assert.strictEqual(canonicalAddress("2001:DB8:0:0::1"), "2001:db8::1")
    assert.isTrue(isWhitelisted("::ffff:c000:201", ["192.0.2.1"]))
    assert.isTrue(isWhitelisted("2001:db8::1", ["2001:db8::/32"]))
    assert.isFalse(isWhitelisted("192.0.2.1", ["::/0"]))
    assert.isFalse(isWhitelisted("", ["0.0.0.0/0"]))
    assert.isTrue(isWhitelisted("", ["*"]))
  })

  it("of callers are read from headers with ports", () => {
    const proxies = ranges("10.0.0.1")
    assert.strictEqual(clientAddress("10.0.0.1", "198.51.100.9:4711", proxies), "198.51.100.9")
    assert.strictEqual(clientAddress("10.0.0.1", "[2001:db8::9]:4711", proxies), "2001:db8::9")
    assert.strictEqual(clientAddress("10.0.0.1", "[2001:db8::9]", proxies), "2001:db8::9")
  })

  const forgeries = { forged: Schema.Array(Ipv4) }
  it.prop("of callers never come from forged header entries", forgeries, ({ forged }) => {
    const header = [...forged.map((octets) => octets.join(".")), "198.51.100.9"].join(", ")
    assert.strictEqual(clientAddress("10.0.0.1", header, ranges("10.0.0.1")), "198.51.100.9")
    assert.strictEqual(clientAddress("198.51.100.9", header, ranges("10.0.0.1")), "198.51.100.9")
    assert.strictEqual(clientAddress("::ffff:198.51.100.9", header, []), "198.51.100.9")
  })
})

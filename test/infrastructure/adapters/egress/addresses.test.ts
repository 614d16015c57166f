import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { canonical, isPublic, makeAllowList } from "../../../../infrastructure/adapters/egress/addresses.ts"
import { hostOf } from "../../../../infrastructure/adapters/egress/target.ts"
import { oddHosts, oddSpellings, publicLiterals, refusedLiterals } from "./address-tables.ts"
import { parseAddress } from "../../../../infrastructure/platform/ip-address.ts"

const refused = Object.values(refusedLiterals).flat()
const Octet = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 }))
const Ipv4 = Schema.Tuple([Octet, Octet, Octet, Octet])
const hextet = (high: number, low: number): string => (high * 256 + low).toString(16)

describe("public addresses", () => {
  for (const [rule, addresses] of Object.entries(refusedLiterals)) {
    it.each(addresses)(`refuses %s: ${rule}`, (address) => {
      assert.isFalse(isPublic(address))
    })
  }

  it("covers at least 200 refused addresses", () => {
    assert.isAtLeast(new Set(refused).size, 200)
  })

  it.each(publicLiterals)("allows %s", (address) => {
    assert.isTrue(isPublic(address))
  })

  it.each(oddSpellings)("does not accept %j as an address", (text) => {
    assert.isUndefined(parseAddress(text))
    assert.isFalse(isPublic(text))
  })

  it.each(oddHosts)("refuses %s as the host of a URL, in both schemes", (host) => {
    for (const scheme of ["http", "https"]) {
      assert.isFalse(isPublic(hostOf(new URL(`${scheme}://${host}/`))))
    }
  })

  it.prop("checks an IPv4-mapped address as the IPv4 address in every spelling", [Ipv4], ([[a, b, c, d]]) => {
    const plain = `${a}.${b}.${c}.${d}`
    for (const mapped of [`::ffff:${plain}`, `::ffff:${hextet(a, b)}:${hextet(c, d)}`]) {
      assert.strictEqual(isPublic(mapped), isPublic(plain))
      assert.strictEqual(canonical(mapped), plain)
    }
  })

  it.prop("refuses IPv6 addresses of translators, which contain an IPv4 address", [Ipv4], ([[a, b, c, d]]) => {
    const tail = `${hextet(a, b)}:${hextet(c, d)}`
    for (const prefix of ["::", "::ffff:0:", "64:ff9b::", "64:ff9b:1::", "2001::"]) {
      assert.isFalse(isPublic(prefix + tail))
    }
    assert.isFalse(isPublic(`2002:${tail}::1`))
  })
})

describe("the allow list", () => {
  const allows = (cidrs: ReadonlyArray<string>, address: string) => Result.getOrThrow(makeAllowList(cidrs))(address)

  it("allows exactly the given blocks besides public addresses", () => {
    const cidrs = ["10.1.0.0/16", " fd00::/8 ", "127.0.0.1"]

    assert.isTrue(allows(cidrs, "10.1.255.255"))
    assert.isFalse(allows(cidrs, "10.2.0.0"))
    assert.isTrue(allows(cidrs, "fdff::1"))
    assert.isFalse(allows(cidrs, "fc00::1"))
    assert.isTrue(allows(cidrs, "127.0.0.1"))
    assert.isFalse(allows(cidrs, "127.0.0.2"))
    assert.isTrue(allows(cidrs, "8.8.8.8"))
  })

  it("checks mapped addresses by IPv4 blocks, and no IPv4 address by an IPv6 block", () => {
    assert.isTrue(allows(["10.0.0.0/8"], "::ffff:10.0.0.1"))
    assert.isFalse(allows(["::/0"], "10.0.0.1"))
    assert.isFalse(allows(["0.0.0.0/0"], "fd00::1"))
    assert.isTrue(allows(["0.0.0.0/0"], "10.0.0.1"))
  })

  it("refuses odd spellings and zone ids", () => {
    assert.isFalse(allows(["0.0.0.0/0", "::/0"], "127.1"))
    assert.isFalse(allows(["0.0.0.0/0", "::/0"], "fe80::1%eth0"))
  })

  it.each([
    "",
    "10.0.0.0/33",
    "fd00::/129",
    "10.0.0/8",
    "10.0.0.0/",
    "10.0.0.0/-1",
    "10.0.0.0/8/8",
    "::ffff:10.0.0.0/104",
    "fe80::%1/10",
    "intranet"
  ])("refuses %j as a block", (cidr) => {
    assert.deepStrictEqual(makeAllowList(["10.0.0.0/8", cidr]), Result.fail(cidr))
  })
})

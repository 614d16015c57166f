import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { createHash } from "node:crypto"
import { keyAt, type KeyTree, type OneWay, PATH_DIGITS, wholeTree, withoutKey } from "../../domain/key-tree.ts"

const oneWay: OneWay = (node, digit) => createHash("sha256").update(node).update(Uint8Array.of(digit)).digest()
const seed = new Uint8Array(32).fill(7)
const whole = wholeTree(seed)

const hex = (bytes: Uint8Array | undefined): string | undefined =>
  bytes === undefined ? undefined : Buffer.from(bytes).toString("hex")
const keyOf = (tree: KeyTree, path: string): string | undefined => hex(keyAt(tree, path, oneWay))

// Few digits at few places, so that paths share long prefixes.
const digit = Schema.Literals(["0", "7", "f"])
const paths = Arbitrary.map(
  Arbitrary.schema(Schema.Tuple([digit, digit, digit, digit])),
  ([a, b, c, d]) => `${a}${b}`.padEnd(PATH_DIGITS - 2, "a") + c + d
)

describe("a tree of keys", () => {
  it("has a unique and stable key at every path", () => {
    const all = ["0".repeat(16), "f".repeat(16), `${"0".repeat(15)}1`].map((path) => keyOf(whole, path))
    assert.lengthOf(new Set(all), 3)
    assert.deepStrictEqual(["0".repeat(16), "f".repeat(16)].map((path) => keyOf(whole, path)), all.slice(0, 2))
  })

  it("keeps 240 nodes for a destroyed key, without the seed", () => {
    const left = withoutKey(whole, "0123456789abcdef", oneWay)
    assert.strictEqual(left.size, 15 * PATH_DIGITS)
    assert.notInclude([...left.values()].map(hex), hex(seed))
  })

  it("keeps the last key below a node", () => {
    const end = [..."0123456789abcde"].map((name) => "a".repeat(15) + name)
    const left = end.reduce((tree, path) => withoutKey(tree, path, oneWay), whole)
    for (const path of end) assert.isUndefined(keyOf(left, path))
    assert.strictEqual(keyOf(left, `${"a".repeat(15)}f`), keyOf(whole, `${"a".repeat(15)}f`))
  })

  it.prop(
    "loses exactly the destroyed keys, in any order",
    [Arbitrary.array(paths), paths],
    ([destroyed, path]) => {
      const left = destroyed.reduce((tree, one) => withoutKey(tree, one, oneWay), whole)
      assert.strictEqual(keyOf(left, path), destroyed.includes(path) ? undefined : keyOf(whole, path))
      assert.deepStrictEqual(
        destroyed.toReversed().reduce((tree, one) => withoutKey(tree, one, oneWay), whole).size,
        left.size
      )
    }
  )

  it.prop("holds no node from which a destroyed key follows", [Arbitrary.array(paths)], ([destroyed]) => {
    const left = destroyed.reduce((tree, one) => withoutKey(tree, one, oneWay), whole)
    for (const path of destroyed) {
      for (const node of left.keys()) assert.isFalse(path.startsWith(node), `${path} follows from ${node}`)
    }
    const all = [...left.keys()].sort()
    for (const [index, node] of all.entries()) assert.isFalse(all[index + 1]?.startsWith(node) ?? false)
  })
})

import { assert, describe, it } from "@effect/vitest"
import { fromHex, toHex } from "../../../domain/hex.ts"
import { auditPath, emptyTree, grow, rootFromPath, rootOf } from "../../../domain/log-proof/merkle.ts"
import { sha256 } from "../../../infrastructure/platform/sha256.ts"

const leafHash = (data: Uint8Array): Uint8Array => sha256(Buffer.concat([Buffer.of(0), data]))

const treeOf = (leaves: ReadonlyArray<Uint8Array>) => leaves.reduce((tree, leaf) => grow(sha256, tree, leaf), emptyTree)

/** The hash of RFC 6962, section 2.1, implemented directly from its definition. */
const mth = (leaves: ReadonlyArray<Uint8Array>): Uint8Array => {
  const [only] = leaves
  if (only === undefined) return sha256("")
  if (leaves.length === 1) return only
  let k = 1
  while (k * 2 < leaves.length) k *= 2
  return sha256(Buffer.concat([Buffer.of(1), mth(leaves.slice(0, k)), mth(leaves.slice(k))]))
}

// The test vectors of the reference implementation of Certificate Transparency.
const INPUTS = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"]
const ROOTS = [
  "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
  "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
  "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
  "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
  "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
  "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
  "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
  "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328"
]

const someLeaves = (count: number) => Array.from({ length: count }, (_, n) => leafHash(Buffer.from(`leaf ${n}`)))

describe("a Merkle tree", () => {
  it("has the roots of Certificate Transparency", () => {
    const leaves = INPUTS.map((input) => leafHash(fromHex(input)))
    assert.deepStrictEqual(leaves.map((_, index) => toHex(rootOf(sha256, treeOf(leaves.slice(0, index + 1))))), ROOTS)
    assert.strictEqual(toHex(rootOf(sha256, emptyTree)), toHex(sha256("")))
  })

  it("has the root of RFC 6962 at every size, and keeps few hashes", () => {
    const leaves = someLeaves(130)
    let tree = emptyTree
    for (const [index, leaf] of leaves.entries()) {
      tree = grow(sha256, tree, leaf)
      assert.strictEqual(toHex(rootOf(sha256, tree)), toHex(mth(leaves.slice(0, index + 1))))
      assert.isAtMost(tree.peaks.length, 8)
    }
  })

  it("proves every leaf for its root, and for no other root", () => {
    for (const size of [1, 2, 3, 4, 5, 7, 8, 13, 32, 33]) {
      const leaves = someLeaves(size)
      const root = toHex(rootOf(sha256, treeOf(leaves)))
      for (const [index, leaf] of leaves.entries()) {
        const path = auditPath(sha256, leaves, index)
        const rootVia = (
          other: { leaf?: Uint8Array; index?: number; size?: number; path?: ReadonlyArray<Uint8Array> }
        ) => {
          const computed = rootFromPath(sha256, other.leaf ?? leaf, { index, size, path, ...other })
          return computed === undefined ? undefined : toHex(computed)
        }
        assert.strictEqual(rootVia({}), root)
        assert.notStrictEqual(rootVia({ leaf: sha256("another") }), root)
        assert.isUndefined(rootVia({ path: [...path, leaf] }), "a path that is too long")
        assert.isUndefined(rootVia({ index: size }), "a leaf after the last one")
        if (path.length === 0) continue
        assert.isUndefined(rootVia({ path: path.slice(1) }), "a path that is too short")
        assert.notStrictEqual(rootVia({ index: index === 0 ? 1 : index - 1 }), root)
        assert.notStrictEqual(rootVia({ path: path.with(0, sha256("another")) }), root)
      }
    }
  })
})

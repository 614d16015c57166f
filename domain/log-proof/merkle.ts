/** SHA-256 of bytes, or of a text in UTF-8: 32 bytes. The runtime provides it. */
export type Sha256 = (data: Uint8Array | string) => Uint8Array

/** SHA-256 of a byte followed by two hashes. */
export const hashPair = (sha256: Sha256, prefix: number, left: Uint8Array, right: Uint8Array): Uint8Array => {
  const bytes = new Uint8Array(1 + left.length + right.length)
  bytes[0] = prefix
  bytes.set(left, 1)
  bytes.set(right, 1 + left.length)
  return sha256(bytes)
}

/**
 * A growing Merkle tree (RFC 6962, section 2.1): the roots of its full subtrees, largest first. There is one for each
 * 1 in the binary form of `size`, so memory stays small at any size.
 */
export interface MerkleTree {
  readonly size: number
  readonly peaks: ReadonlyArray<Uint8Array>
}

export const emptyTree: MerkleTree = { size: 0, peaks: [] }

const NODE = 0x01

/** The tree with one more leaf; `leaf` is its hash. */
export const grow = (sha256: Sha256, { peaks, size }: MerkleTree, leaf: Uint8Array): MerkleTree => {
  const grown = [...peaks, leaf]
  for (let full = size; full % 2 === 1; full = (full - 1) / 2) {
    const [left, right] = grown.splice(-2)
    if (left !== undefined && right !== undefined) grown.push(hashPair(sha256, NODE, left, right))
  }
  return { size: size + 1, peaks: grown }
}

/** The root hash; the hash of no bytes for an empty tree. */
export const rootOf = (sha256: Sha256, { peaks }: MerkleTree): Uint8Array => {
  const [smallest, ...larger] = peaks.toReversed()
  return larger.reduce((root, peak) => hashPair(sha256, NODE, peak, root), smallest ?? sha256(""))
}

const treeOf = (sha256: Sha256, leaves: ReadonlyArray<Uint8Array>): MerkleTree =>
  leaves.reduce((tree, leaf) => grow(sha256, tree, leaf), emptyTree)

/** The sibling hashes from a leaf to the root, lowest first (RFC 6962, section 2.1.1). */
export const auditPath = (
  sha256: Sha256,
  leaves: ReadonlyArray<Uint8Array>,
  index: number
): ReadonlyArray<Uint8Array> => {
  if (leaves.length <= 1) return []
  let half = 1
  while (half * 2 < leaves.length) half *= 2
  const [first, second] = [leaves.slice(0, half), leaves.slice(half)]
  return index < half
    ? [...auditPath(sha256, first, index), rootOf(sha256, treeOf(sha256, second))]
    : [...auditPath(sha256, second, index - half), rootOf(sha256, treeOf(sha256, first))]
}

/**
 * The root computed from a leaf and its audit path in a tree of `size` leaves; undefined when the path has another
 * length than such a tree requires (RFC 9162, section 2.1.3.2).
 */
export const rootFromPath = (
  sha256: Sha256,
  leaf: Uint8Array,
  { index, path, size }: { readonly index: number; readonly size: number; readonly path: ReadonlyArray<Uint8Array> }
): Uint8Array | undefined => {
  if (index >= size) return undefined
  let [at, last, root] = [index, size - 1, leaf]
  for (const node of path) {
    if (last === 0) return undefined
    if (at % 2 === 1 || at === last) {
      root = hashPair(sha256, NODE, node, root)
      while (at % 2 === 0 && at !== 0) [at, last] = [at / 2, Math.floor(last / 2)]
    } else {
      root = hashPair(sha256, NODE, root, node)
    }
    ;[at, last] = [Math.floor(at / 2), Math.floor(last / 2)]
  }
  return last === 0 ? root : undefined
}

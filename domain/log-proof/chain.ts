import { Schema } from "effect"
import { canonicalJson } from "./canonical.ts"
import { emptyTree, grow, type MerkleTree } from "./merkle.ts"
import { hashPair, type Sha256 } from "./sha256.ts"

/** Of an event what is proven: everything but the moment at which the store took it, which is the store's word alone. */
export const ProvenEvent = Schema.Struct({
  /** `commit/prepare`. */
  position: Schema.String,
  id: Schema.String,
  stream: Schema.String,
  revision: Schema.Int,
  type: Schema.String,
  data: Schema.JsonObject,
  metadata: Schema.JsonObject
})
export type ProvenEvent = typeof ProvenEvent.Type

/** The leaf of an event: the hash of a zero byte and the JSON of its fields in this order. */
export const leafOf = (
  sha256: Sha256,
  { data, id, metadata, position, revision, stream, type }: ProvenEvent
): Uint8Array => sha256(`\u0000${canonicalJson([position, id, stream, revision, type, data, metadata])}`)

const LINK = 0x02

/** The chain before the first event. */
export const noChain = new Uint8Array(32)

/**
 * The events behind a checkpoint, or behind the beginning, up to some place: what the next checkpoint is made of. The
 * chain runs over all events of the log, the tree over those of the block.
 */
export interface Block {
  /** Events of the log in front of the block. */
  readonly from: number
  readonly chain: Uint8Array
  readonly tree: MerkleTree
}

export const beginBlock = (from: number, chain: Uint8Array): Block => ({ from, chain, tree: emptyTree })

/** The block with one event more. */
export const addLeaf = (sha256: Sha256, { chain, from, tree }: Block, leaf: Uint8Array): Block => ({
  from,
  chain: hashPair(sha256, LINK, chain, leaf),
  tree: grow(sha256, tree, leaf)
})

/** Events of the log up to the end of the block. */
export const countOf = ({ from, tree }: Block): number => from + tree.size

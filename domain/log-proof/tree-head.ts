import { Option, Schema } from "effect"
import { toHex } from "../hex.ts"
import { canonicalJson } from "./canonical-json.ts"
import { emptyTree, grow, hashPair, type MerkleTree, rootOf, type Sha256 } from "./merkle.ts"

/** The part of an event that is proven: all fields except the time at which the store recorded it. */
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

/** The leaf hash of an event: over a zero byte and the canonical JSON of its fields in this order. */
export const leafOf = (
  sha256: Sha256,
  { data, id, metadata, position, revision, stream, type }: ProvenEvent
): Uint8Array => sha256(`\u0000${canonicalJson([position, id, stream, revision, type, data, metadata])}`)

const LINK = 0x02

/** The chain hash before the first event. */
export const noChain = new Uint8Array(32)

/**
 * The events after one tree head (or after the beginning) that the next tree head will cover. The chain runs over all
 * events of the log, the Merkle tree over the events of the block.
 */
export interface Block {
  /** Events of the log before the block. */
  readonly from: number
  readonly chain: Uint8Array
  readonly tree: MerkleTree
}

export const beginBlock = (from: number, chain: Uint8Array): Block => ({ from, chain, tree: emptyTree })

/** The block with one more event. */
export const addLeaf = (sha256: Sha256, { chain, from, tree }: Block, leaf: Uint8Array): Block => ({
  from,
  chain: hashPair(sha256, LINK, chain, leaf),
  tree: grow(sha256, tree, leaf)
})

/** Events of the log up to the end of the block. */
export const countOf = ({ from, tree }: Block): number => from + tree.size

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
export const Hash = Schema.String.check(Schema.isPattern(/^[\da-f]{64}$/u))

/**
 * A signed tree head: the statement that the log began with exactly these events. The log, the file of tree heads and
 * proofs hold these fields. Readers refuse unknown fields, so a new field would break them.
 */
export const TreeHead = Schema.Struct({
  /** From 1, without gaps. */
  number: Count.check(Schema.isGreaterThan(0)),
  /** Events of the log before the block; the previous tree head covers them. */
  from: Count,
  /** Events covered in all. */
  count: Count,
  /** Position of the last covered event. */
  position: Schema.String.check(Schema.isPattern(/^\d+\/\d+$/u)),
  /** The chain over all covered events. */
  chainHash: Hash,
  /** Over the events of the block. */
  merkleRoot: Hash,
  /** Digest of the previous tree head; null in the first one. */
  previous: Schema.NullOr(Hash),
  /** ISO 8601, UTC, by the signer's clock. */
  at: Schema.String,
  keyId: Schema.String,
  /** Ed25519 over the canonical JSON of all other fields, base64. */
  signature: Schema.String
})
export type TreeHead = typeof TreeHead.Type
export type UnsignedTreeHead = Omit<TreeHead, "signature">

const decode = Schema.decodeUnknownOption(TreeHead, { onExcessProperty: "error" })

/** Decodes a tree head; undefined for any other value, also one with an unknown field, which no signature covers. */
export const readTreeHead = (value: unknown): TreeHead | undefined => Option.getOrUndefined(decode(value))

/** The text that the signature covers. */
export const signedText = (
  { at, chainHash, count, from, keyId, merkleRoot, number, position, previous }: UnsignedTreeHead
): string => canonicalJson({ at, chainHash, count, from, keyId, merkleRoot, number, position, previous })

/** The whole tree head as a line of the file. */
export const treeHeadLine = (treeHead: TreeHead): string => canonicalJson(treeHead)

/** The digest that the next tree head holds in `previous`. */
export const digestOf = (sha256: Sha256, treeHead: TreeHead): string => toHex(sha256(treeHeadLine(treeHead)))

/** The tree head that closes a block, without its signature. */
export const closeBlock = (
  sha256: Sha256,
  block: Block,
  { at, keyId, position, previous }: Pick<UnsignedTreeHead, "at" | "keyId" | "position"> & {
    readonly previous: TreeHead | undefined
  }
): UnsignedTreeHead => ({
  number: (previous?.number ?? 0) + 1,
  from: block.from,
  count: countOf(block),
  position,
  chainHash: toHex(block.chain),
  merkleRoot: toHex(rootOf(sha256, block.tree)),
  previous: previous === undefined ? null : digestOf(sha256, previous),
  at,
  keyId
})

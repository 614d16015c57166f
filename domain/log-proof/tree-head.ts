import { Option, Schema } from "effect"
import { toHex } from "../hex.ts"
import { canonicalJson } from "./canonical.ts"
import { type Block, countOf } from "./chain.ts"
import { rootOf } from "./merkle.ts"
import type { Sha256 } from "./sha256.ts"

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
const Hash = Schema.String.check(Schema.isPattern(/^[\da-f]{64}$/u))

/**
 * What was signed of the log: that it began with exactly these events. The fields stand in the log, in the file beside
 * it and in proofs: add none, for a reader refuses what it does not know.
 */
export const TreeHead = Schema.Struct({
  /** From 1, without gaps. */
  number: Count.check(Schema.isGreaterThan(0)),
  /** Events of the log in front of the block, which the checkpoint before covers. */
  from: Count,
  /** Events that are covered in all. */
  count: Count,
  /** Of the last event that is covered. */
  position: Schema.String.check(Schema.isPattern(/^\d+\/\d+$/u)),
  /** The chain over all events that are covered. */
  chainHash: Hash,
  /** Over the events of the block. */
  merkleRoot: Hash,
  /** Digest of the checkpoint before; null in the first one. */
  previous: Schema.NullOr(Hash),
  /** ISO 8601, UTC, by the clock of whoever signed. */
  at: Schema.String,
  keyId: Schema.String,
  /** Ed25519 over the canonical JSON of all other fields, base64. */
  signature: Schema.String
})
export type TreeHead = typeof TreeHead.Type
export type Unsigned = Omit<TreeHead, "signature">

const decode = Schema.decodeUnknownOption(TreeHead, { onExcessProperty: "error" })

/** A checkpoint out of JSON; undefined when it is none. A field too many would be one that nobody signed. */
export const readTreeHead = (value: unknown): TreeHead | undefined => Option.getOrUndefined(decode(value))

/** The text that the signature is over. */
export const signedText = (
  { at, chainHash, count, from, keyId, merkleRoot, number, position, previous }: Unsigned
): string => canonicalJson({ at, chainHash, count, from, keyId, merkleRoot, number, position, previous })

/** The whole of it, as a line of a file. */
export const treeHeadLine = (checkpoint: TreeHead): string => canonicalJson(checkpoint)

/** By this the next checkpoint names it. */
export const digestOf = (sha256: Sha256, checkpoint: TreeHead): string => toHex(sha256(treeHeadLine(checkpoint)))

/** The checkpoint that closes a block, still without its signature. */
export const closeBlock = (
  sha256: Sha256,
  block: Block,
  { at, keyId, position, previous }: {
    readonly position: string
    readonly previous: TreeHead | undefined
    readonly at: string
    readonly keyId: string
  }
): Unsigned => ({
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

import { Result, Schema } from "effect"
import { fromHex, toHex } from "../hex.ts"
import { leafOf, ProvenEvent } from "./chain.ts"
import { TreeHead } from "./tree-head.ts"
import { rootAlong } from "./merkle.ts"
import type { Sha256 } from "./sha256.ts"

/** The name of the format, so that a reader knows what it has before it. */
export const PROOF_FORMAT = "sliptrail-proof/1"

const Hash = Schema.String.check(Schema.isPattern(/^[\da-f]{64}$/u))

/** An event with the way from it to the root of the checkpoint that covers it. */
export const ProvenEntry = Schema.Struct({
  event: ProvenEvent,
  /** Number of that checkpoint. */
  checkpoint: Schema.Int,
  /** Which leaf of its block the event is, from 0. */
  index: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)),
  /** Hashes of the neighbours, from the leaf upwards. */
  path: Schema.Array(Hash)
})
export type ProvenEntry = typeof ProvenEntry.Type

/** That some events stood in a log when it was signed: checked with the public key alone. */
export const InclusionProof = Schema.Struct({
  format: Schema.Literal(PROOF_FORMAT),
  /** What was asked for. It proves nothing: the events say themselves what they are about. */
  about: Schema.Struct({ kind: Schema.Literals(["verification", "job"]), id: Schema.String }),
  entries: Schema.NonEmptyArray(ProvenEntry),
  checkpoints: Schema.NonEmptyArray(TreeHead)
})
export type InclusionProof = typeof InclusionProof.Type

/** Reads a proof; a field too many would be one that proves nothing. */
export const readProof = Schema.decodeUnknownResult(InclusionProof, { errors: "all", onExcessProperty: "error" })

/** Whether an event leads to the root that its checkpoint has: why not, when it does not. */
export const checkEntry = (
  sha256: Sha256,
  { event, index, path }: ProvenEntry,
  { count, from, merkleRoot, number }: TreeHead
): Result.Result<void, string> => {
  const size = count - from
  const leaf = Result.try(() => leafOf(sha256, event))
  if (Result.isFailure(leaf)) return Result.fail("it is nested so deeply that nobody can have written it")
  const root = rootAlong(sha256, leaf.success, { index, size, path: path.map(fromHex) })
  if (root === undefined) return Result.fail(`its path does not fit leaf ${index} of ${size}`)
  return toHex(root) === merkleRoot
    ? Result.void
    : Result.fail(`it does not lead to the root of checkpoint ${number}: the event or its path was changed`)
}

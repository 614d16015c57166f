import { Result, Schema } from "effect"
import { fromHex, toHex } from "../hex.ts"
import { rootFromPath, type Sha256 } from "./merkle.ts"
import { Hash, leafOf, ProvenEvent, TreeHead } from "./tree-head.ts"

/** The name and version of the format. */
export const PROOF_FORMAT = "sliptrail-proof/1"

/** An event with its audit path to the root of the tree head that covers it. */
export const ProvenEntry = Schema.Struct({
  event: ProvenEvent,
  /** Number of that tree head. */
  checkpoint: Schema.Int,
  /** Index of the event's leaf in its block, from 0. */
  index: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)),
  /** Sibling hashes from the leaf upwards. */
  path: Schema.Array(Hash)
})
export type ProvenEntry = typeof ProvenEntry.Type

/** Proves that events were in a log when it was signed. The public key is enough to check it. */
export const InclusionProof = Schema.Struct({
  format: Schema.Literal(PROOF_FORMAT),
  /** The request. It proves nothing: the events name their own subjects. */
  about: Schema.Struct({ kind: Schema.Literals(["verification", "job"]), id: Schema.String }),
  entries: Schema.NonEmptyArray(ProvenEntry),
  /** The tree heads that cover the events. */
  checkpoints: Schema.NonEmptyArray(TreeHead)
})
export type InclusionProof = typeof InclusionProof.Type

/** Decodes a proof. Refuses unknown fields, because nothing would prove their content. */
export const readProof = Schema.decodeUnknownResult(InclusionProof, { errors: "all", onExcessProperty: "error" })

/** Checks that an event leads to the root of its tree head; the failure says why not. */
export const checkEntry = (
  sha256: Sha256,
  { event, index, path }: ProvenEntry,
  { count, from, merkleRoot, number }: TreeHead
): Result.Result<void, string> => {
  const size = count - from
  const leaf = Result.try(() => leafOf(sha256, event))
  if (Result.isFailure(leaf)) return Result.fail("it is nested too deeply for an event that this service wrote")
  const root = rootFromPath(sha256, leaf.success, { index, size, path: path.map(fromHex) })
  if (root === undefined) return Result.fail(`its path does not fit leaf ${index} of ${size}`)
  return toHex(root) === merkleRoot
    ? Result.void
    : Result.fail(`it does not lead to the root of tree head ${number}: the event or its path was changed`)
}

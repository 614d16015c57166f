import { Effect } from "effect"
import { type TreeHead, signedText } from "../../domain/log-proof/tree-head.ts"
import { type InclusionProof, checkEntry, type ProvenEntry } from "../../domain/log-proof/inclusion.ts"
import { Hashing, SignatureVerifier } from "../../ports/notary.ts"

/** An event of a proof, and whether it is proven. */
export interface CheckedEntry {
  readonly event: ProvenEntry["event"]
  readonly checkpoint: TreeHead | undefined
  /** Why it is not; undefined when it is. */
  readonly fault: string | undefined
}

/** Checks a proof by the public keys that are trusted, and nothing else. */
export const checkProof = Effect.fnUntraced(function* ({ checkpoints, entries }: InclusionProof) {
  const sha256 = yield* Hashing
  const witness = yield* SignatureVerifier

  const faultOfSignature = (checkpoint: TreeHead): string | undefined => {
    const { keyId, number, signature } = checkpoint
    switch (witness.judge(keyId, signedText(checkpoint), signature)) {
      case "signed":
        return undefined
      case "not-signed":
        return `checkpoint ${number} is not signed by key ${keyId}, as it says`
      case "unknown-key":
        return `checkpoint ${number} is signed by key ${keyId}; trusted is ${witness.keyIds.join(", ")}`
    }
  }

  const seen = new Set<string>()
  const isSeen = ({ event: { position } }: ProvenEntry): boolean => seen.size === seen.add(position).size

  return entries.map((entry): CheckedEntry => {
    // What was charged once must not look as if it was charged twice.
    if (isSeen(entry)) return { event: entry.event, checkpoint: undefined, fault: "it stands in the proof twice" }
    const checkpoint = checkpoints.find(({ number }) => number === entry.checkpoint)
    if (checkpoint === undefined) {
      return { event: entry.event, checkpoint, fault: `the proof has no checkpoint ${entry.checkpoint}` }
    }
    const led = checkEntry(sha256, entry, checkpoint)
    return {
      event: entry.event,
      checkpoint,
      fault: faultOfSignature(checkpoint) ?? (led._tag === "Failure" ? led.failure : undefined)
    }
  })
})

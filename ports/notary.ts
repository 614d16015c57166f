import { Context, type Effect, Schema } from "effect"
import type { Sha256 } from "../domain/log-proof/merkle.ts"
import type { TreeHead } from "../domain/log-proof/tree-head.ts"

/** SHA-256 of the runtime. */
export class Hashing extends Context.Service<Hashing, Sha256>()("sliptrail/application/Hashing") {}

/** Signs tree heads with the private key of this log. */
export class Notary extends Context.Service<Notary, {
  /** Names the public key in signatures: the first 16 hexadecimal digits of its digest. */
  readonly keyId: string
  /** Ed25519 over the UTF-8 of a text, in base64. */
  readonly sign: (text: string) => string
}>()("sliptrail/application/Notary") {}

/** `unknown-key`: the public key is not among the trusted ones, so the signature cannot be checked. */
export type SignatureStatus = "valid" | "invalid" | "unknown-key"

/** Checks signatures with the trusted public keys. */
export class SignatureVerifier extends Context.Service<SignatureVerifier, {
  /** The trusted keys. */
  readonly keyIds: ReadonlyArray<string>
  readonly check: (keyId: string, text: string, signature: string) => SignatureStatus
}>()("sliptrail/application/SignatureVerifier") {}

/** The file cannot be read or written, or its last line is not a tree head; `message` says what to do. */
export class TreeHeadFileError extends Schema.TaggedError<TreeHeadFileError>()("TreeHeadFileError", {
  message: Schema.String
}) {}

/**
 * A copy of the signed tree heads beside the log, one per line, oldest first. Lines are only appended, so other
 * machines can copy the file while it grows.
 */
export class TreeHeadFile extends Context.Service<TreeHeadFile, {
  /** The last tree head; undefined in an empty file. A line that a crash cut off does not count. */
  readonly last: Effect.Effect<TreeHead | undefined, TreeHeadFileError>
  /** Appends lines, after removing a cut-off line. Once it returns, the lines survive a crash. */
  readonly append: (treeHeads: ReadonlyArray<TreeHead>) => Effect.Effect<void, TreeHeadFileError>
}>()("sliptrail/application/TreeHeadFile") {}

import { Effect } from "effect"
import { publicKeysIn, publicKeysOf } from "../runtime/tree-heads.ts"
import { readSettings } from "../settings/settings.ts"
import { maybe } from "./flags.ts"

export const keyFlag = maybe(
  "key",
  "File with the public keys that are trusted; default signing.pub of the data folder"
)

/** Keys in a file that was named; otherwise those of the settings. */
export const trustedKeys = Effect.fnUntraced(function* (file: string | undefined) {
  return yield* file === undefined ? Effect.flatMap(readSettings, publicKeysOf) : publicKeysIn(file)
})

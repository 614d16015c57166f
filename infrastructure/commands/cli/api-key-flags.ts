import { Effect } from "effect"
import { cannotRun } from "./exit.ts"
import { optionalText } from "./flags.ts"
import { readSecretFile } from "./target.ts"

/** The flags of commands that create a branch. */
export const apiKeyFlags = {
  key: optionalText(
    "key",
    "API key that clients of another verifier have, a UUID v4; default a new key. Other users of this machine can see "
      + "it while the command runs: prefer --key-file"
  ),
  keyFile: optionalText("key-file", "File that contains this API key, or - for the standard input")
}

/** The API key as the operator wrote it; undefined when no flag was given. */
export const apiKeyOf = ({ key, keyFile }: {
  readonly key: string | undefined
  readonly keyFile: string | undefined
}) => {
  if (keyFile === undefined) return Effect.succeed(key)
  return key === undefined
    ? readSecretFile("key-file", keyFile)
    : Effect.fail(cannotRun("give only one of --key, --key-file"))
}

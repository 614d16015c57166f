import { Effect, Option } from "effect"
import { readFileSync } from "node:fs"
import { cannotRun } from "./exit.ts"
import { optionalText } from "./flags.ts"

/** The flags of commands that create a branch. */
export const apiKeyFlags = {
  key: optionalText(
    "key",
    "API key that clients of another verifier have, a UUID v4; default a new key. Other users of this machine can see "
      + "it while the command runs: prefer --key-file"
  ),
  keyFile: optionalText("key-file", "File that contains this API key, or - for the standard input")
}

const STANDARD_INPUT = 0

const readKey = (file: string) =>
  Effect.try({
    try: () => readFileSync(file === "-" ? STANDARD_INPUT : file, "utf8").trim(),
    catch: (cause) => cannotRun(`--key-file: cannot read ${file}: ${String(cause)}`)
  })

/** The API key as the operator wrote it; undefined when no flag was given. */
export const apiKeyOf = ({ key, keyFile }: {
  readonly key: Option.Option<string>
  readonly keyFile: Option.Option<string>
}) => {
  if (Option.isNone(keyFile)) return Effect.succeed(Option.getOrUndefined(key))
  return Option.isNone(key) ? readKey(keyFile.value) : Effect.fail(cannotRun("give only one of --key, --key-file"))
}

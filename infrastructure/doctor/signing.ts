import { Effect, type Redacted } from "effect"
import { createPublicKey } from "node:crypto"
import { existsSync } from "node:fs"
import { keyIdOf, publicKeyFile, signingKeyFile, signingKeyOfSetting } from "../notary/signing-keys.ts"
import type { SigningSettings } from "../runtime/log-proof.ts"
import type { Settings } from "../settings/settings.ts"
import { octal, openToOthers } from "./data-folder.ts"
import { fail, type Finding, ok, warn } from "./finding.ts"

const ABOUT = "signing key"

const judgeSetting = (setting: Redacted.Redacted): Effect.Effect<Finding> =>
  Effect.match(signingKeyOfSetting(setting), {
    onSuccess: (key) => ok(ABOUT, `key ${keyIdOf(createPublicKey(key))}, taken from SIGNING_KEY`),
    onFailure: ({ message }) => fail(ABOUT, message, "the service does not start with this one")
  })

const judgeFile = (folder: string): Finding => {
  const file = signingKeyFile(folder)
  if (!existsSync(file)) {
    return existsSync(publicKeyFile(folder))
      ? warn(
        ABOUT,
        `${file} is missing: the next start makes another key`,
        "put it back from the backup if you have it; what it signed goes on to hold in any case"
      )
      : ok(ABOUT, "not there yet: the service makes it when it starts")
  }
  return openToOthers(file) === 0
    ? ok(ABOUT, `${file} can be read by its owner alone (mode ${octal(file)})`)
    : fail(ABOUT, `${file} can be read by others (mode ${octal(file)}): they can sign another log`, `chmod 600 ${file}`)
}

const unsigned = warn(
  ABOUT,
  "without SIGNING_KEY the log is not signed: nobody can prove that nothing in it was changed",
  "make one with: openssl genpkey -algorithm ed25519 -outform DER | base64 -w 0"
)

/** Whether the log can be signed, and only by its owner. Of processes that share a log those that project sign it. */
export const judgeSigning = (
  { dataDir, eventStoreUrl, roles, signingKey }: SigningSettings & Pick<Settings, "roles">
): Effect.Effect<ReadonlyArray<Finding>> => {
  if (signingKey !== undefined) return Effect.map(judgeSetting(signingKey), (finding) => [finding])
  if (eventStoreUrl === undefined) return Effect.sync(() => [judgeFile(dataDir)])
  return Effect.succeed(roles.includes("projector") ? [unsigned] : [])
}

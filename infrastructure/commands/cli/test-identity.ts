import { Effect, Option } from "effect"
import { Flag } from "effect/cli"
import { defaultFolder, identityIn } from "../receiver/identity.ts"
import { cannotRun } from "./exit.ts"

/** `--folder` of the test servers. */
export const folderFlag = Flag.Directory("folder").pipe(
  Flag.withDescription("Folder that stores the certificate between starts"),
  Flag.optional
)

/** The certificate of the test servers in the folder of `--folder`, and the file with its authority. */
export const testIdentity = (folder: Option.Option<string>) => {
  const path = Option.getOrElse(folder, defaultFolder)
  return Effect.mapError(identityIn(path), ({ message }) => cannotRun(`--folder ${path}: ${message}`))
}

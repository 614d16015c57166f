import { Clock, Effect } from "effect"
import { randomUUID } from "node:crypto"
import { lstat, mkdir, readFile, rename, writeFile } from "node:fs/promises"
import { tmpdir, userInfo } from "node:os"
import { join, resolve } from "node:path"
import { cannotRun } from "../cli/exit.ts"
import { fromText, type Identity, isUsable, makeIdentity, toText } from "./certificate.ts"

/** Where the identity is kept when nobody says: each user of the machine has a folder of their own. */
export const defaultFolder = (): string => join(tmpdir(), `sliptrail-receiver-${userInfo().uid}`)

/**
 * The identity that the folder keeps, or a new one that it keeps from now on: a service that trusts it needn't be
 * started again when the receiver is. `authorityFile` is for those who are to trust it.
 */
export const identityIn = Effect.fnUntraced(function* (folder: string, names: ReadonlyArray<string>) {
  const now = yield* Clock.currentTimeMillis
  return yield* Effect.tryPromise({
    try: async () => {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await refuseForeign(folder)
      const identity = await kept(folder, now) ?? await keep(folder, await makeIdentity(names, now))
      const authorityFile = resolve(folder, "ca.pem")
      await replace(authorityFile, identity.authority)
      return { identity, authorityFile }
    },
    catch: (cause) => cannotRun(`--folder ${folder}: ${cause instanceof Error ? cause.message : String(cause)}`)
  })
})

const IDENTITY_FILE = "identity.pem"

/** In a folder of somebody else the authority to be trusted would be theirs. */
const refuseForeign = async (folder: string): Promise<void> => {
  const stat = await lstat(folder)
  const { uid } = userInfo()
  if (!stat.isDirectory()) throw new Error("it is no folder")
  if (uid !== -1 && (stat.uid !== uid || (stat.mode & 0o022) !== 0)) {
    throw new Error("others can write there; name a folder of your own")
  }
}

const kept = async (folder: string, now: number): Promise<Identity | undefined> => {
  const text = await readFile(join(folder, IDENTITY_FILE), "utf8").catch(() => "")
  const identity = fromText(text)
  return identity !== undefined && isUsable(identity, now) ? identity : undefined
}

const keep = async (folder: string, identity: Identity): Promise<Identity> => {
  await replace(join(folder, IDENTITY_FILE), toText(identity))
  return identity
}

/** Whoever reads meanwhile finds the old text or the new one, never half of it. */
const replace = async (file: string, text: string): Promise<void> => {
  const beside = `${file}.${randomUUID()}`
  await writeFile(beside, text, { mode: 0o600 })
  await rename(beside, file)
}

import { Clock, DateTime, Effect } from "effect"
import { mkdirSync, readdirSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import { syncFolder, writeFileAtomic } from "../atomic-file.ts"
import { unfinishedRestoreFile } from "../runtime/data-folder.ts"
import { attemptNow } from "./failure.ts"
import { FOLDER_MODE, MODE } from "./files.ts"
import { makeFolder } from "./target.ts"

const PARTIAL = "restore.partial"
const FORMER = /^before-restore-/u

/** What is in every data folder or on every disk, and what restores leave: none of it is data that is in force. */
const isNoData = (name: string): boolean =>
  name === PARTIAL || name === "restore.unfinished" || name === "lost+found" || FORMER.test(name)
  || name.startsWith("lock.db")

/** The data that lies in a folder, by the names of its files. */
export const dataIn = (folder: string) =>
  attemptNow(folder, () => readdirSync(folder).filter((name) => !isNoData(name)).sort())

/**
 * A folder inside of the data folder to put files together in: so it is on the same disk also where that is mounted
 * there. It is gone with the scope, and so is one that a killed restore has left.
 */
export const partialIn = Effect.fnUntraced(function* (folder: string) {
  const partial = join(folder, PARTIAL)
  const remove = () => rmSync(partial, { recursive: true, force: true, maxRetries: 5 })
  yield* Effect.acquireRelease(
    Effect.andThen(attemptNow(partial, remove), makeFolder(partial)),
    () => Effect.sync(remove)
  )
  return partial
})

interface Switch {
  readonly folder: string
  readonly partial: string
  /** Names in the partial folder that are to be in force. */
  readonly names: ReadonlyArray<string>
  /** Names in the data folder that are in force and are to lie aside. */
  readonly former: ReadonlyArray<string>
}

/**
 * Puts files of the partial folder in force, and what is in force aside, in a folder of its own. Gives that folder;
 * undefined when there was nothing. From the first move to the last a mark keeps every service from starting there.
 */
export const switchOver = Effect.fnUntraced(function* ({ folder, former, names, partial }: Switch) {
  const now = DateTime.formatIso(DateTime.makeUnsafe(yield* Clock.currentTimeMillis))
  const aside = former.length === 0 ? undefined : join(folder, `before-restore-${now.replaceAll(":", "-")}`)
  const moveAll = (from: string, to: string, names: ReadonlyArray<string>): void => {
    for (const name of names) renameSync(join(from, name), join(to, name))
    syncFolder(to)
  }
  const work = (): void => {
    writeFileAtomic(unfinishedRestoreFile(folder), "a restore was broken off here\n", MODE)
    if (aside !== undefined) {
      mkdirSync(aside, { mode: FOLDER_MODE })
      moveAll(folder, aside, former)
    }
    moveAll(partial, folder, names)
    rmSync(partial, { recursive: true })
    rmSync(unfinishedRestoreFile(folder))
    syncFolder(folder)
  }
  yield* Effect.uninterruptible(attemptNow(`${folder} is half restored`, work))
  return aside
})

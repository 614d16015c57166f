import { Clock, Effect } from "effect"
import { duplicateSets, duplicatesModel } from "../../projections/models/duplicates.ts"
import { type BranchView, Directory } from "../../application/provisioning/directory.ts"
import { verdictsAt } from "../../application/trail/state-at-verification.ts"
import { whenReady } from "../../projections/engine/readiness.ts"

/** A verification as a line of a list. */
export interface RecentVerification {
  readonly id: string
  /** ISO 8601, UTC. */
  readonly at: string
  readonly branch: Pick<BranchView, "id" | "name">
  readonly result: "first" | "duplicate" | "failed" | "pending"
  /** Why it failed; null when it did not. */
  readonly code: string | null
  /** In baht; null as far as it is not known. */
  readonly amount: number | null
}

/** How many are told, and among how many services and verifications of a branch they are looked for. */
const MOST = 30
const MOST_SERVICES = 200
const MOST_OF_BRANCH = 1_000

const MINUTE = 60_000
/** From when on it is looked: further back only while there are too few. */
const WINDOWS = [MINUTE, 15 * MINUTE, 180 * MINUTE, 1_440 * MINUTE, 7 * 1_440 * MINUTE]

const everyBranch = Effect.gen(function* () {
  const directory = yield* Directory
  const { items } = yield* directory.services({ limit: MOST_SERVICES })
  return (yield* Effect.forEach(items, ({ id }) => directory.branchesOf(id))).flat()
})

const since = Effect.fnUntraced(function* (branches: ReadonlyArray<BranchView>, from: number) {
  const found = yield* Effect.forEach(branches, (branch) =>
    Effect.map(
      duplicateSets.ofBranch(branch.id).members({ from, limit: MOST_OF_BRANCH }),
      (members) => members.map(({ member, score }) => ({ id: member, at: score, branch }))
    ))
  return found.flat().sort((one, other) => other.at - one.at)
})

/** The latest verifications of all branches, the newest first. */
export const recentVerifications = Effect.gen(function* () {
  yield* whenReady(duplicatesModel)
  const branches = yield* everyBranch
  const now = yield* Clock.currentTimeMillis
  let found: Effect.Success<ReturnType<typeof since>> = []
  for (const window of WINDOWS) {
    found = yield* since(branches, now - window)
    if (found.length >= MOST) break
  }
  const latest = found.slice(0, MOST)
  const verdicts = yield* verdictsAt(latest.map(({ id }) => id), now)
  return latest.map(({ at, branch, id }) => {
    const verdict = verdicts.get(id)
    const told: RecentVerification = {
      id,
      at: new Date(at).toISOString(),
      branch,
      result: verdict?.verdict ?? "pending",
      code: verdict?.code ?? null,
      amount: verdict?.amount ?? null
    }
    return told
  })
})

import type { DatabaseSync } from "node:sqlite"
import type { MemberChanges } from "../../../../../projections/engine/changes.ts"
import { byFirst, makeInsertMany } from "./insert-many.ts"

type Scored = readonly [member: string, score: number]

/**
 * Makes the function that writes the members of sets, inside a transaction of the caller. A fixed set has its members in
 * `scored` only: `members` is needed to find the score that a member has now.
 */
export const makeSetWriter = (
  database: DatabaseSync
): (generation: number, sets: ReadonlyMap<string, MemberChanges>) => void => {
  const makeSet = database.prepare("INSERT INTO sets(generation, name, size) VALUES (?, ?, ?) ON CONFLICT DO NOTHING")
  const getSet = database.prepare("SELECT id FROM sets WHERE generation = ? AND name = ?")
  const resize = database.prepare("UPDATE sets SET size = size + ? WHERE id = ?")
  const getScore = database.prepare("SELECT score FROM members WHERE set_id = ? AND member = ?")
  const setScore = database.prepare("UPDATE members SET score = ? WHERE set_id = ? AND member = ?")
  const addMembers = makeInsertMany(database, "members(set_id, member, score)", 3)
  const addScored = makeInsertMany(database, "scored(set_id, score, member)", 3)
  const removeMember = database.prepare("DELETE FROM members WHERE set_id = ? AND member = ?")
  const removeScored = database.prepare("DELETE FROM scored WHERE set_id = ? AND score = ? AND member = ?")

  const scoreOf = (id: number, member: string): number | undefined => {
    const score = getScore.get(id, member)?.["score"]
    return typeof score === "number" ? score : undefined
  }

  const remove = (id: number, member: string): boolean => {
    const score = scoreOf(id, member)
    if (score === undefined) return false
    removeMember.run(id, member)
    removeScored.run(id, score, member)
    return true
  }

  const rescore = (id: number, member: string, score: number) => {
    const before = scoreOf(id, member)
    if (before === undefined || before === score) return
    removeScored.run(id, before, member)
    setScore.run(score, id, member)
  }

  const insertScored = (id: number, added: ReadonlyArray<Scored>): number =>
    addScored(added.map(([member, score]) => [id, score, member]), () => {})

  const writeExisting = (id: number, changes: MemberChanges, added: ReadonlyArray<Scored>): number => {
    let growth = 0
    for (const [member, { isRemoved }] of changes) if (isRemoved && remove(id, member)) growth--
    growth += addMembers(
      added.map(([member, score]) => [id, member, score]),
      (from, to) => {
        for (const [member, score] of added.slice(from, to)) rescore(id, member, score)
      }
    )
    insertScored(id, added)
    return growth
  }

  const writeExistingFixed = (id: number, changes: MemberChanges, added: ReadonlyArray<Scored>): number => {
    let growth = insertScored(id, added)
    for (const [member, { fixedScore, isRemoved }] of changes) {
      if (isRemoved && fixedScore !== undefined) growth -= Number(removeScored.run(id, fixedScore, member).changes)
    }
    return growth
  }

  return (generation, sets) => {
    const inNewSets: Array<readonly [id: number, member: string, score: number]> = []
    const scoredInNewSets: typeof inNewSets = []
    for (const [name, changes] of sets) {
      const added = addedIn(changes)
      const made = makeSet.run(generation, name, added.length)
      if (made.changes === 1) {
        const id = Number(made.lastInsertRowid)
        for (const [member, score] of added) {
          if (!isFixed(changes)) inNewSets.push([id, member, score])
          scoredInNewSets.push([id, member, score])
        }
      } else {
        const id = Number(getSet.get(generation, name)?.["id"])
        const growth = (isFixed(changes) ? writeExistingFixed : writeExisting)(id, changes, added)
        if (growth !== 0) resize.run(growth, id)
      }
    }
    // A new set has no members, so none of these exists.
    addMembers(inNewSets, () => {})
    addScored(scoredInNewSets.map(([id, member, score]) => [id, score, member]), () => {})
  }
}

const isFixed = (changes: MemberChanges): boolean => {
  const [first] = changes.values()
  return first?.fixedScore !== undefined
}

/** In the order of their names. */
const addedIn = (changes: MemberChanges): ReadonlyArray<Scored> => {
  const added: Array<Scored> = []
  for (const [member, { isRemoved, score }] of changes) {
    if (score !== undefined && !isRemoved) added.push([member, score])
  }
  return added.sort(byFirst)
}

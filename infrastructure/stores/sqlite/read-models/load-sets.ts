import type { DatabaseSync } from "node:sqlite"
import type { Steps } from "./load-models.ts"

/**
 * Fills `sets`, `members` and `scored` from the collected writes, each in the order of its keys: sets are numbered in the
 * order of their names. A write without a score removes its member.
 */
export const loadMembers = (database: DatabaseSync, from: string, generation: number, steps: Steps): void => {
  database.exec(
    `CREATE TABLE last_members(name TEXT, member TEXT, score REAL, PRIMARY KEY(name, member)) WITHOUT ROWID;
     INSERT INTO last_members SELECT name, member, score
       FROM (SELECT name, member, score, max(seq) FROM ${from} GROUP BY name, member) WHERE score IS NOT NULL;
     DROP TABLE ${from};
     CREATE TABLE in_order(id INTEGER PRIMARY KEY, score REAL, member TEXT);
     ${SIZES}`
  )
  const membersOf = joined("last_members")
  const addMembers = database.prepare(`INSERT INTO members SELECT sets.id, member, score ${membersOf}`)
  const addScored = database.prepare(
    `INSERT INTO scored SELECT sets.id, score, member ${membersOf} ORDER BY sizes.id, score, member`
  )
  const addSomeMembers = database.prepare(
    `INSERT INTO members SELECT ${idOf}, member, score FROM last_members WHERE name = ? AND member > ?
     ORDER BY member LIMIT ${steps.perStep}`
  )
  const lastMember = database.prepare(`SELECT max(member) AS member FROM members WHERE set_id = ${idOf}`)
  const sort = database.prepare(
    "INSERT INTO in_order(score, member) SELECT score, member FROM last_members WHERE name = ? ORDER BY score, member"
  )
  const addSomeScored = database.prepare(
    `INSERT INTO scored SELECT ${idOf}, score, member FROM in_order WHERE id > ? ORDER BY id LIMIT ${steps.perStep}`
  )

  loadSets(database, "last_members", generation, steps, {
    small: (from, to) => {
      addMembers.run(generation, from, to)
      addScored.run(generation, from, to)
    },
    large: (name, size) => {
      // No member has an empty name.
      for (let done = 0, after = ""; done < size; done += steps.perStep) {
        steps.step(() => {
          addSomeMembers.run(generation, name, name, after)
          after = String(lastMember.get(generation, name)?.["member"])
        })
      }
      sort.run(name)
      for (let done = 0; done < size; done += steps.perStep) {
        steps.step(() => void addSomeScored.run(generation, name, done))
      }
      database.exec("DELETE FROM in_order")
    }
  })
  database.exec("DROP TABLE last_members; DROP TABLE in_order")
}

/**
 * As `loadMembers`, for fixed sets: every write names the score, and says whether the member is added. One sort brings the
 * writes of a member together, and all members into the order of `scored`.
 */
export const loadFixedMembers = (database: DatabaseSync, from: string, generation: number, steps: Steps): void => {
  database.exec(
    `CREATE TABLE fixed_members(name TEXT, score REAL, member TEXT, PRIMARY KEY(name, score, member)) WITHOUT ROWID;
     INSERT INTO fixed_members SELECT name, score, member
       FROM (SELECT name, score, member, isAdded, max(seq) FROM ${from} GROUP BY name, score, member) WHERE isAdded;
     DROP TABLE ${from};
     ${SIZES}`
  )
  const addScored = database.prepare(`INSERT INTO scored SELECT sets.id, score, member ${joined("fixed_members")}`)
  const addSomeScored = database.prepare(
    `INSERT INTO scored SELECT ${idOf}, score, member FROM fixed_members
     WHERE name = ? AND (score, member) > (?, ?) ORDER BY score, member LIMIT ${steps.perStep}`
  )
  const lastScored = database.prepare(
    `SELECT score, member FROM scored WHERE set_id = ${idOf} ORDER BY score DESC, member DESC LIMIT 1`
  )

  loadSets(database, "fixed_members", generation, steps, {
    small: (from, to) => void addScored.run(generation, from, to),
    large: (name, size) => {
      let [score, member] = [-Infinity, ""]
      for (let done = 0; done < size; done += steps.perStep) {
        steps.step(() => {
          addSomeScored.run(generation, name, name, score, member)
          const last = lastScored.get(generation, name)
          score = Number(last?.["score"])
          member = String(last?.["member"])
        })
      }
    }
  })
  database.exec("DROP TABLE fixed_members")
}

/** The sets of a model in the order of their names, which `loadSets` fills. */
const SIZES = "CREATE TABLE sizes(id INTEGER PRIMARY KEY, name TEXT, size INTEGER)"

/** The number of a set, by generation and name. */
const idOf = "(SELECT id FROM sets WHERE generation = ? AND name = ?)"

/** The members of the sets between two places of `sizes`, with the numbers of their sets. */
const joined = (members: string): string =>
  `FROM sizes CROSS JOIN sets ON generation = ? AND sets.name = sizes.name
   CROSS JOIN ${members} ON ${members}.name = sizes.name WHERE sizes.id BETWEEN ? AND ?`

/** Loads the members of sets whose numbers are known. */
interface LoadSet {
  /** Of the sets between two places of `sizes`, inside a step. */
  readonly small: (from: number, to: number) => void
  /** Of a set with more members than a step may have. It makes steps of its own. */
  readonly large: (name: string, size: number) => void
}

/** Numbers the sets of a table of members in the order of their names, and loads them in steps. */
const loadSets = (
  database: DatabaseSync,
  members: string,
  generation: number,
  { perStep, step }: Steps,
  load: LoadSet
): void => {
  database.exec(`INSERT INTO sizes(name, size) SELECT name, count(*) FROM ${members} GROUP BY name ORDER BY name`)
  const part = database.prepare("SELECT id, name, size FROM sizes WHERE id > ? ORDER BY id LIMIT ?")
  const addSets = database.prepare(
    "INSERT INTO sets(generation, name, size) SELECT ?, name, size FROM sizes WHERE id BETWEEN ? AND ? ORDER BY id"
  )
  for (let after = 0;;) {
    const sets = part.all(after, perStep)
    const [first] = sets
    if (first === undefined) break
    let [upTo, total] = [after, 0]
    for (const { id, size } of sets) {
      total += Number(size)
      if (total > perStep && upTo > after) break
      upTo = Number(id)
      if (total > perStep) break
    }
    const [from, to] = [after + 1, upTo]
    const isLarge = Number(first["size"]) > perStep
    step(() => {
      addSets.run(generation, from, to)
      if (!isLarge) load.small(from, to)
    })
    if (isLarge) load.large(String(first["name"]), Number(first["size"]))
    after = upTo
  }
  database.exec("DROP TABLE sizes")
}

import { Effect } from "effect"
import type { JsonObject, Position } from "../../domain/events/recorded-event.ts"
import { type Member, ReadModels, type ScoreRange, type SetMember, type Write } from "../../ports/read-models.ts"

export const model = "jobs.v1"

export const at = (position: number | bigint): Position => ({ commit: BigInt(position), prepare: BigInt(position) })
export const of = (member: string, score: number): Member => ({ member, score })

export const setFields = (table: string, key: string, fields: JsonObject): Write => ({
  _tag: "SetFields",
  table,
  key,
  fields
})
export const addToFields = (table: string, key: string, amounts: Readonly<Record<string, number>>): Write => ({
  _tag: "AddToFields",
  table,
  key,
  amounts
})
export const deleteRow = (table: string, key: string): Write => ({ _tag: "DeleteRow", table, key })
export const addMember = (set: string, member: string, score: number): Write => ({
  _tag: "AddMember",
  set,
  member,
  score
})
export const removeMember = (set: string, member: string): Write => ({ _tag: "RemoveMember", set, member })

/** One model of the engine, for tests of its content. Each call of `write` applies the next batch. */
export const given = Effect.map(ReadModels, (models) => ({
  models,
  write: (...writes: ReadonlyArray<Write>) =>
    Effect.flatMap(
      models.checkpoint(model),
      (after) => models.apply(model, { after, upTo: at(after.commit + 1n), writes })
    ),
  get: (table: string, key: string) => models.get(model, table, key),
  count: (set: string, range?: ScoreRange) => models.count(model, set, range),
  has: (...members: ReadonlyArray<SetMember>) => models.has(model, members),
  members: (set: string, options?: Parameters<typeof models.members>[2]) => models.members(model, set, options)
}))

import type { Json, JsonObject } from "../../domain/events/recorded-event.ts"
import { canonicalJson } from "../../domain/log-proof/canonical-json.ts"
import type { Comparison } from "./compare.ts"

/**
 * A place where a read model and the log disagree. Undefined fields, or false for a member: there is none.
 *
 * - `row`: a row of a table
 * - `member`: a member of a set with this score
 * - `size`: the number of members that a set is said to have
 * - `file`: the model as a whole cannot be compared
 */
export type Difference =
  | {
    readonly _tag: "row"
    readonly table: string
    readonly key: string
    readonly model: JsonObject | undefined
    readonly log: JsonObject | undefined
  }
  | {
    readonly _tag: "member"
    readonly set: string
    readonly member: string
    readonly score: number
    readonly isIn: "model" | "log"
  }
  | { readonly _tag: "size"; readonly set: string; readonly model: number; readonly log: number }
  | { readonly _tag: "file"; readonly why: string }

/** The differences of one read model. */
export interface ModelDifferences {
  /** Name of the projection, as commands take it. */
  readonly name: string
  /** The first ones. */
  readonly differences: ReadonlyArray<Difference>
  /** The number of all. */
  readonly count: number
}

/** Says what the read model has and what the log says. */
export const describeDifference = (difference: Difference): string => {
  switch (difference._tag) {
    case "row": {
      const { key, log, model, table } = difference
      const row = `the row ${key} of ${table}`
      if (model === undefined) return `${row} is missing; the log says ${textOf(log ?? {})}`
      if (log === undefined) return `${row} says ${textOf(model)}, but no event explains it`
      const fields = Object.keys({ ...log, ...model }).filter((name) => !isSame(model[name], log[name]))
      return `${row} says ${textOf(only(model, fields))}; the log says ${textOf(only(log, fields))}`
    }
    case "member": {
      const { isIn, member, score, set } = difference
      return isIn === "model"
        ? `the set ${set} has ${member} at ${score}, but no event explains it`
        : `the set ${set} lacks ${member} at ${score}, which the log has`
    }
    case "size":
      return `the set ${difference.set} counts ${difference.model} members; the log says ${difference.log}`
    case "file":
      return difference.why
  }
}

/** A difference in words, and the command that mends the read model. */
export interface DescribedDifference {
  readonly what: string
  readonly mend: string
}

export const describeDifferences = (
  { count, differences, name }: ModelDifferences
): ReadonlyArray<DescribedDifference> => {
  const more = count - differences.length
  const places = [
    ...new Set(differences.map(describeDifference)),
    ...(more > 0 ? [`${more} more places`] : [])
  ]
  return places.map((place) => ({
    what: `the read model ${name} differs from the log: ${place}`,
    mend: `rebuild it with: sliptrail projections rebuild ${name}`
  }))
}

/** The differences of a comparison that has lines of dumps. A row with other fields is one difference. */
export const differencesOf = (
  { missing, surplus }: Pick<Comparison, "missing" | "surplus">
): ReadonlyArray<Difference> => {
  const rows = new Map<string, Extract<Difference, { _tag: "row" }>>()
  const others: Array<Difference> = []
  const add = (line: string, isIn: "model" | "log") => {
    const parsed: DumpLine = JSON.parse(line)
    if ("size" in parsed) others.push({ _tag: "size", set: parsed.set, model: parsed.size, log: parsed.members })
    else if ("set" in parsed) others.push({ _tag: "member", ...parsed, isIn })
    else {
      const { fields, key, table } = parsed
      const place = canonicalJson([table, key])
      const known = rows.get(place) ?? { _tag: "row", table, key, model: undefined, log: undefined }
      rows.set(place, { ...known, [isIn]: fields })
    }
  }
  for (const line of surplus) add(line, "model")
  for (const line of missing) add(line, "log")
  return [...rows.values(), ...others]
}

type DumpLine =
  | { readonly table: string; readonly key: string; readonly fields: JsonObject }
  | { readonly set: string; readonly member: string; readonly score: number }
  | { readonly set: string; readonly size: number; readonly members: number }

const isSame = (one: Json | undefined, other: Json | undefined): boolean =>
  one === undefined || other === undefined ? one === other : canonicalJson(one) === canonicalJson(other)

const only = (row: JsonObject, names: ReadonlyArray<string>): JsonObject =>
  Object.fromEntries(names.flatMap((name) => row[name] === undefined ? [] : [[name, row[name]]]))

const MOST_CHARACTERS = 400

const textOf = (value: JsonObject): string => {
  const text = canonicalJson(value)
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text
}

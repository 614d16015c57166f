import { Effect, Schema } from "effect"
import type { JsonObject } from "../../domain/events/recorded-event.ts"
import { type Member, ReadModels, type ReadModelsError, type ScoreRange, type Write } from "../../ports/read-models.ts"
import { type ModelId, modelName } from "./model-name.ts"
import { caughtUp } from "./readiness.ts"

/** Bounds of a read of a set, as `ReadModels.members` takes them. */
export type Range = Parameters<ReadModels["Service"]["members"]>[2] & object

/** A table of a read model. The projection writes its rows, the application reads them. */
export class Table<Row extends JsonObject> {
  readonly model: string
  readonly name: string
  readonly #id: ModelId
  readonly #decode: (row: unknown) => Row

  constructor(model: ModelId, name: string, row: Schema.Codec<Row, unknown>) {
    this.model = modelName(model)
    this.name = name
    this.#id = model
    this.#decode = Schema.decodeUnknownSync(row)
  }

  /** Creates the row if there is none, and leaves its other fields as they are. */
  set(key: string, fields: Partial<Row>): Write {
    return { _tag: "SetFields", table: this.name, key, fields: fields as JsonObject }
  }

  /** Creates the row if there is none, and adds whole numbers to fields; an absent field counts as 0. */
  add(key: string, amounts: Readonly<Record<string, number>>): Write {
    return { _tag: "AddToFields", table: this.name, key, amounts }
  }

  delete(key: string): Write {
    return { _tag: "DeleteRow", table: this.name, key }
  }

  /**
   * The row that results from writes, without the read model; undefined when they write no row. Without a key all writes
   * of the table must be to one row.
   */
  fold(writes: ReadonlyArray<Write>, key?: string): Row | undefined {
    let row: JsonObject | undefined
    for (const write of writes) {
      const isOfRow = write._tag === "SetFields" && write.table === this.name && write.key === (key ?? write.key)
      if (isOfRow) row = { ...row, ...write.fields }
    }
    return row === undefined ? undefined : this.#decode(row)
  }

  /** Dies when the stored row has another shape. */
  get(key: string): Effect.Effect<Row | undefined, ReadModelsError, ReadModels> {
    return ReadModels.use((models) =>
      Effect.map(
        models.get(this.model, this.name, key),
        (row) => row === undefined ? undefined : this.#decode(row)
      )
    )
  }

  /**
   * The same. Before it reports an absent row, it waits until the model has caught up with the log; fails as
   * `caughtUp`.
   */
  getCaughtUp(key: string) {
    return Effect.filterOrElse(
      this.get(key),
      (row) => row !== undefined,
      () => Effect.andThen(caughtUp([this.#id]), this.get(key))
    )
  }
}

/** At most `limit` members after one of them. */
export interface MemberPage {
  readonly after?: Member | undefined
  readonly limit: number
}

/** Members with scores, such as an ordered set or a part of one. */
export interface MemberList {
  readonly members: (range?: Range) => Effect.Effect<ReadonlyArray<Member>, ReadModelsError, ReadModels>
}

/** What every set of a read model can be asked. */
export abstract class MemberSet implements MemberList {
  readonly model: string
  readonly set: string

  constructor(model: ModelId, set: string) {
    this.model = modelName(model)
    this.set = set
  }

  /** In the order of score, then name. */
  members(range: Range = {}): Effect.Effect<ReadonlyArray<Member>, ReadModelsError, ReadModels> {
    return ReadModels.use((models) => models.members(this.model, this.set, range))
  }

  /** The members with that score or a higher one. */
  since(score: number): MemberList {
    return { members: (range) => this.members({ ...range, from: Math.max(score, range?.from ?? -Infinity) }) }
  }

  /** The names of the members, without scores. */
  names(range: Range = {}): Effect.Effect<ReadonlyArray<string>, ReadModelsError, ReadModels> {
    return Effect.map(this.members(range), (members) => members.map(({ member }) => member))
  }

  /** The number of members; with `range`, of those with a score within it. */
  count(range?: ScoreRange): Effect.Effect<number, ReadModelsError, ReadModels> {
    return ReadModels.use((models) => models.count(this.model, this.set, range))
  }
}

/** A score is a number, or a time in ISO 8601, which counts as milliseconds since 1970. */
type Score = number | string

const numberOf = (score: Score): number => typeof score === "number" ? score : Date.parse(score)

/** An ordered set of a read model. A member that is added again gets the new score. */
export class OrderedSet extends MemberSet {
  add(member: string, score: Score): Write {
    return { _tag: "AddMember", set: this.set, member, score: numberOf(score) }
  }

  remove(member: string): Write {
    return { _tag: "RemoveMember", set: this.set, member }
  }

  has(member: string): Effect.Effect<boolean, ReadModelsError, ReadModels> {
    return ReadModels.use((models) =>
      Effect.map(models.has(this.model, [{ set: this.set, member }]), ([isThere = false]) => isThere)
    )
  }
}

/** An ordered set in which a member always has the same score. The embedded engine stores it in half of the space. */
export class FixedSet extends MemberSet {
  add(member: string, score: Score): Write {
    return { _tag: "AddMember", set: this.set, member, score: numberOf(score), isFixed: true }
  }

  /** `score` is the score with which the member was added. */
  remove(member: string, score: Score): Write {
    return { _tag: "RemoveMember", set: this.set, member, fixedScore: numberOf(score) }
  }

  /**
   * A page of the members that begin with a text, in order, when all members of the set have the score 0. It is shorter
   * only at the end.
   */
  beginningWith(text: string, { after = { member: text, score: 0 }, limit }: MemberPage) {
    return Effect.map(
      this.members({ after, limit }),
      // The range may go on with other members.
      (members) => members.filter(({ member }) => member.startsWith(text))
    )
  }
}

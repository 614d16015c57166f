import type { BankAccountEvent } from "../../domain/bank-account/bank-account.ts"
import type { CallbackEvent } from "../../domain/callback.ts"
import {
  type Aggregate,
  bankAccounts,
  callbacks,
  jobs,
  slips,
  streamOf,
  verifications
} from "../../domain/events/aggregates.ts"
import type { JsonObject, RecordedEvent } from "../../domain/events/recorded-event.ts"
import type { VerificationEvent } from "../../domain/failed-verification.ts"
import type { JobEvent } from "../../domain/job.ts"
import type { SlipEvent } from "../../domain/slip/slip.ts"
import type { Write } from "../../ports/read-models.ts"
import { handlesStream, type Projection } from "../../projections/engine/projection.ts"
import type { MemberSet, Table } from "../../projections/engine/read-model.ts"
import { naiveModel } from "../support/naive-model.ts"
import { recordedEvent } from "../support/event-fixtures.ts"

/** An event as it is stored in the log. */
export const recorded = <Command, State, Event, Rejection>(
  stream: string,
  { codec }: Aggregate<Command, State, Event, Rejection>,
  event: Event,
  at: string
): RecordedEvent => {
  const { data, type } = codec.encode(event)
  return recordedEvent(type, data, { stream, metadata: { at } })
}

export const jobEvent = (event: JobEvent): RecordedEvent => recorded(streamOf.job(event.jobId), jobs, event, event.at)

export const callbackEvent = (event: CallbackEvent): RecordedEvent =>
  recorded(streamOf.callback(event.jobId), callbacks, event, event.at)

export const slipEvent = (event: SlipEvent): RecordedEvent =>
  recorded(streamOf.slip("s-1", "digest"), slips, event, event.at)

export const verificationEvent = (event: VerificationEvent): RecordedEvent =>
  recorded(streamOf.verification(event.verificationId), verifications, event, event.at)

/** `digest` is the digest of the number whose stream contains the event. */
export const bankAccountEvent = (event: BankAccountEvent, digest = "d1"): RecordedEvent =>
  recorded(streamOf.bankAccount("s-1", digest), bankAccounts, event, event.at)

const writesOf = (projection: Projection, events: ReadonlyArray<RecordedEvent>): ReadonlyArray<Write> =>
  events.filter(({ stream }) => handlesStream(projection, stream)).flatMap((event) => projection.when(event))

/** The read model that a projection builds from events, in the order of the log. */
export const projected = (projection: Projection, ...events: ReadonlyArray<RecordedEvent>) =>
  contentOf(writesOf(projection, events))

/** The same, after all members of one of its expiring sets have left. */
export const expired = (projection: Projection, { set }: MemberSet, ...events: ReadonlyArray<RecordedEvent>) => {
  const writes = writesOf(projection, events)
  const expire = projection.expiring?.find((expiring) => expiring.set === set)?.expire
  const members = [...naiveModel(writes).sets.get(set) ?? []]
  return contentOf([...writes, ...members.flatMap(([member, score]) => expire?.(member, score) ?? [])])
}

const contentOf = (writes: ReadonlyArray<Write>) => {
  const { rows, sets } = naiveModel(writes)
  return {
    /** The members of a set, each with its score. */
    members: ({ set }: Pick<MemberSet, "set">): Readonly<Record<string, number>> =>
      Object.fromEntries(sets.get(set) ?? []),
    /** The names of the sets that have members. */
    sets: [...sets].filter(([, members]) => members.size > 0).map(([set]) => set).sort(),
    row: <Row extends JsonObject>(table: Table<Row>, key: string): Row | undefined => {
      const found = rows.get(JSON.stringify([table.name, key]))
      return found && table.fold([{ _tag: "SetFields", table: table.name, key, fields: found.fields }])
    }
  }
}

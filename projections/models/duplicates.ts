import { Effect } from "effect"
import { slips, streamOf, verifications } from "../../domain/events/aggregates.ts"
import type { RecordedEvent } from "../../domain/events/recorded-event.ts"
import type { Member, SetMember, Write } from "../../ports/read-models.ts"
import { decoded } from "../engine/decoded.ts"
import type { Projection } from "../engine/projection.ts"
import { FixedSet, OrderedSet } from "../engine/read-model.ts"
import { caughtUp } from "../engine/readiness.ts"

/**
 * The read model `duplicates`: the streams in which a slip was verified, and the stream of each verification. The
 * slip's stream decides what is a duplicate; this model is only an index.
 */
export const duplicatesModel = { name: "duplicates", version: 7 } as const

/** Verifications as `<verification id> <stream> <revision>`: the place of the event. All have the score 0. */
const verificationPlaces = new FixedSet(duplicatesModel, "verifications")

/** The stream is the slip's, or that of a failed verification. */
export interface VerificationPlace {
  readonly stream: string
  readonly revision: number
}

/** Adds the place of a verification. */
export const placed = (verificationId: string, { revision, stream }: VerificationPlace): Write =>
  verificationPlaces.add(`${verificationId} ${stream} ${revision}`, 0)

/** The place of the event of a verification; undefined for an unknown one. */
export const placeOfVerification = Effect.fnUntraced(function* (verificationId: string) {
  const prefix = `${verificationId} `
  const [found] = yield* verificationPlaces.beginningWith(prefix, { limit: 1 })
  const [stream, revision, ...others] = found?.member.slice(prefix.length).split(" ") ?? []
  // An unknown id can be the beginning of a member.
  if (stream === undefined || revision === undefined || others.length > 0) return undefined
  return { stream, revision: Number(revision) } satisfies VerificationPlace
})

/** The same. Before it reports none, it waits until the model has caught up with the log; fails as `caughtUp`. */
export const placeOfVerificationCaughtUp = (verificationId: string) =>
  Effect.filterOrElse(
    placeOfVerification(verificationId),
    (place) => place !== undefined,
    () => Effect.andThen(caughtUp([duplicatesModel]), placeOfVerification(verificationId))
  )

/**
 * The services that verified each slip, as `<digest> <service id>`. All have the score 0, so the members of one slip are
 * adjacent. A set for each slip would need three times the space.
 */
const servicesOfSlips = new FixedSet(duplicatesModel, "slips")

const serviceOfSlip = ({ slipDigest, stream }: SlipInService): string =>
  `${slipDigest} ${stream.slice("slip-".length, -`-${slipDigest}`.length)}`

interface SlipInService {
  readonly slipDigest: string
  /** Of `streamOf.slip`. */
  readonly stream: string
}

/** The member that the model has when the stream of a slip in a service has events. */
export const memberOfSlip = (slip: SlipInService): SetMember => ({
  set: servicesOfSlips.set,
  member: serviceOfSlip(slip),
  fixedScore: 0
})

/** The streams of one slip, one in each service that verified it, in the order of the services' ids: at most `limit`. */
export const streamsOfSlip = Effect.fnUntraced(function* (slipDigest: string, limit = Infinity) {
  const prefix = `${slipDigest} `
  const streams: Array<string> = []
  let after: Member | undefined
  while (streams.length < limit) {
    const page = Math.min(SERVICES_OF_SLIP, limit - streams.length)
    const ofSlip = yield* servicesOfSlips.beginningWith(prefix, { after, limit: page })
    for (const { member } of ofSlip) streams.push(streamOf.slip(member.slice(prefix.length), slipDigest))
    after = ofSlip.at(-1)
    if (after === undefined || ofSlip.length < page) break
  }
  return streams
})

/** Hardly a slip is verified in more. */
const SERVICES_OF_SLIP = 20

/** The streams of failed verifications of one slip, scored by time in milliseconds. */
export const failuresOfSlip = (slipDigest: string) => new OrderedSet(duplicatesModel, `failed:${slipDigest}`)

/**
 * The branches that verified a slip after another branch of the service had verified it, scored by the revision of the
 * event that charged each. The branch of the first event is not a member.
 */
export const laterHolders = (stream: string) => new OrderedSet(duplicatesModel, `holders:${stream}`)

const ofFailure = (recorded: RecordedEvent): ReadonlyArray<Write> => {
  const { slipDigest, verificationId } = decoded(verifications, recorded)
  const { metadata: { at }, stream } = recorded
  return [
    placed(verificationId, recorded),
    ...(slipDigest === null ? [] : [failuresOfSlip(slipDigest).add(stream, at)])
  ]
}

const ofSlip = (recorded: RecordedEvent): ReadonlyArray<Write> => {
  const event = decoded(slips, recorded)
  const { revision, stream } = recorded
  return [
    placed(event.verificationId, recorded),
    servicesOfSlips.add(serviceOfSlip({ slipDigest: stream.slice(stream.lastIndexOf("-") + 1), stream }), 0),
    ...(event._tag === "SlipVerifiedAgain" && event.charged ? [laterHolders(stream).add(event.branchId, revision)] : [])
  ]
}

export const duplicatesProjection: Projection = {
  ...duplicatesModel,
  streams: ["slip-", "verification-"],
  when: (recorded) => recorded.stream.startsWith("slip-") ? ofSlip(recorded) : ofFailure(recorded)
}

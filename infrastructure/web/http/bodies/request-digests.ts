import type { Fields } from "../../input/decode.ts"
import { isFields } from "../../input/is-fields.ts"
import { contentDigest } from "./content-digest.ts"
import { withoutEmptyTexts } from "./given-fields.ts"
import { normalizeSlip, type ReceivedBody } from "./normalize-slip.ts"

// Runs in the body thread too: it loads no Effect.

/** The fields that an operation reads. It ignores all others. */
export interface KnownFields {
  readonly names: ReadonlyArray<string>
  /** Those of each slip of a batch. */
  readonly ofSlips?: ReadonlyArray<string>
}

/** The digests of a request's content, for its `Idempotency-Key`. */
export interface RequestDigests {
  /** Of the fields that the operation reads. */
  readonly digest: string
  /** What earlier versions stored, which counted every field; undefined where it is the same. */
  readonly formerDigest?: string | undefined
}

const pick = (fields: Fields, names: ReadonlyArray<string>): Fields =>
  Object.fromEntries(names.filter((name) => Object.hasOwn(fields, name)).map((name) => [name, fields[name]]))

/** A slip of a batch with the fields that count, in one order. */
const canonicalSlip = (slip: unknown, names: ReadonlyArray<string>): unknown =>
  isFields(slip) ? pick(normalizeSlip({ isForm: false, fields: slip }), names) : slip

/**
 * The digests of a body at a route. `fields` are those of `received` after normalization. Without `known` every field
 * counts.
 */
export const requestDigests = (
  route: string,
  { fields: received, isForm }: ReceivedBody,
  fields: Fields,
  { isSlip, known }: { readonly isSlip: boolean; readonly known: KnownFields | undefined }
): RequestDigests => {
  if (known === undefined) return { digest: contentDigest(route, fields) }
  const read = pick(fields, known.names)
  const { slips } = read
  const { ofSlips } = known
  const counted = ofSlips === undefined || !Array.isArray(slips)
    ? read
    : { ...read, slips: slips.map((slip) => canonicalSlip(slip, ofSlips)) }
  const digest = contentDigest(route, counted)
  const isCounted = (name: string, value: unknown) =>
    known.names.includes(name) || (isSlip && !isForm && value === null)
  const unread = Object.entries(received).filter(([name, value]) => !isCounted(name, value))
  if (counted === read && unread.length === 0) return { digest }
  const formerDigest = contentDigest(route, { ...read, ...Object.fromEntries(unread) })
  return { digest, formerDigest: formerDigest === digest ? undefined : formerDigest }
}

/** The fields of a body after normalization. */
export const normalizedFields = (received: ReceivedBody, isSlip: boolean): Fields =>
  isSlip ? normalizeSlip(received) : received.isForm ? received.fields : withoutEmptyTexts(received.fields)

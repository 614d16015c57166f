import { Schema } from "effect"
import { Scope } from "../../domain/api-key.ts"
import { signInLinks } from "../../domain/events/aggregates.ts"
import type { Write } from "../../ports/read-models.ts"
import { decoded } from "../engine/decoded.ts"
import type { Projection } from "../engine/projection.ts"
import { OrderedSet, Table } from "../engine/read-model.ts"

/**
 * The read model `sign-in-links`: the links to the shop's page that were neither redeemed nor withdrawn, by branch. Whether
 * a link can still be redeemed is decided by its stream, its branch and the operators. Links leave the model after the
 * retention.
 */
export const signInLinksModel = { name: "sign-in-links", version: 1 } as const

const SignInLinkRow = Schema.Struct({
  name: Schema.String,
  scopes: Schema.Array(Scope),
  networks: Schema.NullOr(Schema.Array(Schema.String)),
  createdAt: Schema.String,
  expiresAt: Schema.String,
  /** The digest of the key that the link issues; null for links of earlier versions. */
  keyDigest: Schema.NullOr(Schema.String),
  /** The digest of the key that asked for the link; null for an operator. */
  madeBy: Schema.NullOr(Schema.String),
  /** The name of the operator who asked; null for a key. */
  operator: Schema.NullOr(Schema.String),
  operatorId: Schema.NullOr(Schema.String),
  /** Absent in links that do not end with the default key of the branch. */
  defaultKey: Schema.optionalKey(Schema.NullOr(Schema.String))
})
export type SignInLinkRow = typeof SignInLinkRow.Type

/** By the digest of the link's token. */
export const signInLinkRows = new Table(signInLinksModel, "links", SignInLinkRow)

/** The digests of the links of a branch, scored by the time of their expiry. */
export const openLinks = (branchId: string) => new OrderedSet(signInLinksModel, `open:${branchId}`)

/** `<branch id> <digest>`, scored in the same way. */
const allLinks = new OrderedSet(signInLinksModel, "all")

const ended = (branchId: string, digest: string): ReadonlyArray<Write> => [
  signInLinkRows.delete(digest),
  openLinks(branchId).remove(digest),
  allLinks.remove(`${branchId} ${digest}`)
]

const expired = (member: string): ReadonlyArray<Write> => {
  const [branchId = "", digest = ""] = member.split(" ")
  return ended(branchId, digest)
}

export const signInLinksProjection: Projection = {
  ...signInLinksModel,
  streams: ["signInLink-"],
  expiring: [{ set: allLinks.set, expire: expired }],
  when: (recorded) => {
    const { metadata: { actor }, stream } = recorded
    const digest = stream.slice(stream.indexOf("-") + 1)
    const event = decoded(signInLinks, recorded)
    const { branchId } = event
    if (event._tag !== "SignInLinkMade") return ended(branchId, digest)
    const { at: createdAt, defaultKey, expiresAt, keyDigest = null, madeBy, operatorId = null } = event
    const { name, networks, scopes } = event
    const operator = actor.kind === "admin" ? actor.operator ?? actor.id : null
    const made = { name, scopes, networks, createdAt, expiresAt, keyDigest, madeBy, operator, operatorId }
    return [
      signInLinkRows.set(digest, { ...made, ...(defaultKey === undefined ? {} : { defaultKey }) }),
      openLinks(branchId).add(digest, expiresAt),
      allLinks.add(`${branchId} ${digest}`, expiresAt)
    ]
  }
}

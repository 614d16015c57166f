import { Effect } from "effect"
import type { Member } from "../../ports/read-models.ts"
import { branchRows, serviceRows } from "../../projections/models/branches.ts"
import { comparableName, type ListedName, operatorSets, parseName } from "../../projections/models/operator-index.ts"

/** A service or a branch whose name contains a text. */
export interface NamedShop {
  readonly kind: ListedName["kind"]
  readonly id: string
  /** As it is written now. */
  readonly name: string
  /** The service of a branch; the id itself for a service. */
  readonly serviceId: string
}

/** Names read at a time, and in all. An installation with 10 000 branches has about 20 000 names. */
const CHUNK = 2_000
const MOST_NAMES = 40_000

const current = Effect.fnUntraced(function* ({ id, kind }: ListedName) {
  if (kind === "service") {
    const row = yield* serviceRows.get(id)
    return row === undefined ? undefined : { kind, id, name: row.name, serviceId: id } satisfies NamedShop
  }
  const row = yield* branchRows.get(id)
  return row === undefined ? undefined : { kind, id, name: row.name, serviceId: row.serviceId } satisfies NamedShop
})

/** At most `limit` services and branches whose name contains a text, those that were named last first. */
export const findNames = Effect.fnUntraced(function* (text: string, limit: number) {
  const wanted = comparableName(text)
  const found = new Map<string, NamedShop>()
  let after: Member | undefined
  for (let read = 0; read < MOST_NAMES; read += CHUNK) {
    const members = yield* operatorSets.names.members({
      reverse: true,
      limit: CHUNK,
      ...(after === undefined ? {} : { after })
    })
    for (const { member } of members) {
      const listed = parseName(member)
      if (!listed.name.includes(wanted) || found.has(listed.id)) continue
      // The set has earlier names too.
      const shop = yield* current(listed)
      if (shop !== undefined && comparableName(shop.name).includes(wanted)) found.set(shop.id, shop)
      if (found.size === limit) return [...found.values()]
    }
    after = members.at(-1)
    if (members.length < CHUNK) break
  }
  return [...found.values()]
})

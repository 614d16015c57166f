import { Effect } from "effect"
import { oidcNames, streamOf } from "../../domain/events/aggregates.ts"
import { nameKey, type OidcIdentity } from "../../domain/oidc-name.ts"
import { isoTime } from "../../domain/time.ts"
import { Vault } from "../../ports/vault.ts"
import { handleCommand } from "../events/handle-command.ts"
import { contextOf } from "../provisioning/operator-command.ts"
import type { RequestIds } from "../events/handle-command.ts"

/**
 * Gives a name to the account that signs in with it first. Nothing when it has the name already; fails with `OidcNameTaken`
 * when another account has it. Of accounts that race, the expected revision lets one have it.
 */
export const bindOidcName = Effect.fn("bindOidcName")(function* (
  name: string,
  { issuer, subject }: OidcIdentity,
  ids: RequestIds
) {
  const context = yield* contextOf(ids)
  const digest = (yield* Vault).digest("oidc-name", nameKey(name))
  const command = { _tag: "BindOidcName", name, issuer, subject, at: isoTime(context.at) } as const
  yield* handleCommand(oidcNames, streamOf.oidcName(digest), command, context)
})

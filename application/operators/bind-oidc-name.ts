import { Effect } from "effect"
import { oidcNames, streamOf } from "../../domain/events/aggregates.ts"
import { nameKey, type OidcIdentity } from "../../domain/oidc-name.ts"
import { Vault } from "../../ports/vault.ts"
import { handleOperatorCommand } from "../provisioning/operator-command.ts"
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
  const digest = (yield* Vault).digest("oidc-name", nameKey(name))
  const bind = (at: string) => ({ _tag: "BindOidcName", name, issuer, subject, at }) as const
  yield* handleOperatorCommand(oidcNames, streamOf.oidcName(digest), bind, ids)
})

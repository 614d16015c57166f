import type { Effect } from "effect"
import type { BankAccounts } from "../../application/bank-accounts/list-bank-accounts.ts"
import type { SlipIntake } from "../../application/jobs/enqueue-slips.ts"
import type { Callers } from "../../application/provisioning/callers.ts"
import type { Directory } from "../../application/provisioning/directory.ts"
import type { SlipVerifier } from "../../application/verification/verify-slip.ts"
import type { Scope } from "../../domain/api-key.ts"
import type { BankGateway } from "../../ports/bank-gateway.ts"
import type { Claims } from "../../ports/claims.ts"
import type { EventStore } from "../../ports/event-store.ts"
import type { Identifiers } from "../../ports/identifiers.ts"
import type { ReadModels } from "../../ports/read-models.ts"
import type { UnchargedLimiter } from "../../ports/uncharged-limiter.ts"
import type { Vault } from "../../ports/vault.ts"
import type { Failure } from "../http/application-failures.ts"
import { matchPath } from "../pages/paths.ts"
import type { PageResult, ShopContext } from "./page-context.ts"
import { checkAction, checkPage } from "./pages/check.ts"
import { jobPage } from "./pages/job.ts"

type Needs =
  | BankAccounts
  | BankGateway
  | Callers
  | Claims
  | Directory
  | EventStore
  | Identifiers
  | ReadModels
  | SlipIntake
  | SlipVerifier
  | UnchargedLimiter
  | Vault

/**
 * A path below `/app`, its handler, and the scope that the key of the session needs; undefined for every key. A part `:`
 * of the path matches any text.
 */
export type Entry = readonly [
  pattern: string,
  handler: (context: ShopContext) => Effect.Effect<PageResult, Failure, Needs>,
  scope: Scope | undefined
]

/** Finds the first entry that matches, and returns the texts that `:` matched. */
export const findEntry = (entries: ReadonlyArray<Entry>, parts: ReadonlyArray<string>) => {
  for (const [pattern, handler, scope] of entries) {
    const params = matchPath(pattern, parts)
    if (params !== undefined) return { handler, params, scope }
  }
  return undefined
}

/** All pages and all form actions. */
export const pages: { readonly get: ReadonlyArray<Entry>; readonly post: ReadonlyArray<Entry> } = {
  get: [
    ["", checkPage, "verify"],
    ["jobs/:", jobPage, "verify"]
  ],
  post: [
    ["", checkAction, "verify"]
  ]
}

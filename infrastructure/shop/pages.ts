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
import type { Egress } from "../../ports/egress.ts"
import type { Quota } from "../../ports/quota.ts"
import type { Identifiers } from "../../ports/identifiers.ts"
import type { ReadModels } from "../../ports/read-models.ts"
import type { UnchargedLimiter } from "../../ports/uncharged-limiter.ts"
import type { Vault } from "../../ports/vault.ts"
import type { Failure } from "../http/application-failures.ts"
import { matchPath } from "../pages/paths.ts"
import type { PageResult, ShopContext } from "./page-context.ts"
import {
  accountPage,
  accountsPage,
  changeAccountAction,
  createAccountAction,
  deactivateAccountAction
} from "./pages/accounts.ts"
import { checkAction, checkPage } from "./pages/check.ts"
import { deliveriesPage, resendAction } from "./pages/deliveries.ts"
import { historyPage } from "./pages/history.ts"
import {
  createKeyAction,
  keysPage,
  revokeKeyAction,
  revokeKeyPage,
  rotateKeyAction,
  rotateKeyPage
} from "./pages/keys.ts"
import { createLinkAction, newLinkPage } from "./pages/new-link.ts"
import { settingsPage } from "./pages/settings.ts"
import { usagePage } from "./pages/usage.ts"
import { addNoteAction, verificationPage } from "./pages/verification.ts"
import { rotateSecretAction, setWebhookAction, webhookPage } from "./pages/webhook.ts"
import { jobPage } from "./pages/job.ts"

type Needs =
  | BankAccounts
  | BankGateway
  | Callers
  | Claims
  | Egress
  | Quota
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
    ["jobs/:", jobPage, "verify"],
    ["verifications", historyPage, "read"],
    ["verifications/:", verificationPage, "read"],
    ["settings", settingsPage, "configure"],
    ["settings/usage", usagePage, "configure"],
    ["settings/webhook", webhookPage, "configure"],
    ["settings/deliveries", deliveriesPage, "configure"],
    ["settings/keys", keysPage, "configure"],
    ["settings/keys/sign-in-link", newLinkPage, "configure"],
    ["settings/keys/:/rotate", rotateKeyPage, "configure"],
    ["settings/keys/:/revoke", revokeKeyPage, "configure"],
    ["settings/accounts", accountsPage, "configure"],
    ["settings/accounts/:", accountPage, "configure"]
  ],
  post: [
    ["", checkAction, "verify"],
    ["verifications/:/notes", addNoteAction, "verify"],
    ["settings/webhook", setWebhookAction, "configure"],
    ["settings/webhook/secret", rotateSecretAction, "configure"],
    ["settings/deliveries", resendAction, "configure"],
    ["settings/keys", createKeyAction, "configure"],
    ["settings/keys/sign-in-link", createLinkAction, "configure"],
    ["settings/keys/:/rotate", rotateKeyAction, "configure"],
    ["settings/keys/:/revoke", revokeKeyAction, "configure"],
    ["settings/accounts", createAccountAction, "configure"],
    ["settings/accounts/:", changeAccountAction, "configure"],
    ["settings/accounts/:/deactivate", deactivateAccountAction, "configure"]
  ]
}

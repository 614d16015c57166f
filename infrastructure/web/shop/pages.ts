import type { BankAccounts } from "../../../application/bank-accounts/list-bank-accounts.ts"
import type { SlipIntake } from "../../../application/jobs/enqueue-slips.ts"
import type { Callers } from "../../../application/provisioning/callers.ts"
import type { Directory } from "../../../application/provisioning/directory.ts"
import type { SlipVerifier } from "../../../application/verification/verify-slip.ts"
import type { BankGateway } from "../../../ports/bank-gateway.ts"
import type { Claims } from "../../../ports/claims.ts"
import type { EventStore } from "../../../ports/event-store.ts"
import type { Egress } from "../../../ports/egress.ts"
import type { Quota } from "../../../ports/quota.ts"
import type { Identifiers } from "../../../ports/identifiers.ts"
import type { ReadModels } from "../../../ports/read-models.ts"
import type { UnchargedLimiter } from "../../../ports/uncharged-limiter.ts"
import type { Vault } from "../../../ports/vault.ts"
import type { Failure } from "../http/operations/application-failures.ts"
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
import { withdrawLinkAction } from "./pages/open-links.ts"
import { settingsPage } from "./pages/settings.ts"
import { usagePage } from "./pages/usage.ts"
import { addNoteAction, verificationPage } from "./pages/verification.ts"
import { rotateSecretAction, setWebhookAction, webhookPage } from "./pages/webhook.ts"
import { jobPage } from "./pages/job.ts"
import type { Scoped } from "./scoped.ts"

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

/** All pages and all actions of forms, by their paths below `/app`. A part `:` of a path matches any text. */
export const pages: { readonly [Method in "get" | "post"]: Readonly<Record<string, Scoped<Failure, Needs>>> } = {
  get: {
    "": checkPage,
    "jobs/:": jobPage,
    "verifications": historyPage,
    "verifications/:": verificationPage,
    "settings": settingsPage,
    "settings/usage": usagePage,
    "settings/webhook": webhookPage,
    "settings/deliveries": deliveriesPage,
    "settings/keys": keysPage,
    "settings/keys/sign-in-link": newLinkPage,
    "settings/keys/:/rotate": rotateKeyPage,
    "settings/keys/:/revoke": revokeKeyPage,
    "settings/accounts": accountsPage,
    "settings/accounts/:": accountPage
  },
  post: {
    "": checkAction,
    "verifications/:/notes": addNoteAction,
    "settings/webhook": setWebhookAction,
    "settings/webhook/secret": rotateSecretAction,
    "settings/deliveries": resendAction,
    "settings/keys": createKeyAction,
    "settings/keys/sign-in-link": createLinkAction,
    "settings/keys/sign-in-link/:/withdraw": withdrawLinkAction,
    "settings/keys/:/rotate": rotateKeyAction,
    "settings/keys/:/revoke": revokeKeyAction,
    "settings/accounts": createAccountAction,
    "settings/accounts/:": changeAccountAction,
    "settings/accounts/:/deactivate": deactivateAccountAction
  }
}

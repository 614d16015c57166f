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
import type { Scoped } from "./page-context.ts"

/** All pages and all actions of forms, by their paths below `/app`. A part `:` of a path matches any text. */
export const pages: { readonly [Method in "get" | "post"]: Readonly<Record<string, Scoped>> } = {
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

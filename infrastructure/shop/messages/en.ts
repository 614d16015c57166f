import type { Language } from "../../pages/language.ts"
import { enHistory, enHistoryFields, enVerification } from "./en-history.ts"
import { enSettings, enSettingsFields } from "./en-settings.ts"

/** All texts of the shop's page in English. Every other language has the same keys. */
export const en = {
  language: "en" as Language,
  locale: "en-GB",
  skip: "Skip to content",
  sandbox: "Sandbox: slips here are not real. Do not hand over goods.",
  otherLanguage: "ภาษาไทย",
  menu: { label: "Pages", check: "Check", history: "History", settings: "Settings" },
  history: enHistory,
  verification: enVerification,
  settings: enSettings,
  signIn: {
    title: "Sign in",
    key: "API key of the branch",
    hint: "36 letters, digits and hyphens. The operator of the service, or the owner of the shop, has it.",
    linkHint: "You have a sign-in link or its QR code? Open it instead.",
    button: "Sign in",
    signOut: "Sign out"
  },
  errors: {
    notFound: "Page not found",
    notFoundHint: "The address is wrong, or it belongs to another branch.",
    rejected: "Not possible",
    unavailable: "Currently unavailable",
    expired: "This form has expired. Go back to the start and try again.",
    otherSite: "This form came from another site, or your browser hides its origin. Open this page directly.",
    requestId: "Request id",
    home: "Back to the start",
    scopeMissing: {
      verify: "This device may not check slips. Ask the owner of the shop for a key that may verify.",
      read: "This device may not see earlier slips. Ask the owner of the shop for a key that may read.",
      configure: "This device may not change settings. Ask the owner of the shop for a key that may configure."
    }
  },
  refusals: {
    byCode: {
      INVALID_API_KEY: "The key is wrong, has expired, or was revoked. Check it, or ask the owner of the shop.",
      BRANCH_INACTIVE: "This branch is switched off. Ask the operator of the service.",
      SERVICE_BANNED: "This service is blocked. Ask the operator of the service.",
      SERVICE_DELETED: "This service was deleted. Ask the operator of the service.",
      SERVICE_INACTIVE: "This service is switched off or has expired. Ask the operator of the service.",
      USER_BANNED: "The account of this shop is blocked. Ask the operator of the service.",
      IP_NOT_ALLOWED: "This key does not work from your network. Use the shop's network, or ask the owner of the shop.",
      RATE_LIMIT_EXCEEDED: "Too many requests. Wait a moment, then try again.",
      QUOTA_EXCEEDED: "The checks of this month are used up. Ask the owner of the shop for a higher quota.",
      VALIDATION_ERROR: "Some input is not valid.",
      NOT_FOUND: "Nothing has this address.",
      JOB_NOT_FOUND: "This check does not exist, or it is older than seven days.",
      VERIFICATION_NOT_FOUND: "This slip was not checked by this branch.",
      API_SERVER_ERROR: "The service, or the bank, cannot answer now. Try again in a moment.",
      INTERNAL_SERVER_ERROR: "An unexpected error occurred. Try again, then give the request id to the operator."
    },
    fields: {
      ...enHistoryFields,
      ...enSettingsFields,
      amount: "An amount in baht, such as 250 or 1,250.50."
    },
    /** For codes and fields without a text of their own. Only English repeats the message of the API. */
    other: (message: string) => message
  },
  check: {
    title: "Check a slip"
  }
}

/** The texts of one language. */
export type Messages = typeof en

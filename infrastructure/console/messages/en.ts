import { enEventTexts, type EventTexts } from "../../event-text/en.ts"
import type { Language } from "../../pages/language.ts"
import type { TimeContext } from "../../pages/times.ts"
import { enBranchSettings } from "./en-branch-settings.ts"
import { enAccess } from "./en-access.ts"
import { enForms } from "./en-forms.ts"
import { enLists } from "./en-lists.ts"
import { enOverview } from "./en-overview.ts"
import { enSearch } from "./en-search.ts"
import { enServices } from "./en-services.ts"
import { enTrail } from "./en-trail.ts"

const eventTexts: EventTexts = enEventTexts

/** All texts of the console in English. Every other language has the same keys. */
export const en = {
  language: "en" as Language,
  locale: "en-GB",
  eventTexts,
  console: "Console",
  skip: "Skip to content",
  notVisible: "The change is stored. It takes effect when the projector has applied it: see Projections.",
  sandbox: "Sandbox: anyone can make slips that verify here. Remove sandbox from BANK_GATEWAYS before real use.",
  otherLanguage: "ภาษาไทย",
  menu: {
    label: "Pages",
    overview: "Overview",
    verifications: "Verifications",
    jobs: "Jobs",
    callbacks: "Callbacks",
    services: "Services",
    audit: "Audit",
    projections: "Projections",
    operators: "Operators"
  },
  errors: {
    notFound: "Page not found",
    notFoundHint: "Search for it by its id.",
    rejected: "Request rejected",
    expired: "This form has expired. Open the page again and repeat the action.",
    unavailable: "Currently unavailable",
    requestId: "Request id",
    back: "Back"
  },
  common: {
    id: "Id",
    name: "Name",
    state: "State",
    created: "Created",
    kind: "Kind",
    time: "Time",
    none: "none",
    yes: "yes",
    no: "no",
    open: "Open",
    copy: "Copy",
    copied: "Copied",
    next: "Next page",
    first: "First page",
    save: "Save",
    sealed: "sealed",
    sealedHint: "Encrypted in the log",
    erased: "erased",
    to: "to",
    unlimited: "unlimited",
    never: "never",
    baht: "baht"
  },
  units: { millis: "ms", seconds: "s" },
  ...enSearch,
  ...enAccess,
  ...enForms,
  ...enOverview,
  ...enTrail,
  ...enServices,
  ...enLists,
  branchSettings: enBranchSettings
}

/** The texts of a language, and the time of the request for relative times. */
export type Messages = typeof en & Pick<TimeContext, "now">

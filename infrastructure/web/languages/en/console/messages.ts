import { enEventTexts, type EventTexts } from "../events.ts"
import { enBranchSettings } from "./branch-settings.ts"
import { enAccess } from "./access.ts"
import { enForms } from "./forms.ts"
import { enLists } from "./lists.ts"
import { enOverview } from "./overview.ts"
import { enSearch } from "./search.ts"
import { enServices } from "./services.ts"
import { enTrail } from "./trail.ts"

const eventTexts: EventTexts = enEventTexts

/** All texts of the console in English. Every other language has the same keys. */
export const enConsole = {
  eventTexts,
  console: "Console",
  skip: "Skip to content",
  notVisible: "The change is stored. It takes effect when the projector has applied it: see Projections.",
  sandbox: "Sandbox: anyone can make slips that verify here. Remove sandbox from BANK_GATEWAYS before real use.",
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

export type ConsoleTexts = typeof enConsole

import { enStory } from "../../event-text/en.ts"
import type { Story } from "../../event-text/event-text.ts"
import { enFields } from "./en-fields.ts"
import { enRefusals } from "./en-refusals.ts"

const story: Story = enStory

/** All that the console says, in English. Every other language has the same. */
export const en = {
  language: "en",
  locale: "en-GB",
  fields: enFields,
  refusals: enRefusals,
  story,
  console: "Console",
  skip: "Skip to the content",
  otherLanguage: "ภาษาไทย",
  menu: {
    label: "Pages",
    overview: "Overview",
    services: "Services",
    callbacks: "Callbacks",
    projections: "Projections"
  },
  find: {
    label: "Find by id",
    hint: "Id, BANK:TRANSREF or QR text",
    button: "Find",
    title: "Find",
    lead: "Paste what you have of it:",
    kinds: [
      "the id of a job, a batch, a verification, a branch or a service",
      "a slip as BANK:TRANSREF, such as 004:013071152533APM07736",
      "the text of a slip's QR code",
      "the id of a request, which its answer had as X-Request-Id"
    ],
    nothing: (text: string) => `Nothing is known of “${text}”.`,
    noId: (text: string) => `“${text}” is no id, nor BANK:TRANSREF, nor the text of a slip's QR code.`,
    looked:
      "It was looked for among jobs, batches, verifications, branches, services and requests. " +
      "Of a request that only looked at something, or was refused before it led to anything, nothing is kept."
  },
  login: {
    title: "Sign in",
    token: "Admin token",
    hint: "The value of ADMIN_TOKEN. You stay signed in for 8 hours.",
    button: "Sign in",
    wrong: "That is not the admin token.",
    pause: (seconds: number) => `Too many wrong tokens from your address. Try again in ${seconds} seconds.`,
    foreign:
      "This form was sent from another site, or your browser hides where it was sent from. Open the console directly.",
    logout: "Sign out"
  },
  trouble: {
    notFound: "There is no such page",
    notFoundHint: "Look for it by its id.",
    refused: "That was not done",
    expired: "This form is out of date. Open the page again, and repeat what you did.",
    away: "Not to be had at the moment",
    requestId: "Request id",
    back: "Back"
  },
  done: {
    changed: "Saved.",
    banned: "Banned: its keys are refused from now on.",
    unbanned: "The ban is lifted.",
    deleted: "Deleted. Its history stays.",
    activated: "Switched on.",
    deactivated: "Switched off: its keys are refused from now on.",
    verified: "Verified.",
    redelivered: "Sent again. It shows here as soon as it ends.",
    rebuilt: "Built anew from the log, and put in place."
  },
  common: {
    id: "Id",
    name: "Name",
    state: "State",
    created: "Created",
    time: "Time",
    none: "none",
    yes: "yes",
    no: "no",
    copy: "Copy",
    copied: "Copied",
    next: "Next page",
    first: "First page",
    save: "Save",
    sealed: "sealed",
    sealedHint: "Encrypted in the log",
    unlimited: "unlimited",
    never: "never",
    baht: "baht"
  },
  overview: {
    title: "Overview",
    health: "Health",
    ready: "Ready to serve",
    notReady: "Not ready to serve",
    models: "Read models",
    behind: (count: number) => count === 1 ? "1 behind" : `${count} behind`,
    upToDate: "up to date",
    gateways: "Bank gateways",
    closed: "asked as usual",
    open: "left in peace: it was in trouble",
    numbers: "Right now",
    openJobs: "Open jobs",
    notFoundToday: "Jobs without a slip today",
    waiting: "Callbacks waiting",
    dead: "Dead callbacks",
    recent: "Latest verifications",
    recentNone: "Nothing was verified in the last seven days.",
    result: "Result",
    branch: "Branch",
    slip: "Slip",
    failures: (failed: number, all: number) => `${failed} of the latest ${all} failed`,
    verdict: { first: "verified", duplicate: "duplicate", failed: "failed", pending: "under way" }
  },
  subject: {
    Slip: "Slip",
    Job: "Job",
    Verification: "Verification",
    Branch: "Branch",
    unknown: "Nothing is known of it",
    unknownAt: "Nothing was known of it at that time.",
    story: "What happened",
    picture: "Timeline",
    pictureOf: (events: number, from: string, to: string) => `${events} events from ${from} to ${to}`,
    pictureHint: "Points stand in the order of time; long waits are drawn shorter than they were.",
    latest: (shown: number, all: number) =>
      `The latest ${shown} of ${all} events. Go back in time to see earlier ones.`,
    truncated: "There is more than is told here: of a branch, the latest thousand verifications and jobs.",
    stateTitle: "State as of",
    now: "Now",
    asOf: "Time in Bangkok",
    show: "Show",
    slider: "Move through the events",
    badTime: "That is no time: write it such as 2026-11-21T15:45.",
    payload: "Payload",
    by: { branch: "branch", admin: "operator", system: "system" },
    position: "position"
  },
  request: {
    title: "Request",
    unknown: "Nothing came of a request with this id",
    first: (shown: number, all: number) => `The first ${shown} of ${all} events.`,
    truncated: "There is more than is told here: this id was given to a great many requests."
  },
  lanes: {
    slip: "Slip",
    verification: "Verification",
    job: "Job",
    callback: "Callback",
    branch: "Branch",
    bankAccount: "Bank account",
    request: "Request",
    reveal: "Personal data shown",
    forgotten: "Personal data destroyed",
    other: "Other"
  },
  services: {
    title: "Services",
    lead: "The applications that verify slips.",
    none: "There is no service yet.",
    create: "New service",
    createHint: "It gets a main branch with an API key and a webhook secret, which are shown once.",
    plan: "Plan",
    quota: "Quota a month",
    quotaHint: "Empty is unlimited.",
    expires: "Expires",
    expiresHint: "A day or a time with its offset, such as 2027-01-31T00:00:00+07:00; empty is never.",
    states: {
      active: "active",
      deactivated: "off",
      banned: "banned",
      expired: "expired",
      deleted: "deleted"
    },
    button: "Create"
  },
  service: {
    branches: "Branches",
    edit: "Change the service",
    actions: "Actions",
    account: "Account",
    unverified: "not verified: its services can't call yet",
    verifyAccount: "Verify the account",
    ban: "Ban",
    banHint: "Every key of the service is refused until the ban is lifted.",
    reason: "Reason (optional)",
    unban: "Lift the ban",
    activate: "Switch on",
    deactivate: "Switch off",
    deactivateHint: "Every key of the service is refused until it is switched on again.",
    delete: "Delete",
    deleteHint: "For good: a deleted service can't be brought back. Its history stays.",
    main: "main",
    newBranch: "New branch",
    createBranch: "Create",
    bankAccounts: "Receiving accounts",
    bank: "Bank",
    number: "Number"
  },
  branch: {
    service: "Service",
    main: "Main branch",
    active: "active",
    inactive: "off",
    trail: "Trail of events",
    callers: "Callers allowed",
    webhook: "Webhook URL",
    edit: "Change the branch",
    ips: "Callers allowed, one a line",
    ipsHint: "IPv4, IPv6, CIDR ranges, or * for everybody.",
    webhookHint: "https; empty for none.",
    actions: "Actions",
    activate: "Switch on",
    deactivate: "Switch off",
    deactivateHint: "Its key is refused until it is switched on again.",
    rotateKey: "New API key",
    rotateKeyHint: "The old key stops at once, and the new one is shown once.",
    rotateSecret: "New webhook secret",
    rotateSecretHint: "The old secret signs beside the new one for a day; the new one is shown once.",
    quota: "Use of the quota",
    used: (used: number, max: number | null) => max === null ? `${used} used, no limit` : `${used} of ${max} used`,
    perDay: (day: number, count: number, sum: number) => `Day ${day}: ${count}, ${sum} so far`,
    plot: (month: string) => `Verifications charged in ${month}, day by day`,
    table: "As a table",
    day: "Day",
    charged: "Charged",
    sum: "So far",
    total: "since it exists",
    limit: "quota",
    month: "Month"
  },
  secrets: {
    title: "Shown this once",
    lead: "Copy it now: nobody can show it again. Only a digest, or its sealed form, is kept.",
    apiKey: "API key",
    webhookSecret: "Webhook secret",
    go: "Copied, go on"
  },
  batch: {
    title: "Batch",
    jobs: "Jobs",
    expired: "Its jobs ended too long ago. Look for one of them by its own id.",
    number: "Number",
    counts: (pending: number, success: number, notFound: number) =>
      `${success} succeeded, ${notFound} without a slip, ${pending} pending`
  },
  jobStates: { pending: "pending", success: "success", not_found: "not found" },
  callbacks: {
    title: "Callbacks",
    states: { abandoned: "Given up", rejected: "Rejected", pending: "Waiting", delivered: "Delivered" },
    filter: "State",
    host: "Host",
    hostHint: "Such as shop.example or shop.example:8443",
    apply: "Show",
    job: "Job",
    attempts: "Attempts",
    last: "Last attempt",
    answer: "Answer",
    redeliver: "Send again",
    redeliverAll: (host: string) => `Send all dead ones at ${host} again`,
    redeliverAllHint: "Everything that was rejected or given up at this host goes out once more.",
    none: "There is none in this state."
  },
  projections: {
    title: "Projections",
    lead: "Read models follow from the log. What is lost of them is built again.",
    model: "Read model",
    checkpoint: "Checkpoint",
    head: "End of the log",
    lag: "Lag",
    ahead: "ahead of the log",
    rebuild: "Build anew",
    rebuildHint:
      "Built beside the one in force, which goes on until the new one takes its place. On a long log this takes its time.",
    compare: "Compare",
    compareHint: "Replays the log and holds the result against the read model. On a long log this takes its time.",
    same: (lines: number) => `The read model is what a replay gives: ${lines} lines are the same.`,
    differs: "The read model differs from a replay.",
    surplus: (count: number) => `${count} lines that only the read model has`,
    missing: (count: number) => `${count} lines that only the replay has`
  }
}

export type Words = typeof en

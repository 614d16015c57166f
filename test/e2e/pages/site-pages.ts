import type { Page } from "playwright-core"
import { pages as consoleTable } from "../../../infrastructure/web/console/pages.ts"
import { siteBases } from "../../../infrastructure/web/docs/site-files.ts"
import { renderSite } from "../../../tools/docs-site/render.ts"
import { pages as shopTable } from "../../../infrastructure/web/shop/pages.ts"
import type { DemoData } from "./demo-data.ts"

type Day = DemoData["Service"]

/** What a person does on a page before it is looked at. */
type Act = (page: Page) => Promise<unknown>

/** A page in one state. */
export interface SitePage {
  readonly name: string
  readonly path: string
  /** Without the cookies of a session. */
  readonly isSignedOut?: boolean
  /** The status says that the request failed. The browser notes it, which is no fault of the page. */
  readonly isFailure?: boolean
  readonly act?: Act
}

/** States of one page of a table: the name of each with its path below the site, or with more. */
type States = Readonly<Record<string, string | Omit<SitePage, "name">>>

/** The pages of a table of pages. The keys are the patterns of the table. */
type Table = Readonly<Record<string, States>>

/** The patterns in the console's table of pages. */
const consolePatterns = Object.keys(consoleTable.get)

const consolePages = (day: Day): Table => {
  const { accountId, batchId, branchId, jobs, requestId, serviceId, slip, verificationId } = day
  const branch = `branches/${branchId}`
  return {
    "": { overview: "" },
    "find": { "search": "find", "found-branches": "find?q=Silom", "found-tail": `find?q=${slip.transRef.slice(-6)}` },
    "verifications": {
      "verifications": "verifications",
      "failed-verifications": `verifications?outcome=failed&branch=${branchId}&from=2026-01-01`,
      "no-verifications": "verifications?remark=No+such+order"
    },
    "jobs": { "jobs": "jobs" },
    "trail/job/:": { "job": `trail/job/${jobs.delivered}`, "pending-job": `trail/job/${jobs.pending}` },
    "trail/verification/:": { "verification": `trail/verification/${verificationId}` },
    "trail/branch/:": { "branch-trail": `trail/branch/${branchId}` },
    "trail/slip/:/:": { "slip": `trail/slip/004/${slip.transRef}` },
    "request": { "request": `request?id=${requestId}` },
    "batches/:": { "batch": `batches/${batchId}` },
    "services": { "services": "services" },
    "services/new": { "new-service": "services/new" },
    "services/:": { "service": `services/${serviceId}` },
    "services/:/new-branch": { "new-branch": `services/${serviceId}/new-branch` },
    "branches/:": { branch },
    "branches/:/policy": { "policy": `${branch}/policy` },
    "branches/:/new-key": {
      "new-key": `${branch}/new-key`,
      "refused-key": { path: `${branch}/new-key`, act: (page) => page.click("main .primary") }
    },
    "branches/:/new-bank-account": { "new-bank-account": `${branch}/new-bank-account` },
    "branches/:/new-sign-in-link": {
      "new-sign-in-link": `${branch}/new-sign-in-link`,
      "sign-in-link": {
        path: `${branch}/new-sign-in-link`,
        act: async (page) => {
          await page.fill("[name=name]", "Till 3")
          await page.click("main .primary")
          await page.waitForSelector(".qr")
        }
      }
    },
    "bank-accounts/:": { "bank-account": `bank-accounts/${accountId}` },
    "callbacks": { "callbacks": "callbacks", "failed-callbacks": "callbacks?state=rejected" },
    "audit": { "audit": "audit", "audit-of-branch": `audit?subject=${branchId}` },
    "projections": { "projections": "projections" },
    "operators": { "operators": "operators" },
    "sessions": { "sessions": "sessions" }
  }
}

const shopPatterns = Object.keys(shopTable.get)

/** Sends a slip with an amount to pay, and waits for the verdict. */
const check = (payload: string, amount: string): Act => async (page) => {
  await page.fill("#amount", amount)
  await page.click("#paste summary")
  await page.fill("#payload", payload)
  await page.click("#send")
  await page.waitForSelector(".verdict")
}

const shopPages = ({ accountId, jobs, keyId, newSlip, slip, verificationId }: Day): Table => ({
  "": {
    "check": "",
    "accepted": { path: "", act: (page) => check(newSlip(250).payload, "250")(page) },
    "duplicate": { path: "", act: check(slip.payload, "") },
    "wrong-amount": { path: "", act: (page) => check(newSlip(99).payload, "250")(page) },
    "not-found": { path: "", isFailure: true, act: check(newSlip(450, { outcome: "not-found" }).payload, "450") },
    "not-a-slip": { path: "", isFailure: true, act: check("https://shop.example", "") }
  },
  "jobs/:": { "pending": `jobs/${jobs.pending}` },
  "verifications": { "history": "verifications", "empty-history": "verifications?q=nothing+has+this" },
  "verifications/:": {
    "record": `verifications/${verificationId}`,
    "record-of-job": `verifications/${jobs.waiting}`
  },
  "settings": { "settings": "settings" },
  "settings/usage": { "usage": "settings/usage" },
  "settings/webhook": { "webhook": "settings/webhook" },
  "settings/deliveries": { "deliveries": "settings/deliveries" },
  "settings/keys": { "keys": "settings/keys" },
  "settings/keys/sign-in-link": {
    "new-link": "settings/keys/sign-in-link",
    "made-link": {
      path: "settings/keys/sign-in-link",
      act: async (page) => {
        await page.fill("main [name=name]", "Till 5")
        await page.click("main .primary")
        await page.waitForSelector(".qr")
      }
    }
  },
  "settings/keys/:/rotate": { "rotate-key": `settings/keys/${keyId}/rotate` },
  "settings/keys/:/revoke": { "revoke-key": `settings/keys/${keyId}/revoke` },
  "settings/accounts": { "accounts": "settings/accounts" },
  "settings/accounts/:": { "account": `settings/accounts/${accountId}` }
})

const nameOf = (path: string): string => path.replace(/^\//u, "").replaceAll(/[/?=+]/gu, "-")

/** Pages that no table lists. */
const others: ReadonlyArray<SitePage> = [
  { name: "console-sign-in", path: "/console/login", isSignedOut: true },
  { name: "shop-sign-in", path: "/app/sign-in", isSignedOut: true },
  { name: "shop-link", path: `/app/link/${"0".repeat(64)}`, isSignedOut: true },
  { name: "shop-offline", path: "/app/offline" },
  { name: "docs-search", path: "/docs/search?q=slip" }
]

/** Patterns that a site has and a table lacks, and the reverse. */
export const uncovered = (day: Day): ReadonlyArray<string> =>
  ([[consolePatterns, consolePages(day)], [shopPatterns, shopPages(day)]] as const).flatMap(([patterns, table]) => {
    const listed = Object.keys(table)
    return [
      ...patterns.filter((pattern) => !listed.includes(pattern)),
      ...listed.filter((one) => !patterns.includes(one))
    ]
  })

const pagesOf = (base: string, prefix: string, table: Table): ReadonlyArray<SitePage> =>
  Object.values(table).flatMap(Object.entries<States[string]>).map(([name, state]): SitePage => {
    const { path, ...rest } = typeof state === "string" ? { path: state } : state
    return { ...rest, name: `${prefix}-${name}`, path: path === "" ? base : `${base}/${path}` }
  })

/** Every page of the three sites. */
export const sitePages = (day: Day): ReadonlyArray<SitePage> => [
  ...pagesOf("/console", "console", consolePages(day)),
  ...pagesOf("/app", "shop", shopPages(day)),
  ...siteBases.flatMap(renderSite).map(({ path }) => /^(.+)\/index\.html$/u.exec(path)?.[1])
    .filter((path) => path !== undefined).map((path) => ({ name: nameOf(path), path })),
  ...others
]

import { settingColumns, shownQuota } from "./branch-settings.ts"
import type { BranchSecrets } from "../../../application/provisioning/branches.ts"
import type { AccountView, BranchView, ServiceView } from "../../../application/views/provisioning.ts"
import type { RecordedEvent } from "../../../domain/events/recorded-event.ts"
import { enEventTexts } from "../../web/languages/en/events.ts"
import { eventText } from "../../web/event-text/event-text.ts"
import { type Toned, toned } from "./colors.ts"
import { type Columns, type Field, fieldsBy, printRows, printTable } from "./output.ts"
import type { DataOf } from "../../web/operators/operations.ts"
import { visibleLine } from "../../platform/visible-text.ts"

const expiry = (value: string | null): string => value ?? "never"

/** The first reason for which calls of a service are refused; `now` in Unix milliseconds. */
const serviceState = (service: ServiceView, now: number): Toned => {
  if (service.isDeleted) return toned("bad", "deleted")
  if (service.isBanned) return toned("bad", "banned")
  if (service.expiresAt !== null && Date.parse(service.expiresAt) <= now) return toned("bad", "expired")
  return activity(service.isActive)
}

/** The state of a branch or a bank account. */
export const activity = (isActive: boolean): Toned =>
  isActive ? toned("good", "active") : toned("caution", "deactivated")

const accountState = ({ isBanned, isVerified }: AccountView): Toned => {
  if (isBanned) return toned("bad", "banned")
  return isVerified ? toned("good", "verified") : toned("caution", "not verified: its services cannot call yet")
}

export const printServices = (services: ReadonlyArray<ServiceView>, now: number) =>
  printTable(
    ["id", "name", "plan", "quota", "state", "expires", "created"],
    services.map((service) => [
      service.id,
      service.name,
      service.plan,
      shownQuota(service.quota),
      serviceState(service, now),
      expiry(service.expiresAt),
      service.createdAt
    ])
  )

export const serviceFields = (service: ServiceView, now: number): ReadonlyArray<Field> => [
  ["id", service.id],
  ["name", service.name],
  ["plan", service.plan],
  ["quota", shownQuota(service.quota)],
  ["expires", expiry(service.expiresAt)],
  ["state", serviceState(service, now)],
  ["account", service.accountId],
  ["main branch", service.mainBranch.id],
  ["created", service.createdAt]
]

const branchColumns: Columns<BranchView> = {
  main: ({ isMain }) => isMain ? "main" : "",
  // The state stands after the quota, the first of the settings.
  quota: ({ quota }) => shownQuota(quota),
  state: ({ isActive }) => activity(isActive),
  ...settingColumns
}

export const printBranches = (branches: ReadonlyArray<BranchView>) =>
  printRows({ id: "id", name: "name", ...branchColumns }, branches)

export const nameOf = ({ id, name }: { readonly id: string; readonly name: string }): string => `${name} (${id})`

/** Branches of several services, with a column for the service. */
export const printBranchesOfAll = (
  services: ReadonlyArray<ServiceView & { readonly branches: ReadonlyArray<BranchView> }>
) =>
  printRows(
    { id: "id", name: "name", service: "service", ...branchColumns },
    services.flatMap(({ branches, ...service }) => branches.map((branch) => ({ ...branch, service: nameOf(service) })))
  )

export const branchFields = (branch: BranchView): ReadonlyArray<Field> => [
  ["id", branch.id],
  ["name", branch.name],
  ["service", branch.serviceId],
  ["main", branch.isMain ? "yes" : "no"],
  ...fieldsBy(settingColumns, branch),
  ["state", activity(branch.isActive)],
  ["created", branch.createdAt]
]

export const accountFields = (account: AccountView): ReadonlyArray<Field> => [
  ["id", account.id],
  ["name", account.name ?? ""],
  ["email", account.email ?? ""],
  ["state", accountState(account)],
  ["created", account.createdAt]
]

/** The API key and the webhook secret of a branch, which are shown only when they are issued. */
export const secretFields = (secrets: BranchSecrets): ReadonlyArray<Field> => [
  ["API key", secrets.apiKey],
  ["webhook secret", secrets.webhookSecret]
]

/** An event of a trail as a sentence, with its time and its actor. An unknown event type is shown by its name. */
export const formatTrailItem = (
  { actor, at, data, type }: Pick<DataOf<"getTrail">["events"][number], "actor" | "at" | "data" | "type">
): string => {
  const account = type.startsWith("BankAccount") ? data["accountId"] : undefined
  const about = [["verification", data["verificationId"]], ["job", data["jobId"]], ["account", account]] as const
  const [related = ""] = about.flatMap(([kind, id]) => typeof id === "string" ? [`, ${kind} ${id}`] : [])
  return visibleLine(`${at}  ${eventText(enEventTexts, { data, type })}  (${actorText(actor)}${related})`)
}

/** The same for an event of the log. */
export const formatEvent = ({ data, metadata: { actor, at }, type }: RecordedEvent): string =>
  formatTrailItem({ actor, at, data, type })

const actorText = ({ id, key, kind, operator }: DataOf<"getTrail">["events"][number]["actor"]): string =>
  [kind, id, ...(operator === undefined ? [] : [operator]), ...(key === undefined ? [] : ["key", key])].join(" ")

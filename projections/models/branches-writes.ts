import type { AccountEvent } from "../../domain/account.ts"
import type { BranchEvent } from "../../domain/branch.ts"
import type { ServiceEvent } from "../../domain/service.ts"
import { accounts, branches, services } from "../../domain/events/aggregates.ts"
import type { JsonObject, RecordedEvent } from "../../domain/events/recorded-event.ts"
import type { Write } from "../../ports/read-models.ts"
import { branchesSets, branchesTables } from "./branches-rows.ts"

/**
 * What an event of an account, a service or a branch writes into the read model `branches`. The projection applies it
 * to the model; whoever has to know one of them as it is this very moment applies it to that one's stream.
 */
export const branchesWrites = (recorded: RecordedEvent): ReadonlyArray<Write> => {
  const { metadata: { at }, stream } = recorded
  const id = stream.slice(stream.indexOf("-") + 1)
  if (stream.startsWith("account-")) return ofAccount(id, accounts.codec.decode(recorded), at)
  if (stream.startsWith("service-")) return ofService(id, services.codec.decode(recorded), at)
  return ofBranch(id, branches.codec.decode(recorded), at)
}

type Table = keyof typeof branchesTables

/** The row that the events of one stream lead to; undefined when they lead to none. */
export const branchesRow = (
  table: Exclude<Table, "keys">,
  events: ReadonlyArray<RecordedEvent>
): JsonObject | undefined => {
  let row: JsonObject | undefined
  for (const write of events.flatMap(branchesWrites)) {
    if (write._tag === "SetFields" && write.table === branchesTables[table]) row = { ...row, ...write.fields }
  }
  return row
}

const set = (table: Table, key: string, fields: JsonObject): Write => ({
  _tag: "SetFields",
  table: branchesTables[table],
  key,
  fields
})

const ofAccount = (id: string, event: AccountEvent, at: string): ReadonlyArray<Write> => {
  switch (event._tag) {
    case "AccountRegistered":
      return [set("accounts", id, { contact: event.contact, verified: false, banned: false, createdAt: at })]
    case "AccountVerified":
      return [set("accounts", id, { verified: true })]
    case "AccountBanned":
      return [set("accounts", id, { banned: true })]
    case "AccountUnbanned":
      return [set("accounts", id, { banned: false })]
  }
}

const ofService = (id: string, event: ServiceEvent, at: string): ReadonlyArray<Write> => {
  switch (event._tag) {
    case "ServiceCreated": {
      const { accountId, mainBranchId, name, plan } = event
      const created = { active: true, banned: false, deleted: false, expiresAt: null, createdAt: at }
      return [
        set("services", id, { accountId, mainBranchId, name, plan, ...created }),
        { _tag: "AddMember", set: branchesSets.services, member: id, score: Date.parse(at) }
      ]
    }
    case "ServiceRenamed":
      return [set("services", id, { name: event.name })]
    case "ServicePlanChanged":
      return [set("services", id, { plan: event.plan })]
    case "ServiceExpirySet":
      return [set("services", id, { expiresAt: event.expiresAt })]
    case "ServiceDeactivated":
      return [set("services", id, { active: false })]
    case "ServiceActivated":
      return [set("services", id, { active: true })]
    case "ServiceBanned":
      return [set("services", id, { banned: true })]
    case "ServiceUnbanned":
      return [set("services", id, { banned: false })]
    case "ServiceDeleted":
      return [set("services", id, { deleted: true })]
  }
}

const ofBranch = (id: string, event: BranchEvent, at: string): ReadonlyArray<Write> => {
  switch (event._tag) {
    case "BranchCreated": {
      const { isMain, name, serviceId } = event
      const created = { active: true, quota: null, ipWhitelist: ["*"], webhookUrl: null, createdAt: at }
      return [
        set("branches", id, { serviceId, name, isMain, ...created }),
        { _tag: "AddMember", set: branchesSets.branchesOf(serviceId), member: id, score: Date.parse(at) }
      ]
    }
    case "BranchRenamed":
      return [set("branches", id, { name: event.name })]
    case "ApiKeyIssued":
      return [set("keys", event.keyDigest, { branchId: id })]
    case "ApiKeyRevoked":
      return [{ _tag: "DeleteRow", table: branchesTables.keys, key: event.keyDigest }]
    case "IpWhitelistSet":
      return [set("branches", id, { ipWhitelist: event.entries })]
    case "QuotaSet":
      return [set("branches", id, { quota: event.quota })]
    case "WebhookUrlSet":
      return [set("branches", id, { webhookUrl: event.url })]
    case "WebhookSecretRotated":
      return []
    case "BranchDeactivated":
      return [set("branches", id, { active: false })]
    case "BranchActivated":
      return [set("branches", id, { active: true })]
  }
}

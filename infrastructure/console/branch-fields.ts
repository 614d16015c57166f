import type { BranchView } from "../../application/provisioning/directory.ts"
import type { Content } from "../http/html.ts"
import { fieldView, issuesView } from "./fields-view.ts"
import { quotaOf } from "./quota-field.ts"
import type { Visit } from "./page-context.ts"
import type { Fields } from "../input/decode.ts"

const SHOWN = ["name", "quota", "ipWhitelist", "webhookUrl"]

/** Fields of a branch, as a new one and one that is changed have them. */
export const branchFields = (visit: Visit, branch?: BranchView): ReadonlyArray<Content> => {
  const { branch: say, common, services } = visit.words
  return [
    issuesView(visit, SHOWN),
    fieldView(visit, { name: "name", label: common.name, value: branch?.name ?? "", isRequired: true }),
    fieldView(visit, {
      name: "quota",
      label: services.quota,
      hint: services.quotaHint,
      value: branch?.quota?.toString() ?? "",
      kind: "number"
    }),
    fieldView(visit, {
      name: "ipWhitelist",
      label: say.ips,
      hint: say.ipsHint,
      value: branch?.ipWhitelist.join("\n") ?? "*",
      kind: "lines"
    }),
    fieldView(visit, {
      name: "webhookUrl",
      label: say.webhook,
      hint: say.webhookHint,
      value: branch?.webhookUrl ?? "",
      kind: "url"
    })
  ]
}

/** What was written in them, as the admin API takes it. */
export const branchAsked = (fields: Fields): Fields => {
  const { ipWhitelist, name = "", webhookUrl = null } = fields
  const entries = typeof ipWhitelist === "string" ? ipWhitelist.split(/[\s,]+/u).filter((entry) => entry !== "") : []
  return { name, webhookUrl, quota: quotaOf(fields), ipWhitelist: entries }
}

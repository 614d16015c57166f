import { Clock, Effect } from "effect"
import type { AccountView, ServiceView } from "../../../../application/views/provisioning.ts"
import { Directory } from "../../../../application/provisioning/directory.ts"
import { withoutQuery } from "../../../../domain/callback.ts"
import { action, done } from "../action.ts"
import { activeTag, copyable, doneBanner, summaryCard } from "../components.ts"
import { timeView } from "../../pages/times.ts"
import { orUnavailable } from "../error-pages.ts"
import { actionForm, actionSection, confirmedAction, dangerZone, editSection, fieldView, ofForm } from "../forms.ts"
import { timeInput } from "../../pages/forms.ts"
import { type PageContext, pathTo, serviceOf } from "../page-context.ts"
import { enteredSetting, settingFact } from "../branch-settings.ts"
import { quotasSection } from "../quota-section.ts"
import { weekSection } from "../today-section.ts"
import { accountsOfService } from "./bank-account.ts"
import { serviceFields, serviceTag } from "./services.ts"
import { type Content, facts, markup, pageTitled, table, tag } from "../../pages/html.ts"

const branchTable = Effect.fnUntraced(function* ({ messages }: PageContext, serviceId: string) {
  const { branchSettings: settings, common, service } = messages
  const branches = yield* (yield* Directory).branchesOf(serviceId)
  const headings = [common.name, settings.quota.fact, common.state, settings.webhookUrl.fact, common.id]
  const rows = branches.map(({ id, isActive, isMain, name, quota, webhookUrl }) => [
    markup`<a href="${pathTo("branches", id)}">${name}</a>${isMain ? markup` ${tag(service.main)}` : undefined}`,
    quota ?? common.unlimited,
    activeTag(messages, isActive),
    webhookUrl === null
      ? markup`<span class="soft">${common.none}</span>`
      : markup`<span class="any">${withoutQuery(webhookUrl)}</span>`,
    markup`<code class="any">${id}</code>`
  ])
  return table(service.branches, headings, rows)
})

const actions = (
  context: PageContext,
  service: ServiceView,
  account: AccountView | undefined
): ReadonlyArray<Content> => {
  const { service: text } = context.messages
  const pathOf = (name: string) => pathTo("services", service.id, name)
  const button = (name: string, label: string) => actionForm(context, pathOf(name), markup`<button>${label}</button>`)
  return [
    account?.isVerified === false ? button("verify-account", text.verifyAccount) : undefined,
    service.isBanned ? button("unban", text.unban) : undefined,
    service.isActive
      ? confirmedAction(context, { label: text.deactivate, hint: text.deactivateHint, action: pathOf("deactivate") })
      : button("activate", text.activate)
  ]
}

/** What stops all callers of the service. */
const dangers = (context: PageContext, { id, isBanned, name }: ServiceView): Content => {
  const { service: text } = context.messages
  const action = pathTo("services", id, "ban")
  const fields = fieldView(ofForm(context, action), { name: "reason", label: text.reason })
  const ban = { action, label: text.ban, hint: text.banHint, name, fields }
  const remove = { action: pathTo("services", id, "delete"), label: text.delete, hint: text.deleteHint, name }
  return dangerZone(context, isBanned ? [remove] : [ban, remove])
}

/** The sections that change a service. */
const editSections = (context: PageContext, service: ServiceView, account: AccountView | undefined): Content => {
  const { service: text } = context.messages
  return [
    editSection(context, text.edit, pathTo("services", service.id), (own) => serviceFields(own, service)),
    actionSection(text.actions, "row", actions(context, service, account)),
    dangers(context, service)
  ]
}

/** A service: its settings, its branches and receiving accounts, and its actions. */
export const servicePage = Effect.fnUntraced(function* (context: PageContext) {
  const service = yield* serviceOf(context)
  const account = yield* (yield* Directory).account(service.accountId)
  const now = yield* Clock.currentTimeMillis
  const { messages } = context
  const branches = yield* orUnavailable(context, branchTable(context, service.id))
  const sections = [
    yield* orUnavailable(context, quotasSection(context, service.id)),
    yield* orUnavailable(context, weekSection(messages, { serviceId: service.id })),
    yield* orUnavailable(context, accountsOfService(context, service.id))
  ]
  const { common, service: text, services } = messages
  const unverified = account?.isVerified === false ? markup` ${tag(text.unverified, "bad")}` : undefined
  const newBranchPath = pathTo("services", service.id, "new-branch")
  const newBranch = service.isDeleted || !context.may(newBranchPath)
    ? undefined
    : markup`<p><a class="button" href="${newBranchPath}">${text.newBranch}</a></p>`
  return pageTitled(service.name, "services")`<h1>${service.name} ${serviceTag(messages, service, now)}</h1>${
    doneBanner(context)
  }${
    summaryCard(messages, [facts([
      [common.id, copyable(context, service.id)],
      [services.plan, service.plan],
      settingFact(messages, "quota", service.quota),
      [services.expires, service.expiresAt === null ? common.never : timeView(messages, service.expiresAt)],
      [text.account, markup`<code class="any">${service.accountId}</code>${unverified}`],
      [common.created, timeView(messages, service.createdAt)]
    ])])
  }<section class="card"><h2>${text.branches}</h2>${branches}${newBranch}</section>${sections}${
    service.isDeleted ? undefined : editSections(context, service, account)
  }`
})

const nameOf = (context: PageContext) => Effect.map(serviceOf(context), ({ name }) => name)

export const serviceActions = {
  "services/:": action("changeService", {
    page: servicePage,
    body: (fields) => ({
      name: fields["name"] ?? "",
      plan: fields["plan"] ?? "",
      quota: enteredSetting("quota", fields),
      expiresAt: timeInput(fields["expiresAt"])
    }),
    show: done("changed")
  }),
  "services/:/ban": action("banService", { page: servicePage, typed: nameOf, show: done("banned") }),
  "services/:/unban": action("unbanService", { show: done("unbanned") }),
  "services/:/activate": action("activateService", { show: done("activated") }),
  "services/:/deactivate": action("deactivateService", { show: done("deactivated") }),
  "services/:/delete": action("deleteService", { page: servicePage, typed: nameOf, show: done("deleted") }),
  /** Services of an account that is not verified cannot call the API. */
  "services/:/verify-account": action("verifyAccount", {
    id: (context) => Effect.map(serviceOf(context), ({ accountId }) => accountId),
    show: done("verified")
  })
}

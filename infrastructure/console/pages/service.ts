import { Clock, Effect } from "effect"
import { type AccountView, Directory, type ServiceView } from "../../../application/provisioning/directory.ts"
import { changeAccount, changeService, patchService } from "../../../application/provisioning/services.ts"
import { withoutQuery } from "../../../domain/callback.ts"
import { type ServiceCommand, ServiceNotFound } from "../../../domain/service.ts"
import { copyable, doneBanner } from "../components.ts"
import { facts, table, tag } from "../../pages/elements.ts"
import { timeView } from "../../pages/times.ts"
import { orShowForm, orUnavailable } from "../error-pages.ts"
import { actionForm, actionSection, confirmedAction, fieldView, quotaInput } from "../forms.ts"
import type { Messages } from "../messages/en.ts"
import { idOf, operationOf, type PageContext, type PageResult, pathTo } from "../page-context.ts"
import { redirect } from "../../pages/page-result.ts"
import { accountsOfService } from "./bank-account.ts"
import { serviceFields, serviceTag } from "./services.ts"
import { type Content, markup } from "../../pages/html.ts"
import { decodeReason, decodeServiceChange } from "../../input/operator-requests.ts"

const branchTable = Effect.fnUntraced(function* ({ messages }: PageContext, serviceId: string) {
  const { branch, common, service, services } = messages
  const branches = yield* (yield* Directory).branchesOf(serviceId)
  const headings = [common.name, services.quota, common.state, branch.webhook, common.id]
  const rows = branches.map(({ id, isActive, isMain, name, quota, webhookUrl }) => [
    markup`<a href="${pathTo("branches", id)}">${name}</a>${isMain ? markup` ${tag(service.main)}` : undefined}`,
    quota ?? common.unlimited,
    isActive ? tag(branch.active, "good") : tag(branch.inactive, "bad"),
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
  const confirmedButton = (name: string, label: string, hint: string, fields?: Content) =>
    confirmedAction(context, { label, hint, fields, action: pathOf(name) })
  const reason = fieldView({ ...context, issues: [] }, { name: "reason", label: text.reason })
  return [
    account?.isVerified === false ? button("verify-account", text.verifyAccount) : undefined,
    service.isBanned ? button("unban", text.unban) : confirmedButton("ban", text.ban, text.banHint, reason),
    service.isActive
      ? confirmedButton("deactivate", text.deactivate, text.deactivateHint)
      : button("activate", text.activate),
    confirmedButton("delete", text.delete, text.deleteHint)
  ]
}

/** The sections that change a service. */
const editSections = (context: PageContext, service: ServiceView, account: AccountView | undefined): Content => {
  const { common, service: text } = context.messages
  return [
    actionSection(text.edit, "form", [
      actionForm(
        context,
        pathTo("services", service.id),
        ...serviceFields(context, service),
        markup`<p><button class="primary">${common.save}</button></p>`
      )
    ]),
    actionSection(text.actions, "row", actions(context, service, account))
  ]
}

/** A service: its settings, its branches and receiving accounts, and its actions. */
export const servicePage = Effect.fnUntraced(function* (context: PageContext) {
  const directory = yield* Directory
  const service = yield* directory.service(idOf(context))
  if (service === undefined) return yield* new ServiceNotFound()
  const account = yield* directory.account(service.accountId)
  const now = yield* Clock.currentTimeMillis
  const { messages } = context
  const { common, service: text, services } = messages
  const unverified = account?.isVerified === false ? markup` ${tag(text.unverified, "bad")}` : undefined
  const newBranchPath = pathTo("services", service.id, "new-branch")
  const newBranch = service.isDeleted || !context.may(newBranchPath)
    ? undefined
    : markup`<p><a class="button" href="${newBranchPath}">${text.newBranch}</a></p>`
  return {
    _tag: "Page",
    title: service.name,
    menu: "services",
    content: markup`<h1>${service.name} ${serviceTag(messages, service, now)}</h1>${doneBanner(context)}${
      facts([
        [common.id, copyable(context, service.id)],
        [services.plan, service.plan],
        [services.quota, service.quota ?? common.unlimited],
        [services.expires, service.expiresAt === null ? common.never : timeView(messages, service.expiresAt)],
        [text.account, markup`<code class="any">${service.accountId}</code>${unverified}`],
        [common.created, timeView(messages, service.createdAt)]
      ])
    }<section class="card"><h2>${text.branches}</h2>${yield* orUnavailable(
      context,
      branchTable(context, service.id)
    )}${newBranch}</section>${yield* orUnavailable(context, accountsOfService(context, service.id))}${
      service.isDeleted ? undefined : editSections(context, service, account)
    }`
  } satisfies PageResult
})

type Done = keyof Messages["done"]

const done = (context: PageContext, message: Done) => redirect(`${pathTo("services", idOf(context))}?done=${message}`)

const run = (
  context: PageContext,
  command: Exclude<ServiceCommand, { readonly _tag: "CreateService" }>,
  message: Done
) => Effect.as(changeService(idOf(context), command, operationOf(context)), done(context, message))

const banAction = Effect.fnUntraced(function* (context: PageContext) {
  const { reason = null } = yield* decodeReason(context.fields)
  return yield* run(context, { _tag: "BanService", reason }, "banned")
})

/** Services of an account that is not verified cannot call the API. */
const verifyAccountAction = Effect.fnUntraced(function* (context: PageContext) {
  const service = yield* (yield* Directory).service(idOf(context))
  if (service === undefined) return yield* new ServiceNotFound()
  yield* changeAccount(service.accountId, { _tag: "VerifyAccount" }, operationOf(context))
  return done(context, "verified")
})

const changeAction = (context: PageContext) =>
  orShowForm(
    context,
    servicePage,
    Effect.gen(function* () {
      const { fields } = context
      const change = yield* decodeServiceChange({
        name: fields["name"] ?? "",
        plan: fields["plan"] ?? "",
        quota: quotaInput(fields),
        expiresAt: fields["expiresAt"] ?? null
      })
      yield* patchService(idOf(context), change, operationOf(context))
      return done(context, "changed")
    })
  )

export const serviceActions = {
  change: changeAction,
  ban: banAction,
  verifyAccount: verifyAccountAction,
  unban: (context: PageContext) => run(context, { _tag: "UnbanService" }, "unbanned"),
  activate: (context: PageContext) => run(context, { _tag: "ActivateService" }, "activated"),
  deactivate: (context: PageContext) => run(context, { _tag: "DeactivateService" }, "deactivated"),
  remove: (context: PageContext) => run(context, { _tag: "DeleteService" }, "deleted")
}

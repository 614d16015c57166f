import { Clock, Effect } from "effect"
import { BankAccounts } from "../../../application/bank-accounts/list-bank-accounts.ts"
import { type AccountView, Directory, type ServiceView } from "../../../application/provisioning/directory.ts"
import { maskName, maskNumber } from "../../../domain/slip/masks.ts"
import { withoutQuery } from "../../../application/callbacks/without-query.ts"
import { ServiceNotFound } from "../../../domain/service.ts"
import { type Content, markup } from "../../http/html.ts"
import { fieldView } from "../fields-view.ts"
import { copyable, facts, table, tag } from "../parts.ts"
import { timeView } from "../time-view.ts"
import { orAway } from "../error-pages.ts"
import { actionForm, type Answer, confirmed, doneBanner, pathTo, type Visit } from "../page-context.ts"
import { serviceFields, serviceTag } from "./services.ts"

/** Receiving accounts that are shown. */
const MOST_ACCOUNTS = 100

const branchTable = Effect.fnUntraced(function* ({ words }: Visit, serviceId: string) {
  const { branch, common, service, services } = words
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

const actions = (visit: Visit, service: ServiceView, account: AccountView | undefined): ReadonlyArray<Content> => {
  const { words } = visit
  const { service: say } = words
  const to = (name: string) => pathTo("services", service.id, name)
  const plainly = (name: string, label: string) => actionForm(visit, to(name), markup`<button>${label}</button>`)
  if (service.isDeleted) return []
  return [
    account?.isVerified === false ? plainly("verify-account", say.verifyAccount) : undefined,
    service.isBanned ? plainly("unban", say.unban) : confirmed(
      say.ban,
      markup`<p>${say.banHint}</p>`,
      actionForm(
        visit,
        to("ban"),
        fieldView({ ...visit, issues: [] }, { name: "reason", label: say.reason }),
        markup`<button class="danger">${say.ban}</button>`
      )
    ),
    service.isActive
      ? confirmed(
        say.deactivate,
        markup`<p>${say.deactivateHint}</p>`,
        actionForm(visit, to("deactivate"), markup`<button class="danger">${say.deactivate}</button>`)
      )
      : plainly("activate", say.activate),
    confirmed(
      say.delete,
      markup`<p>${say.deleteHint}</p>`,
      actionForm(visit, to("delete"), markup`<button class="danger">${say.delete}</button>`)
    )
  ]
}

/** Numbers and names masked: whose account it is stays sealed here. */
const accountsOf = Effect.fnUntraced(function* ({ words }: Visit, serviceId: string) {
  const { items } = yield* (yield* BankAccounts).ofService({ serviceId, cursor: undefined, limit: MOST_ACCOUNTS })
  if (items.length === 0) return undefined
  const { branch, common, service } = words
  const rows = items.map(({ bankCode, bankNumber, isActive, nameTh }) => [
    bankCode,
    markup`<code>${maskNumber(bankNumber)}</code>`,
    maskName(nameTh),
    isActive ? tag(branch.active, "good") : tag(branch.inactive, "bad")
  ])
  const headings = [service.bank, service.number, common.name, common.state]
  return markup`<section class="card"><h2>${service.bankAccounts}</h2>${
    table(service.bankAccounts, headings, rows)
  }</section>`
})

/** A service: what it is, its branches, and what can be done with it. */
export const servicePage = Effect.fnUntraced(function* (visit: Visit) {
  const { params: [id = ""], words } = visit
  const directory = yield* Directory
  const service = yield* directory.service(id.toLowerCase())
  if (service === undefined) return yield* new ServiceNotFound()
  const account = yield* directory.account(service.accountId)
  const now = yield* Clock.currentTimeMillis
  const { common, services } = words
  return {
    _tag: "Page",
    title: service.name,
    menu: "services",
    content: markup`<h1>${service.name} ${serviceTag(words, service, now)}</h1>${doneBanner(visit)}${
      facts([
        [common.id, copyable(visit, service.id)],
        [services.plan, service.plan],
        [services.quota, service.quota ?? common.unlimited],
        [services.expires, service.expiresAt === null ? common.never : timeView(words, service.expiresAt)],
        [
          words.service.account,
          markup`<code class="any">${service.accountId}</code>${
            account?.isVerified === false ? markup` ${tag(words.service.unverified, "bad")}` : undefined
          }`
        ],
        [common.created, timeView(words, service.createdAt)]
      ])
    }<section class="card"><h2>${words.service.branches}</h2>${yield* orAway(
      visit,
      branchTable(visit, service.id)
    )}${
      service.isDeleted
        ? undefined
        : markup`<p><a class="button" href="${
          pathTo("services", service.id, "new-branch")
        }">${words.service.newBranch}</a></p>`
    }</section>${yield* orAway(visit, accountsOf(visit, service.id))}${
      service.isDeleted ? undefined : markup`<section class="card form"><h2>${words.service.edit}</h2>${
        actionForm(
          visit,
          pathTo("services", service.id),
          ...serviceFields(visit, service),
          markup`<p><button class="primary">${common.save}</button></p>`
        )
      }</section><section class="card"><h2>${words.service.actions}</h2><div class="row">${
        actions(visit, service, account)
      }</div></section>`
    }`
  } satisfies Answer
})

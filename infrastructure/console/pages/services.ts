import { Clock, Effect } from "effect"
import { createService } from "../../../application/provisioning/services.ts"
import { Directory, type ServiceView } from "../../../application/provisioning/directory.ts"
import { markup } from "../../http/html.ts"
import { pageOf } from "../../http/page.ts"
import { fieldView, issuesView } from "../fields-view.ts"
import { facts, pager, table, tag } from "../parts.ts"
import { quotaOf } from "../quota-field.ts"
import { secretsPage } from "../secrets-page.ts"
import { timeView } from "../time-view.ts"
import { actionForm, type Answer, operationOf, orAgain, pathTo, type Visit } from "../page-context.ts"
import type { Words } from "../messages/en.ts"
import { decodeService, DEFAULT_PLAN } from "../../input/operator-requests.ts"

/** What stands between a service and its calls: the first reason that a caller is told. */
export const serviceState = (service: ServiceView, now: number): keyof Words["services"]["states"] => {
  if (service.isDeleted) return "deleted"
  if (service.isBanned) return "banned"
  if (service.expiresAt !== null && Date.parse(service.expiresAt) <= now) return "expired"
  return service.isActive ? "active" : "deactivated"
}

export const serviceTag = ({ services }: Words, service: ServiceView, now: number) => {
  const state = serviceState(service, now)
  return tag(services.states[state], state === "active" ? "good" : "bad")
}

/** All services, oldest first. */
export const servicesPage = Effect.fnUntraced(function* (visit: Visit) {
  const { exchange, words } = visit
  const { common, services } = words
  const { items, nextCursor } = yield* (yield* Directory).services(yield* pageOf(exchange))
  const now = yield* Clock.currentTimeMillis
  const rows = items.map((service) => [
    markup`<a href="${pathTo("services", service.id)}">${service.name}</a>`,
    service.plan,
    service.quota ?? common.unlimited,
    serviceTag(words, service, now),
    timeView(words, service.createdAt),
    markup`<code class="any">${service.id}</code>`
  ])
  return {
    _tag: "Page",
    title: services.title,
    menu: "services",
    content: markup`<h1>${services.title}</h1><p class="lead">${services.lead}</p>
<p><a class="button primary" href="/console/services/new">${services.create}</a></p>${
      rows.length === 0 ? markup`<p>${services.none}</p>` : table(
        services.title,
        [common.name, services.plan, services.quota, common.state, common.created, common.id],
        rows
      )
    }${pager(visit, nextCursor)}`
  } satisfies Answer
})

const SHOWN = ["name", "plan", "quota", "expiresAt"]

/** Fields of a service, as a new one and one that is changed have them. */
export const serviceFields = (visit: Visit, service?: ServiceView) => {
  const { common, services } = visit.words
  return [
    issuesView(visit, SHOWN),
    fieldView(visit, { name: "name", label: common.name, value: service?.name ?? "", isRequired: true }),
    fieldView(visit, { name: "plan", label: services.plan, value: service?.plan ?? DEFAULT_PLAN, isRequired: true }),
    fieldView(visit, {
      name: "quota",
      label: services.quota,
      hint: services.quotaHint,
      value: service?.quota?.toString() ?? "",
      kind: "number"
    }),
    fieldView(visit, {
      name: "expiresAt",
      label: services.expires,
      hint: services.expiresHint,
      value: service?.expiresAt ?? ""
    })
  ]
}

/** Where a service is made. */
export const newServicePage = (visit: Visit): Effect.Effect<Answer> => {
  const { services } = visit.words
  return Effect.succeed({
    _tag: "Page",
    title: services.create,
    menu: "services",
    content: markup`<h1>${services.create}</h1><section class="card form">${
      actionForm(
        visit,
        "/console/services/new",
        ...serviceFields(visit),
        markup`<p class="hint">${services.createHint}</p><p><button class="primary">${services.button}</button></p>`
      )
    }</section>`
  })
}

/** Makes a service, and shows the key and the secret of its main branch. */
export const createServiceAction = (visit: Visit) =>
  orAgain(
    visit,
    newServicePage,
    Effect.gen(function* () {
      const { fields, words } = visit
      const asked = yield* decodeService({ ...fields, quota: quotaOf(fields), expiresAt: fields["expiresAt"] ?? null })
      const { expiresAt = null, name, plan = DEFAULT_PLAN, quota = null } = asked
      const made = yield* createService({ name, plan, quota, accountId: undefined, expiresAt }, operationOf(visit))
      const about = facts([[words.branch.service, made.name], [
        words.common.id,
        markup`<code class="any">${made.id}</code>`
      ]])
      return secretsPage(visit, pathTo("services", made.id), about, made.mainBranch)
    })
  )

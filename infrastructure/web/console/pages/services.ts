import { Clock, Effect } from "effect"
import { Directory } from "../../../../application/provisioning/directory.ts"
import type { ServiceView } from "../../../../application/views/provisioning.ts"
import { type Content, listTable, markup, pageTitled, tag } from "../../pages/html.ts"
import { pageOf } from "../../http/operations/page.ts"
import { DEFAULT_PLAN } from "../../api/requests/provisioning.ts"
import { pager, secretsPage } from "../components.ts"
import { fieldView, formPage, issuesView } from "../forms.ts"
import { timeView } from "../../pages/times.ts"
import { action } from "../action.ts"
import { enteredSetting, settingField } from "../branch-settings.ts"
import { timeInput } from "../../pages/forms.ts"
import type { Messages } from "../messages.ts"
import { type PageContext, pathTo } from "../page-context.ts"

/** The state that the API reports first when it rejects a key of the service; `now` is in milliseconds since 1970. */
const serviceState = (service: ServiceView, now: number): keyof Messages["services"]["states"] => {
  if (service.isDeleted) return "deleted"
  if (service.isBanned) return "banned"
  if (service.expiresAt !== null && Date.parse(service.expiresAt) <= now) return "expired"
  return service.isActive ? "active" : "deactivated"
}

export const serviceTag = ({ services }: Messages, service: ServiceView, now: number) => {
  const state = serviceState(service, now)
  return tag(services.states[state], state === "active" ? "good" : "bad")
}

const NEW_SERVICE = "/console/services/new"

/** All services, oldest first. */
export const servicesPage = Effect.fnUntraced(function* (context: PageContext) {
  const { exchange, messages } = context
  const { branchSettings, common, services } = messages
  const { items, nextCursor } = yield* (yield* Directory).services(yield* pageOf(exchange))
  const now = yield* Clock.currentTimeMillis
  const list = listTable(services.title, items, [
    [common.name, ({ id, name }) => markup`<a href="${pathTo("services", id)}">${name}</a>`],
    [services.plan, ({ plan }) => plan],
    [branchSettings.quota.fact, ({ quota }) => quota ?? common.unlimited],
    [common.state, (service) => serviceTag(messages, service, now)],
    [common.created, ({ createdAt }) => timeView(messages, createdAt)],
    [common.id, ({ id }) => markup`<code class="any">${id}</code>`]
  ], services.none)
  return pageTitled(services.title, "services")`<h1>${services.title}</h1><p class="lead">${services.lead}</p>${
    context.may(NEW_SERVICE)
      ? markup`<p><a class="button primary" href="${NEW_SERVICE}">${services.create}</a></p>`
      : undefined
  }${list}${pager(context, nextCursor)}`
})

/** The fields of a service, in the form for a new service and in the one for an existing service. */
export const serviceFields = (context: PageContext, service?: ServiceView): ReadonlyArray<Content> => {
  const { common, services } = context.messages
  return [
    issuesView(context, ["name", "plan", "quota", "expiresAt"]),
    fieldView(context, { name: "name", label: common.name, value: service?.name ?? "", isRequired: true }),
    fieldView(context, { name: "plan", label: services.plan, value: service?.plan ?? DEFAULT_PLAN, isRequired: true }),
    settingField(context, "quota", service?.quota),
    fieldView(context, {
      name: "expiresAt",
      label: services.expires,
      hint: services.expiresHint,
      value: service?.expiresAt ?? "",
      kind: "time"
    })
  ]
}

/** The form for a new service. */
export const newServicePage = (context: PageContext) => {
  const { services } = context.messages
  return Effect.succeed(formPage(context, services.create, {
    action: NEW_SERVICE,
    fields: [serviceFields(context), markup`<p class="hint">${services.createHint}</p>`],
    button: services.button
  }))
}

export const servicesActions = {
  "services/new": action("createService", {
    page: newServicePage,
    body: (fields) => ({
      ...fields,
      quota: enteredSetting("quota", fields),
      expiresAt: timeInput(fields["expiresAt"])
    }),
    show: (context, { id, mainBranch, name }) => {
      const { branch, common } = context.messages
      const about = [[branch.service, name], [common.id, markup`<code class="any">${id}</code>`]] as const
      return secretsPage(context, pathTo("services", id), about, mainBranch)
    }
  })
}

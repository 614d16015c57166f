import { Effect } from "effect"
import { type BranchView, Directory } from "../../../application/provisioning/directory.ts"
import { withoutQuery } from "../../../application/callbacks/without-query.ts"
import { BranchNotFound } from "../../../domain/branch.ts"
import { type Content, markup } from "../../http/html.ts"
import { branchFields } from "../branch-fields.ts"
import { copyable, facts, tag } from "../parts.ts"
import { quotaSection } from "../quota-section.ts"
import { timeView } from "../time-view.ts"
import { orAway } from "../error-pages.ts"
import { actionForm, type Answer, confirmed, doneBanner, pathTo, type Visit } from "../page-context.ts"

const actions = (visit: Visit, { id, isActive }: BranchView): ReadonlyArray<Content> => {
  const { branch } = visit.words
  const careful = (label: string, hint: string, name: string) =>
    confirmed(
      label,
      markup`<p>${hint}</p>`,
      actionForm(visit, pathTo("branches", id, name), markup`<button class="danger">${label}</button>`)
    )
  return [
    careful(branch.rotateKey, branch.rotateKeyHint, "rotate-key"),
    careful(branch.rotateSecret, branch.rotateSecretHint, "rotate-webhook-secret"),
    isActive
      ? careful(branch.deactivate, branch.deactivateHint, "deactivate")
      : actionForm(visit, pathTo("branches", id, "activate"), markup`<button>${branch.activate}</button>`)
  ]
}

/** A branch: its rules, the use of its quota, and what can be done with it. */
export const branchPage = Effect.fnUntraced(function* (visit: Visit) {
  const { params: [id = ""], words } = visit
  const directory = yield* Directory
  const branch = yield* directory.branch(id.toLowerCase())
  if (branch === undefined) return yield* new BranchNotFound()
  const service = yield* directory.service(branch.serviceId)
  const { branch: say, common, services } = words
  const { webhookUrl } = branch
  const state = branch.isActive ? tag(say.active, "good") : tag(say.inactive, "bad")
  return {
    _tag: "Page",
    title: branch.name,
    menu: "services",
    content: markup`<h1>${branch.name} ${state}${branch.isMain ? markup` ${tag(say.main)}` : undefined}</h1>${
      doneBanner(visit)
    }${
      facts([
        [common.id, copyable(visit, branch.id)],
        [
          say.service,
          markup`<a href="${pathTo("services", branch.serviceId)}">${service?.name ?? branch.serviceId}</a>`
        ],
        [services.quota, branch.quota ?? common.unlimited],
        [say.callers, markup`<span class="any">${branch.ipWhitelist.join(", ")}</span>`],
        [say.webhook, webhookUrl === null ? common.none : markup`<span class="any">${withoutQuery(webhookUrl)}</span>`],
        [common.created, timeView(words, branch.createdAt)]
      ])
    }<p><a class="button" href="${pathTo("trail", "branch", branch.id)}">${say.trail}</a></p>${yield* orAway(
      visit,
      quotaSection(visit, branch)
    )}<section class="card form"><h2>${say.edit}</h2>${
      actionForm(
        visit,
        pathTo("branches", branch.id),
        ...branchFields(visit, branch),
        markup`<p><button class="primary">${common.save}</button></p>`
      )
    }</section><section class="card"><h2>${say.actions}</h2><div class="row">${actions(visit, branch)}</div></section>`
  } satisfies Answer
})

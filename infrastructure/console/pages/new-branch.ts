import { Effect } from "effect"
import { createBranch } from "../../../application/provisioning/branches.ts"
import { Directory } from "../../../application/provisioning/directory.ts"
import { ServiceNotFound } from "../../../domain/service.ts"
import { markup } from "../../http/html.ts"
import { branchAsked, branchFields } from "../branch-fields.ts"
import { facts } from "../parts.ts"
import { secretsPage } from "../secrets-page.ts"
import { actionForm, type Answer, operationOf, orAgain, pathTo, type Visit } from "../page-context.ts"
import { decodeBranch } from "../../input/operator-requests.ts"

/** Where a branch is added to a service. */
export const newBranchPage = Effect.fnUntraced(function* (visit: Visit) {
  const { params: [id = ""], words } = visit
  const service = yield* (yield* Directory).service(id.toLowerCase())
  if (service === undefined) return yield* new ServiceNotFound()
  const { newBranch, createBranch } = words.service
  return {
    _tag: "Page",
    title: newBranch,
    menu: "services",
    content: markup`<h1>${newBranch}</h1><p><a href="${
      pathTo("services", service.id)
    }">${service.name}</a></p><section class="card form">${
      actionForm(
        visit,
        pathTo("services", service.id, "new-branch"),
        ...branchFields(visit),
        markup`<p><button class="primary">${createBranch}</button></p>`
      )
    }</section>`
  } satisfies Answer
})

/** Adds a branch, and shows its key and its secret. */
export const createBranchAction = (visit: Visit) =>
  orAgain(
    visit,
    newBranchPage,
    Effect.gen(function* () {
      const { fields, params: [id = ""], words } = visit
      const { name, ...settings } = yield* decodeBranch(branchAsked(fields))
      const made = yield* createBranch({ serviceId: id.toLowerCase(), name, settings }, operationOf(visit))
      const about = facts([[words.overview.branch, made.name], [
        words.common.id,
        markup`<code class="any">${made.id}</code>`
      ]])
      return secretsPage(visit, pathTo("branches", made.id), about, made)
    })
  )

import { Effect } from "effect"
import { Directory } from "../../../../application/provisioning/directory.ts"
import { findPolicy, removePolicy, setPolicy } from "../../../../application/provisioning/policies.ts"
import { BranchNotFound } from "../../../../domain/branch.ts"
import { type Content, markup } from "../../pages/html.ts"
import { decodeFlatPolicy, flatPolicy, policyFields } from "../../input/flat-policy.ts"
import { dash, facts } from "../../pages/elements.ts"
import { orShowForm } from "../../pages/forms.ts"
import { actionForm, confirmedAction, fieldView, issuesView, timeInput } from "../forms.ts"
import { idOf, type PageContext, type PageResult, pathTo, requestIdsOf } from "../page-context.ts"
import { redirect } from "../../pages/page-result.ts"

/** The policy of a branch, with the link to its form. */
export const policySection = Effect.fnUntraced(function* (context: PageContext, branchId: string) {
  const policy = yield* findPolicy(branchId)
  const { policy: text } = context.messages
  const values = flatPolicy(policy)
  const rows = policyFields.flatMap((name) => {
    const value = values[name]
    return value === undefined ? [] : [[text.fields[name], markup`<code class="any">${value}</code>`] as const]
  })
  const editPath = pathTo("branches", branchId, "policy")
  const edit = context.may(editPath) ? markup`<p><a class="button" href="${editPath}">${text.edit}</a></p>` : undefined
  return markup`<section class="card"><h2>${text.title}</h2><p class="hint">${text.hint}</p>${
    policy === null ? dash : facts([[text.version, policy.version], ...rows])
  }${edit}</section>`
})

const form = (context: PageContext, branchId: string, values: ReturnType<typeof flatPolicy>): Content => {
  const { common, policy: text } = context.messages
  return actionForm(
    context,
    pathTo("branches", branchId, "policy"),
    issuesView(context, policyFields),
    policyFields.map((name) =>
      fieldView(context, {
        name,
        label: text.fields[name],
        hint: text.hints[name],
        value: values[name] ?? "",
        kind: name === "after" || name === "before" ? "time" : "text"
      })
    ),
    markup`<p><button class="primary">${common.save}</button></p>`
  )
}

/** The form for the policy of a branch. */
export const policyPage = Effect.fnUntraced(function* (context: PageContext) {
  const branch = yield* (yield* Directory).branch(idOf(context))
  if (branch === undefined) return yield* new BranchNotFound()
  const policy = yield* findPolicy(branch.id)
  const { policy: text } = context.messages
  return {
    _tag: "Page",
    title: text.title,
    menu: "services",
    content: markup`<h1>${text.title}</h1><p><a href="${pathTo("branches", branch.id)}">${branch.name}</a></p>
<p class="hint">${text.hint}</p><section class="card form">${form(context, branch.id, flatPolicy(policy))}</section>${
      policy === null ? undefined : markup`<section class="card"><div class="row">${
        confirmedAction(context, {
          label: text.remove,
          hint: text.removeHint,
          action: pathTo("branches", branch.id, "policy", "remove")
        })
      }</div></section>`
    }`
  } satisfies PageResult
})

const done = (context: PageContext) => redirect(`${pathTo("branches", idOf(context))}?done=changed`)

export const policyActions = {
  set: (context: PageContext) =>
    orShowForm(
      context,
      policyPage,
      Effect.gen(function* () {
        const { after, before, ...others } = context.fields
        const times = Object.entries({ after, before }).filter(([, time]) => time !== undefined)
        const conditions = yield* decodeFlatPolicy({
          ...others,
          ...Object.fromEntries(times.map(([name, time]) => [name, timeInput(time)]))
        })
        yield* setPolicy(idOf(context), conditions, requestIdsOf(context))
        return done(context)
      })
    ),
  remove: (context: PageContext) => Effect.as(removePolicy(idOf(context), requestIdsOf(context)), done(context))
}

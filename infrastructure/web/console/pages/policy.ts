import { Effect } from "effect"
import { findPolicy } from "../../../../application/provisioning/policies.ts"
import { type Content, dash, facts, markup, pageTitled } from "../../pages/html.ts"
import { flatPath, flatPolicy, nestedPolicy, policyFields } from "../../input/flat-policy.ts"
import { action, done } from "../action.ts"
import { actionForm, confirmedAction, fieldView, issuesView } from "../forms.ts"
import { timeInput } from "../../pages/forms.ts"
import { branchOf, idOf, type PageContext, pathTo } from "../page-context.ts"

/** The policy of a branch, with the link to its form. */
export const policySection = Effect.fnUntraced(function* (context: PageContext, branchId: string) {
  const policy = yield* findPolicy(branchId)
  const { policy: text } = context.messages
  const values = flatPolicy(policy)
  const rows = policyFields.map((name) => {
    const value = values[name]
    return [text.fields[name], value === undefined ? undefined : markup`<code class="any">${value}</code>`] as const
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
  const branch = yield* branchOf(context)
  const policy = yield* findPolicy(branch.id)
  const { policy: text } = context.messages
  return pageTitled(text.title, "services")`<h1>${text.title}</h1><p><a href="${
    pathTo("branches", branch.id)
  }">${branch.name}</a></p>
<p class="hint">${text.hint}</p><section class="card form">${form(context, branch.id, flatPolicy(policy))}</section>${
    policy === null ? undefined : markup`<section class="card"><div class="row">${
      confirmedAction(context, {
        label: text.remove,
        hint: text.removeHint,
        action: pathTo("branches", branch.id, "policy", "remove")
      })
    }</div></section>`
  }`
})

const branchPath = (context: PageContext) => pathTo("branches", idOf(context))

export const policyActions = {
  "branches/:/policy": action("setPolicy", {
    page: policyPage,
    body: ({ after, before, ...others }) => {
      const times = Object.entries({ after, before }).filter(([, time]) => time !== undefined)
      return nestedPolicy({ ...others, ...Object.fromEntries(times.map(([name, time]) => [name, timeInput(time)])) })
    },
    fieldOf: flatPath,
    show: done("changed", branchPath)
  }),
  "branches/:/policy/remove": action("removePolicy", { show: done("changed", branchPath) })
}

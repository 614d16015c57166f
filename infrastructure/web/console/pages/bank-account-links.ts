import { Effect } from "effect"
import type { BankAccountOfService } from "../../../../application/bank-accounts/list-bank-accounts.ts"
import type { BranchView } from "../../../../application/views/provisioning.ts"
import { Directory } from "../../../../application/provisioning/directory.ts"
import { type Content, exact, markup, tag } from "../../pages/html.ts"
import { actionForm, confirmedAction } from "../forms.ts"
import { type PageContext, pathTo } from "../page-context.ts"

/** The linked branches of an account, the owner first, and other branches of its service, to which an active account can be linked. */
const readBranches = Effect.fnUntraced(function* ({ branchIds, isActive }: BankAccountOfService) {
  const directory = yield* Directory
  const linked = yield* Effect.forEach(
    branchIds,
    (id) => Effect.map(directory.branch(id), (branch) => ({ id, name: branch?.name ?? id, branch }))
  )
  const serviceId = isActive ? linked[0]?.branch?.serviceId : undefined
  const all = serviceId === undefined ? [] : yield* directory.branchesOf(serviceId)
  return { linked, others: all.filter(({ id }) => !branchIds.includes(id)) }
})

/** The form that links a further branch of the service. Nothing when all branches are linked. */
const linkForm = (context: PageContext, accountId: string, others: ReadonlyArray<BranchView>): Content => {
  const { bankAccount: text, overview } = context.messages
  return others.length === 0 ? undefined : actionForm(
    context,
    pathTo("bank-accounts", accountId, "link"),
    markup`<div class="row"><label class="unseen" for="link-branch">${overview.branch}</label><select
id="link-branch" name="branchId">${
      others.map((other) => markup`<option value="${exact(other.id)}">${other.name}</option>`)
    }</select><button>${text.link}</button></div>`
  )
}

/** The linked branches of a receiving account, the owner first, with the forms that change the links. */
export const linksSection = Effect.fnUntraced(function* (context: PageContext, account: BankAccountOfService) {
  const { linked, others } = yield* readBranches(account)
  const { id, isActive } = account
  const { bankAccount: text, common } = context.messages
  const links = linked.map(({ id: branchId, name }, index) => {
    const unlink: Content = isActive
      ? confirmedAction(context, {
        label: text.unlink,
        hint: text.unlinkHint(name),
        fields: markup`<input type="hidden" name="branchId" value="${exact(branchId)}">`,
        action: pathTo("bank-accounts", id, "unlink")
      })
      : undefined
    return markup`<li class="row"><a href="${pathTo("branches", branchId)}">${name}</a>${
      index === 0 ? tag(text.owner) : undefined
    }${unlink}</li>`
  })
  return markup`<section class="card"><h2>${text.branches}</h2>${
    links.length === 0 ? markup`<p>${common.none}</p>` : markup`<ol class="bare">${links}</ol>`
  }${linkForm(context, id, others)}</section>`
})

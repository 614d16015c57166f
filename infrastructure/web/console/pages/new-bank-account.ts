import { Effect } from "effect"
import { registerBankAccount } from "../../../../application/bank-accounts/register-bank-account.ts"
import { fieldsOf } from "../../../../domain/bank-account/fields.ts"
import { parseId } from "../../../../domain/ids.ts"
import { Identifiers } from "../../../../ports/identifiers.ts"
import { markup, pageTitled, redirect } from "../../pages/html.ts"
import { decodeBankAccount } from "../../input/bank-account-requests.ts"
import { formAction } from "../action.ts"
import { actionForm, fieldView, issuesView } from "../forms.ts"
import { branchOf } from "../in-path.ts"
import { type PageContext, pathTo, requestIdsOf } from "../page-context.ts"
import { accountFieldNames, bankOptions, extraVerifyOptions, typeOptions } from "./bank-account-fields.ts"

/** The id that the form gives the account: a form that is sent twice registers one account. */
const accountIdOf = Effect.fnUntraced(function* ({ fields: { accountId } }: PageContext) {
  const sent = typeof accountId === "string" ? parseId(accountId) : undefined
  return sent ?? (yield* Identifiers).random()
})

/** The form for a receiving account of a branch. */
export const newBankAccountPage = Effect.fnUntraced(function* (context: PageContext) {
  const { id, name } = yield* branchOf(context)
  const accountId = yield* accountIdOf(context)
  const { bankAccount: text } = context.messages
  return pageTitled(text.register, "services")`<h1>${text.register}</h1><p><a href="${
    pathTo("branches", id)
  }">${name}</a></p>
<section class="card form">${
    actionForm(
      context,
      pathTo("branches", id, "new-bank-account"),
      markup`<input type="hidden" name="accountId" value="${accountId}">`,
      issuesView(context, accountFieldNames),
      fieldView(context, { name: "bankCode", label: text.bankCode, value: "004", options: bankOptions(context) }),
      fieldView(context, { name: "bankNumber", label: text.bankNumber, isRequired: true }),
      fieldView(context, { name: "nameTh", label: text.nameTh, hint: text.nameHint, isRequired: true }),
      fieldView(context, { name: "nameEn", label: text.nameEn, hint: text.optional }),
      fieldView(context, { name: "type", label: text.type, options: typeOptions(context) }),
      fieldView(context, { name: "ref1", label: text.ref1, hint: text.ref1Hint }),
      fieldView(context, { name: "merchantId", label: text.merchantId, hint: text.optional }),
      fieldView(context, {
        name: "extraVerify",
        label: text.extraVerify,
        hint: text.extraVerifyHint,
        options: extraVerifyOptions(context)
      }),
      markup`<p><button class="primary">${text.register}</button></p>`
    )
  }</section>`
})

/** Registers the account, and shows its page. Over HTTP a branch does it with its own key. */
const register = Effect.fnUntraced(function* (context: PageContext) {
  const { id: branchId, serviceId } = yield* branchOf(context)
  const accountId = yield* accountIdOf(context)
  const fields = fieldsOf(yield* decodeBankAccount(context.fields))
  yield* registerBankAccount({ accountId, serviceId, branchId, fields }, requestIdsOf(context))
  return redirect(`${pathTo("bank-accounts", accountId)}?done=accountRegistered`)
})

export const newBankAccountActions = {
  "branches/:/new-bank-account": formAction("registerBankAccount", register, { page: newBankAccountPage })
}

import { Effect } from "effect"
import { registerBankAccount } from "../../../../application/bank-accounts/register-bank-account.ts"
import { fieldsOf } from "../../../../domain/bank-account/fields.ts"
import { parseId } from "../../../../domain/ids.ts"
import { Identifiers } from "../../../../ports/identifiers.ts"
import { markup, redirect } from "../../pages/html.ts"
import { decodeBankAccount } from "../../input/bank-account-requests.ts"
import { formAction } from "../action.ts"
import { formPage, issuesView } from "../forms.ts"
import { branchOf, type PageContext, pathTo, requestIdsOf } from "../page-context.ts"
import { accountField, accountFieldNames } from "./bank-account-fields.ts"

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
  return formPage(context, text.register, {
    above: [pathTo("branches", id), name],
    action: pathTo("branches", id, "new-bank-account"),
    fields: [
      markup`<input type="hidden" name="accountId" value="${accountId}">`,
      issuesView(context, accountFieldNames),
      accountField(context, "bankCode", { value: "004" }),
      accountField(context, "bankNumber", { isRequired: true }),
      accountField(context, "nameTh", { hint: text.nameHint, isRequired: true }),
      accountField(context, "nameEn", { hint: text.optional }),
      accountField(context, "type"),
      accountField(context, "ref1", { hint: text.ref1Hint }),
      accountField(context, "merchantId", { hint: text.optional }),
      accountField(context, "extraVerify", { hint: text.extraVerifyHint })
    ]
  })
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

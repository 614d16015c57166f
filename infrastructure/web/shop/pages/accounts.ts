import { Effect } from "effect"
import { changeBankAccount, deactivateBankAccount } from "../../../../application/bank-accounts/change-bank-account.ts"
import { BankAccounts } from "../../../../application/bank-accounts/list-bank-accounts.ts"
import type { BankAccountView } from "../../../../application/views/bank-account.ts"
import { bankAccount } from "../../../../application/bank-accounts/locate-account.ts"
import { registerBankAccount } from "../../../../application/bank-accounts/register-bank-account.ts"
import { fieldsOf } from "../../../../domain/bank-account/fields.ts"
import { banks } from "../../../../domain/bank.ts"
import { Identifiers } from "../../../../ports/identifiers.ts"
import { decodeBankAccount, decodeBankAccountChange } from "../../input/bank-account-requests.ts"
import { type Fields, invalid } from "../../input/decode.ts"
import { type Html, markup, raw, redirect, tag } from "../../pages/html.ts"
import { actionForm, doneBanner, fieldView, settingsSubpage } from "../components.ts"
import type { Field } from "../../pages/forms.ts"
import { formAction, pathTo, requestIdsOf, scoped, type ShopContext } from "../page-context.ts"
import { formIssues } from "./keys.ts"
import { bankNameIn } from "../../pages/language.ts"

const PATH = "/app/settings/accounts"

/** Accounts that the page shows. */
const MAX_ACCOUNTS = 200

const bankName = ({ messages: { language } }: ShopContext, code: string): string => {
  const bank = banks.find((one) => one.code === code)
  if (bank === undefined) return code
  return `${bankNameIn(language, bank)} (${bank.shortCode})`
}

const accountView = (context: ShopContext, account: BankAccountView): Html => {
  const { accounts: text } = context.messages.settings
  const { bankCode, bankNumber, id, isActive, nameTh } = account
  return markup`<li><p class="line"><b>${bankName(context, bankCode)}</b>${
    tag(isActive ? text.active : text.inactive, isActive ? "good" : "plain")
  }</p><p class="any"><code>${bankNumber}</code> · ${nameTh}</p>${
    isActive
      ? markup`<div class="row"><a class="button" href="${
        pathTo("settings", "accounts", id)
      }">${text.change}<span class="unseen">: ${bankNumber}</span></a></div>`
      : undefined
  }</li>`
}

const extraOptions = (context: ShopContext): ReadonlyArray<readonly [string, string]> => {
  const values = banks.flatMap(({ extraVerify, shortCode }) =>
    (extraVerify ?? []).map(({ label, value }) => [value, `${shortCode}: ${label}`] as const)
  )
  return [["", context.messages.settings.accounts.noExtra], ...new Map(values)]
}

/** The fields of a merchant of a biller. Few accounts have them, so they are closed unless there is something to see. */
const merchantFields = (context: ShopContext, account: BankAccountView | undefined): Html => {
  const { accounts: text } = context.messages.settings
  const fields = [
    { name: "ref1", label: text.ref1, hint: text.ref1Hint, value: account?.ref1 ?? "" },
    { name: "merchantId", label: text.merchantId, hint: text.merchantHint, value: account?.merchantId ?? "" }
  ]
  const isOpen = fields.some(({ name, value }) => value !== "" || context.fields[name] !== undefined)
  return markup`<details class="more"${raw(isOpen ? " open" : "")}><summary>${text.merchant}</summary>${
    fields.map((field) => fieldView(context, field))
  }</details>`
}

const accountFields = (context: ShopContext, account: BankAccountView | undefined): ReadonlyArray<Html> => {
  const { accounts: text } = context.messages.settings
  const fields: ReadonlyArray<Field & { readonly name: Exclude<keyof BankAccountView, "isActive"> }> = [
    { name: "bankCode", label: text.bank, options: banks.map(({ code }) => [code, bankName(context, code)]) },
    { name: "bankNumber", label: text.number, hint: text.numberHint, isRequired: true },
    { name: "nameTh", label: text.nameTh, isRequired: true },
    { name: "nameEn", label: text.nameEn },
    {
      name: "type",
      label: text.type,
      options: [["", text.noType], ["PERSONAL", text.types.PERSONAL], ["JURISTIC", text.types.JURISTIC]]
    },
    {
      name: "extraVerify",
      label: text.extraVerify,
      hint: text.extraVerifyHint,
      options: extraOptions(context)
    }
  ]
  return [
    ...fields.map((field) => fieldView(context, { ...field, value: account?.[field.name] })),
    merchantFields(context, account)
  ]
}

/** The accounts on which the branch receives money, and the form for a new one. */
export const accountsPage = scoped("configure", function* (context) {
  const { caller: { branchId }, messages: { settings } } = context
  const { accounts: text } = settings
  const { items } = yield* (yield* BankAccounts).ofBranch({ branchId, isActive: undefined, limit: MAX_ACCOUNTS })
  return settingsSubpage(context, {
    title: text.title,
    content: markup`${doneBanner(context)}<p>${text.about}</p>${
      items.length === 0
        ? markup`<p>${text.none}</p>`
        : markup`<ul class="rows card">${items.map((account) => accountView(context, account))}</ul>`
    }<section class="card"><h2>${text.create}</h2>${formIssues(context, "accounts")}${
      actionForm(
        context,
        PATH,
        accountFields(context, undefined),
        markup`<p><button class="primary">${text.create}</button></p>`
      )
    }</section>`
  })
})

/** The form's fields as the API takes them: an empty one is null. */
const accountInput = (fields: Fields): Fields => ({
  bankCode: "",
  bankNumber: "",
  nameTh: "",
  nameEn: null,
  ref1: null,
  merchantId: null,
  type: null,
  extraVerify: null,
  ...fields
})

const duplicateNumber = () => invalid({ path: "bankNumber", message: "Another account of the service has this number" })

export const createAccountAction = formAction("configure", accountsPage, function* (context) {
  const { caller: { branchId, serviceId } } = context
  const fields = fieldsOf(yield* decodeBankAccount(accountInput(context.fields)))
  const accountId = (yield* Identifiers).random()
  yield* registerBankAccount({ accountId, serviceId, branchId, fields }, requestIdsOf(context)).pipe(
    Effect.catchTag("BankAccountDuplicate", () => Effect.fail(duplicateNumber()))
  )
  return redirect(`${PATH}?done=accountSaved`)
})

/** One account of the branch, to be changed or taken out of use. */
export const accountPage = scoped("configure", function* (context) {
  const { caller: { branchId }, messages: { settings }, params: [id = ""] } = context
  const { accounts: text } = settings
  const account = yield* bankAccount(id, branchId)
  const path = pathTo("settings", "accounts", account.id)
  return settingsSubpage(context, {
    title: text.change,
    heading: bankName(context, account.bankCode),
    above: [PATH, text.title],
    content: markup`<section class="card">${
      actionForm(
        context,
        path,
        accountFields(context, account),
        markup`<p><button class="primary">${settings.save}</button></p>`
      )
    }</section><section class="card"><h2>${text.deactivate}</h2><p>${text.deactivateHint}</p>${
      actionForm(context, `${path}/deactivate`, markup`<p><button class="danger">${text.deactivate}</button></p>`)
    }</section>`
  })
})

export const changeAccountAction = formAction("configure", accountPage, function* (context) {
  const { fields, params: [id = ""] } = context
  const change = yield* decodeBankAccountChange(accountInput(fields))
  yield* changeBankAccount(id, change, requestIdsOf(context)).pipe(
    Effect.catchTag("BankAccountDuplicate", () => Effect.fail(duplicateNumber()))
  )
  return redirect(`${PATH}?done=accountSaved`)
})

export const deactivateAccountAction = scoped("configure", function* (context) {
  yield* deactivateBankAccount(context.params[0] ?? "", requestIdsOf(context))
  return redirect(`${PATH}?done=accountStopped`)
})

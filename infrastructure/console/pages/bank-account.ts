import { Effect } from "effect"
import {
  changeAnyBankAccount,
  deactivateAnyBankAccount
} from "../../../application/bank-accounts/change-bank-account.ts"
import { type BankAccountOfService, BankAccounts } from "../../../application/bank-accounts/list-bank-accounts.ts"
import { anyBankAccount } from "../../../application/bank-accounts/locate-account.ts"
import { Directory } from "../../../application/provisioning/directory.ts"
import { maskName, maskNumber, maskReference } from "../../../domain/slip/masks.ts"
import type { Page } from "../../../projections/engine/page.ts"
import { type Content, markup } from "../../pages/html.ts"
import { decodeBankAccountChange, fieldFault } from "../../input/bank-account-requests.ts"
import type { Fields } from "../../input/decode.ts"
import { copyable, doneBanner } from "../components.ts"
import { facts, table, tag } from "../../pages/elements.ts"
import { timeView } from "../../pages/times.ts"
import { orShowForm } from "../error-pages.ts"
import { actionForm, actionSection, confirmedAction, fieldView, issuesView } from "../forms.ts"
import { idOf, operationOf, type PageContext, type PageResult, pathTo } from "../page-context.ts"
import { redirect } from "../../pages/page-result.ts"

/** Accounts that a page shows. */
const MAX_ACCOUNTS = 100

const stateTag = ({ messages: { branch } }: PageContext, { isActive }: BankAccountOfService): Content =>
  isActive ? tag(branch.active, "good") : tag(branch.inactive, "bad")

const numberView = ({ bankNumber }: BankAccountOfService): Content => markup`<code>${maskNumber(bankNumber)}</code>`

const referenceView = ({ messages: { common } }: PageContext, reference: string | undefined): Content =>
  reference === undefined ? common.none : markup`<code>${maskReference(reference)}</code>`

/** Receiving accounts, with masked numbers and names. Nothing when there are none. */
const accountsSection = (context: PageContext, { items }: Page<BankAccountOfService>): Content => {
  if (items.length === 0) return undefined
  const { common, service } = context.messages
  const rows = items.map((account) => [
    account.bankCode,
    markup`<a href="${pathTo("bank-accounts", account.id)}">${numberView(account)}</a>`,
    maskName(account.nameTh),
    stateTag(context, account)
  ])
  const headings = [service.bank, service.number, common.name, common.state]
  return markup`<section class="card"><h2>${service.bankAccounts}</h2>${
    table(service.bankAccounts, headings, rows)
  }</section>`
}

export const accountsOfService = Effect.fnUntraced(function* (context: PageContext, serviceId: string) {
  return accountsSection(context, yield* (yield* BankAccounts).ofService({ serviceId, limit: MAX_ACCOUNTS }))
})

export const accountsOfBranch = Effect.fnUntraced(function* (context: PageContext, branchId: string) {
  const accounts = yield* BankAccounts
  return accountsSection(
    context,
    yield* accounts.ofBranchWithLinks({ branchId, isActive: undefined, limit: MAX_ACCOUNTS })
  )
})

/** The linked branches; the first one owns the account. */
const branchesView = Effect.fnUntraced(function* ({ messages: { common } }: PageContext, ids: ReadonlyArray<string>) {
  const directory = yield* Directory
  const links = yield* Effect.forEach(
    ids,
    Effect.fnUntraced(function* (id) {
      const branch = yield* directory.branch(id)
      return markup`<li><a href="${pathTo("branches", id)}">${branch?.name ?? id}</a></li>`
    })
  )
  return links.length === 0 ? common.none : markup`<ol>${links}</ol>`
})

/** The form shows no number and no name: an empty field of theirs keeps the value, a hyphen clears it. */
const editForm = (context: PageContext, account: BankAccountOfService): Content => {
  const { bankAccount: text, common } = context.messages
  const { bankCode, extraVerify, id, type } = account
  return actionForm(
    context,
    pathTo("bank-accounts", id),
    issuesView(context, ["bankCode", "bankNumber", "ref1", "merchantId", "nameTh", "nameEn", "type", "extraVerify"]),
    fieldView(context, { name: "bankCode", label: text.bankCode, value: bankCode, isRequired: true }),
    fieldView(context, { name: "bankNumber", label: text.bankNumber, hint: text.keep }),
    fieldView(context, { name: "ref1", label: text.ref1, hint: text.ref1Hint }),
    fieldView(context, { name: "merchantId", label: text.merchantId, hint: text.keepOrClear }),
    fieldView(context, { name: "nameTh", label: text.nameTh, hint: text.keep }),
    fieldView(context, { name: "nameEn", label: text.nameEn, hint: text.keepOrClear }),
    fieldView(context, { name: "type", label: text.type, hint: text.typeHint, value: type ?? "" }),
    fieldView(context, {
      name: "extraVerify",
      label: text.extraVerify,
      hint: text.extraVerifyHint,
      value: extraVerify ?? ""
    }),
    markup`<p><button class="primary">${common.save}</button></p>`
  )
}

/** The form's fields as the admin API takes them. */
const changeInput = ({ extraVerify = null, merchantId, nameEn, ref1, type = null, ...fields }: Fields): Fields => {
  const { bankCode, bankNumber, nameTh } = fields
  const cleared = Object.entries({ nameEn, ref1, merchantId }).map((
    [name, value]
  ) => [name, value === "-" ? null : value])
  const sent = { bankCode, bankNumber, nameTh, ...Object.fromEntries(cleared), type, extraVerify }
  return Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== undefined))
}

/** A receiving account: its fields with masks, its branches, and its actions while it is active. */
export const bankAccountPage = Effect.fnUntraced(function* (context: PageContext) {
  const account = yield* anyBankAccount(idOf(context))
  const { messages } = context
  const { bankAccount: text, common } = messages
  const actions = [
    actionSection(text.edit, "form", [editForm(context, account)]),
    actionSection(text.actions, "row", [
      confirmedAction(context, {
        label: text.deactivate,
        hint: text.deactivateHint,
        action: pathTo("bank-accounts", account.id, "deactivate")
      })
    ])
  ]
  return {
    _tag: "Page",
    title: text.title,
    menu: "services",
    content: markup`<h1>${text.title} ${stateTag(context, account)}</h1>${doneBanner(context)}${
      facts([
        [common.id, copyable(context, account.id)],
        [text.bankCode, account.bankCode],
        [text.bankNumber, numberView(account)],
        [text.ref1, referenceView(context, account.ref1)],
        [text.merchantId, referenceView(context, account.merchantId)],
        [text.nameTh, maskName(account.nameTh)],
        [text.nameEn, account.nameEn === null ? common.none : maskName(account.nameEn)],
        [text.type, account.type ?? common.none],
        [text.extraVerify, account.extraVerify ?? common.none],
        [text.branches, yield* branchesView(context, account.branchIds)],
        [common.created, timeView(messages, account.createdAt)],
        [text.updated, timeView(messages, account.updatedAt)]
      ])
    }${account.isActive ? actions : undefined}`
  } satisfies PageResult
})

export const bankAccountActions = {
  change: (context: PageContext) =>
    orShowForm(
      context,
      bankAccountPage,
      Effect.gen(function* () {
        const change = yield* decodeBankAccountChange(changeInput(context.fields))
        yield* changeAnyBankAccount(idOf(context), change, operationOf(context)).pipe(
          Effect.catchTag(["BankRefused", "BankNumberRefused"], (refused) => Effect.fail(fieldFault(refused)))
        )
        return redirect(`${pathTo("bank-accounts", idOf(context))}?done=changed`)
      })
    ),
  deactivate: (context: PageContext) =>
    Effect.as(
      deactivateAnyBankAccount(idOf(context), operationOf(context)),
      redirect(`${pathTo("bank-accounts", idOf(context))}?done=accountDeactivated`)
    )
}

import { Effect } from "effect"
import { type BankAccountOfService, BankAccounts } from "../../../../application/bank-accounts/list-bank-accounts.ts"
import { anyBankAccount } from "../../../../application/bank-accounts/locate-account.ts"
import { maskName, maskNumber, maskReference } from "../../../../domain/slip/masks.ts"
import type { Page } from "../../../../projections/engine/page.ts"
import { type Content, facts, listTable, markup, pageTitled } from "../../pages/html.ts"
import type { Fields } from "../../input/decode.ts"
import { action, done } from "../action.ts"
import { activeTag, copyable, doneBanner, summaryCard } from "../components.ts"
import { dangerZone, editSection, issuesView } from "../forms.ts"
import { timeView } from "../../pages/times.ts"
import { accountField, accountFieldNames } from "./bank-account-fields.ts"
import { linksSection } from "./bank-account-links.ts"
import { idOf, type PageContext, pathTo } from "../page-context.ts"

/** Accounts that a page shows. */
const MAX_ACCOUNTS = 100

const numberView = ({ bankNumber }: BankAccountOfService): Content => markup`<code>${maskNumber(bankNumber)}</code>`

const referenceView = ({ messages: { common } }: PageContext, reference: string | undefined): Content =>
  reference === undefined ? common.none : markup`<code>${maskReference(reference)}</code>`

/** Receiving accounts, with masked numbers and names. Nothing when there are none and none can be registered here. */
const accountsSection = (
  context: PageContext,
  { items }: Page<BankAccountOfService>,
  register?: string
): Content => {
  const { bankAccount } = context.messages
  const link = register === undefined || !context.may(register)
    ? undefined
    : markup`<p><a class="button" href="${register}">${bankAccount.register}</a></p>`
  if (items.length === 0 && link === undefined) return undefined
  const { common, service } = context.messages
  const list = listTable(service.bankAccounts, items, [
    [service.bank, ({ bankCode }) => bankCode],
    [service.number, (account) => markup`<a href="${pathTo("bank-accounts", account.id)}">${numberView(account)}</a>`],
    [common.name, ({ nameTh }) => maskName(nameTh)],
    [common.state, ({ isActive }) => activeTag(context.messages, isActive)]
  ])
  return markup`<section class="card"><h2>${service.bankAccounts}</h2>${
    items.length === 0 ? markup`<p class="hint">${bankAccount.noneYet}</p>` : list
  }${link}</section>`
}

export const accountsOfService = Effect.fnUntraced(function* (context: PageContext, serviceId: string) {
  return accountsSection(context, yield* (yield* BankAccounts).ofService({ serviceId, limit: MAX_ACCOUNTS }))
})

export const accountsOfBranch = Effect.fnUntraced(function* (context: PageContext, branchId: string) {
  const accounts = yield* BankAccounts
  return accountsSection(
    context,
    yield* accounts.ofBranchWithLinks({ branchId, isActive: undefined, limit: MAX_ACCOUNTS }),
    pathTo("branches", branchId, "new-bank-account")
  )
})

/** The form shows no number and no name: an empty field of theirs keeps the value, a hyphen clears it. */
const editFields = (own: PageContext, { bankCode, extraVerify, type }: BankAccountOfService): Content => {
  const { bankAccount: text } = own.messages
  return [
    issuesView(own, accountFieldNames),
    accountField(own, "bankCode", { value: bankCode }),
    accountField(own, "bankNumber", { hint: text.keep }),
    accountField(own, "ref1", { hint: text.keepOrClearRef1 }),
    accountField(own, "merchantId", { hint: text.keepOrClear }),
    accountField(own, "nameTh", { hint: text.keep }),
    accountField(own, "nameEn", { hint: text.keepOrClear }),
    accountField(own, "type", { value: type }),
    accountField(own, "extraVerify", { hint: text.extraVerifyHint, value: extraVerify })
  ]
}

/** The form's fields as the admin API takes them. */
const changeInput = (fields: Fields): Fields => {
  const cleared = ["nameEn", "ref1", "merchantId"].filter((name) => fields[name] === "-").map((name) => [name, null])
  return { type: null, extraVerify: null, ...fields, ...Object.fromEntries(cleared) }
}

/** A receiving account: its fields with masks, its branches, and its actions while it is active. */
export const bankAccountPage = Effect.fnUntraced(function* (context: PageContext) {
  const account = yield* anyBankAccount(idOf(context))
  const links = yield* linksSection(context, account)
  const { messages } = context
  const { bankAccount: text, common } = messages
  const actions = [
    editSection(context, text.edit, pathTo("bank-accounts", account.id), (own) => editFields(own, account)),
    dangerZone(context, [{
      action: pathTo("bank-accounts", account.id, "deactivate"),
      label: text.deactivate,
      hint: text.deactivateHint,
      name: maskNumber(account.bankNumber)
    }])
  ]
  return pageTitled(text.title, "services")`<h1>${text.title} ${activeTag(messages, account.isActive)}</h1>${
    doneBanner(context)
  }${
    summaryCard(messages, [facts([
      [common.id, copyable(context, account.id)],
      [text.bankCode, account.bankCode],
      [text.bankNumber, numberView(account)],
      [text.ref1, referenceView(context, account.ref1)],
      [text.merchantId, referenceView(context, account.merchantId)],
      [text.nameTh, maskName(account.nameTh)],
      [text.nameEn, account.nameEn === null ? common.none : maskName(account.nameEn)],
      [text.type, account.type ?? common.none],
      [text.extraVerify, account.extraVerify ?? common.none],
      [common.created, timeView(messages, account.createdAt)],
      [text.updated, timeView(messages, account.updatedAt)]
    ])])
  }${links}${account.isActive ? actions : undefined}`
})

export const bankAccountActions = {
  "bank-accounts/:": action("changeBankAccount", {
    page: bankAccountPage,
    body: changeInput,
    show: done("changed")
  }),
  "bank-accounts/:/deactivate": action("deactivateBankAccount", {
    page: bankAccountPage,
    typed: (context) => Effect.map(anyBankAccount(idOf(context)), ({ bankNumber }) => maskNumber(bankNumber)),
    show: done("accountDeactivated")
  }),
  "bank-accounts/:/link": action("linkBankAccount", { show: done("changed") }),
  "bank-accounts/:/unlink": action("unlinkBankAccount", { show: done("changed") })
}

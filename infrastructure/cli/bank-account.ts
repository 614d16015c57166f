import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import {
  changeAnyBankAccount,
  deactivateAnyBankAccount,
  linkBankAccount,
  unlinkBankAccount
} from "../../application/bank-accounts/change-bank-account.ts"
import { type BankAccountOfService, BankAccounts } from "../../application/bank-accounts/list-bank-accounts.ts"
import { anyBankAccount } from "../../application/bank-accounts/locate-account.ts"
import { maskAccount } from "../../application/bank-accounts/masked-account.ts"
import { Directory } from "../../application/provisioning/directory.ts"
import { decodeBankAccountChange, fieldFault } from "../input/bank-account-requests.ts"
import { decodeLink } from "../input/operator-requests.ts"
import { answerIsNo, cannotRun } from "./exit.ts"
import {
  decodeFlags,
  idArgument,
  idOf,
  jsonFlag,
  limitFlag,
  limitOf,
  optionalText,
  textOrNull,
  wrongFlags
} from "./flags.ts"
import { runChange, runList, runRead } from "./operation.ts"
import { type Field, note, noteMore, print, printFields, printTable } from "./output.ts"
import { activity } from "./views.ts"

const id = idArgument("Id of the bank account, see sliptrail bank-account list")

const fieldsOf = (account: BankAccountOfService): ReadonlyArray<Field> => [
  ["id", account.id],
  ["bank", account.bankCode],
  ["number", account.bankNumber],
  ["name (Thai)", account.nameTh],
  ["name (English)", account.nameEn ?? "none"],
  ["ref1", account.ref1 ?? "none"],
  ["merchant id", account.merchantId ?? "none"],
  ["type", account.type ?? "none"],
  ["extra verify", account.extraVerify ?? "none"],
  ["state", activity(account.isActive)],
  ["branches", account.branchIds.join(" ") || "none"],
  ["created", account.createdAt],
  ["updated", account.updatedAt]
]

const printAccount = (json: boolean, account: BankAccountOfService) => {
  const shown = maskAccount(account)
  return print(json, shown, () => printFields(fieldsOf(shown)))
}

const pageReader = Effect.fnUntraced(function* (service: string | undefined, branch: string | undefined) {
  const directory = yield* Directory
  const accounts = yield* BankAccounts
  if (service !== undefined) {
    if ((yield* directory.service(service)) === undefined) return yield* answerIsNo("the service does not exist")
    return (page: { readonly cursor: string | undefined; readonly limit: number }) =>
      accounts.ofService({ serviceId: service, ...page })
  }
  const branchId = branch ?? ""
  if ((yield* directory.branch(branchId)) === undefined) return yield* answerIsNo("the branch does not exist")
  return (page: { readonly cursor: string | undefined; readonly limit: number }) =>
    accounts.ofBranchWithLinks({ branchId, isActive: undefined, ...page })
})

const list = Command.make(
  "list",
  {
    service: optionalText("service", "Id of the service, see sliptrail service list"),
    branch: optionalText("branch", "Id of the branch, see sliptrail branch list"),
    limit: limitFlag,
    json: jsonFlag
  },
  Effect.fnUntraced(function* (flags) {
    const service = Option.getOrUndefined(Option.map(flags.service, idOf))
    const branch = Option.getOrUndefined(Option.map(flags.branch, idOf))
    if ((service === undefined) === (branch === undefined)) {
      return yield* cannotRun("give exactly one of --service, --branch")
    }
    const limit = yield* limitOf(flags.limit)
    const { hasMore, items } = yield* runList(
      limit,
      (call) => (query) =>
        service === undefined
          ? call({ name: "listBranchBankAccounts", params: { id: branch ?? "" }, query })
          : call({ name: "listServiceBankAccounts", params: { id: service }, query }),
      pageReader(service, branch)
    )
    if (items.length === 0) yield* note("There are no bank accounts")
    const shown = items.map(maskAccount)
    yield* print(flags.json, shown, () =>
      printTable(
        ["id", "bank", "number", "merchant", "name", "state", "branches", "updated"],
        shown.map((account) => [
          account.id,
          account.bankCode,
          account.bankNumber,
          account.ref1 ?? account.merchantId ?? "",
          account.nameTh,
          activity(account.isActive),
          account.branchIds.join(" "),
          account.updatedAt
        ])
      ))
    yield* noteMore(hasMore)
  })
).pipe(Command.withDescription("List the bank accounts of a service or a branch; numbers and names are masked"))

const show = Command.make(
  "show",
  { id, json: jsonFlag },
  Effect.fnUntraced(function* ({ id, json }) {
    const account = yield* runRead(
      { name: "getBankAccount", params: { id: idOf(id) } },
      Effect.catchTag(
        anyBankAccount(idOf(id)),
        "BankAccountNotFound",
        () => Effect.fail(answerIsNo("the bank account does not exist"))
      )
    )
    yield* printAccount(json, account)
  })
).pipe(Command.withDescription("Show a bank account; its number and names are masked"))

const set = Command.make(
  "set",
  {
    id,
    bank: optionalText("bank", "Code of the bank, such as 004 or PROMPTPAY"),
    number: optionalText("number", "The whole number"),
    nameTh: optionalText("name-th", "Name of the holder in Thai"),
    nameEn: optionalText("name-en", "Name of the holder in English, or none"),
    ref1: optionalText(
      "ref1",
      "Reference (ref1) of the merchant's QR code, for a biller with several merchants, or none"
    ),
    merchantId: optionalText("merchant-id", "Number of the merchant at its bank, or none"),
    type: Flag.Literals("type", ["PERSONAL", "JURISTIC", "none"]).pipe(
      Flag.withDescription("A person, a company, or none"),
      Flag.optional
    ),
    extraVerify: optionalText("extra-verify", "One of the bank's extraVerify values, or none"),
    json: jsonFlag
  },
  Effect.fnUntraced(function* (flags) {
    const body = {
      bankCode: Option.getOrUndefined(flags.bank),
      bankNumber: Option.getOrUndefined(flags.number),
      nameTh: Option.getOrUndefined(flags.nameTh),
      nameEn: textOrNull(flags.nameEn, "none"),
      ref1: textOrNull(flags.ref1, "none"),
      merchantId: textOrNull(flags.merchantId, "none"),
      type: Option.getOrUndefined(Option.map(flags.type, (type) => type === "none" ? null : type)),
      extraVerify: textOrNull(flags.extraVerify, "none")
    }
    const change = yield* decodeFlags(decodeBankAccountChange, body)
    if (Object.keys(change).length === 0) {
      return yield* cannotRun(
        "give at least one of --bank, --number, --name-th, --name-en, --ref1, --merchant-id, --type, --extra-verify"
      )
    }
    const account = yield* runChange(
      { name: "changeBankAccount", params: { id: idOf(flags.id) }, body },
      (operation) =>
        changeAnyBankAccount(idOf(flags.id), change, operation).pipe(
          Effect.catchTag(
            ["BankRefused", "BankNumberRefused"],
            (refused) => Effect.fail(wrongFlags(fieldFault(refused)))
          )
        )
    )
    yield* printAccount(flags.json, account)
  })
).pipe(Command.withDescription("Change a bank account for all its branches; they see the change in their trail"))

const deactivate = Command.make(
  "deactivate",
  { id, json: jsonFlag },
  Effect.fnUntraced(function* ({ id, json }) {
    const account = yield* runChange(
      { name: "deactivateBankAccount", params: { id: idOf(id) } },
      (operation) => deactivateAnyBankAccount(idOf(id), operation)
    )
    yield* printAccount(json, account)
  })
).pipe(Command.withDescription("Deactivate a bank account for all its branches, permanently; its number becomes free"))

const linkCommand = <const Name extends string>(
  name: Name,
  operation: "linkBankAccount" | "unlinkBankAccount",
  change: typeof linkBankAccount | typeof unlinkBankAccount,
  description: string
) =>
  Command.make(
    name,
    {
      id,
      branch: Flag.String("branch").pipe(Flag.withDescription("Id of a branch of the account's service")),
      json: jsonFlag
    },
    Effect.fnUntraced(function* ({ branch, id, json }) {
      const { branchId } = yield* decodeFlags(decodeLink, { branchId: branch.trim() })
      const account = yield* runChange(
        { name: operation, params: { id: idOf(id) }, body: { branchId } },
        (operation) => change(idOf(id), branchId, operation)
      )
      yield* printAccount(json, account)
    })
  ).pipe(Command.withDescription(description))

export const bankAccount = Command.make("bank-account").pipe(
  Command.withDescription("Bank accounts on which branches receive money; the first linked branch owns one"),
  Command.withSubcommands([
    list,
    show,
    set,
    deactivate,
    linkCommand("link", "linkBankAccount", linkBankAccount, "Link a branch to a bank account"),
    linkCommand(
      "unlink",
      "unlinkBankAccount",
      unlinkBankAccount,
      "Unlink a branch; the next linked branch then owns the bank account"
    )
  ])
)

import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import type { BankAccountOfService } from "../../../application/bank-accounts/list-bank-accounts.ts"
import { AccountType } from "../../../domain/bank-account/fields.ts"
import { cannotRun } from "./exit.ts"
import { idArgument, idOf, isAnyGiven, jsonFlag, limitFlag, optionalText, textOrNull } from "./flags.ts"
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

const printAccount = (json: boolean, account: BankAccountOfService) =>
  print(json, account, () => printFields(fieldsOf(account)))

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
    const { hasMore, items } = yield* service === undefined
      ? runList(flags.limit, { name: "listBranchBankAccounts", params: { id: branch ?? "" } })
      : runList(flags.limit, { name: "listServiceBankAccounts", params: { id: service } })
    if (items.length === 0) yield* note("There are no bank accounts")
    yield* print(flags.json, items, () =>
      printTable(
        ["id", "bank", "number", "merchant", "name", "state", "branches", "updated"],
        items.map((account) => [
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
    yield* printAccount(json, yield* runRead({ name: "getBankAccount", params: { id: idOf(id) } }))
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
    type: Flag.Literals("type", [...AccountType.literals, "none"]).pipe(
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
    if (!isAnyGiven(body)) {
      return yield* cannotRun(
        "give at least one of --bank, --number, --name-th, --name-en, --ref1, --merchant-id, --type, --extra-verify"
      )
    }
    yield* printAccount(
      flags.json,
      yield* runChange({ name: "changeBankAccount", params: { id: idOf(flags.id) }, body })
    )
  })
).pipe(Command.withDescription("Change a bank account for all its branches; they see the change in their trail"))

const deactivate = Command.make(
  "deactivate",
  { id, json: jsonFlag },
  Effect.fnUntraced(function* ({ id, json }) {
    yield* printAccount(json, yield* runChange({ name: "deactivateBankAccount", params: { id: idOf(id) } }))
  })
).pipe(Command.withDescription("Deactivate a bank account for all its branches, permanently; its number becomes free"))

const linkCommand = <const Name extends string>(
  command: Name,
  name: "linkBankAccount" | "unlinkBankAccount",
  description: string
) =>
  Command.make(
    command,
    {
      id,
      branch: Flag.String("branch").pipe(Flag.withDescription("Id of a branch of the account's service")),
      json: jsonFlag
    },
    Effect.fnUntraced(function* ({ branch, id, json }) {
      const body = { branchId: branch.trim() }
      yield* printAccount(json, yield* runChange({ name, params: { id: idOf(id) }, body }))
    })
  ).pipe(Command.withDescription(description))

export const bankAccount = Command.make("bank-account").pipe(
  Command.withDescription("Bank accounts on which branches receive money; the first linked branch owns one"),
  Command.withSubcommands([
    list,
    show,
    set,
    deactivate,
    linkCommand("link", "linkBankAccount", "Link a branch to a bank account"),
    linkCommand(
      "unlink",
      "unlinkBankAccount",
      "Unlink a branch; the next linked branch then owns the bank account"
    )
  ])
)

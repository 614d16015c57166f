import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import type { BankAccountOfService } from "../../../application/bank-accounts/list-bank-accounts.ts"
import { AccountType } from "../../../domain/bank-account/fields.ts"
import { cannotRun } from "./exit.ts"
import { idArgument, idOf, isAnyGiven, jsonFlag, limitFlag, optionalChoice, optionalText, textOrNull } from "./flags.ts"
import { commandsOn, printList, runChange, runRead } from "./operation.ts"
import { fieldsBy, print, printFields } from "./output.ts"
import { activity } from "./views.ts"

const id = idArgument("Id of the bank account, see sliptrail bank-account list")

const printAccount = (json: boolean, account: BankAccountOfService) =>
  print(json, account, () =>
    printFields(fieldsBy({
      "id": "id",
      "bank": "bankCode",
      "number": "bankNumber",
      "name (Thai)": "nameTh",
      "name (English)": ({ nameEn }) => nameEn ?? "none",
      "ref1": ({ ref1 }) => ref1 ?? "none",
      "merchant id": ({ merchantId }) => merchantId ?? "none",
      "type": ({ type }) => type ?? "none",
      "extra verify": ({ extraVerify }) => extraVerify ?? "none",
      "state": ({ isActive }) => activity(isActive),
      "branches": ({ branchIds }) => branchIds.join(" ") || "none",
      "created": "createdAt",
      "updated": "updatedAt"
    }, account)))

const onAccount = commandsOn(id, printAccount)

const list = Command.make(
  "list",
  {
    service: optionalText("service", "Id of the service, see sliptrail service list"),
    branch: optionalText("branch", "Id of the branch, see sliptrail branch list"),
    limit: limitFlag,
    json: jsonFlag
  },
  Effect.fnUntraced(function* (flags) {
    const { branch, service } = flags
    if ((service === undefined) === (branch === undefined)) {
      return yield* cannotRun("give exactly one of --service, --branch")
    }
    const name = service === undefined ? "listBranchBankAccounts" : "listServiceBankAccounts"
    yield* printList(flags, { name, params: { id: idOf(service ?? branch ?? "") } }, {
      id: "id",
      bank: "bankCode",
      number: "bankNumber",
      merchant: ({ merchantId, ref1 }) => ref1 ?? merchantId ?? "",
      name: "nameTh",
      state: ({ isActive }) => activity(isActive),
      branches: ({ branchIds }) => branchIds.join(" "),
      updated: "updatedAt"
    }, "There are no bank accounts")
  })
).pipe(Command.withDescription("List the bank accounts of a service or a branch; numbers and names are masked"))

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
    type: optionalChoice("type", [...AccountType.literals, "none"], "A person, a company, or none"),
    extraVerify: optionalText("extra-verify", "One of the bank's extraVerify values, or none"),
    json: jsonFlag
  },
  Effect.fnUntraced(function* (flags) {
    const body = {
      bankCode: flags.bank,
      bankNumber: flags.number,
      nameTh: flags.nameTh,
      nameEn: textOrNull(flags.nameEn, "none"),
      ref1: textOrNull(flags.ref1, "none"),
      merchantId: textOrNull(flags.merchantId, "none"),
      type: flags.type === "none" ? null : flags.type,
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
    onAccount(
      "show",
      (id) => runRead({ name: "getBankAccount", params: { id } }),
      "Show a bank account; its number and names are masked"
    ),
    set,
    onAccount(
      "deactivate",
      (id) => runChange({ name: "deactivateBankAccount", params: { id } }),
      "Deactivate a bank account for all its branches, permanently; its number becomes free"
    ),
    linkCommand("link", "linkBankAccount", "Link a branch to a bank account"),
    linkCommand(
      "unlink",
      "unlinkBankAccount",
      "Unlink a branch; the next linked branch then owns the bank account"
    )
  ])
)

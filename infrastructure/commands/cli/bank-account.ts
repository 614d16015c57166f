import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import type { BankAccountOfService } from "../../../application/bank-accounts/list-bank-accounts.ts"
import { AccountType } from "../../../domain/bank-account/fields.ts"
import { cannotRun } from "./exit.ts"
import {
  idArgument,
  isAnyGiven,
  jsonFlag,
  limitFlag,
  optionalChoice,
  optionalId,
  optionalText,
  textOrNone
} from "./flags.ts"
import { changeOne, printing, printList, readOne, runChange } from "./operation.ts"
import { fieldsBy, printFields } from "./output.ts"
import { activity } from "./views.ts"

const id = idArgument("Id of the bank account, see sliptrail bank-account list")

const printsAccount = printing((account: BankAccountOfService) =>
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
  }, account))
)

const list = Command.make(
  "list",
  {
    service: optionalId("service", "Id of the service, see sliptrail service list"),
    branch: optionalId("branch", "Id of the branch, see sliptrail branch list"),
    limit: limitFlag,
    json: jsonFlag
  },
  Effect.fnUntraced(function* (flags) {
    const { branch, service } = flags
    if ((service === undefined) === (branch === undefined)) {
      return yield* cannotRun("give exactly one of --service, --branch")
    }
    const name = service === undefined ? "listBranchBankAccounts" : "listServiceBankAccounts"
    yield* printList(flags, { name, params: { id: service ?? branch ?? "" } }, {
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

const set = printsAccount(
  "set",
  {
    id,
    bank: optionalText("bank", "Code of the bank, such as 004 or PROMPTPAY"),
    number: optionalText("number", "The whole number"),
    nameTh: optionalText("name-th", "Name of the holder in Thai"),
    nameEn: textOrNone("name-en", "Name of the holder in English, or none"),
    ref1: textOrNone(
      "ref1",
      "Reference (ref1) of the merchant's QR code, for a biller with several merchants, or none"
    ),
    merchantId: textOrNone("merchant-id", "Number of the merchant at its bank, or none"),
    type: optionalChoice("type", [...AccountType.literals, "none"], "A person, a company, or none"),
    extraVerify: textOrNone("extra-verify", "One of the bank's extraVerify values, or none")
  },
  Effect.fnUntraced(function* ({ bank: bankCode, id, number: bankNumber, type, ...texts }) {
    const body = { bankCode, bankNumber, ...texts, type: type === "none" ? null : type }
    if (!isAnyGiven(body)) {
      return yield* cannotRun(
        "give at least one of --bank, --number, --name-th, --name-en, --ref1, --merchant-id, --type, --extra-verify"
      )
    }
    return yield* runChange({ name: "changeBankAccount", params: { id }, body })
  }),
  "Change a bank account for all its branches; they see the change in their trail"
)

const linkFlags = {
  id,
  branchId: Flag.String("branch").pipe(
    Flag.withDescription("Id of a branch of the account's service"),
    Flag.map((text) => text.trim())
  )
}

export const bankAccount = Command.make("bank-account").pipe(
  Command.withDescription("Bank accounts on which branches receive money; the first linked branch owns one"),
  Command.withSubcommands([
    list,
    printsAccount("show", { id }, readOne("getBankAccount"), "Show a bank account; its number and names are masked"),
    set,
    printsAccount(
      "deactivate",
      { id },
      changeOne("deactivateBankAccount"),
      "Deactivate a bank account for all its branches, permanently; its number becomes free"
    ),
    printsAccount(
      "link",
      linkFlags,
      ({ id, ...body }) => runChange({ name: "linkBankAccount", params: { id }, body }),
      "Link a branch to a bank account"
    ),
    printsAccount(
      "unlink",
      linkFlags,
      ({ id, ...body }) => runChange({ name: "unlinkBankAccount", params: { id }, body }),
      "Unlink a branch; the next linked branch then owns the bank account"
    )
  ])
)

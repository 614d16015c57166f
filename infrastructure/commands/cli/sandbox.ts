import { Clock, Console, Effect, Option, Predicate } from "effect"
import { Command, Flag } from "effect/cli"
import { randomInt } from "node:crypto"
import { writeFile } from "node:fs/promises"
import { isSendingBank } from "../../../domain/bank.ts"
import { fromBaht } from "../../../domain/money.ts"
import { TRUEMONEY } from "../../../domain/slip/wallet-payload.ts"
import { receivers, WALLET_RECEIVER } from "../../adapters/banks/sandbox/receivers.ts"
import { isReceiver, makeSandboxSlip, nonceOf, outcomes } from "../../adapters/banks/sandbox/sandbox-slip.ts"
import { drawSandboxSlip } from "../../adapters/banks/sandbox/slip-picture.ts"
import { cannotRun } from "./exit.ts"
import { jsonFlag, optionalInt, optionalText, switchFlag, TIME, timeOf } from "./flags.ts"
import { printJson, printTable } from "./output.ts"
import { withoutAdminOperation } from "./target.ts"

const NONCE_COUNT = 36 ** 6

const orFail = <A>(value: A | undefined, message: string) =>
  value === undefined ? Effect.fail(cannotRun(message)) : Effect.succeed(value)

const timeOrNow = (text: string | undefined) =>
  Effect.filterOrElse(timeOf("at", text, "first"), Predicate.isNotUndefined, () => Clock.currentTimeMillis)

const draw = Effect.fnUntraced(function* (payload: string, file: string) {
  const format = /\.jpe?g$/iu.test(file) ? "jpeg" : "png"
  const picture = yield* Effect.mapError(drawSandboxSlip({ payload }, { format }), (error) => cannotRun(error.message))
  yield* Effect.tryPromise({
    try: () => writeFile(file, picture),
    catch: (cause) => cannotRun(`${file} cannot be written: ${String(cause)}`)
  })
})

const slip = Command.make(
  "slip",
  {
    amount: Flag.Finite("amount").pipe(Flag.withDescription("Baht, at most two decimals"), Flag.withDefault(1500.5)),
    bank: optionalText("bank", "Sending bank, three digits; default 004"),
    receiver: optionalInt("receiver", "0 to 9, see sliptrail sandbox receivers; default 0"),
    wallet: switchFlag("wallet", "A TrueMoney slip, verified from its picture: add --out"),
    outcome: Flag.Literals("outcome", outcomes).pipe(
      Flag.withDescription("How the sandbox bank answers for this slip"),
      Flag.withDefault("found")
    ),
    at: optionalText("at", `Time of the transfer; default now: ${TIME}`),
    out: optionalText("out", "File to draw the slip into, .png or .jpg"),
    json: jsonFlag
  },
  Effect.fnUntraced(function* (flags) {
    const { json, outcome, wallet } = flags
    const bank = flags.bank ?? (wallet ? TRUEMONEY : "004")
    const index = flags.receiver ?? (wallet ? WALLET_RECEIVER.index : 0)
    const amount = yield* orFail(
      Option.getOrUndefined(fromBaht(flags.amount)),
      `--amount: Expected baht with at most two decimals, got ${flags.amount}`
    )
    const receiver = yield* orFail(
      isReceiver(index) ? index : undefined,
      `--receiver: Expected 0 to 9, got ${index}; list them with: sliptrail sandbox receivers`
    )
    yield* orFail(
      wallet && (flags.bank !== undefined || flags.receiver !== undefined) ? undefined : true,
      `--wallet: give no --bank and no --receiver. A TrueMoney slip has no bank, and is to receiver ${WALLET_RECEIVER.index}`
    )
    yield* orFail(
      wallet || isSendingBank(bank) ? bank : undefined,
      `--bank: Expected the code of a bank such as 004, got "${bank}"`
    )
    const at = yield* timeOrNow(flags.at)
    const made = yield* Effect.try({
      try: () => makeSandboxSlip({ amount, bank, receiver, outcome, at, nonce: nonceOf(randomInt(NONCE_COUNT)) }),
      catch: (cause) => cannotRun(cause instanceof Error ? cause.message : String(cause))
    })
    const file = flags.out
    yield* orFail(file === "-" ? undefined : true, "--out: Expected a file, a picture cannot go to standard output")
    if (file !== undefined) yield* draw(made.payload, file)
    if (json) return yield* printJson({ ...made, ...(file === undefined ? {} : { file }) })
    yield* Console.log(`payload   ${made.payload}\ntransRef  ${made.transRef}`)
    if (file !== undefined) yield* Console.log(`drawn     ${file}`)
  })
).pipe(
  Command.withDescription("Create a slip that the sandbox bank knows"),
  withoutAdminOperation(
    "nothing",
    "it makes the slip on this machine, and every service with the sandbox bank knows it"
  )
)

const listReceivers = Command.make(
  "receivers",
  { json: jsonFlag },
  Effect.fnUntraced(function* ({ json }) {
    if (json) return yield* printJson(receivers.map(({ index, register, shape }) => ({ index, shape, ...register })))
    const rows = receivers.map(({ index, register, shape }) => [
      String(index),
      register.bankCode,
      register.bankNumber,
      register.extraVerify ?? "",
      register.nameTh,
      shape
    ])
    yield* printTable(["#", "bank", "number", "extraVerify", "name", "shown on slips"], rows)
  })
).pipe(
  Command.withDescription("List the receivers of sandbox slips, with the account numbers to register"),
  withoutAdminOperation("nothing", "the receivers are the same for every service")
)

export const sandbox = Command.make("sandbox").pipe(
  Command.withDescription("Slips of the sandbox bank, for tests"),
  Command.withSubcommands([slip, listReceivers])
)

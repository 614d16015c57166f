import { Effect, Redacted } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { readFileSync, statSync } from "node:fs"
import {
  makeSlipTrail,
  type SlipTrailCode,
  SlipTrailError,
  type VerifyBankData,
  type VerifyWalletData
} from "../../../sdk/client/sliptrail.ts"
import { trimQrText } from "../../../domain/slip/qr-text.ts"
import { commandLineSettings } from "../../platform/settings/command-line-settings.ts"
import { settings } from "../../platform/settings/settings.ts"
import { visibleLine } from "../../platform/visible-text.ts"
import type { Tone } from "./colors.ts"
import { describeNetworkError, trustAuthorities } from "./connection.ts"
import { answerIsNo, cannotRun, type CommandFailed } from "./exit.ts"
import { jsonFlag, optional, optionalText, switchFlag } from "./flags.ts"
import { type Field, fieldOf, formatBaht, print, printFields, printVerdict, waitFor } from "./output.ts"
import { headerSecret, readSecretFile, targetUrl } from "./target.ts"

type Data = VerifyBankData | VerifyWalletData

/** `SLIPTRAIL_URL`, or the service of the settings on this machine. */
const serviceUrl = Effect.gen(function* () {
  return (yield* targetUrl) ?? `http://127.0.0.1:${yield* settings.port}`
})

const apiKey = Effect.fnUntraced(function* (file: string | undefined) {
  const key = file === undefined
    ? yield* commandLineSettings.sliptrailApiKey
    : Redacted.make(yield* readSecretFile("api-key-file", file))
  if (key === undefined) {
    return yield* cannotRun("give the API key of a branch with --api-key-file FILE or SLIPTRAIL_API_KEY")
  }
  return yield* headerSecret(file === undefined ? "SLIPTRAIL_API_KEY" : "--api-key-file", key)
})

const isFile = (path: string): boolean => {
  try {
    return statSync(path).isFile()
  } catch {
    return false
  }
}

/** A payload has only letters and digits, and more of them than a file name usually has. */
const isPayload = (text: string): boolean => /^[0-9A-Za-z]{40,}$/u.test(text)

const sourceOf = Effect.fnUntraced(function* (slip: string) {
  if (isFile(slip)) {
    const image = yield* Effect.try({
      try: () => new Uint8Array(readFileSync(slip)),
      catch: (cause) => cannotRun(`cannot read ${slip}: ${String(cause)}`)
    })
    return { _tag: "Picture", image } as const
  }
  const payload = trimQrText(slip)
  return isPayload(payload)
    ? { _tag: "Payload", payload } as const
    : yield* cannotRun(`"${slip}" is neither a file nor the payload of a slip`)
})

/** What the service found, in the first word of the answer. */
type Outcome = "verified" | "duplicate" | "not accepted" | "amount differs"

/** Conditions decide alone whether a slip is accepted. Without them a duplicate or another amount is not. */
const outcomeOf = ({ accepted, isAmountMatched, isDuplicate }: Data): Outcome => {
  if (accepted !== undefined) {
    if (!accepted) return isDuplicate ? "duplicate" : "not accepted"
    return isAmountMatched === false ? "amount differs" : "verified"
  }
  if (isDuplicate) return "duplicate"
  return isAmountMatched === false ? "amount differs" : "verified"
}

const tones = {
  "verified": "good",
  "duplicate": "bad",
  "not accepted": "bad",
  "amount differs": "bad"
} satisfies Record<Outcome, Tone>

const verdictLine = (outcome: Outcome, { amountInOrder, amountInSlip, duplicate }: Data): string => {
  const slip = formatBaht(amountInSlip)
  switch (outcome) {
    case "verified":
      return duplicate === undefined ? `VERIFIED: ${slip}` : `VERIFIED: ${slip}, a duplicate that the conditions allow`
    case "duplicate":
      return `DUPLICATE: ${slip}, verified ${duplicate?.count ?? 2} times, first ${duplicate?.firstVerifiedAt ?? ""}`
        + (duplicate?.sameBranch === true ? " by this branch" : " by another branch of the service")
    case "not accepted":
      return `NOT ACCEPTED: ${slip}`
    case "amount differs":
      return `AMOUNT DIFFERS: the slip is over ${slip}${
        amountInOrder === undefined ? "" : `, not ${formatBaht(amountInOrder)}`
      }`
  }
}

type BankParty = VerifyBankData["rawSlip"]["sender"]

const partyText = ({ account: { bank, name, proxy }, bank: { short } }: BankParty): string =>
  [short, bank.account || proxy?.account, name.th || name.en].filter(Boolean).join(" ")

const transferFields = (data: Data): ReadonlyArray<Field> => {
  const { rawSlip } = data
  if ("transactionId" in rawSlip) {
    return [
      ["transaction", rawSlip.transactionId],
      ["from", rawSlip.sender.name],
      ["to", [rawSlip.receiver.phone, rawSlip.receiver.name].filter(Boolean).join(" ")]
    ]
  }
  return [
    ["reference", rawSlip.transRef],
    ["from", partyText(rawSlip.sender)],
    ["to", partyText(rawSlip.receiver)]
  ]
}

const fieldsOf = (data: Data): ReadonlyArray<Field> => [
  ...(data.reasons ?? []).map(({ code, message }): Field => ["reason", `${code}: ${message}`]),
  ["transferred", data.rawSlip.date],
  ...transferFields(data),
  ...fieldOf("remark", data.remark, (remark) => remark),
  ...fieldOf("policy", data.policyVersion, (version) => `version ${version}`),
  ["verification", data.verificationId]
]

/** Failures that say something about the slip. All others are about the request or the service. */
const ABOUT_SLIP: ReadonlyArray<SlipTrailCode> = ["SLIP_NOT_FOUND", "SLIP_PENDING", "WRONG_SLIP_KIND", "SEVERAL_SLIPS"]

const describeIssues = ({ issues }: SlipTrailError): string =>
  issues.map(({ message, path }) => `; ${path === "" ? message : `${path}: ${message}`}`).join("")

const toCommandFailed = (error: unknown, url: string): CommandFailed => {
  if (!(error instanceof SlipTrailError)) return cannotRun(String(error))
  const { code, detail, message, requestId, retryAfterSeconds } = error
  if (code === "NETWORK_ERROR") return cannotRun(describeNetworkError(error.cause, url, false))
  const later = retryAfterSeconds === undefined ? "" : `; try again in ${retryAfterSeconds} seconds`
  const suffix = requestId === undefined ? "" : ` (request ${requestId})`
  const more = detail === undefined ? "" : `; ${detail}`
  const text = `${code}: ${message}${more}${describeIssues(error)}${later}${suffix}`
  return ABOUT_SLIP.includes(code) ? answerIsNo(text) : cannotRun(text)
}

export const verify = Command.make(
  "verify",
  {
    slip: Argument.String("slip").pipe(Argument.withDescription("A picture of the slip, or its payload")),
    wallet: switchFlag("wallet", "A TrueMoney slip, which is verified from its picture"),
    amount: optional(Flag.Finite("amount"), "Baht of the order: another amount ends with exit code 1"),
    remark: optionalText("remark", "Text that is stored with the verification, sealed"),
    apiKeyFile: optionalText(
      "api-key-file",
      "File that contains the API key of a branch, or - for the standard input; default SLIPTRAIL_API_KEY"
    ),
    json: jsonFlag
  },
  Effect.fnUntraced(function* ({ json, slip, wallet, ...flags }) {
    const url = yield* serviceUrl
    const key = yield* apiKey(flags.apiKeyFile)
    const source = yield* sourceOf(slip)
    const options = {
      ...(flags.amount === undefined ? {} : { matchAmount: flags.amount }),
      ...(flags.remark === undefined ? {} : { remark: flags.remark })
    }
    yield* trustAuthorities
    const client = makeSlipTrail({ baseUrl: url, apiKey: Redacted.value(key) })
    if (wallet && source._tag === "Payload") return yield* cannotRun("--wallet: Expected a picture, not a payload")
    const data: Data = yield* waitFor(
      Effect.tryPromise({
        try: (signal): Promise<Data> =>
          source._tag === "Payload"
            ? client.verify({ payload: source.payload, ...options }, { signal })
            : wallet
            ? client.verifyWallet({ image: source.image, ...options }, { signal })
            : client.verify({ image: source.image, ...options }, { signal }),
        catch: (error) => toCommandFailed(error, url)
      }),
      `${url} verifies the slip`
    )
    const outcome = outcomeOf(data)
    yield* print(json, { outcome, ...data }, () =>
      Effect.andThen(
        printVerdict(tones[outcome], visibleLine(verdictLine(outcome, data))),
        printFields(fieldsOf(data))
      ))
    if (outcome !== "verified") return yield* answerIsNo(`the slip is not accepted: ${outcome}`)
  })
).pipe(
  Command.withDescription("Verify a slip with a running service: exit code 0 only for a slip that may be accepted")
)

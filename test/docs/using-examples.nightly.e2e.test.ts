import { assert, layer } from "../support/it.ts"
import { Effect } from "effect"
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { receivers } from "../../infrastructure/adapters/banks/sandbox/receivers.ts"
import { drawSandboxSlip } from "../../infrastructure/adapters/banks/sandbox/slip-picture.ts"
import { httpServer } from "../infrastructure/adapters/egress/loopback.ts"
import { newSlip } from "../support/client.ts"
import { eventually } from "../support/eventually.ts"
import { layerRunningService, RunningService } from "../support/service.ts"
import { temporaryFolder } from "../support/temporary-folder.ts"
import { launch, runtime } from "./given-example.ts"

const folder = fileURLToPath(new URL("../../docs/examples/using/", import.meta.url))

interface Verified {
  readonly isDuplicate: boolean
  readonly amountInSlip: number
  readonly isAmountMatched?: boolean
  readonly matchedAccount: { readonly bankNumber: string } | null
  readonly match?: { readonly reasons: ReadonlyArray<string> }
  readonly rawSlip: { readonly transRef: string }
}

interface Ended {
  readonly status: string
  readonly data?: Verified
  readonly error?: { readonly code: string }
}

const verdict = ({ isAmountMatched, isDuplicate }: Verified): string =>
  isDuplicate ? "used before" : isAmountMatched === true ? "paid" : "another amount"

const receiver = ({ match, matchedAccount }: Verified): string =>
  matchedAccount === null
    ? `not to us: ${match?.reasons.join("; ") ?? ""}`
    : `to our account ${matchedAccount.bankNumber}`

interface Listed {
  readonly data: { readonly items: ReadonlyArray<{ readonly outcome: string; readonly amount: number | null }> }
}

/** The outcomes and amounts of pages, one on each line. */
const history = (printed: string): string =>
  printed.split("\n").flatMap((page) => {
    const { data: { items } } = JSON.parse(page) as Listed
    return items.map(({ amount, outcome }) => `${outcome} ${amount ?? 0}`)
  }).join("\n")

/** Translates the answer that curl prints into the output of the other examples. */
const summarize = (example: string, printed: string): string => {
  if (example === "history") return history(printed)
  const { data, error } = JSON.parse(printed) as { readonly data?: Verified & Ended; readonly error?: Ended["error"] }
  if (data === undefined) return error?.code ?? assert.fail(printed)
  if (example === "verify") return verdict(data)
  if (example === "account") return receiver(data)
  if (example === "later") return `${data.status} ${data.data?.amountInSlip ?? data.error?.code}`
  return `${data.amountInSlip} ${data.rawSlip.transRef}`
}

const languages = [
  { name: "curl", needs: "curl", suffix: "sh", program: ["sh"], summarize },
  { name: "typescript", needs: undefined, suffix: "ts", program: runtime },
  { name: "php", needs: "php", suffix: "php", program: ["php"] },
  { name: "python", needs: "python3", suffix: "py", program: ["python3", "-B"] }
] as const

/** A branch, and the output of the examples of a language. */
const given = Effect.fnUntraced(function* (language: typeof languages[number]) {
  const service = yield* RunningService
  const { mainBranch: { apiKey } } = yield* service.createService()
  const run = (example: string, ...args: ReadonlyArray<string | number>) =>
    Effect.promise(async () => {
      const file = join(folder, language.name, `${example}.${language.suffix}`)
      const command = [...language.program, file, ...args.map(String)]
      const { child, output } = await launch(command, language, { BASE_URL: service.baseUrl, API_KEY: apiKey })
      await once(child, "close")
      const printed = output().trim()
      return "summarize" in language ? language.summarize(example, printed) : printed
    })
  return { ...service, apiKey, run }
})

const env = { EGRESS_ALLOW_CIDRS: "127.0.0.0/8" }

for (const language of languages) {
  layer.live(layerRunningService(env))(`with ${language.name}`, (it) => {
    it.effect("verifies a payload and its amount, once for each submission", function* () {
      const { run } = yield* given(language)
      const { payload } = newSlip()
      for (
        const [submission, slip, amount, expected] of [
          ["order-42", payload, 100, "paid"],
          ["order-42", payload, 100, "paid"],
          ["order-43", payload, 100, "used before"],
          ["order-44", newSlip().payload, 99.5, "another amount"],
          ["order-45", newSlip({ outcome: "not-found" }).payload, 1, "SLIP_NOT_FOUND"],
          ["order-46", newSlip({ outcome: "pending" }).payload, 1, "SLIP_PENDING"]
        ] as const
      ) assert.strictEqual(yield* run("verify", submission, slip, amount), expected)
    })

    it.effect("verifies a picture as a file and by URL", function* () {
      const { run } = yield* given(language)
      const slip = newSlip()
      const png = yield* Effect.orDie(drawSandboxSlip(slip))
      const file = join(yield* temporaryFolder, "slip.png")
      writeFileSync(file, png)
      assert.strictEqual(yield* run("picture", "order-42", file), `100 ${slip.transRef}`)
      const { url } = yield* httpServer((_, response) => response.end(png))
      assert.strictEqual(yield* run("url", "order-43", url), `100 ${slip.transRef}`)
    })

    it.effect("compares the receiver with a registered account", function* () {
      const { run } = yield* given(language)
      const { bankCode, bankNumber, nameTh } = receivers[0]?.register ?? assert.fail()
      const to = (receiver: 0 | 1) => run("account", newSlip({ receiver }).payload, bankCode, bankNumber, nameTh)
      assert.strictEqual(yield* to(0), `to our account ${bankNumber}`)
      assert.match(yield* to(1), /^not to us: ./u)
    })

    it.effect("prints what was verified under a remark", function* () {
      const { apiKey, call, run, verify } = yield* given(language)
      const slip = newSlip()
      for (const { payload } of [slip, slip, newSlip({ outcome: "not-found", at: 0 })]) {
        yield* verify(apiKey, { payload, remark: "Order 42" })
      }
      yield* verify(apiKey, { payload: newSlip().payload, remark: "Order 43" })
      const list = call<{ readonly items: ReadonlyArray<unknown> }>("GET", "/v2/verifications", { key: apiKey })
      yield* eventually(list, ({ data }) => data.items.length === 4)
      assert.strictEqual(yield* run("history", "order 42"), "SLIP_NOT_FOUND 0\nduplicate 100\nverified 100")
    })

    it.effect("enqueues a slip and waits for its result", function* () {
      const { run } = yield* given(language)
      assert.strictEqual(yield* run("later", "order-42", newSlip().payload), "success 100")
      const unknown = newSlip({ outcome: "not-found", at: Date.now() - 86_400_000 })
      assert.strictEqual(yield* run("later", "order-43", unknown.payload), "not_found SLIP_NOT_FOUND")
    })
  })
}

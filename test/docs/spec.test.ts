import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { AccountEvent } from "../../domain/account.ts"
import { BankAccountEvent } from "../../domain/bank-account/bank-account.ts"
import { BranchEvent } from "../../domain/branch.ts"
import { CallbackEvent } from "../../domain/callback.ts"
import { ConsoleSessionsEvent } from "../../domain/console-sessions.ts"
import { DisclosureEvent } from "../../domain/disclosure.ts"
import { ErasureEvent } from "../../domain/erasure.ts"
import { streamOf } from "../../domain/events/aggregates.ts"
import { VerificationEvent } from "../../domain/failed-verification.ts"
import { OperatorsEvent } from "../../domain/operators.ts"
import { RefusedAttemptEvent } from "../../domain/refused-attempt.ts"
import { SignInEvent } from "../../domain/sign-in.ts"
import { RequestEvent } from "../../domain/idempotency-key.ts"
import { KeyUseEvent } from "../../domain/key-use.ts"
import { JobEvent } from "../../domain/job.ts"
import { ServiceEvent } from "../../domain/service.ts"
import { SlipEvent } from "../../domain/slip/slip.ts"
import { TrailExportEvent } from "../../domain/trail-export.ts"
import { v1Failures, v2Failures } from "../../infrastructure/web/api/failures.ts"

const page = (name: string): string => readFileSync(new URL(`../../docs/spec/${name}`, import.meta.url), "utf8")
const http = page("http.md")
const events = page("events.md")

/** The text below a heading, up to the next one. */
const section = (text: string, heading: string): string => {
  const [, below] = text.split(new RegExp(`^#+ ${heading}$`, "mu"))
  return (below ?? assert.fail(`there is no heading ${heading}`)).split(/^#/mu)[0] ?? ""
}

const rows = (text: string, heading: string): ReadonlyArray<ReadonlyArray<string>> =>
  section(text, heading).split("\n").filter((line) => /^\| \d{3} /u.test(line))
    .map((line) => line.split("|").slice(1, -1).map((cell) => cell.trim().replaceAll("`", "")))

describe("docs/spec/http.md", () => {
  it("has every v2 code with its status and its message", () => {
    const stated = rows(http, "v2 codes")
    for (const [status, code = "", message] of stated) {
      const known = Object.entries(v2Failures).find(([name]) => name === code)?.[1]
      assert.strictEqual(String(known?.status), status, code)
      if (code !== "INVALID_EXTRA_VERIFY") assert.strictEqual(known?.message, message, code)
    }
    assert.sameMembers([...new Set(stated.map(([, code]) => code))], Object.keys(v2Failures))
  })

  it("has every v1 code with its status", () => {
    const stated = rows(http, "v1 codes").map(([status, code = ""]) => [code, Number(status)])
    assert.deepStrictEqual(
      Object.fromEntries(stated),
      Object.fromEntries(Object.entries(v1Failures).map(([code, { status }]) => [code, status]))
    )
  })
})

describe("docs/spec/events.md", () => {
  const schemas = [
    ["Account", AccountEvent.cases],
    ["Service", ServiceEvent.cases],
    ["Branch", BranchEvent.cases],
    ["Bank account", BankAccountEvent.cases],
    ["Slip", SlipEvent.cases],
    ["Failed verification", VerificationEvent.cases],
    ["Job", JobEvent.cases],
    ["Callback", CallbackEvent.cases],
    ["Idempotency key", RequestEvent.cases],
    ["Disclosure", DisclosureEvent.cases],
    ["Use of an API key", KeyUseEvent.cases],
    ["Export", TrailExportEvent.cases],
    ["Erasure", ErasureEvent.cases],
    ["Console sessions", ConsoleSessionsEvent.cases],
    ["Operators", OperatorsEvent.cases],
    ["Sign-in", SignInEvent.cases],
    ["Refused attempt", RefusedAttemptEvent.cases]
  ] as const

  for (const [heading, cases] of schemas) {
    it(`has every event and field under "${heading}"`, () => {
      const text = section(events, heading)
      const named = new Set(text.match(/\w+/gu))
      for (const [type, schema] of Object.entries(cases)) {
        for (const name of [type, ...Object.keys(schema.fields)]) {
          if (name !== "_tag") assert.isTrue(named.has(name), `${type}: ${name}`)
        }
      }
    })
  }

  it("has every stream", () => {
    for (const name of Object.values(streamOf)) {
      const stream = name("", "")
      const beginning = stream.includes("-") ? `${stream.split("-")[0]}-` : stream
      assert.include(section(events, "Streams"), `\`${beginning}`)
    }
  })
})

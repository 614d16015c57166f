import { assert, describe, it, layer } from "../support/it.ts"
import { Effect } from "effect"
import { createHmac } from "node:crypto"
import { existsSync } from "node:fs"
import { verifyFields } from "../../infrastructure/web/api/requests/slips.ts"
import { everySetting, settings } from "../../infrastructure/platform/settings/settings.ts"
import { run } from "../support/in-process.ts"
import { newSlip } from "../support/client.ts"
import { ADMIN_TOKEN, RunningService } from "../support/service.ts"
import { Answers, type Fields, layerAnswers } from "./given-answers.ts"
import { coded, codeRows, commands, type FieldRow, fieldRows, headings, page, rows } from "./migrating-page.ts"
import { v1Failures, v2Failures } from "../../infrastructure/web/api/failures.ts"

/** Whether a row with this name covers the field: it names the field, or an object that contains it. */
const isIn = (field: string, name: string): boolean => field === name || field.startsWith(`${name}.`)

/** The table describes the fields of the answers correctly and completely. */
const assertFields = (table: ReadonlyArray<FieldRow>, answers: Fields) => {
  const all = [...new Set(answers.flatMap((fields) => [...fields]))]
  for (const { comparison, names, note } of table) {
    for (const name of names) {
      const isAlways = note.startsWith("always there")
      const withField = answers.filter((fields) => [...fields].some((field) => isIn(field, name)))
      if (comparison === "not there") assert.isEmpty(withField, name)
      else assert.isAtLeast(withField.length, isAlways ? answers.length : 1, `${name} is ${comparison}`)
    }
  }
  const named = table.flatMap(({ names }) => names)
  const isListed = (field: string) => named.some((name) => isIn(field, name) || isIn(name, field))
  assert.deepStrictEqual(all.filter((field) => !isListed(field)), [])
}

layer.live(layerAnswers)("docs/migrating.md against real answers", (it) => {
  const tables = [
    ["v1 answer", "v1"],
    ["v1 answer of me", "me"],
    ["v2 answer", "v2"],
    ["v2 answer of info", "info"],
    ["What arrives", "callback"],
    ["A job", "job"]
  ] as const
  for (const [heading, kind] of tables) {
    it.effect(`lists every field of "${heading}"`, function* () {
      assertFields(fieldRows(heading), (yield* Answers)[kind])
    })
  }

  it.effect("has the same rawSlip fields in v2 as in v1", function* () {
    const { v1, v2 } = yield* Answers
    const slips = v2.map((fields) =>
      [...fields].flatMap((field) => field.startsWith("rawSlip.") ? [field.slice("rawSlip.".length)] : [])
    )
    assert.deepStrictEqual(slips, v1.map((fields) => [...fields]))
  })

  it.effect("maps fields of other verifiers to existing fields", function* () {
    const { v2 } = yield* Answers
    const requestFields = fieldRows("v2 request").flatMap(({ names }) => names)
    for (const vendor of ["SlipOK", "Slip2Go", "RDCW"]) {
      const targets = rows(`From ${vendor}`, vendor).flatMap(([, target = ""]) => coded(target))
      for (const name of targets.filter((name) => !/[ <]/u.test(name))) {
        const isField = name.startsWith("data.")
          && v2.some((fields) => [...fields].some((field) => isIn(field, name.slice("data.".length))))
        const isKnown = isField || requestFields.includes(name) || name in v2Failures
          || ["success", "error.code", "Authorization", "Retry-After", "gte", "lte"].includes(name)
        assert.isTrue(isKnown, `${name}, for ${vendor}`)
      }
    }
  })

  it.effect("lists the headers of a callback and the rule of the signature", function* () {
    const { arrivals, webhookSecret } = yield* Answers
    assert.isNotEmpty(arrivals)
    for (const { body, headers } of arrivals) {
      for (const name of fieldRows("What arrives", "header").flatMap(({ names }) => names)) {
        assert.isDefined(headers[name.toLowerCase()], name)
      }
      const hex = createHmac("sha256", webhookSecret).update(body).digest("hex")
      assert.strictEqual(headers["x-service-signature"], `sha256=${hex}`)
    }
  })

  it.effect("lists fields that a request reads, and all of v2", function* () {
    const { key } = yield* Answers
    const { call } = yield* RunningService
    const paths = { v1: "/v1/verify", v2: "/v2/verify/bank" } as const
    for (const version of ["v1", "v2"] as const) {
      const post = (body: object) => call("POST", paths[version], { key, body })
      for (const name of fieldRows(`${version} request`).flatMap(({ names }) => names)) {
        const answer = yield* post({ payload: newSlip().payload, [name]: {} })
        assert.strictEqual(answer.status, 400, `an object is refused as ${name}: ${answer.text}`)
      }
      const ignored = yield* post({ payload: newSlip().payload, unknownField: {} })
      assert.strictEqual(ignored.status, 200, "unknown fields are ignored")
    }
    const named = fieldRows("v2 request").flatMap(({ names }) => names)
    assert.sameMembers(named, [...Object.keys(verifyFields), "file"])
  })

  it.effect("has requests that create a service, a branch and an account", function* () {
    const { call, createService } = yield* RunningService
    const { id, mainBranch } = yield* createService()
    const keys = { ADMIN_TOKEN, KEY: mainBranch.apiKey }
    const request = /^curl -s http:\/\/127\.0\.0\.1:8080(\S+) .*Bearer \$(ADMIN_TOKEN|KEY)" .*-d '(.+)'$/u
    const shown = commands.flatMap((command) => {
      const [, path = "", name = "", body = ""] = request.exec(command) ?? []
      const key = name === "KEY" ? keys.KEY : keys.ADMIN_TOKEN
      return path === "" ? [] : [{ path: path.replace("$SERVICE", id), key, body: JSON.parse(body) }]
    })
    assert.lengthOf(shown, 3)
    for (const { path, ...options } of shown) {
      const { status, text } = yield* call("POST", path, options)
      assert.strictEqual(status, 201, text)
    }
  })
})

describe("docs/migrating.md", () => {
  it("lists every code of both versions once, with its status", () => {
    const statusOf = ([code, { status }]: readonly [string, { readonly status: number }]) => [code, status] as const
    const sorted = (codes: ReadonlyArray<readonly [string, number]>) => codes.toSorted(([a], [b]) => a < b ? -1 : 1)
    assert.deepStrictEqual(sorted(codeRows("v1 codes")), sorted(Object.entries(v1Failures).map(statusOf)))
    assert.deepStrictEqual(sorted(codeRows("v2 codes")), sorted(Object.entries(v2Failures).map(statusOf)))
  })

  it("names existing codes and settings only", () => {
    const known = new Set([...Object.keys(v2Failures), ...everySetting.map(({ name }) => name)])
    const named = coded(page).filter((word) => /^[A-Z][A-Z\d]*(?:_[A-Z]+)+$/u.test(word))
    assert.isAbove(named.length, 50)
    assert.deepStrictEqual(named.filter((word) => !known.has(word)), [])
  })

  it("states the default times and gateways", () => {
    const prose = page.replaceAll(/\n(?=\S)/gu, " ")
    assert.include(prose, `tried again after ${settings.verifyRetrySchedule.default}.`)
    assert.include(prose, `everything else is: after ${settings.callbackRetrySchedule.default}.`)
    assert.include(prose, `An answer has ${settings.callbackTimeout.default}.`)
    for (const { description } of [settings.scbTimeout, settings.kbankTimeout]) {
      assert.include(description, "All banks together have 9 seconds")
    }
    assert.include(prose, "All banks together have 9 seconds")
    const gateways = rows("Real banks", "gateway").flatMap(([gateway = ""]) => coded(gateway))
    for (const gateway of ["sandbox", ...gateways]) assert.include(settings.bankGateways.description, gateway)
  })

  it("names existing commands and flags", () =>
    Effect.runPromise(Effect.gen(function* () {
      const shown = Array.from(page.matchAll(/npx sliptrail ([^\n`]+)/gu), ([, command = ""]) => command.split(" "))
      assert.isAbove(shown.length, 5)
      for (const words of shown) {
        const flags = words.filter((word) => word.startsWith("--"))
        const end = words.findIndex((word) => word.startsWith("--"))
        const { code, stderr, stdout } = yield* run([...words.slice(0, end === -1 ? undefined : end), "--help"])
        assert.strictEqual(code, 0, `${words.join(" ")}: ${stderr}`)
        for (const flag of flags) assert.include(stdout, `${flag} `, words.join(" "))
      }
    })))

  it("links to existing pages and headings", () => {
    const anchors = headings.map((heading) => heading.toLowerCase().replaceAll(/[^\w\s-]/gu, "").replaceAll(" ", "-"))
    for (const [, to = ""] of page.matchAll(/\]\(([^)]+)\)/gu)) {
      if (to.startsWith("#")) assert.include(anchors, to.slice(1))
      else assert.isTrue(existsSync(new URL(`../../docs/${to}`, import.meta.url)), to)
    }
    for (const file of ["test/docs/migrating.e2e.test.ts", "test/e2e/existing-clients.test.ts"]) {
      assert.include(page, file)
      assert.isTrue(existsSync(new URL(`../../${file}`, import.meta.url)), file)
    }
  })
})

import { assert, describe, it } from "../../support/it.ts"
import { Context, Effect, Option } from "effect"
import type { Command } from "effect/cli"
import { cpSync } from "node:fs"
import http from "node:http"
import { join } from "node:path"
import { loadApp } from "../../../infrastructure/commands/cli/app.ts"
import { NoAdminOperationKey } from "../../../infrastructure/commands/cli/target.ts"
import { endJob, settingsFor, startReceiver } from "../../infrastructure/commands/cli/given-jobs.ts"
import { adminOperations } from "../../../infrastructure/web/api/operations/admin.ts"
import { newSlip } from "../../support/client.ts"
import type { Ended } from "../../support/command.ts"
import { run } from "../../support/in-process.ts"
import { listening } from "../../support/loopback-server.ts"
import { ADMIN_TOKEN, type Env, layerRunningService, RunningService, spawnService } from "../../support/service.ts"
import { temporaryFolder } from "../../support/temporary-folder.ts"
import { signedIn } from "../console/given-console.ts"

const UNKNOWN = "5b0b3f0e-7c5d-4a1b-9f2e-6d8c4a3b2c1d"

/** A server in front of the service that records which routes are called, such as `GET /admin/v1/me`. */
const recordingRoutes = Effect.fnUntraced(function* (baseUrl: string) {
  const routes: Array<string> = []
  const server = http.createServer((message, response) => {
    const { headers, method = "", url = "" } = message
    routes.push(`${method} ${url.replace(/\?.*/u, "")}`)
    const forwarded = http.request(baseUrl + url, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 0, answer.headers)
      answer.pipe(response)
    })
    message.pipe(forwarded)
  })
  return { routes, url: `http://127.0.0.1:${yield* listening(server, "127.0.0.1")}` }
})

/** Two equal data folders: one for commands that open it, and one that a service in another process has open. */
const given = Effect.gen(function* () {
  const folder = yield* temporaryFolder
  const receiver = yield* startReceiver
  const settings = { ...settingsFor(receiver), PUBLIC_URL: "https://slips.shop.example" }
  const here = { ...settings, DATA_DIR: join(folder, "here") }
  const made = yield* Effect.gen(function* () {
    const { admin, baseUrl, call, createBranch, createService, verify } = yield* RunningService
    const { id: serviceId, mainBranch } = yield* createService({ name: "ร้านกาแฟ" })
    const till = yield* createBranch(serviceId, { name: "Till" })
    const body = { bankCode: "004", bankNumber: "1234567890", nameTh: "ร้านกาแฟ" }
    const account = yield* call<{ readonly id: string }>("POST", "/v2/bank-accounts", { key: mainBranch.apiKey, body })
    assert.strictEqual(account.status, 201, account.text)
    const slip = newSlip()
    const { data } = yield* verify(mainBranch.apiKey, { payload: slip.payload, remark: "for Somchai" })
    yield* admin("PUT", `/branches/${mainBranch.id}/policy`, { amount: { atLeast: 200 }, sendingBanks: ["002"] })
    const refused = newSlip()
    yield* verify(mainBranch.apiKey, { payload: refused.payload, matchAmount: 150 })
    const unknown = newSlip({ outcome: "not-found" })
    yield* verify(mainBranch.apiKey, unknown.payload)
    receiver.answers(503)
    const job = yield* endJob(mainBranch.apiKey, { payload: newSlip().payload, callbackUrl: receiver.url })
    for (let index = 0; index < 2; index++) yield* signedIn(baseUrl)
    return {
      serviceId,
      branchId: mainBranch.id,
      till: till.id,
      account: account.data.id,
      slip: `004:${slip.transRef}`,
      refused: `004:${refused.transRef}`,
      unknown: `004:${unknown.transRef}`,
      verificationId: data.verificationId,
      host: new URL(receiver.url).host,
      job
    }
  }).pipe(Effect.provide(layerRunningService(here)))
  cpSync(here.DATA_DIR, join(folder, "there"), { recursive: true })
  const service = yield* spawnService(join(folder, "there"), settings)
  const { routes, url } = yield* recordingRoutes(service.baseUrl)
  return { ...made, here, routes, there: { SLIPTRAIL_URL: url, SLIPTRAIL_TOKEN: ADMIN_TOKEN } }
})

type Given = Effect.Success<typeof given>

/** Names new ids by the order in which they appear, and drops what differs between two runs of the same commands. */
const makeNormalizer = () => {
  const ids = new Map<string, string>()
  return (text: string): string =>
    text
      // Ids, and the ids of API keys.
      .replaceAll(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|\b[\da-f]{16}(?:[\da-f]{16})?\b/giu, (id) => {
        const name = ids.get(id.toLowerCase()) ?? `id-${ids.size}`
        ids.set(id.toLowerCase(), name)
        return name
      })
      .replaceAll(/\/app\/link\/[0-9a-f]{64}/gu, "/app/link/TOKEN")
      .replaceAll(/whsec_[\w+/=]+/gu, "whsec")
      .replaceAll(/slt_[\w-]{43}/gu, "slt")
      .replaceAll(/os:[\w.-]+|ADMIN_TOKEN/gu, "OPERATOR")
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+(?:Z|\+07:00)/gu, "TIME")
      .replaceAll(/\d+\/\d+/gu, "POSITION")
      .replaceAll(/(in|Millis":) \d+/gu, "$1 MILLIS")
      .replaceAll(/admin (?:cli|api)/gu, "admin")
      .replaceAll(/"(id|surface)": "(?:cli|api)"/gu, `"$1": "admin"`)
      .replaceAll("GET /admin/v1/trail/export", "trail export")
      // The ciphertext and the nonce of sealed data.
      .replaceAll(/"([cn])": "[^"]*"/gu, `"$1": "SEALED"`)
      .replaceAll(/ {2,}/gu, "  ")
      // The running service may have an event that a read model does not have yet.
      .replaceAll(/\d+ {2}(?:up to date|behind: a running service catches up)/gu, "LAG")
}

/** JSON with the fields of each object in one order: the order has no meaning, and the ways differ in it. */
const inOneOrder = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(inOneOrder)
  if (typeof value !== "object" || value === null) return value
  const entries = Object.entries(value).map(([name, field]) => [name, inOneOrder(field)] as const)
  return Object.fromEntries(entries.sort(([one], [other]) => one < other ? -1 : 1))
}

/** The commands with an operation of the admin API, in text and in JSON. Later ones use what earlier ones made. */
const scenario = Effect.fnUntraced(function* (data: Given, env: Env) {
  const files = yield* temporaryFolder
  const out = (name: string) => join(files, name)
  const normalizeText = makeNormalizer()
  const normalize = (text: string) => normalizeText(text.replaceAll(files, "FILES"))
  const outcomes: Array<Ended & { readonly args: string }> = []

  const step = Effect.fnUntraced(function* (...args: ReadonlyArray<string>) {
    const ended = yield* run(args, env)
    outcomes.push({
      args: normalize(args.join(" ")),
      code: ended.code,
      stdout: normalize(
        args.includes("--json") && ended.code === 0
          ? JSON.stringify(inOneOrder(JSON.parse(ended.stdout)), undefined, 2)
          : ended.stdout
      ),
      stderr: normalize(ended.stderr)
    })
    return ended.stdout
  })
  const json = Effect.fnUntraced(function* (...args: ReadonlyArray<string>) {
    return JSON.parse(yield* step(...args, "--json"))
  })

  const account = yield* json("account", "create", "--name", "Somchai", "--email", "s@shop.example")
  for (const change of ["verify", "ban", "unban", "show"]) yield* step("account", change, account.id)

  const service = yield* json("service", "create", "--name", "Shop", "--quota", "5", "--expires", "2099-01-31")
  yield* step("service", "list")
  yield* step("service", "show", service.id.toUpperCase())
  yield* step("service", "plan", service.id, "--plan", "large", "--quota", "unlimited", "--expires", "never")
  for (const change of ["ban", "unban", "deactivate", "activate", "delete"]) yield* step("service", change, service.id)

  const create = ["branch", "create", "--service", data.serviceId, "--name", "Window", "--ip", "10.0.0.0/8"]
  const branch = yield* json(...create, "--key", UNKNOWN, "--webhook", "https://shop.example/hook")
  yield* step("branch", "list")
  yield* step("branch", "list", "--service", data.serviceId)
  yield* step("branch", "show", branch.id)
  yield* step("branch", "set", branch.id, "--name", "Door", "--quota", "3", "--webhook", "none")
  yield* step("branch", "deactivate", branch.id)
  yield* json("branch", "activate", branch.id)
  yield* step("branch", "rotate-key", branch.id)
  yield* step("branch", "rotate-webhook-secret", branch.id, "--overlap", "60")
  yield* json("branch", "policy", "set", branch.id, "--receivers", "registered", "--after", "2026-11-21")
  yield* step("branch", "policy", "show", branch.id)
  yield* step("branch", "policy", "remove", branch.id)

  const onTill = ["--branch", data.till]
  const scoped = ["--scope", "verify", "--network", "10.0.0.0/8"]
  const key = yield* json("key", "create", ...onTill, "--name", "Till 1", ...scoped)
  yield* step("key", "list", ...onTill)
  yield* step("key", "list", ...onTill, "--limit", "1")
  const rotated = yield* json("key", "rotate", key.id, ...onTill, "--overlap", "60")
  yield* step("key", "revoke", rotated.id, ...onTill)
  yield* json("key", "sign-in-link", ...onTill, "--name", "Owner", "--scope", "configure", "--valid-hours", "1")
  yield* step("key", "sign-in-links", ...onTill)
  const [link] = yield* json("key", "sign-in-links", ...onTill, "--limit", "1")
  yield* step("key", "withdraw-sign-in-link", link.id, ...onTill)

  yield* step("operator", "add", "nok", "--role", "support")
  yield* json("operator", "add", "ann", "--role", "auditor")
  yield* step("operator", "list")
  yield* step("operator", "set-role", "nok", "--role", "auditor")
  yield* step("operator", "new-token", "nok")
  yield* json("operator", "remove", "ann")
  yield* step("operator", "me")
  yield* step("operator", "sessions")
  const [session] = yield* json("operator", "sessions", "--operator", "ADMIN_TOKEN", "--limit", "1")
  yield* step("operator", "end-session", session.id)
  yield* step("operator", "end-sessions", "admin_token")
  yield* step("operator", "sessions")
  yield* json("operator", "log", "--kind", "ApiKeyIssued", "--order", "oldest", "--limit", "3")

  yield* step("bank-account", "list", "--service", data.serviceId)
  yield* json("bank-account", "list", "--branch", data.branchId)
  yield* step("bank-account", "show", data.account)
  yield* step("bank-account", "set", data.account, "--name-en", "GOOD COFFEE", "--type", "JURISTIC")
  yield* json("bank-account", "link", data.account, "--branch", data.till)
  yield* step("bank-account", "unlink", data.account, "--branch", data.branchId)
  yield* step("bank-account", "deactivate", data.account)

  yield* json("jobs", "list", "--state", "success", "--branch", data.branchId, "--order", "oldest")
  yield* json("jobs", "list", "--from", "2026-01-01", "--to", "2099-12-31")
  yield* step("callbacks", "dead", "--limit", "1")
  yield* json("callbacks", "list", "--from", "2026-01-01", "--to", "2099-12-31", "--order", "oldest")
  yield* step("callbacks", "list", "--state", "abandoned", "--host", data.host)

  yield* step("trail", "prove", "--verification", data.verificationId, "--out", out("proof"))
  yield* step("trail", "export", "--verification", data.verificationId, "--masked", "--out", out("export"))
  yield* step("trail", "export", "--slip", data.slip, "--format", "csv", "--reveal", "--out", out("disclosed"))
  yield* step("trail", "tree-heads", "--after", "1000000", "--out", out("tree-heads"))
  yield* step("trail", "signing-key", "--out", out("key"))
  yield* json("statistics", "--service", data.serviceId, "--interval", "day")

  yield* step("verification", "list")
  yield* json("verification", "list", "--branch", data.branchId, "--outcome", "duplicate", "--min-amount", "1")
  yield* step("find", data.slip.slice(-6))

  const slips = [data.slip, data.refused, data.unknown].map((slip) => ["--slip", slip])
  for (const subject of [...slips, ["--branch", data.branchId], ["--job", data.job]]) {
    yield* step("trail", "show", ...subject)
    yield* json("trail", "show", ...subject)
    yield* step("trail", "at", "2099-01-01", ...subject)
    yield* json("trail", "at", "2099-01-01", ...subject)
  }
  yield* step("trail", "show", "--verification", data.verificationId)
  yield* step("trail", "at", "2099-01-01", "--verification", data.verificationId)
  const [{ requestId }] = yield* json("trail", "show", "--verification", data.verificationId)
  yield* step("trail", "show", "--request", requestId)
  yield* step("trail", "forget", "--slip", data.slip, "--reason", "file 17")
  yield* step("trail", "show", "--slip", data.slip)

  yield* step("projections", "rebuild", "jobs")
  yield* step("projections", "compare", "branches")
  yield* step("projections", "list")
  yield* json("callbacks", "redeliver", "--job", data.job)
  return outcomes
})

interface Leaf {
  /** The arguments that lead to the command. */
  readonly path: string
  readonly hasOperation: boolean
}

/** Each command with a handler of its own. `backup` has one beside its subcommand. */
const leaves = (command: Command.Command.Any, path: ReadonlyArray<string> = []): ReadonlyArray<Leaf> => {
  const below = command.subcommands.flatMap(({ commands }) => commands)
  const reason = Context.getOption(command.annotations, NoAdminOperationKey)
  const own: Leaf = { path: path.join(" "), hasOperation: Option.isNone(reason) }
  const isLeaf = below.length === 0 || own.path === "backup"
  return [...(isLeaf ? [own] : []), ...below.flatMap((sub) => leaves(sub, [...path, sub.name]))]
}

/** Commands that call a service in another way than by one operation; they have tests of their own. */
const OTHER_WAYS = ["doctor", "verify"]

describe("a command on the data folder and over HTTP", () => {
  it.live("prints the same and ends with the same exit code", function* () {
    const data = yield* given
    const here = yield* scenario(data, data.here)
    const there = yield* scenario(data, data.there)
    for (const [index, outcome] of there.entries()) assert.deepStrictEqual(outcome, here[index])
    assert.deepStrictEqual(here.filter(({ code }) => code !== 0), [])

    // A command that is neither here nor annotated has no test over HTTP.
    const withOperation = leaves(yield* loadApp([])).filter(({ hasOperation }) => hasOperation)
    const paths = withOperation.map(({ path }) => path).filter((path) => !OTHER_WAYS.includes(path))
    assert.isAbove(paths.length, 30)
    const isRun = (path: string) => here.some(({ args }) => `${args} `.startsWith(`${path} `))
    assert.deepStrictEqual(paths.filter((path) => !isRun(path)), [])

    // An operation that no command calls is out of reach without a data folder and curl.
    const isCalled = ({ method, path }: { readonly method: string; readonly path: string }) => {
      const route = new RegExp(`^${method} ${path.replaceAll(/:\w+/gu, "[^/]+")}$`, "u")
      return data.routes.some((called) => route.test(called))
    }
    const notCalled = Object.entries(adminOperations).filter(([, operation]) => !isCalled(operation))
    assert.deepStrictEqual(notCalled.map(([name]) => name), [])

    const refused = [
      [1, ["service", "show", UNKNOWN]],
      [1, ["key", "sign-in-link", "--branch", UNKNOWN, "--name", "Till"]],
      [1, ["key", "withdraw-sign-in-link", UNKNOWN, "--branch", data.till]],
      [1, ["bank-account", "show", UNKNOWN]],
      [1, ["bank-account", "set", data.account, "--type", "none"]],
      [1, ["branch", "create", "--service", data.serviceId, "--name", "A", "--key", UNKNOWN]],
      [1, ["trail", "show", "--job", UNKNOWN]],
      [1, ["find", "ZZZZ99"]],
      [1, ["trail", "at", "2026-01-01", "--branch", data.branchId]],
      [1, ["trail", "forget", "--job", UNKNOWN]],
      [1, ["trail", "prove", "--job", UNKNOWN]],
      [1, ["trail", "export", "--slip", "004:NOTHING"]],
      [1, ["trail", "export", "--branch", UNKNOWN]],
      [1, ["operator", "end-session", UNKNOWN]],
      [1, ["callbacks", "redeliver", "--job", UNKNOWN]],
      [2, ["key", "sign-in-link", "--branch", data.till, "--name", "Till", "--valid-hours", "169"]],
      [2, ["jobs", "list", "--branch", "x"]],
      [2, ["jobs", "list", "--from", "2026-11-22", "--to", "2026-11-21"]],
      [2, ["callbacks", "list", "--host", "/"]],
      [2, ["trail", "export", "--from", "soon"]],
      [2, ["trail", "tree-heads", "--after", "x"]],
      [2, ["projections", "rebuild", "x"]]
    ] as const
    for (const [code, args] of refused) {
      for (const env of [data.here, data.there]) {
        const ended = yield* run(args, env)
        assert.deepStrictEqual({ args, code: ended.code, stdout: ended.stdout }, { args, code, stdout: "" })
        assert.match(ended.stderr, /^sliptrail: [^\n]+$/u)
      }
    }
  })

  it.live("refuses --url with its reason when it has no operation, and opens nothing", function* () {
    const withoutOperation = leaves(yield* loadApp([])).filter(({ hasOperation }) => !hasOperation)
    const required: Readonly<Record<string, ReadonlyArray<string>>> = {
      "decode": ["x.png"],
      "trail check-proof": ["x.json"],
      "backup": ["--out", "x"],
      "backup check": ["x"],
      "restore": ["--from", "x"],
      "egress check": ["http://127.0.0.1"]
    }
    assert.isAbove(withoutOperation.length, 10)
    for (const { path } of withoutOperation) {
      const args = [...path.split(" "), ...(required[path] ?? []), "--url", "http://127.0.0.1:1"]
      const { code, stderr, stdout } = yield* run(args, { DATA_DIR: "nowhere" })
      assert.deepStrictEqual({ path, code, stdout }, { path, code: 2, stdout: "" })
      assert.match(stderr, /^sliptrail: --url cannot be used here: \w+ [^\n]+$/u, path)
    }
    const again = yield* run(["trail", "forget", "--again", "--url", "http://127.0.0.1:1"])
    assert.include(again.stderr, "--url cannot be used here")
  })

  it.live("says that it does not use SLIPTRAIL_URL when it works on the data folder", function* () {
    const { here } = yield* given
    const env = { ...here, SLIPTRAIL_URL: "http://127.0.0.1:1" }
    const { stderr } = yield* run(["trail", "verify"], env)
    assert.match(stderr, /^SLIPTRAIL_URL is not used: it reads the whole log itself/u)
  })
})

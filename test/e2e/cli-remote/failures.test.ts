import { assert, describe, it } from "../../support/it.ts"
import { Effect } from "effect"
import { writeFileSync } from "node:fs"
import http from "node:http"
import https from "node:https"
import { join } from "node:path"
import { endOf, sliptrail } from "../../support/command.ts"
import { run, runJson } from "../../support/in-process.ts"
import { type Handler, listening, type RecordedRequest, recording } from "../../support/loopback-server.ts"
import { startSliptrail } from "../../support/process.ts"
import { ADMIN_TOKEN, layerRunningService, RunningService } from "../../support/service.ts"
import { temporaryFolder } from "../../support/temporary-folder.ts"
import { certificateOf, testAuthority } from "../../support/tls.ts"

const TOKEN = "a-token-of-a-test"

/** A server that answers as a service of another version, a proxy, or a broken network would. */
const givenServer = Effect.fnUntraced(function* (handler: Handler) {
  const requests: Array<RecordedRequest> = []
  const port = yield* listening(http.createServer(recording(requests, handler)), "127.0.0.1")
  const url = `http://127.0.0.1:${port}`
  return { url, requests, env: { SLIPTRAIL_URL: url, SLIPTRAIL_TOKEN: TOKEN } }
})

const answer =
  (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Handler => (_, response) => {
    response.writeHead(status, { "content-type": "application/json", "x-request-id": "req-1", ...headers })
    response.end(typeof body === "string" ? body : JSON.stringify(body))
  }

const failure = (status: number, code: string, message: string, headers?: Readonly<Record<string, string>>) =>
  answer(status, { success: false, error: { code, message } }, headers)

const account = {
  id: "5d7b3c1a-9a39-4d0c-9f1e-3b1c86a8a5b2",
  name: "Somchai",
  email: null,
  isVerified: true,
  isBanned: false,
  createdAt: "2026-11-20T02:00:00.000Z"
}

const show = ["account", "show", account.id]
const ban = ["account", "ban", account.id]

describe("a command over HTTP that gets no proper answer", () => {
  it.live.each(
    [
      [
        "401",
        failure(401, "INVALID_API_KEY", "The admin token is invalid"),
        2,
        "SLIPTRAIL_TOKEN or --token-file (request req-1)"
      ],
      ["403", failure(403, "ROLE_MISSING", "Not for this role"), 1, "sliptrail: Not for this role (request req-1)"],
      ["404", failure(404, "NOT_FOUND", "There is no such account"), 1, "There is no such account (request req-1)"],
      ["an unknown route", failure(404, "NOT_FOUND", "Resource not found"), 2, "/admin/v1/accounts/"],
      ["409", failure(409, "API_KEY_IN_USE", "In use"), 1, "sliptrail: In use (request req-1)"],
      [
        "429",
        failure(429, "RATE_LIMIT_EXCEEDED", "Too many", { "retry-after": "7" }),
        2,
        "Too many; try again in 7 seconds"
      ],
      ["503", failure(503, "NOT_READY", "Not ready"), 2, "sliptrail: Not ready (request req-1)"],
      [
        "a proxy's page",
        answer(502, "<html>\nBad\u001b[2J gateway</html>"),
        2,
        "got 502: <html> Bad\\u001b[2J gateway</html>"
      ],
      ["an empty body", answer(200, ""), 2, "got 200: an empty body"],
      [
        "a redirect",
        answer(302, "", { location: "https://elsewhere.example/" }),
        2,
        "redirects to https://elsewhere.example/"
      ],
      ["other data", answer(200, { success: true, data: { id: 7 } }), 2, "use the command line of the same version"]
    ] as const
  )("explains it in one line: %s", function* ([_, handler, code, message]) {
    const { env } = yield* givenServer(handler)
    const ended = yield* run(show, env)
    assert.deepStrictEqual({ code: ended.code, stdout: ended.stdout }, { code, stdout: "" })
    assert.match(ended.stderr, /^sliptrail: [^\n]+$/u)
    assert.include(ended.stderr, message)
    assert.notInclude(ended.stderr, TOKEN)
  })

  it.live("names every wrong flag that only the service refuses", function* () {
    const issues = [{ path: "reason", message: "Too long" }, { path: "", message: "Other" }]
    const { env } = yield* givenServer(
      answer(400, { success: false, error: { code: "VALIDATION_ERROR", message: "Validation failed", issues } })
    )
    const { code, stderr } = yield* run(ban, env)
    assert.deepStrictEqual([code, stderr], [2, "sliptrail: --reason: Too long; Other (request req-1)"])
  })

  it.live("names an argument without the dashes of a flag, over HTTP and on the data folder", function* () {
    const issues = [{ path: "name", message: "Taken" }]
    const { env } = yield* givenServer(
      answer(400, { success: false, error: { code: "VALIDATION_ERROR", message: "Validation failed", issues } })
    )
    for (const command of [["add", "nok", "--role", "admin"], ["remove", "nok"]]) {
      assert.strictEqual((yield* run(["operator", ...command], env)).stderr, "sliptrail: name: Taken (request req-1)")
    }
    const { code, stderr } = yield* run(["operator", "add", "n k", "--role", "admin"])
    assert.strictEqual(code, 2)
    assert.match(stderr, /^sliptrail: name: Expected 1 to 64 letters/u)
  })

  it.live("ignores fields of a later version, and says that a change has not taken effect", function* () {
    const { env, requests } = yield* givenServer(
      answer(200, { success: true, data: { ...account, color: "red" }, message: "", isVisible: false, later: 1 })
    )
    const { code, stderr, stdout } = yield* run([...ban, "--reason", "fraud", "--json"], env)
    assert.strictEqual(code, 0)
    assert.deepStrictEqual(JSON.parse(stdout), account)
    assert.include(stderr, "The change is stored. Requests see it when a running projector has applied it")
    const [{ body, headers, method, url } = { body: "", headers: {}, method: "", url: "" }] = requests
    assert.deepStrictEqual([method, url], ["POST", `/admin/v1/accounts/${account.id}/ban`])
    assert.deepStrictEqual([JSON.parse(body), headers.authorization], [{ reason: "fraud" }, `Bearer ${TOKEN}`])
  })

  it.live.each(
    [
      ["at once", ["n1", "n1"]],
      ["after a while", ["n1", "n2", "n3", "n1"]],
      ["an empty one", ["", ""]]
    ] as const
  )("ends a list whose cursor comes again: %s", function* ([_, cursors]) {
    const commands = [
      ["operator", "log"],
      ["trail", "show", "--job", account.id],
      ["service", "list"]
    ]
    for (const command of commands) {
      let index = 0
      const { env, requests } = yield* givenServer((request, response) => {
        const data = {
          items: [],
          events: [],
          state: null,
          truncated: true,
          nextCursor: cursors[index++ % cursors.length]
        }
        answer(200, { success: true, data, message: "" })(request, response)
      })
      const { code, stderr } = yield* run(command, env)
      assert.strictEqual(code, 2, stderr)
      assert.match(stderr, /^sliptrail: the list does not end: the service gave the same cursor twice\./u)
      assert.isAtMost(requests.length, cursors.length)
    }
  })

  it.live("says after a cut connection that a change may have been made", function* () {
    const { env } = yield* givenServer((_, response) => {
      response.writeHead(200, { "content-type": "application/json", "content-length": "900" })
      response.write("{")
      setImmediate(() => response.destroy())
    })
    const changed = yield* run(ban, env)
    assert.strictEqual(changed.code, 2)
    assert.include(changed.stderr, "the change may have been made, so look before you repeat the command")
    assert.match((yield* run(show, env)).stderr, /failed before the answer was complete .*: try again$/u)
  })

  it.live("stops reading an answer without an end", function* () {
    let sent = 0
    const part = Buffer.alloc(1024 * 1024, "a")
    const { env } = yield* givenServer((_, response) => {
      const send = () => {
        while (!response.destroyed) {
          sent += part.length
          if (!response.write(part)) return
        }
      }
      response.on("drain", send)
      send()
    })
    const { code, stderr } = yield* run(show, env)
    assert.strictEqual(code, 2)
    assert.include(stderr, "answers with more than 64 MiB: check that the URL is that of SlipTrail")
    assert.isBelow(sent, 256 * part.length)
  })

  it.live("explains that nothing listens, and that a name is unknown", function* () {
    const { url } = yield* Effect.scoped(givenServer(answer(200, {})))
    const refused = yield* run(show, { SLIPTRAIL_URL: url, SLIPTRAIL_TOKEN: TOKEN })
    assert.strictEqual(refused.code, 2)
    assert.include(refused.stderr, `${url} cannot be reached, the connection was refused: check the URL`)
    const unknown = yield* run(show, { SLIPTRAIL_URL: "https://service.invalid", SLIPTRAIL_TOKEN: TOKEN })
    assert.match(unknown.stderr, /cannot be reached, the name service\.invalid is unknown/u)
  })
})

describe("the URL and the token of a command", () => {
  it.live.each(
    [
      [["--url", "slips.shop.example"], {}, "Expected an http or https URL"],
      [["--url", "https://user:pass@slips.shop.example"], {}, "Expected a URL without user and password"],
      [["--url", "http://slips.shop.example"], {}, "http://slips.shop.example is another machine, and without TLS"],
      [["--url", "https://slips.shop.example"], {}, "needs a token for its admin API"],
      [["--url", "https://slips.shop.example", "--token-file", "/missing"], {}, "--token-file: cannot read /missing"],
      [
        ["--url", "https://slips.shop.example"],
        { SLIPTRAIL_TOKEN: "two words" },
        "SLIPTRAIL_TOKEN: Expected printable ASCII"
      ],
      [["--token-file", "/missing"], {}, "--token-file: Expected together with --url or SLIPTRAIL_URL"]
    ] as const
  )("are checked before anything is sent: %j", function* ([flags, env, message]) {
    const { code, stderr, stdout } = yield* run([...show, ...flags], { ...env, DATA_DIR: "nowhere" })
    assert.deepStrictEqual({ code, stdout }, { code: 2, stdout: "" })
    assert.include(stderr, message)
    assert.notMatch(stderr, /user:pass|two words/u)
  })

  it.live("come from flags before the environment, in any place, and the token from a file", function* () {
    const { requests, url } = yield* givenServer(answer(200, { success: true, data: account }))
    const file = join(yield* temporaryFolder, "token")
    writeFileSync(file, "token-of-the-file\n")
    const env = { SLIPTRAIL_URL: "http://127.0.0.1:1", SLIPTRAIL_TOKEN: TOKEN }
    const { code, stderr } = yield* run(["--url", `${url}/`, "--token-file", file, ...show], env)
    assert.strictEqual(code, 0, stderr)
    assert.strictEqual(requests[0]?.headers.authorization, "Bearer token-of-the-file")
  })

  it.live("sends the token to another machine over http only with --insecure-http", function* () {
    // A name of this machine that is not a loopback name. No server has it, so nothing is sent.
    const flags = ["--url", "http://service.invalid", "--insecure-http"]
    const { stderr } = yield* run([...show, ...flags], { SLIPTRAIL_TOKEN: TOKEN })
    assert.include(stderr, "the name service.invalid is unknown")
  })

  it.live("reads the token from the standard input", function* () {
    const { requests, url } = yield* givenServer(answer(200, { success: true, data: account }))
    const wrapper = ["sh", "-c", `echo token-of-the-pipe | "$@"`, "sh"]
    const child = startSliptrail([...show, "--url", url, "--token-file", "-"], { env: {}, wrapper })
    const { code, stderr } = yield* Effect.promise(() => endOf(child))
    assert.strictEqual(code, 0, stderr)
    assert.strictEqual(requests[0]?.headers.authorization, "Bearer token-of-the-pipe")
  })
})

const givenTls = Effect.fnUntraced(function* (kind: Parameters<typeof certificateOf>[0]) {
  const requests: Array<RecordedRequest> = []
  const handler = recording(requests, answer(200, { success: true, data: account }))
  const port = yield* listening(https.createServer(certificateOf(kind), handler), "127.0.0.1")
  return { url: `https://127.0.0.1:${port}`, port, requests }
})

describe("a command over HTTPS", () => {
  it.live("trusts the authority of SLIPTRAIL_CA_FILE, and no other certificate", function* () {
    const cwd = yield* temporaryFolder
    const { port, requests, url } = yield* givenTls("trusted")
    const ask = (target: string, env = {}) =>
      sliptrail([...show, "--url", target], { cwd, env: { SLIPTRAIL_TOKEN: TOKEN, ...env } })

    const untrusted = yield* ask(url)
    assert.strictEqual(untrusted.code, 2)
    assert.match(untrusted.stderr, /^sliptrail: the certificate of \S+ is not trusted .*SLIPTRAIL_CA_FILE\n$/u)
    assert.deepStrictEqual(requests, [])

    // Deno reads its own variable, at its start.
    const trusting = { ["Deno" in globalThis ? "DENO_CERT" : "SLIPTRAIL_CA_FILE"]: testAuthority.file }
    const trusted = yield* ask(url, trusting)
    assert.strictEqual(trusted.code, 0, trusted.stderr)
    for (const kind of ["expired", "stranger"] as const) {
      const other = yield* givenTls(kind)
      const ended = yield* ask(other.url, trusting)
      assert.strictEqual(ended.code, 2)
      assert.include(ended.stderr, "is not trusted")
      assert.deepStrictEqual(other.requests, [])
    }
    const missing = yield* ask(url, { SLIPTRAIL_CA_FILE: join(cwd, "missing.pem") })
    assert.match(missing.stderr, /^sliptrail: SLIPTRAIL_CA_FILE: [^\n]+\n$/u)
    const plain = yield* ask(`http://127.0.0.1:${port}`)
    assert.strictEqual(plain.code, 2)
  })

  it.live("explains that a port does not speak TLS", function* () {
    const { url } = yield* givenServer(answer(200, {}))
    const { code, stderr } = yield* run([...show, "--url", url.replace("http:", "https:")], {
      SLIPTRAIL_TOKEN: TOKEN
    })
    assert.strictEqual(code, 2)
    assert.include(stderr, "does not answer with TLS")
  })
})

describe("doctor --url", () => {
  it.live("examines a running service, problems last", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* RunningService
      const env = { SLIPTRAIL_URL: baseUrl, SLIPTRAIL_TOKEN: ADMIN_TOKEN }
      const { findings, isHealthy, settings, versions } = yield* runJson(["doctor"], env)
      assert.isTrue(isHealthy)
      assert.deepStrictEqual(settings, [])
      assert.property(versions, "SlipTrail")
      const levels = findings.map((
        { about, level }: { readonly about: string; readonly level: string }
      ) => [level, about])
      for (const about of ["service", "versions", "read models", "gateways"]) assert.deepInclude(levels, ["ok", about])

      const wrong = yield* run(["doctor"], { ...env, SLIPTRAIL_TOKEN: TOKEN })
      assert.deepStrictEqual([wrong.code, wrong.stderr], [1, "sliptrail: there is 1 fault, see FAIL"])
      const lines = wrong.stdout.trimEnd().split("\n")
      assert.match(lines.findLast((line) => /^\w/u.test(line)) ?? "", /^FAIL +admin API +The admin token is invalid/u)
    }).pipe(Effect.provide(layerRunningService())))
})

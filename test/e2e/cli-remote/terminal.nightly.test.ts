import { assert, describe, it } from "../../support/it.ts"
import { Effect } from "effect"
import { isColored } from "../../../infrastructure/commands/cli/colors.ts"
import { newSlip } from "../../support/client.ts"
import { endOf, sliptrail } from "../../support/command.ts"
import { startSliptrail } from "../../support/process.ts"
import { ADMIN_TOKEN, type Env, layerRunningService, RunningService } from "../../support/service.ts"
import { inTerminal, plainText } from "../../support/terminal.ts"
import { temporaryFolder } from "../../support/temporary-folder.ts"

const test = it.live.with(layerRunningService)

const ESCAPE = "\u001b["

const onTerminal = (args: ReadonlyArray<string>, env: Env) =>
  Effect.promise(() => endOf(startSliptrail(args, { env: { TERM: "xterm", ...env }, wrapper: inTerminal() })))

describe("the output of a command on a terminal", () => {
  test("has colors only there, and the same text without them", function* () {
    const { admin, baseUrl, createService } = yield* RunningService
    yield* createService({ name: "Open" })
    const { id } = yield* createService({ name: "Shut" })
    yield* admin("POST", `/services/${id}/ban`)
    const env = { SLIPTRAIL_URL: baseUrl, SLIPTRAIL_TOKEN: ADMIN_TOKEN }
    const cwd = yield* temporaryFolder

    const piped = yield* sliptrail(["service", "list"], { cwd, env })
    assert.strictEqual(piped.code, 0, piped.stderr)
    assert.notInclude(piped.stdout, ESCAPE)
    const colored = yield* onTerminal(["service", "list"], env)
    assert.strictEqual(colored.code, 0, colored.stdout)
    assert.include(colored.stdout, `${ESCAPE}32mactive${ESCAPE}39m`)
    assert.include(colored.stdout, `${ESCAPE}31mbanned${ESCAPE}39m`)
    assert.strictEqual(plainText(colored.stdout), piped.stdout)

    const refused = yield* onTerminal(["service", "show", "x"], env)
    assert.deepStrictEqual([refused.code, refused.stdout.startsWith(`${ESCAPE}31msliptrail:${ESCAPE}39m `)], [
      1,
      true
    ])

    for (const [args, more] of [[["--no-color"], {}], [[], { NO_COLOR: "1" }], [[], { TERM: "dumb" }]] as const) {
      const { stdout } = yield* onTerminal(["service", "list", ...args], { ...env, ...more })
      assert.notInclude(stdout, ESCAPE)
      assert.strictEqual(stdout.replaceAll("\r\n", "\n"), piped.stdout)
    }
  })

  test("has a line of progress after a second, and none in a pipe", function* () {
    const { baseUrl, createService } = yield* RunningService
    const { mainBranch } = yield* createService()
    const env = { SLIPTRAIL_URL: baseUrl, SLIPTRAIL_API_KEY: mainBranch.apiKey }
    const cwd = yield* temporaryFolder
    const verify = () => ["verify", newSlip({ outcome: "slow" }).payload]

    const piped = yield* sliptrail(verify(), { cwd, env })
    assert.deepStrictEqual([piped.code, piped.stderr], [0, ""])
    const shown = yield* onTerminal(verify(), env)
    assert.strictEqual(shown.code, 0, shown.stdout)
    assert.include(shown.stdout, `\r${ESCAPE}K${baseUrl} verifies the slip`)
    assert.match(plainText(shown.stdout), /VERIFIED: 100\.00 baht\n/u)
  })
})

describe("colors", () => {
  it("need a terminal whose user wishes them", () => {
    const wishes = { args: ["service", "list"], env: { TERM: "xterm" } }
    assert.isTrue(isColored({ isTTY: true }, wishes))
    assert.isTrue(isColored({ isTTY: true }, { ...wishes, env: { NO_COLOR: "" } }))
    assert.isFalse(isColored({}, wishes))
    assert.isFalse(isColored({ isTTY: true }, { ...wishes, args: ["--no-color", "service", "list"] }))
    assert.isFalse(isColored({ isTTY: true }, { ...wishes, env: { NO_COLOR: "1" } }))
  })
})

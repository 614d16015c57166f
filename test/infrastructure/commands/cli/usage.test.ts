import { assert, describe, it } from "../../../support/it.ts"
import type { Command } from "effect/cli"
import { loadApp } from "../../../../infrastructure/commands/cli/app.ts"
import { run } from "../../../support/in-process.ts"

/** The arguments that lead to a command and to each below it. */
const paths = (command: Command.Command.Any, path: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> => [
  path,
  ...command.subcommands.flatMap(({ commands }) => commands).flatMap((sub) => paths(sub, [...path, sub.name]))
]

describe("the help and usage errors of the command line", () => {
  it.live("print the help of every command to standard output", function* () {
    const all = paths(yield* loadApp([]), [])
    assert.isAbove(all.length, 30)
    for (const path of all) {
      const { code, stderr, stdout } = yield* run([...path, "--help"])
      assert.deepStrictEqual({ path, code, stderr }, { path, code: 0, stderr: "" })
      assert.include(stdout, ["sliptrail", ...path].join(" "))
      const [, commands = ""] = stdout.split("\nSUBCOMMANDS\n")
      for (const line of commands.split("\n")) assert.match(line, /^(?: {2}\S+ {2,}\S.*)?$/u)
    }
  })

  it.live.each(
    [
      [["service", "creat"], "unknown command creat, did you mean create?", "sliptrail service --help"],
      [["service", "list", "--jsno"], "unknown flag --jsno, did you mean --json?", "sliptrail service list --help"],
      [["service", "create"], "--name is missing", "sliptrail service create --help"],
      [["service", "ban"], "id is missing", "sliptrail service ban --help"],
      [["service", "list", "all"], `unexpected argument "all"`, "sliptrail service list --help"],
      [
        ["projections", "compare", "x"],
        `"branches" | "quota" | "duplicates" | "trail-index"`,
        "sliptrail projections compare --help"
      ]
    ] as const
  )("print one line on standard error: %j", function* ([args, message, help]) {
    const { code, stderr, stdout } = yield* run(args)
    assert.deepStrictEqual({ code, stdout }, { code: 2, stdout: "" })
    assert.match(stderr, /^sliptrail: [^\n]+$/u)
    assert.include(stderr, message)
    assert.include(stderr, `(see ${help})`)
  })

  it.live("name a setting that cannot be read", function* () {
    assert.deepStrictEqual(yield* run(["service", "list"], { SLIP_READER: "x" }), {
      code: 2,
      stdout: "",
      stderr: `sliptrail: SLIP_READER: Expected "native" | "portable"`
    })
  })

  it.live("print the version", function* () {
    assert.deepStrictEqual(yield* run(["--version"]), { code: 0, stdout: "sliptrail 0.0.0", stderr: "" })
  })
})

import { assert, describe, it } from "../../../support/it.ts"
import { Effect } from "effect"
import { join } from "node:path"
import { run, runJson } from "../../../support/in-process.ts"
import { temporaryFolder } from "../../../support/temporary-folder.ts"

const given = Effect.gen(function* () {
  const env = { DATA_DIR: join(yield* temporaryFolder, "data") }
  const { mainBranch } = yield* runJson(["service", "create", "--name", "Shop"], env)
  const branch = ["--branch", String(mainBranch.id)]
  const create = (...flags: ReadonlyArray<string>) => ["key", "create", ...branch, "--name", "Till", ...flags]
  const states = Effect.map(
    runJson(["key", "list", ...branch], env),
    (keys: ReadonlyArray<{ readonly name: string | null; readonly state: string }>) =>
      keys.map(({ name, state }) => [name, state])
  )
  return { env, branch, create, states }
})

describe("sliptrail key", () => {
  it.live("creates a key and shows it once, lists, rotates and revokes it", function* () {
    const { branch, create, env, states } = yield* given
    const flags = ["--scope", "verify", "--scope", "read", "--network", "203.0.113.7", "--expires", "2099-01-01"]
    const created = yield* run(create(...flags), env)
    assert.strictEqual(created.code, 0, created.stderr)
    assert.include(created.stderr, "not shown again")
    const fields = Object.fromEntries(created.stdout.split("\n").map((line) => line.split(/\s{2,}/u)))
    assert.deepInclude(fields, {
      name: "Till",
      scopes: "verify read",
      expires: "2099-01-01T16:59:59.999Z",
      networks: "203.0.113.7/32",
      "last used": "never"
    })
    assert.match(fields["API key"], /^[0-9a-f-]{36}$/u)

    const listed = yield* run(["key", "list", ...branch], env)
    assert.match(listed.stdout, /default key +verify read configure +active +never +as the branch +never/u)
    assert.notInclude(listed.stdout, fields["API key"])
    const rotated = yield* runJson(["key", "rotate", fields["id"].toUpperCase(), ...branch, "--overlap", "60"], env)
    assert.deepInclude(rotated, { name: "Till", scopes: ["verify", "read"], expiresAt: "2099-01-01T16:59:59.999Z" })
    assert.deepStrictEqual(yield* states, [["Till", "active"], ["Till", "replaced"], [null, "active"]])
    assert.deepInclude(yield* runJson(["key", "revoke", fields["id"], ...branch], env), { state: "revoked" })
    assert.deepStrictEqual(yield* states, [["Till", "active"], ["Till", "revoked"], [null, "active"]])
    const shown = yield* run(["trail", "show", ...branch], env)
    assert.include(shown.stdout, `API key ${fields["id"]} issued as Till, for verify, read, until 2099-01-01`)
  })

  it.live("makes a sign-in link, shows it once, and records who made it", function* () {
    const { branch, env } = yield* given
    const made = yield* run(["key", "sign-in-link", ...branch, "--name", "Till 1"], { ...env, PORT: "8099" })
    assert.strictEqual(made.code, 0, made.stderr)
    assert.match(made.stdout, /^link +http:\/\/127\.0\.0\.1:8099\/app\/link\/[0-9a-f]{64}$/mu)
    assert.match(made.stdout, /^scopes +verify$/mu)
    for (const note of ["PUBLIC_URL is not set", "not shown again"]) assert.include(made.stderr, note)

    const flags = ["--name", "Owner", "--scope", "read", "--scope", "configure", "--valid-hours", "2"]
    const public_ = { ...env, PUBLIC_URL: "https://slips.shop.example" }
    const other = yield* run(["key", "sign-in-link", ...branch, ...flags, "--json"], public_)
    const { link, scopes } = JSON.parse(other.stdout)
    assert.match(link, /^https:\/\/slips\.shop\.example\/app\/link\/[0-9a-f]{64}$/u)
    assert.deepStrictEqual(scopes, ["read", "configure"])
    assert.notInclude(other.stderr, "PUBLIC_URL")

    const log = yield* runJson(["operator", "log", "--kind", "SignInLinkMade"], env)
    const text = JSON.stringify(log)
    assert.strictEqual(log.length, 2)
    assert.include(text, "Sign-in link for Owner made")
    assert.notInclude(text, link.slice(-64))
  })

  it.live("says what is wrong with a flag, and with an unknown key or branch", function* () {
    const { branch, create, env } = yield* given
    const refused = [
      [create("--scope", "verify", "--expires", "2020-01-01"), 2, "--expires: Expected a time in the future"],
      [create("--scope", "verify", "--network", "*"), 2, "--network: Expected an IPv4 or IPv6 address"],
      [["key", "rotate", "0123456789abcdef", ...branch, "--overlap", "-1"], 2, "--overlap"],
      [["key", "sign-in-link", ...branch, "--name", "Till", "--valid-hours", "0"], 2, "--valid-hours"],
      [["key", "sign-in-link", ...branch, "--name", ""], 2, "--name"],
      [["key", "revoke", "0123456789abcdef", ...branch], 1, "the branch has no API key with this id"],
      [["key", "list", "--branch", "5b0b3f0e-7c5d-4a1b-9f2e-6d8c4a3b2c1d"], 1, "the branch does not exist"]
    ] as const
    for (const [command, code, message] of refused) {
      const ended = yield* run(command, env)
      assert.strictEqual(ended.code, code, command.join(" "))
      assert.include(ended.stderr, message)
    }
    assert.strictEqual((yield* run(create(), env)).code, 2)
  })
})

import { assert, describe, it } from "../../../support/it.ts"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { userInfo } from "node:os"
import { parseWalletPayload } from "../../../../domain/slip/wallet-payload.ts"
import { EventStore } from "../../../../ports/event-store.ts"
import { layerEventStoreEmbeddedReadOnly } from "../../../../infrastructure/adapters/stores/sqlite/events/store.ts"
import { eventsFile, holdDataFolder } from "../../../../infrastructure/runtime/data-folder.ts"
import { temporaryFolder } from "../../../support/temporary-folder.ts"
import { run, runJson } from "../../../support/in-process.ts"

const UNKNOWN = "5b0b3f0e-7c5d-4a1b-9f2e-6d8c4a3b2c1d"

const given = Effect.map(temporaryFolder, (folder) => ({ DATA_DIR: join(folder, "data") }))

describe("provisioning from the command line", () => {
  it.live("creates a service, and shows its key and secret only once", function* () {
    const env = yield* given
    const { code, stderr, stdout } = yield* run(
      ["service", "create", "--name", "ร้านกาแฟ", "--quota", "100", "--expires", "2099-01-01T00:00:00Z"],
      env
    )
    assert.strictEqual(code, 0)
    assert.include(stderr, "not shown again")
    const created = Object.fromEntries(stdout.split("\n").map((line) => line.split(/\s{2,}/u)))
    assert.deepInclude(created, { name: "ร้านกาแฟ", plan: "standard", quota: "100 a month", state: "active" })
    assert.match(created["API key"], /^[0-9a-f-]{36}$/u)
    assert.match(created["webhook secret"], /^whsec_/u)

    const [listed] = yield* runJson(["service", "list"], env)
    assert.deepInclude(listed, { id: created["id"], quota: 100, expiresAt: "2099-01-01T00:00:00.000Z" })
    const shown = yield* run(["service", "show", created["id"].toUpperCase()], env)
    assert.include(shown.stdout, "ร้านกาแฟ")
    for (const { stdout } of [shown, yield* run(["service", "show", created["id"], "--json"], env)]) {
      assert.notInclude(stdout, created["API key"])
      assert.notInclude(stdout, created["webhook secret"])
    }
  })

  it.live("changes a service, and records the actor of each change", function* () {
    const env = yield* given
    const { id } = yield* runJson(["service", "create", "--name", "Shop"], env)
    const changed = ["--plan", "pro", "--quota", "5", "--name", "Store", "--expires", "2099-01-01T00:00:00Z"]
    assert.deepInclude(yield* runJson(["service", "plan", id, ...changed], env), {
      name: "Store",
      plan: "pro",
      quota: 5,
      expiresAt: "2099-01-01T00:00:00.000Z"
    })
    const back = yield* runJson(["service", "plan", id, "--quota", "unlimited", "--expires", "never"], env)
    assert.deepInclude(back, { plan: "pro", quota: null, expiresAt: null })
    assert.isTrue((yield* runJson(["service", "ban", id, "--reason", "fraud"], env)).isBanned)
    assert.isFalse((yield* runJson(["service", "unban", id], env)).isBanned)
    assert.isFalse((yield* runJson(["service", "deactivate", id], env)).isActive)
    assert.isTrue((yield* runJson(["service", "activate", id], env)).isActive)
    assert.isTrue((yield* runJson(["service", "delete", id], env)).isDeleted)

    const events = yield* Effect.provide(
      EventStore.use((store) => store.readStream(`service-${id}`)),
      layerEventStoreEmbeddedReadOnly({ file: eventsFile(env.DATA_DIR) })
    )
    const byUser = { kind: "admin", id: "cli", operator: `os:${userInfo().username}` } as const
    for (const { metadata } of events) assert.deepStrictEqual(metadata.actor, byUser)
    assert.deepInclude(events.find(({ type }) => type === "ServiceBanned")?.data, { reason: "fraud" })
  })

  it.live("creates a branch with its own settings, and changes it", function* () {
    const env = yield* given
    const service = yield* runJson(["service", "create", "--name", "Shop"], env)
    const rules = ["--quota", "7", "--ip", "10.0.0.0/8", "--ip", "::1", "--webhook", "https://shop.example/hook"]
    const branch = yield* runJson(["branch", "create", "--service", service.id, "--name", "Till", ...rules], env)
    assert.deepInclude(branch, {
      quota: 7,
      ipWhitelist: ["10.0.0.0/8", "::1"],
      webhookUrl: "https://shop.example/hook",
      isMain: false
    })
    const changed = ["--name", "Till 1", "--quota", "unlimited", "--ip", "*", "--webhook", "none"]
    assert.deepInclude(yield* runJson(["branch", "set", branch.id, ...changed], env), {
      name: "Till 1",
      quota: null,
      ipWhitelist: ["*"],
      webhookUrl: null
    })
    assert.isFalse((yield* runJson(["branch", "deactivate", branch.id], env)).isActive)
    assert.isTrue((yield* runJson(["branch", "activate", branch.id], env)).isActive)
    assert.notStrictEqual((yield* runJson(["branch", "rotate-key", branch.id], env)).apiKey, branch.apiKey)
    const rotated = yield* runJson(["branch", "rotate-webhook-secret", branch.id, "--overlap", "60"], env)
    assert.notStrictEqual(rotated.secret, branch.webhookSecret)
    assert.strictEqual(Date.parse(rotated.previousExpiresAt) - Date.parse(rotated.effectiveAt), 60_000)
    const listed: ReadonlyArray<{ readonly name: string }> = yield* runJson([
      "branch",
      "list",
      "--service",
      service.id
    ], env)
    assert.deepStrictEqual(listed.map(({ name }) => name), ["Main", "Till 1"])
  })

  it.live("imports the key of another verifier, and refuses it a second time without printing it", function* () {
    const env = yield* given
    const file = `${env.DATA_DIR}.key`
    const [one, other] = [randomUUID(), randomUUID()]
    writeFileSync(file, `${one.toUpperCase()}\n`)
    const { id, mainBranch } = yield* runJson(["service", "create", "--name", "Shop", "--key-file", file], env)
    assert.strictEqual(mainBranch.apiKey, one)
    const create = ["branch", "create", "--service", id, "--name", "Till"]
    assert.strictEqual((yield* runJson([...create, "--key", other], env)).apiKey, other)

    const refusals = [
      [["--key", one], 1, "the API key belongs to a branch, or belonged to one"],
      [["--key", `${one}0`], 2, "--key: Expected an API key: a UUID v4"],
      [["--key-file", `${file}.missing`], 2, "--key-file: cannot read"],
      [["--key", one, "--key-file", file], 2, "give only one of --key, --key-file"]
    ] as const
    for (const [flags, code, message] of refusals) {
      const refused = yield* run([...create, ...flags], env)
      assert.strictEqual(refused.code, code, refused.stderr)
      assert.include(refused.stderr, message)
      assert.notInclude(refused.stderr + refused.stdout, one)
    }
  })

  it.live("lists the branches of all services without --service", function* () {
    const env = yield* given
    const one = yield* runJson(["service", "create", "--name", "One"], env)
    const other = yield* runJson(["service", "create", "--name", "Other"], env)
    const till = yield* runJson(["branch", "create", "--service", one.id, "--name", "Till"], env)
    const all: ReadonlyArray<{ readonly id: string }> = yield* runJson(["branch", "list"], env)
    assert.deepStrictEqual(all.map(({ id }) => id), [one.mainBranch.id, till.id, other.mainBranch.id])
    const { stdout } = yield* run(["branch", "list"], env)
    const lines = stdout.split("\n").map((line) => line.split(/ {2,}/u))
    assert.deepStrictEqual(lines[0]?.slice(0, 4), ["id", "name", "service", "main"])
    assert.deepStrictEqual(lines[2]?.slice(0, 3), [till.id, "Till", `One (${one.id})`])
    yield* holdDataFolder(env.DATA_DIR)
    assert.lengthOf(yield* runJson(["branch", "list"], env), 3)
  })

  it.live("reads a time without an offset as Bangkok time, and a day as its end", function* () {
    const env = yield* given
    const made = yield* runJson(["service", "create", "--name", "Shop", "--expires", "2099-01-31 10:00"], env)
    const { id } = made
    assert.deepInclude(yield* runJson(["service", "show", id], env), { expiresAt: "2099-01-31T03:00:00.000Z" })
    const later = yield* runJson(["service", "plan", id, "--expires", "2099-01-31"], env)
    assert.strictEqual(later.expiresAt, "2099-01-31T16:59:59.999Z")
    const timeOfSlip = (at: string) =>
      Effect.map(runJson(["sandbox", "slip", "--at", at]), ({ transRef }) => String(transRef).slice(12, 19))
    assert.strictEqual(yield* timeOfSlip("2026-11-21 15:45"), yield* timeOfSlip("2026-11-21T08:45:00Z"))
  })

  it.live("makes a TrueMoney slip of the sandbox bank", function* () {
    const { payload, sendingBank, transRef } = yield* runJson(["sandbox", "slip", "--wallet"])
    assert.strictEqual(sendingBank, "TRUEMONEY")
    assert.strictEqual(transRef, `TW${parseWalletPayload(String(payload))?.transactionId}`)
  })

  it.live("creates, verifies and bans an account", function* () {
    const env = yield* given
    const { id } = yield* runJson(["account", "create", "--name", "Somchai", "--email", "s@example.com"], env)
    assert.isTrue((yield* runJson(["account", "verify", id], env)).isVerified)
    assert.isTrue((yield* runJson(["account", "ban", id], env)).isBanned)
    assert.isFalse((yield* runJson(["account", "unban", id], env)).isBanned)
    assert.strictEqual((yield* runJson(["service", "create", "--name", "A", "--account", id], env)).accountId, id)
    assert.deepInclude(yield* runJson(["account", "show", id], env), { name: "Somchai", email: "s@example.com" })
  })

  it.live("validates flags like the admin API, and changes nothing when one is invalid", function* () {
    const env = yield* given
    const { id, mainBranch } = yield* runJson(["service", "create", "--name", "Shop"], env)
    const before = yield* runJson(["service", "show", id], env)
    const wrong = [
      [["service", "create", "--name", ""], "--name:"],
      [["service", "create", "--name", "x", "--quota", "1000000001"], "--quota:"],
      [["service", "create", "--name", "x", "--quota", "many"], "--quota:"],
      [["service", "create", "--name", "x", "--expires", "tomorrow"], "--expires:"],
      [["service", "create", "--name", "x", "--account", "me"], "--account:"],
      [["service", "plan", id], "at least one of"],
      [["branch", "set", mainBranch.id], "at least one of"],
      [["branch", "set", mainBranch.id, "--quota", "-1"], "--quota:"],
      [["branch", "set", mainBranch.id, "--quota", "1.5"], "--quota:"],
      [["branch", "set", mainBranch.id, "--ip", "10.1"], "--ip:"],
      [["branch", "set", mainBranch.id, "--ip", "10.0.0.0/33"], "--ip:"],
      [["branch", "set", mainBranch.id, "--webhook", "http://shop.example"], "--webhook:"],
      [["branch", "set", mainBranch.id, "--webhook", "https://me:word@shop.example"], "--webhook:"],
      [["branch", "rotate-webhook-secret", mainBranch.id, "--overlap", "604801"], "--overlap:"],
      [["branch", "policy", "set", mainBranch.id], "at least one of"],
      [["branch", "policy", "set", mainBranch.id, "--at-least", "2", "--at-most", "1"], "--at-least:"],
      [["branch", "policy", "set", mainBranch.id, "--sending-bank", "4"], "--sending-bank:"]
    ] as const
    for (const [args, message] of wrong) {
      const { code, stderr, stdout } = yield* run(args, env)
      assert.deepStrictEqual({ args, code, stdout }, { args, code: 2, stdout: "" })
      assert.match(stderr, /^sliptrail: [^\n]+$/u)
      assert.include(stderr, message)
    }
    assert.deepStrictEqual(yield* runJson(["service", "show", id], env), before)
    assert.lengthOf(yield* runJson(["service", "list"], env), 1)
  })

  it.live("exits with 1 for unknown ids", function* () {
    const env = yield* given
    yield* runJson(["account", "create"], env)
    const absent = [
      ["service", "show", UNKNOWN],
      ["service", "ban", "nonsense"],
      ["service", "create", "--name", "A", "--account", UNKNOWN],
      ["branch", "create", "--service", UNKNOWN, "--name", "A"],
      ["branch", "show", UNKNOWN],
      ["branch", "policy", "show", UNKNOWN],
      ["account", "show", UNKNOWN],
      ["bank-account", "list", "--service", UNKNOWN],
      ["bank-account", "show", UNKNOWN],
      ["bank-account", "deactivate", "nonsense"],
      ["trail", "show", "--branch", UNKNOWN]
    ]
    for (const args of absent) {
      const { code, stderr, stdout } = yield* run(args, env)
      assert.deepStrictEqual({ args, code, stdout }, { args, code: 1, stdout: "" })
      assert.match(stderr, /^sliptrail: (the [\w ]+ does not exist|there are no events)[^\n]*$/u)
    }
  })

  it.live("creates no data folder for commands that need an existing one", function* () {
    const env = yield* given
    const set = ["branch", "set", UNKNOWN, "--quota", "1"]
    for (const args of [["service", "list"], ["service", "ban", UNKNOWN], set]) {
      const { code, stderr } = yield* run(args, env)
      assert.strictEqual(code, 2)
      assert.include(stderr, `there is no data in ${env.DATA_DIR}`)
    }
    assert.isFalse(existsSync(env.DATA_DIR))
  })

  it.live("refuses to write while a service has the folder open, and still reads", function* () {
    const env = yield* given
    const { id } = yield* runJson(["service", "create", "--name", "Shop"], env)
    yield* Effect.scoped(Effect.gen(function* () {
      yield* holdDataFolder(env.DATA_DIR)
      const refused = [
        [["account", "create"], "POST /admin/v1/accounts"],
        [["service", "ban", id.toUpperCase()], `POST /admin/v1/services/${id}/ban`],
        [["branch", "policy", "remove", UNKNOWN], `DELETE /admin/v1/branches/${UNKNOWN}/policy`],
        [["projections", "rebuild", "branches"], "POST /admin/v1/projections/branches/rebuild"]
      ] as const
      for (const [args, path] of refused) {
        const { code, stderr, stdout } = yield* run(args, env)
        assert.deepStrictEqual({ args, code, stdout, stderr }, {
          args,
          code: 2,
          stdout: "",
          stderr:
            `sliptrail: ${env.DATA_DIR} is in use by a running SlipTrail: stop it first, or use its admin API with --url: ${path}`
        })
      }
      assert.isFalse((yield* runJson(["service", "show", id], env)).isBanned)
    }))
    assert.isTrue((yield* runJson(["service", "ban", id], env)).isBanned)
  })
})

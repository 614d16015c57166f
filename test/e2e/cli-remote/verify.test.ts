import { assert, describe, it } from "../../support/it.ts"
import { Effect } from "effect"
import { writeFileSync } from "node:fs"
import http from "node:http"
import { join } from "node:path"
import { satang } from "../../../domain/money.ts"
import { newSlip } from "../../support/client.ts"
import { run, runJson } from "../../support/in-process.ts"
import { listening } from "../../support/loopback-server.ts"
import { temporaryFolder } from "../../support/temporary-folder.ts"
import { layerShop, Shop } from "../given-shop.ts"
import { RunningService } from "../../support/service.ts"

const test = it.live.with(layerShop)

const given = Effect.gen(function* () {
  const { admin, baseUrl } = yield* RunningService
  const { branchId, key } = yield* Shop
  return {
    admin,
    branchId,
    env: { SLIPTRAIL_URL: baseUrl, SLIPTRAIL_API_KEY: key },
    folder: yield* temporaryFolder,
    key
  }
})

describe("sliptrail verify", () => {
  test("prints the verdict first, then the facts, and 0 only for a slip that may be accepted", function* () {
    const { env } = yield* given
    const slip = newSlip()
    const first = yield* run(["verify", slip.payload, "--amount", "100", "--remark", "order 5"], env)
    assert.deepStrictEqual([first.code, first.stderr], [0, ""])
    const [verdict, ...facts] = first.stdout.split("\n")
    assert.strictEqual(verdict, "VERIFIED: 100.00 baht")
    const fields = Object.fromEntries(facts.map((line) => line.split(/ {2,}/u)))
    assert.deepInclude(fields, { reference: slip.transRef, remark: "order 5" })

    const again = yield* run(["verify", slip.payload], env)
    assert.deepStrictEqual([again.code, again.stderr], [1, "sliptrail: the slip is not accepted: duplicate"])
    assert.match(again.stdout, /^DUPLICATE: 100\.00 baht, verified 2 times, first \S+Z by this branch\n/u)
    const asJson = yield* run(["verify", slip.payload, "--json"], env)
    assert.strictEqual(asJson.code, 1)
    assert.deepInclude(JSON.parse(asJson.stdout), { outcome: "duplicate", isDuplicate: true })

    const other = yield* run(["verify", newSlip().payload, "--amount", "99.5"], env)
    assert.strictEqual(other.code, 1)
    assert.match(other.stdout, /^AMOUNT DIFFERS: the slip is over 100\.00 baht, not 99\.50 baht\n/u)
  })

  test("reads a picture, also of a TrueMoney slip", function* () {
    const { env, folder } = yield* given
    for (const [flags, name] of [[[], "slip.png"], [["--wallet"], "wallet.png"]] as const) {
      const file = join(folder, name)
      yield* runJson(["sandbox", "slip", ...flags, "--out", file])
      const { code, stderr, stdout } = yield* run(["verify", ...flags, file], env)
      assert.deepStrictEqual([code, stderr], [0, ""])
      assert.match(stdout, /^VERIFIED: 1,500\.50 baht\n/u)
    }
  })

  it.live("sends the key to no other address, and says that the service redirects", function* () {
    let redirected = 0
    const other = yield* listening(
      http.createServer((_, response) => {
        redirected += 1
        response.end()
      }),
      "127.0.0.1"
    )
    const server = http.createServer((_, response) => {
      response.writeHead(307, { location: `http://127.0.0.1:${other}/v2/verify/bank` }).end()
    })
    const url = `http://127.0.0.1:${yield* listening(server, "127.0.0.1")}`
    const key = "5b0b3f0e-7c5d-4a1b-9f2e-6d8c4a3b2c1d"
    const ended = yield* run(["verify", newSlip().payload], { SLIPTRAIL_URL: url, SLIPTRAIL_API_KEY: key })
    assert.deepStrictEqual([ended.code, ended.stderr], [
      2,
      `sliptrail: ${url} redirects to another address: give the URL of the service with --url (SLIPTRAIL_URL)`
    ])
    assert.strictEqual(redirected, 0)
  })

  test("follows the policy of the branch: its reasons, and a duplicate that it allows", function* () {
    const { admin, branchId, env } = yield* given
    yield* admin("PUT", `/branches/${branchId}/policy`, { amount: { atLeast: 50 }, duplicate: "allow" })
    const cheap = yield* run(["verify", newSlip({ amount: satang(10_00) }).payload], env)
    assert.strictEqual(cheap.code, 1)
    assert.match(cheap.stdout, /^NOT ACCEPTED: 10\.00 baht\nreason +amount_too_low: /u)
    const slip = newSlip()
    assert.strictEqual((yield* run(["verify", slip.payload], env)).code, 0)
    const again = yield* run(["verify", slip.payload], env)
    assert.strictEqual(again.code, 0)
    assert.match(again.stdout, /^VERIFIED: 100\.00 baht, a duplicate that the conditions allow\n/u)
  })

  test("tells a slip that is not found from a call that failed", function* () {
    const { env, folder, key } = yield* given
    const unknown = newSlip({ outcome: "not-found" }).payload
    const absent = yield* run(["verify", unknown], env)
    assert.deepStrictEqual([absent.code, absent.stdout], [1, ""])
    assert.match(absent.stderr, /^sliptrail: SLIP_NOT_FOUND: [^\n]+ \(request \S+\)$/u)

    const file = join(folder, "key")
    writeFileSync(file, `${key}\n`)
    const { SLIPTRAIL_URL } = env
    assert.strictEqual((yield* run(["verify", unknown, "--api-key-file", file], { SLIPTRAIL_URL })).code, 1)

    const failed = [
      [{ SLIPTRAIL_URL }, [unknown], "give the API key of a branch with --api-key-file FILE or SLIPTRAIL_API_KEY"],
      [{ ...env, SLIPTRAIL_API_KEY: "no" }, [unknown], "INVALID_API_KEY"],
      [{ ...env, SLIPTRAIL_URL: "http://127.0.0.1:1" }, [unknown], "http://127.0.0.1:1"],
      [env, ["missing.png"], `"missing.png" is neither a file nor the payload of a slip`],
      [env, [file], "sliptrail: "],
      [env, [unknown, "--wallet"], "--wallet: Expected a picture, not a payload"]
    ] as const
    for (const [settings, args, message] of failed) {
      const { code, stderr, stdout } = yield* run(["verify", ...args], settings)
      assert.deepStrictEqual({ args, code, stdout }, { args, code: 2, stdout: "" })
      assert.include(stderr, message)
      assert.notInclude(stderr, key)
    }
  })
})
